"""What can be asked about sessions without changing one: runs, the talk, the list, the table."""

from __future__ import annotations

import asyncio

from msgspec import UNSET
from msgspec.structs import replace

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers import session_store as store
from antiphon.drivers.session_store import RunRecord, Said
from antiphon.repl.table import RESPONSE_FACTS, Event, Response, State, outcome, takes
from antiphon.repl.table import SESSIONS as TABLE
from antiphon.service import session_view as view
from antiphon.service.compiling import Compiler
from antiphon.service.diagnoses import diagnoses, open_refs
from antiphon.service.run_records import run_of
from antiphon.service.session_rooms import SessionRooms
from antiphon.wire import dsl
from antiphon.wire import sessions as w
from antiphon.wire import states as st


class SessionReading:
    def __init__(self, rooms: SessionRooms, compiler: Compiler) -> None:
        self._rooms = rooms
        self._compiler = compiler
        self._states = states()

    async def runs(self, request: w.Runs) -> w.RunsAnswer:
        room = await self._rooms.known(request.session_id)

        def read() -> list[RunRecord]:
            with self._rooms.database.reading() as tx:
                return store.runs(tx, room.session.session_id)

        found = await asyncio.to_thread(read)
        return w.RunsAnswer(runs=[run_of(one) for one in found if not one.is_open])

    async def talk(self, request: w.Talk) -> w.TalkAnswer:
        room = await self._rooms.known(request.session_id)

        def read() -> list[Said]:
            with self._rooms.database.reading() as tx:
                return store.talk(tx, room.session.session_id, request.limit)

        found = await asyncio.to_thread(read)
        return w.TalkAnswer(lines=[w.Line(ts=one.ts, who=one.who, text=one.text) for one in found])

    async def list(self, request: w.List) -> w.ListAnswer:
        found = await self._rooms.newest(request.limit)
        return w.ListAnswer(sessions=[self._now(one) for one in found])

    def _now(self, listed: w.Listed) -> w.Listed:
        """In memory there may be more: a run, a message that is looked into."""
        room = self._rooms.loaded.get(listed.session_id)
        if room is None:
            return listed
        session = room.session
        return replace(
            listed,
            rev=session.rev,
            state=session.state.wire,
            callout=view.callout(session),
            words_asked=view.words_asked(session),
        )

    async def states(self, request: st.States) -> st.StatesAnswer:  # noqa: ARG002 - it says nothing
        return self._states

    async def check(self, request: dsl.Check) -> dsl.Checked:
        size = len(request.source.encode(errors="surrogatepass"))
        if size > limits.SOURCE_BYTES_MAX:
            raise Refused(
                Code.LIMIT_REACHED,
                f"the source has {size} bytes; {limits.SOURCE_BYTES_MAX} are accepted",
            )
        found = await self._compiler.compiled(request.source)
        told = [found.errors, found.warnings]
        return dsl.Checked(
            ok=found.errors.count == 0,
            diagnostics=diagnoses(found.source, told),
            more=sum(one.hidden for one in told) or UNSET,
            statements=len(found.program.statements),
            refs=open_refs(found),
        )


def states() -> st.StatesAnswer:
    """The table, as it is obeyed."""
    return st.StatesAnswer(
        states=[one.value for one in State],
        events=[one.value for one in Event],
        cells={
            state.value: {event.value: _cell(state, event) for event in Event} for state in State
        },
        responses=[row for state in State for answer in Response if (row := _row(state, answer))],
    )


def _cell(state: State, event: Event) -> st.Outcome:
    found = outcome(state, event)
    if isinstance(found, Code):
        return st.Outcome(refuse=found.value)
    return st.Outcome(to=found.value)


def _row(state: State, answer: Response) -> st.ResponseRow | None:
    if not takes(state, answer):
        return None
    to = TABLE.step(state, RESPONSE_FACTS[answer][0]())
    return st.ResponseRow(state=state.value, response=answer.value, next=to.value)
