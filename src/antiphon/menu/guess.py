"""Whether a waiting screen is a menu or a question, before any key is pressed.

A menu has rows that stand in line with one that is marked or looks different; a question has
its cursor behind its words.  A guess that says menu is then held against what the arrows do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from antiphon.menu.cursor import drawn_cursor, typing_at
from antiphon.menu.pointer import MARK_LENGTH_MAX, OPTION_ROWS_MAX
from antiphon.menu.rows import beside, is_in_line, is_one_of_a_list, tick_look, words_from
from antiphon.menu.seen import Row, Run, Seen, bare, indent, is_faint, is_mark, masked

# What a sentence may end with, apart from it as well.
_ENDS = frozenset(".,:;!?)]}\"'…")
_NUMBER = re.compile(r"\s*\d{1,3}[.):]\s")
# A filled or hollow shape by itself; two kinds of them in one line are a choice within the line.
_SHAPE_APART = re.compile(r"(?<!\S)[\u25a0-\u25ff](?!\S)")


@dataclass(frozen=True, slots=True)
class Guess:
    """Rows that look pointed at; with none it is a question."""

    pointed: frozenset[int]

    @property
    def is_menu(self) -> bool:
        return bool(self.pointed)


def guess(whole: Seen, frame_row: int = 0, old_rows: int = 0) -> Guess:
    """Which rows look pointed at; the old ones, at the top, are not looked at.

    Over a question of one line, or a choice within one, stands what was asked before, and that
    is no list.
    """
    frame = [row for row in range(frame_row, len(whole.rows)) if bare(whole.text(row)).strip()]
    asks_in_line = len(frame) == 1 or any(_asks_in_line(whole, row) for row in frame)
    above = max(old_rows, frame_row if asks_in_line else 0)
    seen = masked(whole, frozenset(range(above)))
    at = typing_at(seen)
    drawn = drawn_cursor(seen)
    found = set()
    for row in range(len(seen.rows)):
        if at is not None and row == at[0]:
            continue
        if at is not None and row < at[0] and not _may_stand_above(seen, row, at):
            continue
        if (
            _has_mark(seen, row, at)
            or _has_odd_tick(seen, row)
            or _has_look(seen, row, at, drawn)
            or (at is None and _stands_out(seen, row))
        ):
            found.add(row)
    return Guess(frozenset(found))


def is_pointed_at_by_cursor(seen: Seen) -> bool:
    """The cursor stands before the words of a row of a list in which nothing else stands out."""
    row = seen.cursor_row
    begin = indent(bare(seen.text(row)))
    is_before = seen.cursor_col <= begin <= seen.cursor_col + MARK_LENGTH_MAX
    if not seen.is_cursor_shown or not is_before or not bare(seen.text(row)).strip():
        return False
    is_plain = not any(is_faint(run.look) for run in seen.rows[row].visible())
    in_line = [one for one in beside(seen, row) if indent(bare(seen.text(one))) == begin]
    return is_plain and bool(in_line) and is_one_of_a_list(seen, row)


def _may_stand_above(seen: Seen, row: int, at: tuple[int, int]) -> bool:
    """Over an input line stands earlier output, or the list that it filters."""
    is_below_all = not any(bare(one.text).strip() for one in seen.rows[at[0] + 1 :])
    if not is_below_all:
        return True
    return seen.is_alternate or any(run.is_strong for run in seen.rows[row].visible())


# --- marks ----------------------------------------------------------------------


def _has_mark(seen: Seen, row: int, at: tuple[int, int] | None) -> bool:
    text = bare(seen.text(row))
    start = indent(text)
    if not is_mark(text[start : start + 1]) or _asks_in_line(seen, row):
        return False
    others = [other for other in beside(seen, row) if at is None or other != at[0]]
    others += _past_what_is_said_about(seen, row, words_from(text, start))
    others = [other for other in others if not _asks_in_line(seen, other)]
    if any(is_in_line(text, start, bare(seen.text(other))) for other in others):
        return True
    if any(_has_other_mark(text, start, bare(seen.text(other))) for other in others):
        return not seen.is_cursor_shown or at is None
    return _is_the_only_one(seen, row, text, start)


def _has_odd_tick(seen: Seen, row: int) -> bool:
    """Its tick looks like none of those in line with it, be it a blank between brackets."""
    mine = tick_look(seen, row)
    theirs = [tick_look(seen, other) for other in beside(seen, row)]
    known = [look for look in theirs if look is not None]
    return mine is not None and bool(known) and mine not in known


def _past_what_is_said_about(seen: Seen, row: int, words: int) -> Iterator[int]:
    """The row behind lines that stand further right than the words of this one."""
    for other in range(row + 1, min(row + OPTION_ROWS_MAX + 1, len(seen.rows))):
        begin = indent(bare(seen.text(other)))
        if words and begin <= words and bare(seen.text(other)).strip():
            if other > row + 1:
                yield other
            return


def _asks_in_line(seen: Seen, row: int) -> bool:
    """A choice within one line, side by side, with words between its shapes."""
    text = bare(seen.text(row))
    shapes = _SHAPE_APART.findall(text)
    between = _SHAPE_APART.split(text)[1:-1]
    return len(set(shapes)) > 1 and any(any(map(str.isalnum, words)) for words in between)


def _has_other_mark(text: str, start: int, other: str) -> bool:
    """Both rows carry a mark, of another kind each, and their words stand in line."""
    if indent(other) != start:
        return False
    if "?" in (text[start], other[start]):
        return False  # the one is asked, the other was
    mine, theirs = words_from(text, start), words_from(other, start)
    return mine == theirs != 0 and text[start:mine] != other[start:mine]


def _is_the_only_one(seen: Seen, row: int, text: str, start: int) -> bool:
    """A list of one option: the last line, under its prompt, with no cursor behind it."""
    if seen.is_cursor_shown and seen.cursor_row <= row:
        return False
    above = [other for other in beside(seen, row) if other < row]
    is_last = not any(bare(one.text).strip() for one in seen.rows[row + 1 :])
    return (
        is_last
        and text[start] != "?"
        and bool(above)
        and not _asks_in_line(seen, row)
        and words_from(text, start) != 0
        and text[start] != bare(seen.text(above[0])).lstrip()[:1]
        and not seen.is_cursor_shown
    )


def _stands_out(seen: Seen, row: int) -> bool:
    """Signs at its sides, a line at its left, or a plain look, that none of its neighbours has."""
    others = [other for other in (row - 1, row + 1) if 0 <= other < len(seen.rows)]
    mine = [seen.rows[other] for other in others if bare(seen.text(other)).strip()]
    if not mine or (seen.is_cursor_shown and not is_one_of_a_list(seen, row)):
        return False
    return (
        _has_signs_behind(seen.rows[row], mine)
        or _has_a_line_before(seen, row)
        or _has_mark_behind_number(seen.rows[row], mine)
        or _is_the_only_plain_one(seen, row)
    )


def _sign_behind(row: Row) -> str:
    """The sign behind the words of a row, apart from them."""
    words = bare(row.text).split()
    is_sign = len(words) > 1 and is_mark(words[-1]) and len(words[-1]) <= MARK_LENGTH_MAX
    return words[-1] if is_sign and any(map(str.isalnum, words[0] + words[1])) else ""


def _has_signs_behind(row: Row, others: list[Row]) -> bool:
    sign = _sign_behind(row)
    is_apart = sign[-1:] not in _ENDS or is_mark(bare(row.text).split()[0])
    return bool(sign) and is_apart and sign not in map(_sign_behind, others)


def _has_a_line_before(seen: Seen, row: int) -> bool:
    """A line of furniture, over all rows of it, that the rows in line around it have not."""
    text = seen.text(row)
    start, words = indent(text), indent(bare(text))
    line = text[start:words]
    if not start < words < len(bare(text)) or seen.text(row - 1)[start:words] == line:
        return False
    end = row
    while end < row + OPTION_ROWS_MAX and seen.text(end)[start:words] == line:
        end += 1
    around = [*beside(seen, row, steps=(-1,)), *beside(seen, end - 1, steps=(1,))]
    in_line = [seen.text(one) for one in around if indent(bare(seen.text(one))) == words]
    return bool(in_line) and not any(one[:words].strip() for one in in_line)


def _has_mark_behind_number(row: Row, others: list[Row]) -> bool:
    """As in `2. > two`, where the others have a blank between the number and the words."""
    number = _NUMBER.match(row.text)
    if number is None:
        return False
    sign = row.text[number.end() :].split(" ", 1)[0]
    end = number.end() + len(sign)
    return is_mark(sign) and any(
        _NUMBER.match(other.text) and other.text[number.end() : end].strip() == ""
        for other in others
    )


def _is_the_only_plain_one(seen: Seen, row: int) -> bool:
    """Where titles are plain and what is said about them faint, many rows are plain like it.

    The row beside it may be: the title of the list.
    """
    if not _is_the_plain_one(seen, row):
        return False
    begin = indent(bare(seen.text(row)))
    others = [one for one in range(len(seen.rows)) if abs(one - row) > 1]
    return not any(
        indent(bare(seen.text(one))) == begin and _is_the_plain_one(seen, one) for one in others
    )


def _is_the_plain_one(seen: Seen, row: int) -> bool:
    """It has no look of its own, and the rows in line with it share one."""
    line = seen.rows[row]
    start = indent(bare(line.text))
    if line.visible() or not bare(line.text).strip():
        return False
    looks = []
    for step in (-1, 1):
        other = row + step
        while 0 <= other < len(seen.rows) and indent(bare(seen.text(other))) == start:
            is_first = step < 0 and not bare(seen.text(other - 1)).strip()
            if not is_first or is_faint(seen.rows[other].look_at(start)):  # else a title
                looks.append(seen.rows[other].look_at(start))
            other += step
            if not bare(seen.text(other)).strip():
                break
    styled = [look for look in looks if look]
    is_alike = len(set(styled)) == 1 and looks.count("") <= 1
    return is_alike and (len(styled) > 1 or is_faint(styled[0]))


# --- looks ----------------------------------------------------------------------


def _has_look(
    seen: Seen, row: int, at: tuple[int, int] | None, drawn: tuple[int, int] | None
) -> bool:
    """It looks like none of its neighbours, which stand in line with it."""
    line = seen.rows[row]
    start = indent(bare(line.text))
    if not bare(line.text) or (drawn is not None and drawn[0] == row):
        return False
    for run in line.visible():
        if run.end - run.start == 1 and len(bare(line.text).strip()) > 1:
            continue
        others = [
            other
            for other in beside(seen, row)
            if _stands_under(seen, other, start) and (at is None or other != at[0])
        ]
        if not others or any(_looks_alike(seen.rows[other], run) for other in others):
            continue
        if run.is_strong or (not is_faint(run.look) and at is None and is_one_of_a_list(seen, row)):
            return True
        if at is not None and row > at[0] and all(not seen.rows[other].runs for other in others):
            return True  # a list under the line that filters it
    return False


def _stands_under(seen: Seen, other: int, start: int) -> bool:
    return abs(indent(bare(seen.text(other))) - start) <= 1


def _looks_alike(other: Row, run: Run) -> bool:
    return any(one.look == run.look for one in other.visible())
