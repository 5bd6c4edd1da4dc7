"""What a user said, by its letters alone: a choice, a cancel, fields, free text, or no answer.

Every text is exactly one of them.  Nothing is guessed: only the exact grammar chooses, and what
looks like a choice without being one is refused rather than passed on as free text.
This module does not know questions; it is given how many options there are.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from antiphon.choice.characters import (
    ANY_DIGIT,
    ANY_LETTER,
    BLANK,
    CJK_LETTER,
    DIGIT,
    without_edges,
)

CONTROL_WORDS = ("abort", "cancel")


class Reason(Enum):
    """Why an input is no answer."""

    OUT_OF_RANGE = "out_of_range"
    DUPLICATE = "duplicate"
    MULTI_NOT_ALLOWED = "multi_not_allowed"
    UNKNOWN_FIELD = "unknown_field"
    COMPACT_MALFORMED = "compact_malformed"
    EMPTY = "empty"
    CONTROL_NEAR_MISS = "control_near_miss"
    SELECTION_MALFORMED = "selection_malformed"
    SELECTION_LIKE = "selection_like"


@dataclass(frozen=True, slots=True)
class NumbersChosen:
    numbers: tuple[int, ...]  # rising, whatever order they were typed in


@dataclass(frozen=True, slots=True)
class FieldsGiven:
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TextSaid:
    text: str


@dataclass(frozen=True, slots=True)
class CancelSaid:
    pass


@dataclass(frozen=True, slots=True)
class InvalidSaid:
    reason: Reason


Answer = NumbersChosen | FieldsGiven | TextSaid | CancelSaid | InvalidSaid

_SELECT = re.compile(r"[1-9][0-9]*(?:,[1-9][0-9]*)*")
_COMPACT = re.compile(r"[^ =]+=[^ =]*(?: [^ =]+=[^ =]*)*")
_DIGITS = re.compile(f"[{DIGIT}]+")
_CJK_EDGE = re.compile(f"(?<=[{CJK_LETTER}])(?=[{DIGIT}])|(?<=[{DIGIT}])(?=[{CJK_LETTER}])")
_SMALL_NUMBERS = re.compile(f"[{DIGIT}]{{1,2}}(?:[,;&+][{DIGIT}]{{1,2}})*")
# More digits than any number of options has; int() refuses numbers of thousands of digits.
_NUMBER_DIGITS_MAX = 9


def without_line_end(text: str) -> str:
    """Without the one line end that a terminal or a pipe adds."""
    if not text.endswith(("\n", "\r")):
        return text
    return text[:-2] if text.endswith("\r\n") else text[:-1]


def answer_in(text: str, count: int, *, is_many: bool, keys: Collection[str]) -> Answer:
    """The answer to a question with `count` options; `keys` are the fields one may name now."""
    text = without_line_end(text)
    if text in CONTROL_WORDS:
        return CancelSaid()
    if _SELECT.fullmatch(text):
        return choice_of(text, count, is_many=is_many)
    if "=" in text and (answer := _fields_in(text, keys)):
        return answer
    if BLANK.fullmatch(text):
        return InvalidSaid(Reason.EMPTY)
    if without_edges(text).casefold() in CONTROL_WORDS:
        return InvalidSaid(Reason.CONTROL_NEAR_MISS)
    if not ANY_DIGIT.search(text):
        return TextSaid(text)
    if not ANY_LETTER.search(text):
        return InvalidSaid(Reason.SELECTION_MALFORMED)
    if _has_small_number(text):
        return InvalidSaid(Reason.SELECTION_LIKE)
    return TextSaid(text)


def choice_of(select: str, count: int, *, is_many: bool) -> NumbersChosen | InvalidSaid:
    """The numbers of a text in the grammar of selections."""
    if len(select) == 1:  # as most are
        number = int(select)
        return NumbersChosen((number,)) if number <= count else InvalidSaid(Reason.OUT_OF_RANGE)
    parts = select.split(",")
    if any(len(part) > _NUMBER_DIGITS_MAX for part in parts):
        return InvalidSaid(Reason.OUT_OF_RANGE)
    numbers = sorted(map(int, parts))
    if numbers[-1] > count:
        return InvalidSaid(Reason.OUT_OF_RANGE)
    if len(set(numbers)) < len(numbers):
        return InvalidSaid(Reason.DUPLICATE)
    if len(numbers) > 1 and not is_many:
        return InvalidSaid(Reason.MULTI_NOT_ALLOWED)
    return NumbersChosen(tuple(numbers))


def value_of(value: str, count: int, *, is_many: bool) -> NumbersChosen | InvalidSaid:
    """The same for the value of a field, which may be anything."""
    if not value:
        return InvalidSaid(Reason.EMPTY)
    if not _SELECT.fullmatch(value):
        return InvalidSaid(Reason.SELECTION_MALFORMED)
    return choice_of(value, count, is_many=is_many)


def _fields_in(text: str, keys: Collection[str]) -> FieldsGiven | InvalidSaid | None:
    if _COMPACT.fullmatch(text):
        pairs = [pair.partition("=") for pair in text.split(" ")]
        if any(key in keys for key, _, _ in pairs):
            return FieldsGiven(tuple((key, value) for key, _, value in pairs))
        if all(_DIGITS.fullmatch(value) for _, _, value in pairs):
            return InvalidSaid(Reason.UNKNOWN_FIELD)
        return None
    for token in text.split():
        key, sign, _ = token.partition("=")
        if sign and key in keys:
            return InvalidSaid(Reason.COMPACT_MALFORMED)
    return None


def _has_small_number(text: str) -> bool:
    spaced = text if text.isascii() else _CJK_EDGE.sub(" ", text)
    return any(_SMALL_NUMBERS.fullmatch(without_edges(token)) for token in spaced.split())
