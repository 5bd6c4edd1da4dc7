"""Sessions in memory and in the database: what is asked changes a draft, and a draft is kept whole.

A draft becomes the session only when it is in the database, so that an answer never says what a
restart would not.  One request at a time works on a session.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers import session_records as records
from antiphon.drivers import session_store as store
from antiphon.drivers.database import Database, Transaction
from antiphon.drivers.session_store import Event, Said, SessionRow, Snapshot
from antiphon.repl.pack import Pack
from antiphon.repl.program import Program
from antiphon.repl.session import Session
from antiphon.service.scene import Scene
from antiphon.service.session_events import Telling, event, state_event
from antiphon.service.session_view import callout, source_of, words_asked
from antiphon.wire import sessions as w

if TYPE_CHECKING:
    from antiphon.service.execution import Execution

_decode_scene = msgspec.json.Decoder(Scene).decode
_decode_shown = msgspec.json.Decoder(w.Listed).decode


@dataclass(slots=True)
class Draft:
    """A session as it will be, with what is new about it."""

    session: Session
    scene: Scene
    events: list[Event] = field(default_factory=list)
    talk: list[Said] = field(default_factory=list)
    passed: int = 0  # states of the trace that were told
    note: str = ""  # said before where the session stands

    def tell_states(self) -> None:
        """An event for each state that was passed since the last call."""
        trace = self.session.trace[self.passed :]
        for state in trace:
            number = self.scene.events + 1
            self.scene = msgspec.structs.replace(self.scene, events=number)
            self.events.append(state_event(number, state.wire, self.session.rev))
        self.passed = len(self.session.trace)

    def tell(self, name: str, data: dict[str, object]) -> None:
        number = self.scene.events + 1
        self.scene = msgspec.structs.replace(self.scene, events=number)
        self.events.append(event(number, name, data))

    def say(self, who: str, text: str) -> None:
        number = self.scene.talk + 1
        self.scene = msgspec.structs.replace(self.scene, talk=number)
        self.talk.append(Said(number, now_ms(), who, text))


@dataclass(slots=True)
class SessionRoom:
    """One session in memory."""

    session: Session
    scene: Scene
    ts_created: int
    kept: list[tuple[Program, int]]  # snapshots in the database, and their numbers
    telling: Telling
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    run: Execution | None = None
    asked_at: float = 0.0
    unkept: list[Event] = field(default_factory=list)  # told, and not yet in the database
    unkept_talk: list[Said] = field(default_factory=list)  # said to a run that goes on
    is_settled: bool = False  # nothing of a crash is left to be brought in order
    is_of_other_verbs: bool = False  # it was kept when the pack was another one

    def draft(self) -> Draft:
        session = self.session
        return Draft(
            replace(
                session,
                history=list(session.history),
                bindings=dict(session.bindings),
                trace=list(session.trace),
            ),
            self.scene,
            passed=len(session.trace),
        )

    def tell(self, name: str, data: dict[str, object]) -> None:
        """An event beside a change; it is kept with the next one."""
        self.scene = msgspec.structs.replace(self.scene, events=self.scene.events + 1)
        found = event(self.scene.events, name, data)
        self.unkept.append(found)
        self.telling.tell([found])

    def note_progress(self, told: w.StatementProgress) -> None:
        """How far the run is, for whoever asks now; after a crash there is no run."""
        others = [one for one in self.scene.progress if one.statement_index != told.statement_index]
        self.scene = msgspec.structs.replace(self.scene, progress=[*others, told])

    def take_unkept(self, draft: Draft) -> None:
        """The draft is the session in memory; the database still has what was before."""
        draft.tell_states()
        self.unkept += draft.events
        self.take(draft)

    def take(self, draft: Draft) -> None:
        """The draft is the session from now on, and its events are told."""
        self.session, self.scene = draft.session, draft.scene
        self.telling.tell(draft.events)


class SessionRooms:
    """All sessions of one database."""

    def __init__(self, database: Database, pack: Pack) -> None:
        self.database = database
        self.pack = pack
        self.makers = {
            name: one.create for name, one in pack.entities.items() if one.create is not None
        }
        self.loaded: dict[str, SessionRoom] = {}
        self._loading: dict[str, asyncio.Lock] = {}

    async def make_tables(self) -> list[str]:
        """The tables, once; and the sessions whose run was cut off."""

        def made() -> list[str]:
            with self.database.transaction() as tx:
                store.make_tables(tx)
                return store.sessions_in_a_run(tx)

        return await asyncio.to_thread(made)

    async def new(self) -> SessionRoom:
        session_id = secrets.token_hex(8)
        session = Session(session_id, self.pack.vocabulary, self.makers)
        room = SessionRoom(session, Scene(), now_ms(), [], Telling(), is_settled=True)
        self._keep_loaded(session_id, room)
        return room

    async def known(self, session_id: str) -> SessionRoom:
        room = self.loaded.get(session_id)
        if room is None:
            room = await self._loaded(session_id)
        room.asked_at = time.monotonic()
        return room

    async def _loaded(self, session_id: str) -> SessionRoom:
        lock = self._loading.setdefault(session_id, asyncio.Lock())
        try:
            async with lock:
                room = self.loaded.get(session_id)
                if room is None:
                    room = await asyncio.to_thread(self._read, session_id)
                    if room is None:
                        raise Refused(
                            Code.SESSION_NOT_FOUND, f"there is no session {session_id!r:.60}"
                        )
                    self._keep_loaded(session_id, room)
                return room
        finally:
            if not lock.locked():
                self._loading.pop(session_id, None)

    def _read(self, session_id: str) -> SessionRoom | None:
        with self.database.reading() as tx:
            row = store.session(tx, session_id)
            if row is None:
                return None
            snapshots = store.snapshots(tx, session_id)
        vocabulary = self.pack.vocabulary
        session, is_same = records.session(session_id, row.record, vocabulary, self.makers)
        kept = [(records.snapshot(one.record), one.number) for one in snapshots]
        session.history = [program for program, _ in kept]
        scene = _decode_scene(row.scene)
        room = SessionRoom(session, scene, row.ts_created, kept, Telling(scene.events))
        room.is_of_other_verbs = not is_same
        return room

    def _keep_loaded(self, session_id: str, room: SessionRoom) -> None:
        self.loaded[session_id] = room
        if len(self.loaded) <= limits.SESSIONS_LOADED_MAX:
            return
        idle = [
            (one.asked_at, name)
            for name, one in self.loaded.items()
            if one is not room
            and not one.lock.locked()
            and one.run is None
            and not one.telling.listeners
            and one.session.ticket is None
        ]
        for _, name in sorted(idle)[: len(self.loaded) - limits.SESSIONS_LOADED_MAX]:
            del self.loaded[name]

    def forget(self, room: SessionRoom) -> None:
        """What is in memory is not what was kept: the next request reads it again."""
        self.loaded.pop(room.session.session_id, None)

    # --- keeping ------------------------------------------------------------------

    async def keep(
        self, room: SessionRoom, draft: Draft, besides: Callable[[Transaction], None] | None = None
    ) -> None:
        """The draft into the database, with what else must happen with it; then it is taken."""
        write = self.writing(room, draft)

        def written() -> None:
            with self.database.transaction() as tx:
                write(tx)
                if besides is not None:
                    besides(tx)

        await asyncio.to_thread(written)
        self.taken(room, draft)

    def writing(self, room: SessionRoom, draft: Draft) -> Callable[[Transaction], None]:
        """What keeps the draft, to be called in a transaction of whichever thread."""
        draft.tell_states()
        session_id = draft.session.session_id
        row = _row(room, draft)
        gone, new, _ = _changes(room, draft)
        events = [*room.unkept, *draft.events]
        talk = [*room.unkept_talk, *draft.talk]
        number = draft.scene.events

        def write(tx: Transaction) -> None:
            store.put_session(tx, row)
            snapshots = [Snapshot(at, records.kept_snapshot(program)) for program, at in new]
            store.change_snapshots(tx, session_id, gone, snapshots)
            store.add_events(tx, session_id, events)
            store.add_talk(tx, session_id, talk)
            if events and number // 1_000 != (number - len(events)) // 1_000:
                store.forget_events(tx, session_id, number - limits.EVENTS_KEPT_MAX)

        return write

    def taken(self, room: SessionRoom, draft: Draft) -> None:
        """The draft is in the database."""
        _, new, kept = _changes(room, draft)
        if new:
            draft.scene = msgspec.structs.replace(draft.scene, snapshots=new[-1][1])
        room.kept = kept
        room.unkept, room.unkept_talk = [], []
        room.take(draft)

    # --- reading ------------------------------------------------------------------

    async def newest(self, limit: int) -> list[w.Listed]:
        def read() -> list[w.Listed]:
            with self.database.reading() as tx:
                return [_decode_shown(row.shown) for row in store.newest(tx, limit)]

        return await asyncio.to_thread(read)

    async def events_after(self, session_id: str, number: int, limit: int) -> list[Event]:
        def read() -> list[Event]:
            with self.database.reading() as tx:
                return store.events(tx, session_id, number, limit)

        return await asyncio.to_thread(read)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def _row(room: SessionRoom, draft: Draft) -> SessionRow:
    session, now = draft.session, now_ms()
    _, new, _ = _changes(room, draft)
    scene = draft.scene
    if new:
        scene = msgspec.structs.replace(scene, snapshots=new[-1][1])
    shown = w.Listed(
        session_id=session.session_id,
        rev=session.rev,
        state=session.state.wire,
        dsl_source=source_of(session.program),
        callout=callout(session),
        words_asked=words_asked(session),
        ts_created=room.ts_created,
        ts_changed=now,
    )
    return SessionRow(
        session.session_id,
        session.state.wire,
        session.rev,
        records.kept(session),
        msgspec.json.encode(scene).decode(),
        msgspec.json.encode(shown).decode(),
        room.ts_created,
        now,
    )


def _changes(
    room: SessionRoom, draft: Draft
) -> tuple[list[int], list[tuple[Program, int]], list[tuple[Program, int]]]:
    """Snapshots that are gone, those that are new, and all that there are then."""
    numbers = {id(program): number for program, number in room.kept}
    wanted = {id(program) for program in draft.session.history}
    gone = [number for program, number in room.kept if id(program) not in wanted]
    at, new, kept = room.scene.snapshots, [], []
    for program in draft.session.history:
        number = numbers.get(id(program))
        if number is None:
            at += 1
            number = at
            new.append((program, number))
        kept.append((program, number))
    return gone, new, kept
