"""Runs that a crash cut off: none is half done, and none goes on for ever.

A run that had written nothing has not been; one that had acted outside, or had begun to, failed.
"""

from __future__ import annotations

import asyncio

from msgspec import UNSET
from msgspec.structs import replace

from antiphon.drivers import session_store as store
from antiphon.drivers.session_store import RunRecord
from antiphon.repl import news as n
from antiphon.service.carrying import World
from antiphon.service.execution import Means
from antiphon.service.run_records import KeptRun, decoded, ended_draft, kept_record
from antiphon.service.session_rooms import SessionRoom, now_ms
from antiphon.wire import sessions as w

CUT_OFF = "the server ended while this ran, so whether it took effect is not known"


async def recovered(means: Means, room: SessionRoom) -> None:
    """A run that was cut off is ended: not begun, or failed where something outside was done."""
    session_id = room.session.session_id

    def last() -> RunRecord | None:
        with means.database.reading() as tx:
            return store.last_run(tx, session_id)

    record = await asyncio.to_thread(last)
    if record is None or not record.is_open:
        return
    kept = decoded(record.record)
    # Numbers that were told and not kept are not told again.
    told = 4 * len(kept.results) + 10_000
    room.scene = replace(room.scene, events=room.scene.events + told)
    room.telling.last = room.scene.events
    if not kept.results and kept.begun is None:
        await means.rooms.keep(
            room, room.draft(), lambda tx: store.drop_run(tx, session_id, record.number)
        )
        return
    await _cut_off(means, room, record, kept)


async def _cut_off(means: Means, room: SessionRoom, record: RunRecord, kept: KeptRun) -> None:
    draft = room.draft()
    rev = draft.session.rev
    orders = draft.session.request(n.RunWanted(None, None))
    draft.session.rev = rev
    order = next(one for one in orders if isinstance(one, n.RunPlan))
    found = draft.session.program.compilation
    assert found is not None, "it was ready"
    room.session = draft.session
    results = {one.statement_index: one for one in kept.results}
    broken = kept.begun
    for index, statement in enumerate(found.program.statements):
        if index not in results and broken is None:
            broken = index
        if index not in results:
            is_broken = index == broken
            results[index] = w.Result(
                statement_index=index,
                verb=statement.name,
                status="failed" if is_broken else "skipped",
                error="interrupted" if is_broken else UNSET,
                message=CUT_OFF if is_broken else UNSET,
                blocked_by=UNSET if is_broken else (broken if broken is not None else UNSET),
            )
    listed = [results[index] for index in sorted(results)]
    world = World.of(found, means.entities.types, means.entities.kept, room.scene.scope)
    ended = ended_draft(room, order.ticket, n.RunOutcome.FAILED, world, listed, [])
    ended.passed = 0
    closed = replace(kept, results=listed, ts_end=now_ms(), begun=None)
    end = kept_record(record.number, closed, is_open=False)
    await means.rooms.keep(room, ended, lambda tx: store.put_run(tx, room.session.session_id, end))
