"""Candidates for a reference, and how each is called in a block of few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antiphon.choice import offers
from antiphon.entity.scoring import Candidate

AUTO_SCORE_MIN = 80  # of a candidate that is taken without asking, for an intent
AUTO_GAP_MIN = 15  # how far the next one must be below it


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was found for one reference: a first page, and how many there are."""

    matches: tuple[Candidate, ...] = ()
    total: int = 0


def taken(found: Candidates, *, is_intent: bool) -> tuple[Candidate, str] | None:
    """The candidate that needs no question, and how it was found."""
    exact = [one for one in found.matches if one.is_exact]
    if len(exact) == 1:
        return exact[0], "exact"
    if exact or not found.matches or not is_intent:
        return None
    best, *others = found.matches
    gap = best.score - others[0].score if others else 100
    return (best, "clear") if best.score >= AUTO_SCORE_MIN and gap >= AUTO_GAP_MIN else None


def labels(found: Sequence[Candidate]) -> tuple[str, ...]:
    """A short name for each, and no two alike: the name, then the first fact that differs."""
    facts = tuple((*one.differs.values(), one.entity_type.replace("_", " ")) for one in found)
    return offers.labels(tuple(one.display for one in found), facts)
