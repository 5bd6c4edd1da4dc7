"""A selection as a question for people: a choice block whose numbers carry indices.

The options stay the program's own; a label is as much of one as a block may show.  More than
seven are asked through a tree, and `at` are the numbers chosen on the way down.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from antiphon.choice import split
from antiphon.choice.judge import rendered
from antiphon.choice.question import OPTIONS_MAX
from antiphon.choice.violations import INSTRUCTION_WORDS_MAX

FALLBACK_INSTRUCTION = "Which option?"
_EDGE_SIGNS = re.compile(r"^[\W_]+|[^\w?!.:)\]]+$")
_APART = re.compile(r"\s+[^\w\s]+(?:\s|$)")
_SENTENCE = re.compile(r"(.*?[.?!…])\s")
_GOOD = "A label"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a number means: the option of an index, or the block below it."""

    index: int | None
    at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    text: str
    choices: tuple[Choice, ...]


def block(prompt: str, options: Sequence[str], at: Sequence[int] = ()) -> Block | None:
    """The block below these numbers; None when there are no options, or no such number."""
    if not options:
        return None
    part = (0, len(options))
    for number in at:
        below = split.children(part) if part[1] > OPTIONS_MAX else []
        if number > len(below):
            return None
        part = below[number - 1]
    names = labels(tuple(options))
    shown = rendered(instruction(prompt), split.labels_of(part, names))
    assert isinstance(shown, str), shown
    first, size = part
    if size <= OPTIONS_MAX:
        return Block(shown, tuple(Choice(first + step) for step in range(size)))
    count = len(split.children(part))
    return Block(shown, tuple(Choice(None, (*at, step + 1)) for step in range(count)))


def instruction(prompt: str) -> str:
    """The prompt, or as much of it as is one short sentence."""
    return next((text for text in _instructions(prompt) if _is_good(text, _GOOD)),
                FALLBACK_INSTRUCTION)  # fmt: skip


def _instructions(prompt: str) -> Iterator[str]:
    text = _EDGE_SIGNS.sub("", " ".join(prompt.split()))
    yield text
    before = _EDGE_SIGNS.sub("", _APART.split(text, maxsplit=1)[0])
    yield before
    if found := _SENTENCE.match(f"{before} "):
        yield found[1]
    yield _EDGE_SIGNS.sub("", " ".join(before.split()[:INSTRUCTION_WORDS_MAX]))


@functools.lru_cache(maxsize=64)  # each block of a tree needs the labels of all
def labels(options: tuple[str, ...]) -> tuple[str, ...]:
    """A label for each option, no two alike; one that has none of its own has its number."""
    found: list[str] = []
    taken: set[str] = set()
    for number, option in enumerate(options, 1):
        label = next(
            (text for text in _labels(option) if _key(text) not in taken and _fits(text)), ""
        )
        label = label or _numbered(number, taken)
        taken.add(_key(label))
        found.append(label)
    return tuple(found)


def _labels(option: str) -> Iterator[str]:
    text = " ".join(option.split())
    yield text
    yield _EDGE_SIGNS.sub("", text)
    words = text.split()
    for count in range(min(len(words) - 1, split.LABEL_WORDS_MAX + 3), 0, -1):
        yield _EDGE_SIGNS.sub("", " ".join(words[:count])) + " …"


def _numbered(number: int, taken: set[str]) -> str:
    label = f"Option {number}"
    while _key(label) in taken:
        label += " again"
    return label


def _key(label: str) -> str:
    return "".join(label.casefold().split())


def _fits(label: str) -> bool:
    return bool(label.strip(" …")) and _is_good(FALLBACK_INSTRUCTION, label)


def _is_good(text: str, label: str) -> bool:
    return isinstance(rendered(text, [label]), str)
