"""Who listens to a session hears all that happens from then on."""

from __future__ import annotations

import asyncio

import pytest

from antiphon.drivers.session_store import Event
from antiphon.service.session_events import Telling, listened, state_event


async def nothing_older(_number: int, _limit: int) -> list[Event]:
    return []


@pytest.mark.parametrize("heard", [None, 1])
def test_what_happens_before_the_first_is_asked_for_is_heard(heard: int | None) -> None:
    async def first() -> Event | None:
        telling = Telling()
        telling.tell([state_event(1, "executing", 1)])
        events = listened(telling, heard, nothing_older)
        telling.tell([state_event(2, "executed", 1)])
        async with asyncio.timeout(5):
            return await anext(events)

    assert asyncio.run(first()) == state_event(2, "executed", 1)
