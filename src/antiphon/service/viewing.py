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


@dataclass(slots=True, eq=False)
class Viewer:
    """One who watches: events wait here, bytes are fetched.

    Events of one who does not read make room for newer ones, and how many went is told; they are
    in events.jsonl, and no byte of output is ever left out.
    """

    woken: asyncio.Event = field(default_factory=asyncio.Event)
    _events: deque[str] = field(default_factory=deque)
    _waiting_bytes: int = 0
    _left_out: int = 0

    def put(self, event: str) -> None:
        self._events.append(event)
        self._waiting_bytes += len(event)
        while self._waiting_bytes > limits.VIEWER_EVENTS_BYTES_MAX and len(self._events) > 1:
            self._waiting_bytes -= len(self._events.popleft())
            self._left_out += 1
        self.woken.set()

    def take(self) -> list[str]:
        """All that wait, and before them how many were left out."""
        gap = [f'{{"type":"gap","events":{self._left_out}}}'] if self._left_out else []
        taken = [*gap, *self._events]
        self._events.clear()
        self._waiting_bytes = self._left_out = 0
        return taken

    @property
    def has_events(self) -> bool:
        return bool(self._events)


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
                    viewer.put(event.decode().rstrip("\n"))
            viewer.woken.set()

    def wake(self) -> None:
        """Bytes came that may be no news for the record."""
        for viewer in self.viewers:
            viewer.woken.set()

    def tell(self, event: str) -> None:
        for viewer in self.viewers:
            viewer.put(event)

    def mode(self, mode: str) -> None:
        self.tell(self.mode_event(mode))

    def mode_event(self, mode: str) -> str:
        return f'{{"type":"mode","mode":"{mode}"}}'
