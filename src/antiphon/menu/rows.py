"""Rows of a screen beside each other: which stand in line, and where their words begin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antiphon.menu.pointer import MARK_LENGTH_MAX
from antiphon.menu.seen import Seen, bare, indent, is_mark

# Between two options there may be an empty line.
_GAP_ROWS_MAX = 2
_TICK = re.compile(r"[\[(<].[\])>]\s+")


def beside(seen: Seen, row: int) -> Iterator[int]:
    """The nearest rows with text, above and below."""
    for step in (1, -1):
        for distance in range(1, _GAP_ROWS_MAX + 1):
            other = row + step * distance
            if 0 <= other < len(seen.rows) and bare(seen.text(other)).strip():
                yield other
                break


def is_in_line(text: str, start: int, other: str) -> bool:
    """The other row begins where this one's words begin, behind its mark."""
    begin = indent(other)
    mark = text[start:begin]
    return (
        start < begin < len(text)
        and is_mark(mark)
        and len(mark.strip()) <= MARK_LENGTH_MAX
        and bool(text[begin].strip())
    )


def words_from(text: str, start: int) -> int:
    """Where the words behind a mark, as in `[ ] a`, begin; 0 when there is no mark."""
    if tick := _TICK.match(text, start):
        return tick.end() if tick.end() < len(text) else 0
    end = start
    while end < len(text) and text[end].strip():
        end += 1
    if end - start > MARK_LENGTH_MAX or not is_mark(text[start:end]):
        return 0
    begin = end + indent(text[end:])
    return begin if begin < len(text) else 0
