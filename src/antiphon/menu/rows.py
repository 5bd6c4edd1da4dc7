"""Rows of a screen beside each other: which stand in line, and where their words begin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from antiphon.menu.pointer import MARK_LENGTH_MAX
from antiphon.menu.seen import Seen, bare, indent, is_mark

# Between two options there may be an empty line.
_GAP_ROWS_MAX = 2
_SENTENCE_ENDS = frozenset(".:?!…")
# How much must be like a row that is marked by no more than a colour.
_LIKE_IT_MIN = 2
_TICK = re.compile(r"[\[(<].[\])>]\s+")


def beside(seen: Seen, row: int, steps: Sequence[int] = (1, -1)) -> Iterator[int]:
    """The nearest rows with text, above and below."""
    for step in steps:
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


def tick_look(seen: Seen, row: int) -> tuple[str, ...] | None:
    """How the tick before the words of a row looks, column by column; None where there is none."""
    text = bare(seen.text(row))
    start = indent(text)
    if not (tick := _TICK.match(text, start)):
        return None
    return tuple(seen.rows[row].look_at(at) for at in range(start, start + len(tick[0].rstrip())))


def is_one_of_a_list(seen: Seen, row: int) -> bool:
    """Under something, rows stand in line with it, and the last of them asks for nothing.

    What is over them in line may be their title.  One more row is enough where they are set in,
    or where the cursor is hidden and there is a title.
    """
    block = _block(seen, row)
    begin = indent(bare(seen.text(row)))
    above = [one for one in range(block[0]) if bare(seen.text(one)).strip()]
    in_line = [one for one in block if indent(bare(seen.text(one))) == begin]
    titles = () if above else (block[0],)
    others = [one for one in in_line if one != row and one not in titles]
    ends = [bare(seen.text(one))[-1:] in _SENTENCE_ENDS for one in block]
    if (block[0] == row and not above) or (ends[-1] and not any(ends[1:-1])):
        return False
    over = indent(bare(seen.text(above[-1]))) if above else begin
    is_told = over < begin or block[0] != in_line[0] or not seen.is_cursor_shown
    return len(others) + is_told >= _LIKE_IT_MIN


def _block(seen: Seen, row: int) -> list[int]:
    """The rows around it up to an empty one; in a list with empty lines, all in its step."""
    is_gapped = not any(bare(seen.text(row + step)).strip() for step in (-1, 1))
    found = [row]
    for step in (-2, 2) if is_gapped else (-1, 1):
        other = row + step
        while 0 <= other < len(seen.rows) and bare(seen.text(other)).strip():
            found.append(other)
            other += step
    return sorted(found)
