"""Those who watch a conversation, and the screen that a person would see.

A viewer is only told that something changed: it reads the spool at its own pace, so a slow
one costs nothing.  The screen is made when somebody, or a program with a question, first
needs it, from the bytes that are on the disk; a screen that nobody looks at is let go.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from antiphon.base import limits
from antiphon.drivers.screen import QUERIES, QUERY_BYTES_MAX, Screen

# What a screen is made from: enough for any program to have drawn all of it.
REBUILD_BYTES_MAX = 4 << 20
# Output after which a screen that nobody asked for is let go.
UNUSED_BYTES_MAX = 8 << 20
# Events that may wait for one viewer; an older one is in events.jsonl.
VIEWER_EVENTS_MAX = 4096


@dataclass(slots=True, eq=False)
class Viewer:
    """One who watches: events wait here, bytes are fetched."""

    woken: asyncio.Event = field(default_factory=asyncio.Event)
    events: deque[str] = field(default_factory=lambda: deque(maxlen=VIEWER_EVENTS_MAX))


@dataclass(slots=True)
class Viewing:
    """`read` gives bytes of the raw stream; `printed` says how many there are now."""

    read: Callable[[int, int], bytes]
    printed: Callable[[], int]
    viewers: list[Viewer] = field(default_factory=list)
    cols: int = limits.COLS_DEFAULT
    rows: int = limits.ROWS_DEFAULT
    start: int = 0  # where the shell's stream begins
    _screen: Screen | None = None
    _unused_bytes: int = 0
    _tail: bytes = b""

    def restart(self, cols: int, rows: int, start: int) -> None:
        """A fresh shell has a fresh screen."""
        self._screen = None
        self.cols, self.rows, self.start = cols, rows, start

    def resize(self, cols: int, rows: int) -> None:
        self.cols, self.rows = cols, rows
        if self._screen is not None:
            self._screen.resize(cols, rows)
        self.tell(f'{{"type":"resize","cols":{cols},"rows":{rows}}}')

    # --- the screen ------------------------------------------------------------

    def feed(self, data: bytes, answer: Callable[[bytes], None]) -> None:
        """What the terminal printed, as it printed it; `printed` does not count it yet."""
        if self._screen is None and b"\x1b" not in data and not self._tail:
            return
        asked = self._tail + data
        escape = asked.rfind(b"\x1b", -QUERY_BYTES_MAX)
        self._tail = asked[escape:] if escape >= 0 else b""
        if self._screen is None:
            if QUERIES.search(asked) is None:
                return
            self._screen = self._rebuilt()
        self._screen.feed(data, answer)
        self._unused_bytes += len(data)
        if self._unused_bytes > UNUSED_BYTES_MAX:
            self._screen = None

    def screen(self) -> Screen:
        self._unused_bytes = 0
        if self._screen is None:
            self._screen = self._rebuilt()
        return self._screen

    def _rebuilt(self) -> Screen:
        screen = Screen(self.cols, self.rows)
        end = self.printed()
        start = max(self.start, end - REBUILD_BYTES_MAX)
        screen.feed(self.read(start, end - start), None)
        self._unused_bytes = 0
        return screen

    # --- viewers ---------------------------------------------------------------

    def changed(self, events: list[bytes]) -> None:
        """Deltas are not told: a viewer has the bytes."""
        for viewer in self.viewers:
            for event in events:
                if not event.startswith(b'{"type":"agent_block_delta"'):
                    viewer.events.append(event.decode().rstrip("\n"))
            viewer.woken.set()

    def wake(self) -> None:
        """Bytes came that may be no news for the record."""
        for viewer in self.viewers:
            viewer.woken.set()

    def tell(self, event: str) -> None:
        for viewer in self.viewers:
            viewer.events.append(event)
            viewer.woken.set()

    def mode(self, mode: str) -> None:
        self.tell(self.mode_event(mode))

    def mode_event(self, mode: str) -> str:
        return f'{{"type":"mode","mode":"{mode}"}}'
