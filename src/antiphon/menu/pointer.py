"""The pointer of a menu: how it is told from the rows it is not on, and where it stands.

A pointer is a mark in a column (a sign, a filled circle) or a look (reverse video, a colour).
Which it is, is learned from what an arrow key changes; nothing is known of any program.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from antiphon.menu.seen import Row, Seen, bare, indent, is_faint, is_mark, without_page_mark

# A mark is a few signs wide: "❯", "->", "(*)".
MARK_LENGTH_MAX = 4
# An option has a line, or a title and some lines about it.
OPTION_ROWS_MAX = 3
# A look comes after every mark: a marked row may have a colour too.
_LAST = 1 << 16
_HOLLOW_NAMES = ("LARGE CIRCLE", "DOTTED CIRCLE")
_OPENING, _CLOSING = frozenset("([<"), frozenset(")]>")


@dataclass(frozen=True, slots=True)
class Mark:
    """The row it is on has `sign` at `column`, where the others have `rest`."""

    column: int
    sign: str
    rest: str
    fixed: frozenset[str] = frozenset()  # rows that have the sign whatever happens
    height: int = 1  # rows of one option that have it

    def is_on(self, row: Row) -> bool:
        end = self.column + len(self.sign)
        return row.text[self.column : end] == self.sign and row.text not in self.fixed

    def text(self, row: Row) -> str:
        """The row without the pointer; what every row carries in its place stays."""
        if self.rest.strip() or not self.is_on(row):
            return row.text
        end = self.column + len(self.sign)
        return row.text[: self.column] + " " * len(self.sign) + row.text[end:]

    def rested(self, row: Row) -> str:
        """What it says, wherever the pointer is."""
        end = self.column + len(self.sign)
        if row.text[self.column : end] not in (self.sign, self.rest):
            return row.text
        return row.text[: self.column] + " " * len(self.sign) + row.text[end:]


@dataclass(frozen=True, slots=True)
class Look:
    """The row it is on has text that looks like this: at a column, or anywhere."""

    look: str
    column: int | None = None
    fixed: frozenset[str] = frozenset()

    def is_on(self, row: Row) -> bool:
        if row.text in self.fixed:
            return False
        if self.column is None:
            return any(run.look == self.look for run in row.visible())
        return bool(row.text.strip()) and row.look_at(self.column) == self.look

    def text(self, row: Row) -> str:
        return row.text

    def rested(self, row: Row) -> str:
        return row.text


@dataclass(frozen=True, slots=True)
class Sides:
    """The row it is on has signs before and behind its text, wherever that begins."""

    left: str
    right: str
    fixed: frozenset[str] = frozenset()

    def is_on(self, row: Row) -> bool:
        text = bare(row.text).strip()
        has_both = text.startswith(self.left) and text.endswith(self.right)
        return has_both and len(text) > len(self.left + self.right) and row.text not in self.fixed

    def text(self, row: Row) -> str:
        if not self.is_on(row):
            return row.text
        text = bare(row.text).rstrip()
        begin = indent(text)
        return " " * begin + text[begin + len(self.left) : len(text) - len(self.right)]

    def rested(self, row: Row) -> str:
        return self.text(row)


Pointer = Mark | Look | Sides


def rows_with(pointer: Pointer, seen: Seen) -> list[int]:
    return [index for index, row in enumerate(seen.rows) if pointer.is_on(row)]


def place(pointer: Pointer, seen: Seen) -> int | None:
    """The row it stands on; a text of several lines is known by its first."""
    rows = rows_with(pointer, seen)
    if not rows or (isinstance(pointer, Mark) and len(rows) != pointer.height):
        return None
    if isinstance(pointer, Sides) and len(rows) > 1:
        return None
    if rows[-1] - rows[0] >= len(rows):
        return None  # in two places: the screen is half drawn
    return rows[0]


# --- learning -------------------------------------------------------------------


def learned(before: Seen, after: Seen, likely: frozenset[int]) -> Pointer | None:
    """What an arrow key moved; `likely` are rows that looked pointed at before."""
    found = [
        pointer
        for pointer in _candidates(before, after, likely)
        if _has_moved(pointer, before, after)
    ]
    return min(
        found,
        key=lambda pointer: (
            isinstance(pointer, Look) and is_faint(pointer.look),
            place(pointer, before) not in likely,
            _doubt(pointer, before, after),
        ),
        default=None,
    )


def _has_moved(pointer: Pointer, before: Seen, after: Seen) -> bool:
    here, there = place(pointer, before), place(pointer, after)
    if here is None or there is None:
        return False
    if len(rows_with(pointer, before)) != len(rows_with(pointer, after)):
        return False
    return here != there or _has_scrolled(pointer, before, after, here)


def _doubt(pointer: Pointer, before: Seen, after: Seen) -> tuple[bool, bool, bool, int]:
    """What two rows have exchanged can be read both ways: which of them had the pointer?

    Not the one that looks like the others, nor the one that is faint or has a hollow sign.  A
    sign at the edge of a list that moved may only say that there is more.
    """
    here, there = place(pointer, before), place(pointer, after)
    is_edge = here == there and here is not None and _is_edge(before, after, here)
    if isinstance(pointer, Look):
        # Plain rows stand everywhere; only of a look is it odd that another row has it too.
        is_elsewhere = bool(pointer.look and pointer.fixed)
        return (
            is_elsewhere,
            is_faint(pointer.look),
            is_edge,
            _LAST + _is_of_a_tick(pointer, before),
        )
    if isinstance(pointer, Sides):
        return (bool(pointer.fixed), False, is_edge, _LAST - 1)
    if not pointer.rest.strip():
        return (False, False, is_edge, pointer.column)
    return (bool(pointer.fixed), is_hollow(pointer.sign), is_edge, pointer.column)


def _is_of_a_tick(pointer: Look, seen: Seen) -> bool:
    """The look of a sign before the words: in another row it may be another, ticked one."""
    here = place(pointer, seen)
    if here is None:
        return False
    row, column = seen.rows[here], pointer.column
    places = range(len(row.text)) if column is None else (column,)
    return not any(
        row.text[at : at + 1].isalnum() for at in places if row.look_at(at) == pointer.look
    )


def _is_edge(before: Seen, after: Seen, row: int) -> bool:
    """Only on one side of it did rows move."""
    return any(
        _row(before, row + step) == _row(after, row + step) or row + step < 0 for step in (-1, 1)
    )


def is_hollow(sign: str) -> bool:
    """An empty shape, or brackets with nothing in them."""
    names = [unicodedata.name(one, "") for one in sign]
    is_empty = len(sign) > 2 and not sign[1:-1].strip()
    return is_empty or any("WHITE" in one or one.endswith(_HOLLOW_NAMES) for one in names)


def _candidates(before: Seen, after: Seen, likely: frozenset[int]) -> Iterator[Pointer]:
    changed = [
        index
        for index in range(max(len(before.rows), len(after.rows)))
        if _row(before, index) != _row(after, index)
    ]
    pairs = sorted(
        ((a, b) for a in changed for b in changed if a != b),
        key=lambda pair: (pair[0] not in likely, abs(pair[0] - pair[1])),
    )
    for a, b in pairs:
        yield from _swapped_marks(before, after, a, b)
        yield from _swapped_sides(before, after, a, b)
    for a in sorted(changed, key=lambda row: row not in likely):
        yield from _standing_mark(before, after, a)
    for a, b in pairs:
        yield from _swapped_looks(before, after, a, b)
    for strong in (True, False):
        for a in sorted(changed, key=lambda row: row not in likely):
            for run in _row(before, a).visible():
                if run.is_strong is strong:
                    yield _look(Look(run.look), before, after)


def _row(seen: Seen, index: int) -> Row:
    return seen.rows[index] if index < len(seen.rows) else Row("")


def _swapped_marks(before: Seen, after: Seen, a: int, b: int) -> Iterator[Mark]:
    """Columns whose signs have changed places between two rows."""
    old_a, new_a = _row(before, a).text, _row(after, a).text
    old_b, new_b = _row(before, b).text, _row(after, b).text
    width = max(map(len, (old_a, new_a, old_b, new_b)))
    old_a, new_a, old_b, new_b = (text.ljust(width) for text in (old_a, new_a, old_b, new_b))
    column = 0
    while column < width:
        end = column
        while (
            end < width
            and old_a[end] == new_b[end]
            and new_a[end] == old_b[end]
            and old_a[end] != new_a[end]
        ):
            end += 1
        sign, rest = old_a[column:end], new_a[column:end]
        # A number may stand before it, or the half of a bracket.
        begins = not any(map(str.isalpha, bare(old_a)[:column] + bare(new_b)[:column]))
        is_short = sign.strip() and end - column <= MARK_LENGTH_MAX
        is_sign = _are_signs(sign, rest) or _is_in_brackets(old_a, column, end)
        if begins and is_short and is_sign:
            yield _mark(column, sign, rest, before, after)
        column = max(end, column + 1)


def _is_in_brackets(text: str, column: int, end: int) -> bool:
    """A letter is a sign where it stands alone in brackets: `(x)`."""
    return (
        end - column == 1
        and text[column - 1 : column] in _OPENING
        and text[end : end + 1] in _CLOSING
    )


def _are_signs(sign: str, rest: str) -> bool:
    return is_mark(sign) and (not rest.strip() or is_mark(rest))


def _standing_mark(before: Seen, after: Seen, a: int) -> Iterator[Mark]:
    """A sign that stayed in its row while the list moved under it."""
    old, new = _row(before, a).text, _row(after, a).text
    start = indent(bare(old))
    length = 0
    while length < MARK_LENGTH_MAX and start + length < min(len(old), len(new)):
        if old[start + length] != new[start + length] or not is_mark(old[start + length]):
            break
        length += 1
    if length:
        sign = old[start : start + length]
        yield _mark(start, sign, " " * length, before, after)
        beside = {_row(before, a + step).text[start : start + length] for step in (-1, 1)}
        for rest in sorted(one for one in beside if is_mark(one) and one != sign):
            yield _mark(start, sign, rest, before, after)


def _mark(column: int, sign: str, rest: str, before: Seen, after: Seen) -> Mark:
    plain = Mark(column, sign, rest)
    found = Mark(column, sign, rest, _fixed(plain, before, after))
    height = len(rows_with(found, before))
    is_high = 1 < height <= OPTION_ROWS_MAX and height == len(rows_with(found, after))
    return replace(found, height=height) if is_high else found


def _swapped_sides(before: Seen, after: Seen, a: int, b: int) -> Iterator[Sides]:
    """Signs around a text that have gone to another text."""
    old_a, new_a, old_b, new_b = (
        bare(_row(seen, row).text).strip() for row in (a, b) for seen in (before, after)
    )
    at = old_a.find(new_a) if new_a else -1
    if at < 0:
        return
    left, right = old_a[:at], old_a[at + len(new_a) :]
    signs = [side for side in (left, right) if side]
    if not signs or not all(is_mark(side) for side in signs):
        return
    if max(map(len, signs)) <= MARK_LENGTH_MAX and new_b == left + old_b + right:
        plain = Sides(left, right)
        yield Sides(left, right, _fixed(plain, before, after))


def _look(plain: Look, before: Seen, after: Seen) -> Look:
    return Look(plain.look, plain.column, _fixed(plain, before, after))


def _swapped_looks(before: Seen, after: Seen, a: int, b: int) -> Iterator[Look]:
    """A column where two rows have exchanged how their text looks."""
    old_a, new_a, old_b, new_b = _row(before, a), _row(after, a), _row(before, b), _row(after, b)
    for run in old_a.runs:
        words = old_a.text[run.start : run.end]
        column = run.start + (indent(words) if words.strip() else 0)
        looks = [row.look_at(column) for row in (old_a, new_b, new_a, old_b)]
        if looks[0] == looks[1] != looks[2] == looks[3]:
            yield _look(Look(run.look, column), before, after)
    for run in old_b.runs:
        looks = [row.look_at(run.start) for row in (old_a, new_b, new_a, old_b)]
        if looks[0] == looks[1] == "" and looks[2] == looks[3]:
            yield _look(Look("", run.start), before, after)  # all others look like something


def _fixed(pointer: Pointer, before: Seen, after: Seen) -> frozenset[str]:
    """Rows that have the pointer's mark or look and did not change."""
    return frozenset(
        row.text
        for row, other in zip(before.rows, after.rows, strict=False)
        if row == other and pointer.is_on(row)
    )


def _has_scrolled(pointer: Pointer, before: Seen, after: Seen, row: int) -> bool:
    """The pointer stays where it is, on what stood beside it."""
    here = without_page_mark(pointer.rested(after.rows[row]))
    beside = {without_page_mark(pointer.rested(_row(before, row + step))) for step in (-1, 1)}
    return here in beside and here != without_page_mark(pointer.rested(before.rows[row]))
