"""Candidates for a reference, and how each is called in a block of few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from antiphon.choice.words import word_count
from antiphon.entity.scoring import Candidate

LABEL_WORDS_MAX = 5
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


def labels(found: Sequence[Candidate]) -> list[str]:
    """A short name for each, and no two alike: the name, then the first fact that differs."""
    names = [_cut(one.display, LABEL_WORDS_MAX) for one in found]
    counts = Counter(name.casefold() for name in names)
    out: list[str] = []
    for name, one in zip(names, found, strict=True):
        facts = [_cut(fact, 2) for fact in one.differs.values() if fact]
        if counts[name.casefold()] > 1 and facts:
            short = _cut(one.display, LABEL_WORDS_MAX - max(1, word_count(facts[0])))
            out.append(f"{short} ({facts[0]})")
        else:
            out.append(name)
    return _distinct(out, found)


def _cut(text: str, words_max: int) -> str:
    words = " ".join(text.split()).split(" ")
    while len(words) > 1 and word_count(" ".join(words)) > words_max:
        words.pop()
    return " ".join(words)


def _distinct(names: list[str], found: Sequence[Candidate]) -> list[str]:
    """Where names are still alike, the end of the id stands behind them."""
    counts = Counter(name.casefold() for name in names)
    return [
        name if counts[name.casefold()] == 1 else f"{_cut(name, 4)} #{one.entity_id[-6:]}"
        for name, one in zip(names, found, strict=True)
    ]
