"""More than seven options: a tree of blocks to choose one, a row of blocks to choose many.

A part of the options is a range, (first, size), counted from 0 in declared order.
"""

from __future__ import annotations

from collections.abc import Sequence

from antiphon.choice.question import NONE_LABEL, OPTIONS_MAX
from antiphon.choice.words import word_count

LABEL_WORDS_MAX = 5
# A block of a row keeps one line for «None of these».
CHUNK_OPTIONS_MAX = OPTIONS_MAX - 1

Part = tuple[int, int]


def parts(first: int, size: int, count: int) -> list[Part]:
    """So many ranges whose sizes differ by at most one, the larger ones first."""
    smaller, larger_count = divmod(size, count)
    found: list[Part] = []
    for number in range(count):
        length = smaller + (number < larger_count)
        found.append((first, length))
        first += length
    return found


def children(part: Part) -> list[Part]:
    """The parts below a part of more than seven options."""
    first, size = part
    return parts(first, size, min(OPTIONS_MAX, -(-size // OPTIONS_MAX)))


def part_at(size: int, path: Sequence[int]) -> Part:
    part = (0, size)
    for number in path:
        part = children(part)[number]
    return part


def labels_of(part: Part, options: Sequence[str]) -> tuple[str, ...]:
    """What the block of a part lists: its options, or the parts below it."""
    first, size = part
    if size <= OPTIONS_MAX:
        return tuple(options[first : first + size])
    below = children(part)
    spans = [f"{options[at]} … {options[at + length - 1]}" for at, length in below]
    # Two spans could read alike when labels hold dots themselves; numbers never do.
    are_distinct = len({"".join(span.casefold().split()) for span in spans}) == len(spans)
    return tuple(
        span
        if are_distinct and word_count(span) <= LABEL_WORDS_MAX
        else f"Items {at + 1}-{at + length}"
        for span, (at, length) in zip(spans, below, strict=True)
    )


def all_parts(size: int) -> list[Part]:
    """Every part that has a block of its own, the whole first."""
    found = [(0, size)]
    for part in found:
        if part[1] > OPTIONS_MAX:
            found.extend(children(part))
    return found


def chunks(size: int, *, is_required: bool) -> list[Part]:
    """The parts of a choice of many, asked one after the other."""
    if is_required and size <= OPTIONS_MAX:
        return [(0, size)]
    return parts(0, size, -(-size // CHUNK_OPTIONS_MAX))


def chunk_labels(part: Part, options: Sequence[str], *, is_required: bool) -> tuple[str, ...]:
    first, size = part
    own = tuple(options[first : first + size])
    return own if is_required and len(options) <= OPTIONS_MAX else (*own, NONE_LABEL)
