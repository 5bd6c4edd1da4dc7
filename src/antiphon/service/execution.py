"""A run: the plan's statements in order, database writes in one transaction with the session.

What acts outside the database cannot be rolled back: it splits the run, and what was done before it
stays.  A run that a crash cut off is ended when the server is up again: as if it had not begun,
or as failed where something outside was done or begun.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from dataclasses import dataclass, field
from typing import Literal

import msgspec
from msgspec import UNSET

from antiphon.base.errors import Broken
from antiphon.drivers import session_store as store
from antiphon.drivers.database import Database, Transaction
from antiphon.drivers.file import StorageFull
from antiphon.drivers.session_store import RunRecord
from antiphon.dsl.stages import Compilation, Plan
from antiphon.dsl.tree import Call, calls
from antiphon.dsl.verbs import Effect
from antiphon.repl import news as n
from antiphon.service.carrying import (
    Done,
    StatementFailed,
    World,
    carried,
    carried_call,
    is_outside,
)
from antiphon.service.entities import Entities
from antiphon.service.outside import Outside, Tell
from antiphon.service.run_order import Part, parts
from antiphon.service.run_records import KeptRun, commands, ended_draft, kept_record, plain
from antiphon.service.session_rooms import Draft, SessionRoom, SessionRooms, now_ms
from antiphon.wire import sessions as w

log = logging.getLogger("antiphon")


class Stopped(Exception):
    """Somebody cancelled the run, and nothing is half done."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a run is carried out with."""

    rooms: SessionRooms
    entities: Entities
    outside: Outside

    @property
    def database(self) -> Database:
        return self.rooms.database


@dataclass
class Execution:
    """One run of one session, from its beginning to its end."""

    means: Means
    room: SessionRoom
    ticket: str
    plan: Plan
    found: Compilation
    number: int
    world: World
    ts_begin: int
    results: dict[int, w.Result] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    stop_outside: asyncio.Event = field(default_factory=asyncio.Event)
    is_leaving: bool = False
    is_acting: bool = False  # outside, where only whoever acts can end it
    task: asyncio.Task[None] | None = None
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    thread: int = field(default_factory=threading.get_ident)  # the loop's

    @classmethod
    def of(cls, means: Means, room: SessionRoom, order: n.RunPlan, draft: Draft) -> Execution:
        found = draft.session.program.compilation
        assert found is not None, "what has a plan was compiled"
        world = World.of(found, means.entities.types, means.entities.kept, draft.scene.scope)
        return cls(means, room, order.ticket, order.plan, found, draft.scene.runs, world, now_ms())

    def start(self) -> None:
        self.task = asyncio.create_task(self._run())

    def cancel(self) -> None:
        self.stop.set()
        self.stop_outside.set()

    def leave(self) -> None:
        """The server ends: what the database does is undone, and what acts outside goes on."""
        self.is_leaving = True
        self.stop.set()
        if self.is_acting and self.task is not None:
            self.task.cancel()

    def opens(self, tx: Transaction) -> None:
        """The record by which a crash is noticed."""
        store.put_run(tx, self.room.session.session_id, self._record(is_open=True))

    # --- the way ------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            await self._ended()
        except (Broken, StorageFull) as error:
            log.error("a run of session %s: %s", self.room.session.session_id, error)
        finally:
            self.room.run = None
            if self.room.session.ticket == self.ticket:
                # Its end could not be kept: the database says how it ended, when it is asked.
                self.means.rooms.forget(self.room)

    async def _ended(self) -> None:
        try:
            await self._statements()
        except StatementFailed:
            await self._end(n.RunOutcome.FAILED)
        except Stopped:
            if self.is_leaving:
                return  # the next server ends it, as after a crash
            await self._end(n.RunOutcome.CANCELLED)
        else:
            if self.room.session.ticket == self.ticket:
                await self._end(n.RunOutcome.SUCCEEDED)
        await self.means.entities.changed()

    async def _statements(self) -> None:
        outside = frozenset(
            index
            for index, one in enumerate(self.found.program.statements)
            if any(is_outside(self.world.verb(call)) for call in calls(one))
        )
        todo = list(parts(self.plan, outside))
        for at, part in enumerate(todo):
            if part.is_outside:
                await self._outside(part.statements[0])
            else:
                await self._inside(part, is_last=at == len(todo) - 1)

    # --- the database ---------------------------------------------------------------

    async def _inside(self, part: Part, *, is_last: bool) -> None:
        """The statements of a part, and with the last one the session's new state, in one."""
        held: list[Draft] = []

        def work() -> None:
            with self.means.database.transaction() as tx:
                for index in part.statements:
                    self._statement(tx, index)
                if is_last:
                    sealing = asyncio.run_coroutine_threadsafe(self._sealed(), self.loop)
                    held.append(sealing.result())
                    self._write_end(tx, held[0], n.RunOutcome.SUCCEEDED)
                else:
                    record = self._record(is_open=True)
                    store.put_run(tx, self.room.session.session_id, record)

        is_kept = False
        try:
            await asyncio.to_thread(work)
            is_kept = True
        except (Broken, StorageFull) as error:
            if held:
                raise  # whether it was kept, nobody knows but the database
            raise self._failed(part.statements, error) from error
        finally:
            if not is_kept:
                self._roll_back(part)
            elif held:
                self.means.rooms.taken(self.room, held[0])
            if held:
                self.room.lock.release()

    def _statement(self, tx: Transaction, index: int) -> None:
        """In the thread of the transaction."""
        if self.stop.is_set():
            raise Stopped
        statement = self.found.program.statements[index]
        try:
            done = carried(tx, self.world, statement)
        except StatementFailed as failed:
            self._note_failed(index, failed)
            raise
        self._note_done(index, statement, done)

    async def _sealed(self) -> Draft:
        """The session as it will be, which nobody else touches until it is kept."""
        await self.room.lock.acquire()
        if self.stop.is_set():
            self.room.lock.release()
            raise Stopped
        return self._final(n.RunOutcome.SUCCEEDED)

    def _roll_back(self, part: Part) -> None:
        """What these statements had done and made is gone."""
        writes = {one.statement_index for one in self.plan.steps if one.effect is Effect.WRITE}
        for index in part.statements:
            result = self.results.get(index)
            if result is not None and result.status == "ok":
                is_undone = True if index in writes else UNSET
                self.results[index] = msgspec.structs.replace(
                    result, bound=UNSET, rolled_back=is_undone
                )

    def _failed(self, indices: tuple[int, ...], error: Exception) -> StatementFailed:
        """The database itself failed under a statement."""
        index = next((one for one in indices if one not in self.results), indices[-1])
        failed = StatementFailed("database_failed", str(error))
        self._note_failed(index, failed)
        return failed

    # --- outside --------------------------------------------------------------------

    async def _outside(self, index: int) -> None:
        if self.stop.is_set():
            raise Stopped
        statement = self.found.program.statements[index]
        try:
            self.world.check_resolved(statement)
            await self._checkpoint(begun=index)
            self._progress(index, "running")
            self.is_acting = True
            done = await self._carried_outside(index, statement)
        except StatementFailed as failed:
            if self.stop.is_set():
                self._note_failed(index, failed)
                raise Stopped from None
            self._note_failed(index, failed)
            raise
        finally:
            self.is_acting = False
        self._note_done(index, statement, done)
        await self._checkpoint(begun=None)

    async def _carried_outside(self, index: int, statement: Call) -> Done:
        inner: dict[int, Done] = {}
        done = Done()
        for call in calls(statement):
            verb, values = self.world.verb(call), self.world.values(call, inner)
            if is_outside(verb):
                session_id = self.room.session.session_id
                done = await self.means.outside.carried(
                    verb, values, session_id, self.stop_outside, self._teller(index)
                )
            else:

                def work(call: Call = call, values: dict[str, object] = values) -> Done:
                    with self.means.database.transaction() as tx:
                        return carried_call(tx, self.world, call, values)

                done = await asyncio.to_thread(work)
            inner[id(call)] = done
            self.world.bind(call, done)
        return done

    async def _checkpoint(self, begun: int | None) -> None:
        """How far the run came, in the database."""
        record = self._record(is_open=True, begun=begun)

        def work() -> None:
            with self.means.database.transaction() as tx:
                store.put_run(tx, self.room.session.session_id, record)

        await asyncio.to_thread(work)

    # --- the end --------------------------------------------------------------------

    async def _end(self, outcome: n.RunOutcome) -> None:
        async with self.room.lock:
            self._skip_rest()
            draft = self._final(outcome)
            await self.means.rooms.keep(
                self.room, draft, lambda tx: self._close_record(tx, outcome)
            )

    def _write_end(self, tx: Transaction, draft: Draft, outcome: n.RunOutcome) -> None:
        self.means.rooms.writing(self.room, draft)(tx)
        self._close_record(tx, outcome)

    def _close_record(self, tx: Transaction, outcome: n.RunOutcome) -> None:
        record = self._record(is_open=False, outcome=outcome)
        store.put_run(tx, self.room.session.session_id, record)

    def _final(self, outcome: n.RunOutcome) -> Draft:
        return ended_draft(
            self.room,
            self.ticket,
            outcome,
            self.world,
            self._listed(),
            commands(self.room.scene.scope, self.world.scope),
        )

    # --- results --------------------------------------------------------------------

    def _note_done(self, index: int, statement: Call, done: Done) -> None:
        bound: w.BoundAs | msgspec.UnsetType = UNSET
        if statement.binding is not None and done.made is not None:
            bound = w.BoundAs(
                name=statement.binding.name,
                id=done.made.entity_id,
                entity_type=done.made.entity_type,
            )
        self._note(
            w.Result(
                statement_index=index,
                verb=statement.name,
                status="ok",
                bound=bound,
                value=plain(done.value),
                exit_code=UNSET if done.exit_code is None else done.exit_code,
            )
        )

    def _note_failed(self, index: int, failed: StatementFailed) -> None:
        self._note(
            w.Result(
                statement_index=index,
                verb=self.found.program.statements[index].name,
                status="failed",
                error=failed.code,
                message=failed.message,
                value=UNSET if failed.value is None else plain(failed.value),
                exit_code=UNSET if failed.exit_code is None else failed.exit_code,
            )
        )

    def _note(self, result: w.Result) -> None:
        self.results[result.statement_index] = result
        told = (result.statement_index, result.status)
        if threading.get_ident() == self.thread:
            self._progress(*told)
        else:
            self.loop.call_soon_threadsafe(self._progress, *told)

    def _skip_rest(self) -> None:
        failed = next((one for one in self.results.values() if one.status == "failed"), None)
        blocked_by = UNSET if failed is None else failed.statement_index
        for index, statement in enumerate(self.found.program.statements):
            if index not in self.results:
                self.results[index] = w.Result(
                    statement_index=index,
                    verb=statement.name,
                    status="skipped",
                    blocked_by=blocked_by,
                )
                self._progress(index, "skipped")

    def _progress(self, index: int, status: Literal["running", "ok", "failed", "skipped"]) -> None:
        """An event beside the states; it is kept with the next change of the session."""
        verb = self.found.program.statements[index].name
        self.room.note_progress(w.StatementProgress(statement_index=index, status=status))
        self.room.tell("progress", {"statement_index": index, "verb": verb, "status": status})

    def _teller(self, index: int) -> Tell:
        return lambda told: self.room.tell("progress", {"statement_index": index, **told})

    def _listed(self) -> list[w.Result]:
        return [self.results[index] for index in sorted(self.results)]

    def _record(
        self,
        *,
        is_open: bool,
        begun: int | None = None,
        outcome: n.RunOutcome = n.RunOutcome.FAILED,
    ) -> RunRecord:
        kept = KeptRun(
            plan_id=self.plan.plan_id,
            dsl_source=self.found.source.text,
            ts_begin=self.ts_begin,
            ts_end=0 if is_open else now_ms(),
            success=not is_open and outcome is n.RunOutcome.SUCCEEDED,
            cancelled=not is_open and outcome is n.RunOutcome.CANCELLED,
            results=self._listed(),
            begun=begun,
        )
        return kept_record(self.number, kept, is_open=is_open)
