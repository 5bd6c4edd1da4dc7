"""The way along a list until all its options are known, and back to where it stood.

Each screen that follows a key is a fact; the next key, or what was found, is the answer.
Positions count from where the pointer stood; a list may end, wrap, scroll or turn its pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antiphon.menu.cursor import typing_at
from antiphon.menu.guess import Guess, guess
from antiphon.menu.item import Item
from antiphon.menu.menu import (
    Menu,
    Option,
    aligned_behind,
    alone,
    heading,
    identity,
    lines,
    shown,
    unsigned,
    words,
)
from antiphon.menu.order import beginning
from antiphon.menu.pointer import Pointer, learned, place
from antiphon.menu.seen import Seen, bare, changed_rows
from antiphon.menu.width import said

OPTIONS_MAX = 2_000
# Rows between two options that the pointer skips: headings, lines, disabled ones.
_SKIPPED_ROWS_MAX = 8
# The row it leaves and the row it comes to, and a line that tells of either.
_MOVED_ROWS_MAX = 3


@dataclass(frozen=True, slots=True)
class Press:
    """An arrow key: Down or Up."""

    key: str


@dataclass(frozen=True, slots=True)
class NoMenu:
    """The arrow keys move no pointer here."""


Step = Press | Menu | NoMenu


class Walk:
    """One walk; `frame_row` is where the program hid its cursor before it drew, if it did."""

    def __init__(
        self, start: Seen, guessed: Guess, old_rows: int = 0, frame_row: int | None = None
    ) -> None:
        self.start = start
        self.guess = guessed
        self.old_rows = old_rows
        self.frame_tops = [frame_row] if frame_row is not None else []
        self.pointer: Pointer | None = None
        self.items: dict[int, Item] = {}
        self.position = 0
        self.last = start
        self.key = "Down"
        self.bottom: int | None = None
        self.top: int | None = None
        self.length: int | None = None  # of a list that begins again at its end
        self.jumps: list[int] = []  # items that the pointer came to by a jump to another window
        self.has_scrolled = False
        self.steps = 0
        self.is_checking = self.was_checked = False

    def redrawn_from(self, row: int | None) -> None:
        """The first row that was drawn again after a key: no frame begins below it."""
        if row is not None:
            self.frame_tops.insert(0, row)

    def begin(self) -> Press:
        return Press(self.key)

    def saw(self, seen: Seen) -> Step:
        """The screen after the key, at rest."""
        self.steps += 1
        if self.pointer is None:
            return self._learn(seen)
        self._move(seen)
        return self._next()

    def doubts(self, seen: Seen) -> bool:
        """Whether the key has done nothing that can be read, or sent the pointer the other way.

        The list may have ended, or begun again; or the screen is only late.
        """
        if self.pointer is None:
            return seen.rows == self.last.rows
        row, before = place(self.pointer, seen), place(self.pointer, self.last)
        if row is None or before is None or self._is_unmoved(seen, row):
            return True
        return row < before if self.key == "Down" else row > before

    # --- the first steps ---------------------------------------------------------

    def _learn(self, seen: Seen) -> Step:
        if self.is_checking:
            return self._checked(seen)
        if not self.was_checked and changed_rows(self.start, seen) > _MOVED_ROWS_MAX:
            # More has changed than a pointer: is the way back the way it was?
            self.is_checking = self.was_checked = True
            self.key = "Up"
            return Press(self.key)
        self.pointer = learned(self.start, seen, self.guess.pointed)
        if self.pointer is not None:
            here = place(self.pointer, self.start)
            assert here is not None
            self.items[0] = self._item(self.start, here)
            self._move(seen)
            return self._next()
        if seen.rows != self.start.rows:
            return NoMenu()
        if self.key == "Down":
            self.bottom = 0
            self.key = "Up"
            return Press(self.key)
        return self._single()

    def _checked(self, seen: Seen) -> Step:
        """A message that the first key took away is no part of the menu."""
        self.is_checking = False
        if seen.rows != self.start.rows:
            self.start = self.last = seen
            self.guess = guess(seen)
        self.key = "Down"
        return Press(self.key)

    def _single(self) -> Step:
        """Nothing moves: one option, or a list that arrows do not drive."""
        if len(self.guess.pointed) != 1:
            return NoMenu()
        (row,) = self.guess.pointed
        if any(bare(self.start.text(one)).strip() for one in (row - 1,)) is False:
            return NoMenu()
        below = [
            one for one in range(row + 1, len(self.start.rows)) if self.start.text(one).strip()
        ]
        if below and below[0] == row + 1:
            return NoMenu()
        return alone(self.start, row, heading(self.start, row, self.frame_tops, self.old_rows))

    # --- on the way --------------------------------------------------------------

    def _item(self, seen: Seen, row: int) -> Item:
        assert self.pointer is not None
        line = seen.rows[row]
        return Item(identity(line, self.pointer), words(line, self.pointer), row)

    def _move(self, seen: Seen) -> None:
        left = self.items[self.position]
        self._moved(seen)
        self._note_resting(left, seen)
        self.last = seen

    def _note_resting(self, item: Item, seen: Seen) -> None:
        """What its row says now that the pointer has gone on."""
        assert self.pointer is not None
        row = place(self.pointer, seen)
        if item.resting is not None or row is None or item is self.items[self.position]:
            return
        near = sorted(range(len(seen.rows)), key=lambda other: abs(other - row))
        for one in near:
            if one != row and identity(seen.rows[one], self.pointer) == item.identity:
                item.resting = words(seen.rows[one], self.pointer)
                return
        # It said more while the pointer was on it: then it is the row that the pointer left.
        for one in [other for other in near if 0 < abs(other - row) <= _SKIPPED_ROWS_MAX]:
            if item.says(identity(seen.rows[one], self.pointer)) and one == item.row:
                item.resting = words(seen.rows[one], self.pointer)
                return

    def _moved(self, seen: Seen) -> None:
        assert self.pointer is not None
        row = place(self.pointer, seen)
        step = 1 if self.key == "Down" else -1
        if row is None or self._is_unmoved(seen, row):
            self._ended(step)
            return
        item = self._item(seen, row)
        known = self.items.get(self.position + step)
        if known is not None:
            self.position += step
            return
        before = self.items[self.position].row
        if step == 1 and self._is_round(seen, row, item):
            if row <= before and self._is_new_window(seen, row):
                self.jumps.append(0)
            self.length = self.position + 1 - min(self.items)
            self.bottom, self.top = self.position, min(self.items)
            self.position = 0
            return
        if step == -1 and row > (place(self.pointer, self.last) or 0) and self._is_last(item):
            self.top, self.position = self.position, max(self.items)
            return
        if step == 1:
            item.skipped = self._skipped(seen, row, step)
            if row <= before and self._is_new_window(seen, row):
                self.jumps.append(self.position + 1)
            elif row == before:
                self.has_scrolled = True
        else:
            self.items[self.position].skipped = self._skipped(seen, row, step)
        self.position += step
        self.items[self.position] = item

    def _is_unmoved(self, seen: Seen, row: int) -> bool:
        assert self.pointer is not None
        if seen.rows == self.last.rows:
            return True
        if place(self.pointer, self.last) != row:
            return False
        here, there = seen.rows[row], self.last.rows[row]
        return identity(here, self.pointer) == identity(there, self.pointer)

    def _ended(self, step: int) -> None:
        if step == 1:
            self.bottom = self.position
        else:
            self.top = self.position

    def _is_round(self, seen: Seen, row: int, item: Item) -> bool:
        """The pointer is on the first item again: as it was, or in a list without an end."""
        assert self.pointer is not None
        first = self.items[0]
        if item.identity != first.identity or self.position < 1:
            return False
        if row == first.row and self._window(seen) == self._window(self.start):
            return True
        if row > max(one.row for one in self.items.values()):
            return False  # a new row: another option that says the same
        return self._shows_the_circle(seen, row)

    def _window(self, seen: Seen) -> list[str]:
        """The rows in which the pointer has been."""
        rows = [item.row for item in self.items.values()]
        return [seen.text(row) for row in range(min(rows), max(rows) + 1)]

    def _shows_the_circle(self, seen: Seen, row: int) -> bool:
        """Around the pointer stand the last items, and then the first."""
        assert self.pointer is not None
        count = self.position + 1
        top = min(item.row for item in self.items.values())
        compared = 0
        for distance in range(1, min(count, row - top + 1)):
            here = identity(seen.rows[row - distance], self.pointer)
            if not self.items[count - distance].says(here):
                return False
            compared += 1
        for distance in range(1, count):
            if row + distance > self._list_end():
                break
            here = identity(seen.rows[row + distance], self.pointer)
            if not self.items[distance].says(here):
                return False
            compared += 1
        return compared >= min(2, count - 1)

    def _list_end(self) -> int:
        """The last row of the list as it stood at the beginning."""
        assert self.pointer is not None
        row = self.items[0].row
        while row + 1 < len(self.start.rows):
            following = self.items.get(row + 1 - self.items[0].row)
            if following is None:
                break
            if not following.says(identity(self.start.rows[row + 1], self.pointer)):
                break
            row += 1
        return row

    def _is_last(self, item: Item) -> bool:
        return item.identity == self.items[max(self.items)].identity

    def _is_new_window(self, seen: Seen, row: int) -> bool:
        """What stood above the pointer is not above it now."""
        assert self.pointer is not None
        before = self.items[self.position]
        above = range(max(0, row - _SKIPPED_ROWS_MAX), row)
        return not any(before.says(identity(seen.rows[one], self.pointer)) for one in above)

    def _skipped(self, seen: Seen, row: int, step: int) -> list[str]:
        """Rows between this one and the item that the pointer left, found by what it says."""
        assert self.pointer is not None
        left = self.items[self.position]
        found: list[str] = []
        for distance in range(1, _SKIPPED_ROWS_MAX + 2):
            one = row - step * distance
            if not 0 <= one < len(seen.rows):
                break
            if left.says(identity(seen.rows[one], self.pointer)):
                return [text for text in found[::-step] if text.strip()]
            found.append(words(seen.rows[one], self.pointer))
        return []

    def _next(self) -> Step:
        if len(self.items) >= OPTIONS_MAX:
            self.bottom, self.top = max(self.items), min(self.items)
        if self.bottom is None:
            self.key = "Down"
        elif self.top is None:
            self.key = "Up"
        elif self.position == 0:
            return self._menu()
        else:
            self.key = "Down" if self.position < 0 else "Up"
        return Press(self.key)

    # --- what was found ----------------------------------------------------------

    def _order(self) -> list[int]:
        """From the list's first item to its last."""
        order = sorted(self.items)
        if self.length is None or not self.jumps:
            return order  # of a circle without a seam the pointer's place is the beginning
        cut = order.index(beginning(self.length, self.jumps, has_scrolled=self.has_scrolled))
        return order[cut:] + order[:cut]

    def _menu(self) -> Menu:
        assert self.pointer is not None
        order, rows, reachable, pointed = self._order(), [], [], []
        for place_in_list, position in enumerate(order):
            item = self.items[position]
            above = item.skipped if place_in_list else []
            rests = item.resting is not None and position != 0
            own = item.resting if rests and item.resting else unsigned(item.text, item.resting)
            rows += [*above, own]
            reachable += [False] * len(above) + [True]
            pointed += [""] * len(above) + [item.identity]
        options = tuple(
            Option(said(text if is_in else text.strip()), is_in, identity)
            for text, is_in, identity in zip(
                aligned_behind(rows, self.pointer), reachable, pointed, strict=True
            )
        )
        at = [index for index, one in enumerate(options) if one.is_reachable][order.index(0)]
        first, last = self._shown(order)
        head = heading(self.start, first, self.frame_tops, self.old_rows)
        prompt = self._prompt(head)
        between = [] if head is None else list(range(head + 1, first))
        after = range(last + 1, len(self.start.rows))
        return Menu(prompt, options, lines(self.start, [*between, *after]), self.pointer, at)

    def _prompt(self, head: int | None) -> str:
        if head is None:  # a list over its input line
            at = typing_at(self.start)
            head = at[0] if at is not None else -1
        return shown(self.start, head)

    def _shown(self, order: Sequence[int]) -> tuple[int, int]:
        """The first and the last row of the list on the screen as it stood."""
        assert self.pointer is not None
        here = self.items[0].row
        ends = []
        for step in (-1, 1):
            row, index = here, order.index(0)
            while True:
                index += step
                if not 0 <= index < len(order) and self.length is None:
                    break
                item = self.items[order[index % len(order)]]
                found = self._found(item, row, step)
                if found is None or abs(row - here) > len(order) + len(self.start.rows):
                    break
                row = found
                if index % len(order) == order.index(0):
                    break
            ends.append(row)
        return ends[0], ends[1]

    def _found(self, item: Item, row: int, step: int) -> int | None:
        assert self.pointer is not None
        for distance in range(1, 2 + len(item.skipped) + _SKIPPED_ROWS_MAX // 4):
            one = row + step * distance
            if not 0 <= one < len(self.start.rows):
                return None
            if item.says(identity(self.start.rows[one], self.pointer)):
                return one
        return None
