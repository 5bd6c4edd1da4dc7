"""A run as it is kept: how far it came, what it gave, and what becomes of the session after it."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from antiphon.drivers.session_store import RunRecord
from antiphon.repl import news as n
from antiphon.service import session_words as words
from antiphon.service.carrying import World
from antiphon.service.scene import Scope
from antiphon.service.session_rooms import Draft, SessionRoom
from antiphon.wire import sessions as w


class KeptRun(Struct, frozen=True, kw_only=True):
    """A run as it is kept: how far it came, and what outside was begun."""

    plan_id: str
    dsl_source: str
    ts_begin: int
    ts_end: int = 0
    success: bool = False
    cancelled: bool = False
    results: list[w.Result] = field(default_factory=list)
    begun: int | None = None


decoded = msgspec.json.Decoder(KeptRun).decode


def run_of(record: RunRecord) -> w.Run:
    kept = decoded(record.record)
    return w.Run(
        run=record.number,
        plan_id=kept.plan_id,
        dsl_source=kept.dsl_source,
        success=kept.success,
        cancelled=kept.cancelled,
        ts_begin=kept.ts_begin,
        ts_end=kept.ts_end,
        results=kept.results,
    )


def kept_record(number: int, kept: KeptRun, *, is_open: bool) -> RunRecord:
    return RunRecord(number, is_open, msgspec.json.encode(kept).decode())


def commands(before: Scope | None, after: Scope | None) -> list[w.Command]:
    """What a page may do: it looks at what the session looks at."""
    if before == after:
        return []
    if after is None:
        return [w.Command(action="clear_scope", entity_type=None, entity_id=None, display=None)]
    return [
        w.Command(
            action="set_scope",
            entity_type=after.entity_type,
            entity_id=after.entity_id,
            display=after.display,
        )
    ]


def ended_draft(
    room: SessionRoom,
    ticket: str,
    outcome: n.RunOutcome,
    world: World,
    results: list[w.Result],
    told: list[w.Command],
) -> Draft:
    """The session after its run."""
    draft = room.draft()
    is_success = outcome is n.RunOutcome.SUCCEEDED
    draft.session.respond(n.RunEnded(ticket, outcome, world.made if is_success else {}))
    draft.scene = msgspec.structs.replace(
        draft.scene,
        results=results,
        commands=told if is_success else [],
        scope=world.scope if is_success else draft.scene.scope,
        is_cancelling=False,
        progress=[],
    )
    message = words.told(draft.session, draft.scene)
    draft.scene = msgspec.structs.replace(draft.scene, message=message)
    draft.say("antiphon", message)
    return draft


def plain(value: object) -> w.Json:
    """A value as JSON has it; what JSON cannot have is told as text."""
    found: w.Json = msgspec.to_builtins(value, enc_hook=str)
    return found
