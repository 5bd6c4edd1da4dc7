"""`session.*`, `repl.states` and `dsl.check`, opened with the packs and the database they need.

A desk that nobody asks for a session opens neither.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from antiphon.drivers.session_store import Event
from antiphon.repl.shelf import Shelf
from antiphon.service.compiling import Compiler
from antiphon.service.completing import Completer
from antiphon.service.domain import Domain
from antiphon.service.execution import Means
from antiphon.service.intents import extractor
from antiphon.service.outside import Outside
from antiphon.service.session_reading import SessionReading, states
from antiphon.service.session_rooms import SessionRooms
from antiphon.service.sessions import Sessions
from antiphon.wire import dsl
from antiphon.wire import sessions as w
from antiphon.wire import states as st


@dataclass(frozen=True, slots=True)
class Opened:
    rooms: SessionRooms
    sessions: Sessions
    reading: SessionReading
    completer: Completer


class SessionDesk:
    def __init__(self, domain: Domain, outside: Outside) -> None:
        self._domain = domain
        self._outside = outside
        self._opening = asyncio.Lock()
        self._open: Opened | None = None
        self._states = states()

    async def opened(self) -> Opened:
        if self._open is None:
            async with self._opening:
                if self._open is None:
                    self._open = await self._opened()
        return self._open

    async def _opened(self) -> Opened:
        entities = await self._domain.entities()
        rooms = SessionRooms(entities.database, entities.pack)
        compiler = Compiler(entities.pack.vocabulary, entities)
        codes = Shelf(entities.pack).names
        found = extractor(entities.pack.vocabulary, self._domain.model, codes)
        means = Means(rooms, entities, self._outside)
        sessions = Sessions(means, compiler, found, is_instant=self._domain.model is None)
        await sessions.open()
        return Opened(rooms, sessions, SessionReading(rooms, compiler), Completer(entities))

    def part(self) -> None:
        if self._open is not None:
            self._open.sessions.part()

    async def leave(self) -> None:
        if self._open is not None:
            await self._open.sessions.leave()

    async def check_known(self, session_id: object) -> None:
        """There is such a session, whatever else is wrong with the request."""
        if isinstance(session_id, str):
            await (await self.opened()).rooms.known(session_id)

    # --- operations ---------------------------------------------------------------

    async def start(self, request: w.Start) -> w.ChatResponse:
        return await (await self.opened()).sessions.start(request)

    async def get(self, request: w.Get) -> w.ChatResponse:
        return await (await self.opened()).sessions.get(request)

    async def close(self, request: w.Close) -> w.ChatResponse:
        return await (await self.opened()).sessions.close(request)

    async def chat(self, request: w.Chat) -> w.ChatResponse:
        return await (await self.opened()).sessions.chat(request)

    async def edit(self, request: w.EditProgram) -> w.ChatResponse:
        return await (await self.opened()).sessions.edit(request)

    async def resolve(self, request: w.Resolve) -> w.ChatResponse:
        return await (await self.opened()).sessions.resolve(request)

    async def search(self, request: w.Search) -> w.SearchResponse:
        return await (await self.opened()).sessions.search(request)

    async def action(self, request: w.Act) -> w.ChatResponse:
        return await (await self.opened()).sessions.action(request)

    async def propose(self, request: w.Propose) -> w.ChatResponse:
        return await (await self.opened()).sessions.propose(request)

    async def execute(self, request: w.Execute) -> w.ChatResponse:
        return await (await self.opened()).sessions.execute(request)

    async def runs(self, request: w.Runs) -> w.RunsAnswer:
        return await (await self.opened()).reading.runs(request)

    async def talk(self, request: w.Talk) -> w.TalkAnswer:
        return await (await self.opened()).reading.talk(request)

    async def list(self, request: w.List) -> w.ListAnswer:
        return await (await self.opened()).reading.list(request)

    async def states(self, request: st.States) -> st.StatesAnswer:  # noqa: ARG002 - it says nothing
        return self._states

    async def check(self, request: dsl.Check) -> dsl.Checked:
        return await (await self.opened()).reading.check(request)

    async def complete(self, request: dsl.Complete) -> dsl.Completed:
        return await (await self.opened()).completer.complete(request)

    async def events(self, session_id: str, heard: int | None) -> AsyncIterator[Event | None]:
        return await (await self.opened()).sessions.events(session_id, heard)
