"""How well a message fits a phrase, and which of its words fill the slots.

The score is 1 for a phrase said as it is written with one word in each slot; it falls with each
word that is missing, mistyped, or said besides.  Everything is a sum, so it can be explained.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from antiphon.dsl.names import distance
from antiphon.repl.phrase import ARTICLES, LIGHT, Item, Literal, Slot, Word

TYPO = 0.85  # of a word's weight, when it is mistyped
ALIKE = 0.95  # when it is another word for it
OTHER_NUMBER = 0.7  # and one thing is said where several are meant, or the other way round
SLOT_WORD = 0.03  # lost for each word in a slot: the phrase that names more of the message wins
SLOT_EMPTY, SLOTS_EMPTY = 0.01, 0.22  # lost for each slot that nothing fills, and for any at all
HEARD_MIN = 2  # words that say something: «find» alone asks for nothing
EXTRA_NAME = 1.0  # lost for quotes or a symbol without a place: they stand for something
EXTRA_ARTICLE, EXTRA_LIGHT, EXTRA_PLACE, EXTRA = (
    0.04,
    0.08,
    0.2,
    0.5,
)  # for a word of the message without a place

# What people say for one another of anything; what only a domain says so, its packs have.
SYNONYMS: Mapping[str, str] = {
    word: group.split()[0]
    for group in (
        "show display view see print",
        "create make build add register",
        "delete remove erase",
        "list enumerate",
        "switch go jump",
        "rename retitle",
        "open start begin launch",
        "assign appoint nominate",
        "complete finish",
        "find locate",
        "get fetch grab",
        "run execute",
        "called named",
    )
    for word in group.split()
}


# Small words that people put one for the other.
PLACES = frozenset(
    {
        "of", "for", "on", "in", "at", "to", "into", "onto", "about", "within", "inside", "under",
        "with", "behind", "regarding", "concerning",
    }
)  # fmt: skip
QUESTIONS = frozenset({"what", "which"})
# Words that are said besides and change nothing.
FILLING = frozenset(
    {"currently", "down", "entire", "existing", "here", "just", "new", "really", "right", "whole"}
)
PLACED = 0.7


Likeness = Callable[[str, str], float]


def likeness_by(synonyms: Mapping[str, str]) -> Likeness:
    """How alike two words are: 1 for the same, less for a synonym or a slip, else 0."""

    @functools.lru_cache(maxsize=1 << 16)
    def likeness(said: str, meant: str) -> float:
        if said == meant:
            return 1.0
        if said in PLACES and meant in PLACES:
            return PLACED
        if said in QUESTIONS and meant in QUESTIONS:
            return ALIKE
        if said in synonyms and synonyms[said] == synonyms.get(meant):
            return ALIKE if _is_plural(said) is _is_plural(meant) else OTHER_NUMBER
        if len(meant) < 4 or abs(len(said) - len(meant)) > 2 or said in synonyms or said in LIGHT:
            return 0.0
        slips = 1 if len(meant) < 8 else 2
        return TYPO if distance(said, meant) <= slips else 0.0

    return likeness


def _is_plural(word: str) -> bool:
    return word.endswith("s") or word == "people"


@dataclass(frozen=True, slots=True)
class Fit:
    score: float
    slots: tuple[tuple[str, tuple[Word, ...]], ...]


NO_FIT = Fit(0.0, ())
# What a slot loses with the words from one place up to another; below the second, place by place.
Lost = Callable[[str, int], Sequence[float]]
_EMPTY, _NEXT, _SAID = -1, -2, -3  # how a cell came about; else the end of a slot


def fit(
    phrase: Sequence[Item],
    message: Sequence[Word],
    lost: Lost,
    likeness: Likeness,
    heard_min: int = 1,
) -> Fit:
    """The best way to lay the message over the phrase; `lost(slot, at)[end]` costs that slot.

    At least `heard_min` words that say something have to be the phrase's own.
    """
    alike = _likenesses(phrase, message, likeness)
    found = _laid(phrase, message, lost, alike, SLOT_EMPTY, heard_min)
    if len(found.slots) < sum(isinstance(item, Slot) for item in phrase):
        # One empty slot costs as much as all: where none is, a way may be better for it.
        return max(found, _laid(phrase, message, lost, alike, SLOTS_EMPTY, heard_min), key=_score)
    return found


def _score(found: Fit) -> float:
    return found.score


def _likenesses(
    phrase: Sequence[Item], message: Sequence[Word], likeness: Likeness
) -> dict[str, list[float]]:
    """Of each word of the phrase to each of the message."""
    return {
        item.word: [0.0 if one.is_quoted else likeness(one.folded, item.word) for one in message]
        for item in phrase
        if isinstance(item, Literal)
    }


def _laid(
    phrase: Sequence[Item],
    message: Sequence[Word],
    lost: Lost,
    alike: Mapping[str, Sequence[float]],
    empty: float,
    heard_min: int,
) -> Fit:
    count = len(message)
    extra = [_extra(one) for one in message]
    # below[at] is the best for the rest of the phrase and the words from `at` on.
    below, matched = [0.0] * (count + 1), [0] * (count + 1)
    for at in range(count - 1, -1, -1):
        below[at] = below[at + 1] - extra[at]
    ways: list[list[int]] = []
    for item in reversed(phrase):
        row, hits, way = [0.0] * (count + 1), [0] * (count + 1), [_EMPTY] * (count + 1)
        for at in range(count, -1, -1):
            if isinstance(item, Literal):
                like = alike[item.word][at] if at < count else 0.0
                best, hit, how = _literal(item, like, at, below, matched)
            else:
                best, hit, how = _slot(lost(item.name, at), at, below, matched, empty)
            if at < count:
                gain = row[at + 1] - extra[at]
                if gain > best or (gain == best and hits[at + 1] > hit):
                    best, hit, how = gain, hits[at + 1], _NEXT
            row[at], hits[at], way[at] = best, hit, how
        below, matched = row, hits
        ways.append(way)
    if matched[0] < heard_min:
        return NO_FIT
    slots = _slots(phrase, message, ways)
    free = sum(isinstance(item, Slot) for item in phrase) - len(slots)
    gain = below[0] + free * (empty - SLOT_EMPTY)
    if free:
        if matched[0] < HEARD_MIN:
            return NO_FIT
        gain -= SLOTS_EMPTY
    total = sum(item.weight for item in phrase if isinstance(item, Literal))
    return Fit(max(0.0, gain / total), slots)


_Cell = tuple[float, int, int]  # the gain, the words that were heard, how it came about


def _literal(
    item: Literal, like: float, at: int, below: Sequence[float], matched: Sequence[int]
) -> _Cell:
    if like:
        gain = below[at + 1] + item.weight * like
        counted = matched[at + 1] + (item.weight >= 1)
        if (gain, counted) > (below[at], matched[at]):
            return gain, counted, _SAID
    return below[at], matched[at], _EMPTY


def _slot(
    costs: Sequence[float],
    at: int,
    below: Sequence[float],
    matched: Sequence[int],
    empty: float,
) -> _Cell:
    best, hit, how = below[at] - empty, matched[at], _EMPTY
    for end in range(at + 1, len(below)):
        gain = below[end] - costs[end]
        if gain > best or (gain == best and matched[end] > hit):
            best, hit, how = gain, matched[end], end
    return best, hit, how


def _slots(
    phrase: Sequence[Item], message: Sequence[Word], ways: list[list[int]]
) -> tuple[tuple[str, tuple[Word, ...]], ...]:
    """Which words fill which slot, along the best way."""
    found: list[tuple[str, tuple[Word, ...]]] = []
    at = 0
    for item, way in zip(phrase, reversed(ways), strict=True):
        while way[at] == _NEXT:
            at += 1
        if way[at] == _SAID:
            at += 1
        elif way[at] >= 0:
            assert isinstance(item, Slot)
            found.append((item.name, tuple(message[at : way[at]])))
            at = way[at]
    return tuple(found)


def _extra(word: Word) -> float:
    if word.is_quoted or word.raw.startswith("@"):
        return EXTRA_NAME
    if word.folded in ARTICLES:
        return EXTRA_ARTICLE
    if word.folded in PLACES:
        return EXTRA_PLACE
    return EXTRA_LIGHT if word.folded in LIGHT or word.folded in FILLING else EXTRA
