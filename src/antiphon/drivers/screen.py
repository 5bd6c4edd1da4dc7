"""The screen that a person would see, kept by a terminal emulator.

Programs ask their terminal questions; only this side answers, and only those of a fixed list:
what it is, that it is well, and where the cursor stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pyghostty import Terminal as Emulator
from pyghostty import ffi

from antiphon.drivers import looks
from antiphon.menu.seen import Seen

# Primary and secondary device attributes, status, cursor position.
ANSWERS = re.compile(rb"\x1b\[(\?[\d;]*c|>[\d;]*c|0n|\d+;\d+R)")
QUERIES = re.compile(rb"\x1b\[(0?c|>0?c|5n|6n)")
QUERY_BYTES_MAX = 5
_ALTERNATE = (1049, 1047, 47)
_APPLICATION_CURSOR = 1


@dataclass(frozen=True, slots=True)
class Picture:
    """The screen at one moment; rows and columns count from 0."""

    rows: list[str]
    cursor_row: int
    cursor_col: int
    title: str
    is_alternate: bool


class Screen:
    """An emulator fed with all that the terminal prints."""

    def __init__(self, cols: int, rows: int) -> None:
        self._emulator = Emulator(cols, rows, scrollback=0)
        self._answer: Callable[[bytes], None] | None = None
        self._emulator.on_reply(self._reply)

    def _reply(self, reply: bytes) -> None:
        if self._answer is not None and ANSWERS.fullmatch(reply):
            self._answer(reply)

    def feed(self, data: bytes, answer: Callable[[bytes], None] | None) -> None:
        """Questions in these bytes go to `answer`; of what is read again, none does."""
        self._answer = answer
        self._emulator.feed(data)
        self._answer = None

    def resize(self, cols: int, rows: int) -> None:
        self._emulator.resize(cols, rows)

    def is_application_cursor(self) -> bool:
        return bool(self._emulator.mode(_APPLICATION_CURSOR))

    def seen(self) -> Seen:
        """The screen with how its text looks."""
        return looks.seen(self._emulator)

    def picture(self) -> Picture:
        emulator = self._emulator
        col, row = emulator.cursor
        _, count = emulator.size
        rows = [line.rstrip() for line in emulator.text().split("\n")]
        rows = (rows + [""] * count)[:count]
        title = emulator.get("title", "GhosttyString")
        return Picture(
            rows=rows,
            cursor_row=row,
            cursor_col=col,
            title=bytes(ffi.buffer(title.ptr, title.len)).decode(errors="replace")
            if title.len
            else "",
            is_alternate=any(emulator.mode(mode) for mode in _ALTERNATE),
        )


def prepare() -> None:
    """What the first screen of a process takes a tenth of a second for [measured]; later ones none.

    The emulator's library reads the declarations of each type when it is first used.
    """
    screen = Screen(4, 2)
    screen.feed(b"wrapped", None)
    screen.is_application_cursor()
    screen.seen()
    screen.picture()
    looks.first_drawn(b"", b"x", 4, 2)
