"""Sessions: what is asked of one becomes a fact for its core, and the core's orders are obeyed.

Nothing is decided here.  A request works on a draft; when the draft is in the database it is the
session, and the answer is made of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.session_store import Event as Told
from antiphon.repl import asking
from antiphon.repl import news as n
from antiphon.repl.candidates import Candidates
from antiphon.repl.session import Session
from antiphon.repl.table import Event, State
from antiphon.service import session_view as view
from antiphon.service.catalogue import matches
from antiphon.service.compiling import Compiler
from antiphon.service.execution import Execution, Means
from antiphon.service.intents import Extractor
from antiphon.service.recovery import recovered
from antiphon.service.session_events import listened
from antiphon.service.session_rooms import Draft, SessionRoom
from antiphon.service.session_turn import Turn, context
from antiphon.service.session_values import proposed
from antiphon.service.session_words import heard
from antiphon.wire import sessions as w

WISHES = {
    "clear": n.Wish.CLEAR,
    "undo": n.Wish.UNDO,
    "cancel": n.Wish.CANCEL,
    "bail": n.Wish.BAIL,
    "skip": n.Wish.SKIP,
    "create_new": n.Wish.CREATE_NEW,
    "different_search": n.Wish.DIFFERENT_SEARCH,
    "none_of_these": n.Wish.NONE_OF_THESE,
    "help": n.Wish.HELP,
}
CLOSE_S_MAX = 1.5  # that a run may take to stop when the server ends


class Sessions:
    """`session.*`; what only tells is in session_reading.py."""

    def __init__(
        self, means: Means, compiler: Compiler, extractor: Extractor, *, is_instant: bool
    ) -> None:
        self._means = means
        self._rooms = means.rooms
        self._compiler = compiler
        self._extractor = extractor
        self._is_instant = is_instant  # nobody has to wait for an intent
        self._working: set[asyncio.Task[w.ChatResponse]] = set()
        self._is_closing = False

    async def open(self) -> None:
        """Every run that was cut off has an end before anybody asks."""
        for session_id in await self._rooms.make_tables():
            await self._known(session_id)

    def part(self) -> None:
        """Runs in the database end as if they had not begun; what acts outside lives on.

        Whoever listens has heard everything, and hears the rest from the next server.
        """
        self._is_closing = True
        for run in self._running():
            run.leave()
        for room in self._rooms.loaded.values():
            room.telling.end()

    def _running(self) -> list[Execution]:
        return [one.run for one in self._rooms.loaded.values() if one.run is not None]

    async def leave(self) -> None:
        """Nothing of a session is under way any more."""
        self.part()
        tasks = {run.task for run in self._running() if run.task is not None} | self._working
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_S_MAX)
        for task in tasks:
            task.cancel()

    # --- operations ---------------------------------------------------------------

    async def start(self, request: w.Start) -> w.ChatResponse:  # noqa: ARG002 - it says nothing
        room = await self._rooms.new()
        async with room.lock:
            turn = self._new_turn(room)
            turn.session.trace = [turn.session.state]
            turn.draft.passed = 0
            return await turn.ended()

    async def get(self, request: w.Get) -> w.ChatResponse:
        return self._view(await self._known(request.session_id))

    async def close(self, request: w.Close) -> w.ChatResponse:
        return await self._turn(request, n.Wish.CLOSE)

    async def chat(self, request: w.Chat) -> w.ChatResponse:
        await self._known(request.session_id)
        _check_size("message", request.message, limits.MESSAGE_BYTES_MAX)
        return await self._turn(request, n.Said(request.message))

    async def edit(self, request: w.EditProgram) -> w.ChatResponse:
        await self._known(request.session_id)
        _check_size("source", request.source, limits.SOURCE_BYTES_MAX)
        return await self._turn(request, n.ProgramWritten(request.source))

    async def action(self, request: w.Act) -> w.ChatResponse:
        return await self._turn(request, WISHES[request.action])

    async def execute(self, request: w.Execute) -> w.ChatResponse:
        return await self._turn(request, n.RunWanted(request.plan_id, None))

    async def propose(self, request: w.Propose) -> w.ChatResponse:
        await self._known(request.session_id)
        return await self._turn(request, proposed(request))

    async def resolve(self, request: w.Resolve) -> w.ChatResponse:
        room = await self._known(request.session_id)
        entities, refs = self._means.entities, room.session.program.refs
        types = next((one.entity_types for one in refs if one.ref_id == request.ref_id), ())
        found = await entities.by_id(request.entity_id, types) if types else None
        if found is None:
            found = await entities.by_id(request.entity_id)
        return await self._turn(request, n.EntityChosen(request.ref_id, request.entity_id, found))

    async def search(self, request: w.Search) -> w.SearchResponse:
        room = await self._known(request.session_id)
        async with room.lock:
            trial = room.draft().session
            trial.request(n.SearchDone(request.ref_id, "", Candidates()), request.rev)
            turn = self._new_turn(room)
            program = turn.session.program
            ref = asking.open_ref(program, request.ref_id)
            said = program.searches.get(ref.ref_id, ref.search_value)
            query = said if request.query is None else request.query
            found = await self._means.entities.search(
                ref.entity_types,
                query,
                search_key=request.search_key,
                filters=request.filters,
                discriminators=request.discriminators,
                offset=request.offset,
                limit=request.limit,
            )
            candidates = Candidates(tuple(found.matches), found.total)
            turn.session.request(n.SearchDone(ref.ref_id, query, candidates))
            turn.draft.passed = 0
            others = [one.entity_id for one in found.fallback]
            turn.session.program = turn.session.program.with_offered(ref.ref_id, others)
            answer = await turn.ended()
        return w.SearchResponse(
            **msgspec.structs.asdict(answer),
            matches=matches(found.matches),
            total=found.total,
            offset=request.offset,
            fallback_matches=matches(found.fallback) or UNSET,
        )

    # --- events -------------------------------------------------------------------

    async def events(self, session_id: str, heard: int | None) -> AsyncIterator[Told | None]:
        """What happens in the session, after the event that was heard last."""
        room = await self._known(session_id)

        async def older(number: int, limit: int) -> list[Told]:
            return await self._rooms.events_after(session_id, number, limit)

        return listened(room.telling, heard, older)

    # --- a turn -------------------------------------------------------------------

    async def _turn(self, request: w.Change, asked: n.Request) -> w.ChatResponse:
        """The whole of it, whether or not the caller stays to hear the answer."""
        if self._is_closing:
            raise Refused(Code.HOST_UNAVAILABLE, "the server is ending; ask again")
        work = asyncio.ensure_future(self._turned(request, asked))
        self._working.add(work)
        work.add_done_callback(self._done)
        return await asyncio.shield(work)

    def _done(self, work: asyncio.Task[w.ChatResponse]) -> None:
        self._working.discard(work)
        if not work.cancelled():
            work.exception()  # whoever stayed has heard it

    async def _turned(self, request: w.Change, asked: n.Request) -> w.ChatResponse:
        room = await self._known(request.session_id)
        execution: Execution | None = None
        async with room.lock:
            turn = self._new_turn(room)
            asked = await self._fresh(turn.session, asked)
            event = turn.session.event_of(asked)
            orders = turn.session.request(asked, request.rev)
            turn.draft.passed = 0
            if event is Event.HELP:
                return turn.helped()
            if turn.session.rev == room.session.rev and event is not Event.SEARCH:
                return turn.view()  # a choice that was made before
            turn.draft.say("user", heard(room.session, request, asked))
            rest = await turn.obeyed(orders)
            if rest is None:
                return await turn.ended()
            if isinstance(rest, n.StopRun):
                return turn.stopping()
            before = room.draft()
            if isinstance(rest, n.ExtractIntents):
                turn.waiting()
            else:
                execution = await turn.running(rest)
        if isinstance(rest, n.ExtractIntents):
            return await self._extracted(room, rest, before)
        assert execution is not None and execution.task is not None, "it was started"
        await asyncio.wait({execution.task}, timeout=limits.RUN_ANSWER_MS_MAX / 1000)
        return self._view(room)

    async def _fresh(self, session: Session, asked: n.Request) -> n.Request:
        """Whatever asks for a run asks for the plan as it would be made now."""
        if session.state is not State.READY_TO_RUN or session.event_of(asked) is not Event.RUN:
            return asked
        named = asked.named if isinstance(asked, n.RunWanted) else None
        return n.RunWanted(named, await self._compiler.fresh(session))

    async def _extracted(
        self, room: SessionRoom, order: n.ExtractIntents, before: Draft
    ) -> w.ChatResponse:
        """A model is asked while others may change the session; then its answer is stale."""
        try:
            outcome = await self._extractor.extract(order.message, context(room.session))
        except (Refused, asyncio.CancelledError):
            self._not_extracted(room, order, before)
            raise
        async with room.lock:
            turn = self._new_turn(room)
            orders = turn.extracted(n.Extracted(order.ticket, outcome))
            turn.draft.say("user", order.message)
            rest = await turn.obeyed(orders)
            assert rest is None, "an intent is built and compiled"
            return await turn.ended()

    def _not_extracted(self, room: SessionRoom, order: n.ExtractIntents, before: Draft) -> None:
        """As if nothing had been said."""
        if room.session.ticket != order.ticket:
            return
        draft = room.draft()
        draft.session.respond(n.ExtractionFailed(order.ticket))
        draft.scene = replace(draft.scene, message=before.scene.message)
        room.take_unkept(draft)
        room.session.trace = before.session.trace

    # --- rooms --------------------------------------------------------------------

    async def _known(self, session_id: str) -> SessionRoom:
        room = await self._rooms.known(session_id)
        if not room.is_settled:
            async with room.lock:
                if not room.is_settled:
                    await self._settle(room)
        return room

    async def _settle(self, room: SessionRoom) -> None:
        """What a crash or another pack has left behind is brought in order, once."""
        await recovered(self._means, room)
        if room.scene.made is not None:
            turn = self._new_turn(room)
            await turn.obeyed(await turn.made())
            await turn.ended()
        if room.is_of_other_verbs:
            await self._checked_again(room)
        room.is_settled = True

    async def _checked_again(self, room: SessionRoom) -> None:
        """The verbs are others than when the program was checked."""
        turn = self._new_turn(room)
        program, state = turn.session.program, turn.session.state
        asked: n.Request | None = None
        if state in CHECKED and program.source.strip():
            asked = n.ProgramWritten(program.source)
        elif state is State.INTENT_CLARIFY:
            asked = n.Wish.NONE_OF_THESE
        if asked is not None:
            rest = await turn.obeyed(turn.session.request(asked))
            assert rest is None, "a program is only checked"
            turn.draft.passed = 0
            await turn.ended()

    def _new_turn(self, room: SessionRoom) -> Turn:
        instant = self._extractor if self._is_instant else None
        return Turn(self._means, self._compiler, instant, room, room.draft())

    def _view(self, room: SessionRoom) -> w.ChatResponse:
        return view.response(room.session, room.scene, self._means.entities.types)


# Where a program was checked, and what was found depends on the verbs.
CHECKED = (
    State.SYNTAX_ERROR,
    State.SEMANTIC_ERROR,
    State.UNRESOLVED_REFS,
    State.CREATING,
    State.DEPENDENCY_ERROR,
    State.READY_TO_RUN,
)


def _check_size(what: str, text: str, most: int) -> None:
    size = len(text.encode(errors="surrogatepass"))
    if size > most:
        raise Refused(Code.LIMIT_REACHED, f"the {what} has {size} bytes; {most} are accepted")
