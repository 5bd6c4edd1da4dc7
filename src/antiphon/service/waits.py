"""Waits on one conversation: each is told once, by the first bytes that decide it.

A wait that begins in the past catches up by reading; from then on it sees only new bytes.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.terminal.pattern import Scanner, Span

# One piece of catching up: other work gets its turn after each.  The slowest patterns need 60 ms
# for a mebibyte [measured].
CATCH_UP_BYTES = 256 << 10


class Ended(Exception):
    """Nothing more will come: the shell is gone, or the wait was called off."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(slots=True, eq=False)
class _Waiter:
    scanner: Scanner
    told: asyncio.Future[Span | None]


@dataclass(slots=True)
class Waits:
    """Everybody who waits here."""

    read: Callable[[int, int], bytes]  # bytes of the spool
    size: Callable[[], int]  # of the spool
    _texts: list[_Waiter] = field(default_factory=list)
    _prompts: list[tuple[int, asyncio.Future[Span | None]]] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)  # ends of sentinels, rising
    _starts: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._texts) + len(self._prompts)

    # --- what happens ---

    def appended(self, data: bytes) -> None:
        if not self._texts:
            return
        going_on = []
        for waiter in self._texts:
            if waiter.told.done():
                continue
            span = waiter.scanner.feed(data, self.read)
            if span is None:
                going_on.append(waiter)
            else:
                waiter.told.set_result(span)
        self._texts = going_on

    def prompted(self, start: int, end: int) -> None:
        self._starts.append(start)
        self._ends.append(end)
        waiting, self._prompts = self._prompts, []
        for cursor, told in waiting:
            if told.done():
                continue
            if start >= cursor:
                told.set_result(Span(start, end))
            else:
                self._prompts.append((cursor, told))

    def end(self, ended: Ended) -> None:
        """Nobody is left waiting."""
        for waiter in self._texts:
            if not waiter.told.done():
                waiter.told.set_exception(ended)
        for _, told in self._prompts:
            if not told.done():
                told.set_exception(ended)
        self._texts, self._prompts = [], []

    def prompt_after(self, cursor: int) -> int:
        """Where the first sentinel from the cursor on ends; the spool's end if there is none."""
        index = bisect_left(self._starts, cursor)
        return self._ends[index] if index < len(self._ends) else self.size()

    # --- who waits ---

    async def text(
        self, scanner: Scanner, timeout_ms: int, lost: Callable[[], Ended | None]
    ) -> Span | None:
        """The match; None when time is up.  `lost` says whether more can come at all."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_ms / 1000
        while scanner.position < self.size():
            start = scanner.position
            data = self.read(start, min(self.size(), start + CATCH_UP_BYTES))
            span = scanner.feed(data, self.read)
            if span is not None:
                return span
            if scanner.position < self.size():
                await asyncio.sleep(0)
        if (ended := lost()) is not None:
            raise ended
        self._room()
        told: asyncio.Future[Span | None] = loop.create_future()
        self._texts.append(_Waiter(scanner, told))
        return await _until(told, deadline)

    async def prompt(
        self, cursor: int, timeout_ms: int, lost: Callable[[], Ended | None]
    ) -> Span | None:
        """The first sentinel that begins at or after the cursor."""
        index = bisect_left(self._starts, cursor)
        if index < len(self._starts):
            return Span(self._starts[index], self._ends[index])
        if (ended := lost()) is not None:
            raise ended
        self._room()
        loop = asyncio.get_running_loop()
        told: asyncio.Future[Span | None] = loop.create_future()
        self._prompts.append((cursor, told))
        return await _until(told, loop.time() + timeout_ms / 1000)

    def _room(self) -> None:
        if len(self) >= limits.WAITERS_MAX:
            raise Refused(
                Code.LIMIT_REACHED,
                f"{limits.WAITERS_MAX} waits are under way on this conversation (WAITERS_MAX)",
            )


async def _until(told: asyncio.Future[Span | None], deadline: float) -> Span | None:
    def late() -> None:
        if not told.done():
            told.set_result(None)

    timer = asyncio.get_running_loop().call_at(deadline, late)
    try:
        return await told
    finally:
        timer.cancel()
