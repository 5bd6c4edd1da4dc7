"""How well a message fits a phrase, and which of its words fill the slots.

The score is 1 for a phrase said as it is written with one word in each slot; it falls with each
word that is missing, mistyped, or said besides.  Everything is a sum, so it can be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from antiphon.dsl.names import distance
from antiphon.repl.phrase import ARTICLES, LIGHT, Item, Literal, Slot, Word

TYPO = 0.85  # of a word's weight, when it is mistyped
ALIKE = 0.9  # when it is another word for it
SLOT_WORD = 0.03  # lost for each word in a slot: the phrase that names more of the message wins
SLOT_EMPTY, SLOTS_EMPTY = 0.01, 0.24  # lost for each slot that nothing fills, and for any at all
EXTRA_ARTICLE, EXTRA_LIGHT, EXTRA = 0.04, 0.08, 0.5  # for a word of the message without a place

SYNONYMS: Mapping[str, str] = {
    word: group.split()[0]
    for group in (
        "show display view see",
        "create make build add",
        "delete remove erase",
        "list enumerate",
        "rename retitle",
        "open start begin",
        "fund funds",
        "cbu cbus unit units client clients",
        "person individual",
        "company companies corporation firm",
        "document documents paper papers doc docs",
        "screening check",
        "assign appoint",
        "complete finish",
        "find locate",
        "project board",
        "called named",
    )
    for word in group.split()
}


def likeness(said: str, meant: str) -> float:
    """1 for the same word, less for a synonym or a slip of the finger, else 0."""
    if said == meant:
        return 1.0
    if said in SYNONYMS and SYNONYMS[said] == SYNONYMS.get(meant):
        return ALIKE
    if len(meant) < 4 or abs(len(said) - len(meant)) > 2 or said in SYNONYMS or said in LIGHT:
        return 0.0
    slips = 1 if len(meant) < 8 else 2
    return TYPO if distance(said, meant) <= slips else 0.0


@dataclass(frozen=True, slots=True)
class Fit:
    score: float
    slots: tuple[tuple[str, tuple[Word, ...]], ...]


_Cell = tuple[float, int, tuple[tuple[str, tuple[Word, ...]], ...]]


def fit(
    phrase: Sequence[Item],
    message: Sequence[Word],
    takes: Callable[[str, Sequence[Word]], float],
) -> Fit:
    """The best way to lay the message over the phrase; `takes` tells what a slot loses."""
    total = sum(item.weight for item in phrase if isinstance(item, Literal))
    count = len(message)
    # below[at] is the best for the rest of the phrase and the words from `at` on.
    below: list[_Cell] = [(-_extra(message[at:]), 0, ()) for at in range(count + 1)]
    for item in reversed(phrase):
        row: list[_Cell] = [below[count]] * (count + 1)
        for at in range(count, -1, -1):
            options = _literal(item, message, at, below) if isinstance(item, Literal) else (
                _slot(item, message, at, below, takes)
            )  # fmt: skip
            if at < count:
                gain, matched, slots = row[at + 1]
                options.append((gain - _extra(message[at : at + 1]), matched, slots))
            row[at] = max(options, key=lambda one: (one[0], one[1]))
        below = row
    gain, matched, slots = below[0]
    if not matched:
        return Fit(0.0, ())
    if len(slots) < sum(isinstance(item, Slot) for item in phrase):
        gain -= SLOTS_EMPTY
    return Fit(max(0.0, gain / total), slots)


def _literal(item: Literal, message: Sequence[Word], at: int, below: list[_Cell]) -> list[_Cell]:
    gain, matched, slots = below[at]
    options = [(gain, matched, slots)]  # it is not said
    if at < len(message) and not message[at].is_quoted:
        like = likeness(message[at].folded, item.word)
        if like:
            gain, matched, slots = below[at + 1]
            counted = matched + (item.weight >= 1)
            options.append((gain + item.weight * like, counted, slots))
    return options


def _slot(
    item: Slot,
    message: Sequence[Word],
    at: int,
    below: list[_Cell],
    takes: Callable[[str, Sequence[Word]], float],
) -> list[_Cell]:
    gain, matched, slots = below[at]
    options: list[_Cell] = [(gain - SLOT_EMPTY, matched, slots)]
    for end in range(at + 1, len(message) + 1):
        gain, matched, slots = below[end]
        filled = tuple(message[at:end])
        lost = SLOT_WORD * (end - at) + takes(item.name, filled)
        options.append((gain - lost, matched, ((item.name, filled), *slots)))
    return options


def _extra(message: Sequence[Word]) -> float:
    return sum(
        EXTRA_ARTICLE if one.folded in ARTICLES else EXTRA_LIGHT if one.folded in LIGHT else EXTRA
        for one in message
    )
