"""The tree of a pattern: what is to be matched, and in what order.

Groups have left no trace in it, nor has greed, for neither changes which texts match.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from antiphon.terminal.pattern_classes import ANY, CharSet


class Assertion(Enum):
    LINE_START = "^"
    LINE_END = "$"
    TEXT_START = r"\A"
    TEXT_END = r"\z"
    WORD_BOUNDARY = r"\b"
    NO_WORD_BOUNDARY = r"\B"


@dataclass(frozen=True, slots=True)
class One:
    """Any one unit of a set."""

    of: CharSet


@dataclass(frozen=True, slots=True)
class Look:
    assertion: Assertion


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    body: Node
    count_min: int
    count_max: int | None


Node = One | Look | Sequence | Choice | Repeat


def matches_empty(node: Node) -> bool:
    """Whether the tree accepts the empty text, when each assertion holds."""
    match node:
        case One():
            return False
        case Look():
            return True
        case Sequence(parts):
            return all(matches_empty(part) for part in parts)
        case Choice(branches):
            return any(matches_empty(branch) for branch in branches)
        case Repeat(body, count_min, _):
            return count_min == 0 or matches_empty(body)


def begins_with_anything(node: Node) -> bool:
    """Whether every match can as well begin where the text does, as of `[\\s\\S]*END`."""
    match node:
        case Sequence((first, *_)):
            return begins_with_anything(first)
        case Repeat(One(chars), _, None):
            return chars == ANY
        case _:
            return False
