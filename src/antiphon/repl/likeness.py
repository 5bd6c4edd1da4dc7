"""Which of the entities that were found is called almost as a new one would be."""

from __future__ import annotations

from collections.abc import Iterable

from antiphon.dsl.similar import Similar
from antiphon.entity.folding import folded
from antiphon.entity.scoring import Candidate, scored

SCORE_MIN = 60  # a slip of the finger in each word is above it
# A long name that holds a short one is another name; «SA» behind it makes none.
LENGTHS_MIN = 0.8


def likest(name: str, found: Iterable[Candidate]) -> Similar | None:
    """The first of the candidates, best first, whose name is like this one."""
    for one in found:
        score = scored(name, one.display)
        if score.is_exact:
            return Similar(one.display, score.points, is_exact=True)
        lengths = sorted((len(folded(name)), len(folded(one.display))))
        if score.points >= SCORE_MIN and lengths[0] >= LENGTHS_MIN * lengths[1]:
            return Similar(one.display, score.points)
    return None
