"""What happens in a session, told to whoever listens: each event once, in order, with a number.

The last ones are in memory, all of them in the database; a listener who comes back says which
number it heard last and misses nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import msgspec

from antiphon.base import limits
from antiphon.drivers.session_store import Event

TAIL_MAX = 1_000  # events in memory; who is further behind asks the database
Older = Callable[[int, int], Awaitable[list[Event]]]


def state_event(number: int, state: str, rev: int) -> Event:
    return event(number, "state", {"state": state, "rev": rev})


def event(number: int, name: str, data: dict[str, object]) -> Event:
    return Event(number, name, msgspec.json.encode(data).decode())


@dataclass(slots=True)
class Telling:
    """The events of one session, and those who wait for the next one."""

    last: int = 0  # the number of the newest
    tail: deque[Event] = field(default_factory=lambda: deque(maxlen=TAIL_MAX))
    news: asyncio.Event = field(default_factory=asyncio.Event)
    listeners: int = 0
    is_over: bool = False  # the server ends, and whoever listens asks the next one

    def end(self) -> None:
        self.is_over = True
        self.news.set()

    def tell(self, events: list[Event]) -> None:
        if not events:
            return
        self.tail.extend(events)
        self.last = events[-1].number
        self.news.set()
        self.news = asyncio.Event()

    def after(self, number: int) -> list[Event] | None:
        """What came after it, unless that is further back than memory goes."""
        if number >= self.last:
            return []
        if not self.tail or self.tail[0].number > number + 1:
            return None
        return [one for one in self.tail if one.number > number]


def listened(telling: Telling, heard: int | None, older: Older) -> AsyncIterator[Event | None]:
    """The events after the one heard last, and then each as it comes; nothing, while it is quiet.

    Who has heard none is told what happens from now on, and not from when the first is asked for.
    """
    return _after(telling, telling.last if heard is None else heard, older)


async def _after(telling: Telling, at: int, older: Older) -> AsyncIterator[Event | None]:
    telling.listeners += 1
    try:
        while True:
            news = telling.news
            found = telling.after(at)
            if found is None:
                found = await older(at, TAIL_MAX)
                if not found:  # they are too old: go on with what is left
                    at = telling.tail[0].number - 1 if telling.tail else telling.last
                    continue
            for one in found:
                at = one.number
                yield one
            if found:
                continue
            if telling.is_over:
                return
            try:
                await asyncio.wait_for(news.wait(), limits.EVENTS_QUIET_S_MAX)
            except TimeoutError:
                yield None
    finally:
        telling.listeners -= 1
