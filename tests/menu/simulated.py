"""The fake picker without a process: what it draws goes to an emulator, keys come from the walk."""

from __future__ import annotations

from typing import Any

from pyghostty import Terminal as Emulator

from antiphon.drivers import looks
from antiphon.menu.approach import Approach, Arrived, Astray
from antiphon.menu.guess import guess
from antiphon.menu.menu import Menu
from antiphon.menu.seen import Seen
from antiphon.menu.walk import NoMenu, Press, Step, Walk
from tests.fixtures.picker import Picker, Spec

COLS, ROWS = 500, 100
PRESSES_MAX = 5_000
_HIDE = b"\x1b[?25l"


class Simulated:
    """A picker whose terminal is an emulator; every key is drawn at once."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.picker = Picker(Spec(**{**spec, "chunk": 0}))
        self.emulator = Emulator(COLS, ROWS, scrollback=0)
        self.printed = b""
        self.picker.write = self._write  # type: ignore[method-assign]
        for line in self.picker.spec.before:
            self._write(line + "\r\n")
        if self.picker.spec.hides_cursor:
            self._write("\x1b[?25l")
        self.picker.draw()

    def _write(self, text: str) -> None:
        data = text.encode()
        self.printed += data
        self.emulator.feed(data)

    def seen(self) -> Seen:
        return looks.seen(self.emulator)

    def press(self, key: str) -> bytes:
        """What it drew for an arrow."""
        begin = len(self.printed)
        self.picker.move(1 if key == "Down" else -1)
        self.picker.draw()
        return self.printed[begin:]

    def frame_row(self) -> int | None:
        hidden = self.printed.rfind(_HIDE)
        if hidden < 0:
            return None
        return looks.first_drawn(self.printed[:hidden], self.printed[hidden:], COLS, ROWS)

    def menu(self) -> Menu | None:
        """The walk from here to its end; None when it found no menu."""
        start = self.seen()
        found = guess(start, self.frame_row() or 0)
        if not found.is_menu:
            return None
        walk = Walk(start, found, 0, self.frame_row())
        step: Step = walk.begin()
        presses = 0
        while isinstance(step, Press):
            presses += 1
            assert presses < PRESSES_MAX, "the walk has no end"
            drawn = self.press(step.key)
            if walk.steps == 0:
                walk.redrawn_from(looks.first_touched(start, drawn, COLS, ROWS))
            step = walk.saw(self.seen())
        return None if isinstance(step, NoMenu) else step

    def approached(self, menu: Menu, target: int) -> str | None:
        """The way to an option; what went wrong, or None."""
        approach = Approach(menu, target)
        move = approach.begin(self.seen())
        while isinstance(move, Press):
            self.press(move.key)
            move = approach.saw(self.seen())
        if isinstance(move, Astray):
            return move.reason
        assert isinstance(move, Arrived)
        return None
