"""A plan that is no longer what was seen: what it would do now, and what changed under it."""

from __future__ import annotations

from collections.abc import Iterator

from antiphon.base.errors import Code, Refused
from antiphon.dsl.references import OPEN
from antiphon.dsl.stages import Compilation
from antiphon.dsl.tree import symbols

Change = dict[str, str | int]


def unrunnable(shown: Compilation, fresh: Compilation) -> Refused:
    """What was ready has no plan any more."""
    return Refused(
        Code.PLAN_STALE,
        "the program cannot be run any more; write it again to see why",
        plan_id=None,
        changed=list(changes(shown, fresh)),
    )


def stale(shown: Compilation, fresh: Compilation) -> Refused:
    plan = fresh.plan
    assert plan is not None, "it can be run"
    phase_of = {index: phase for phase, many in enumerate(plan.phases) for index in many}
    return Refused(
        Code.PLAN_STALE,
        "what the program does has changed since it was shown; write it again to see the plan "
        "of now, or name that plan_id to run it",
        plan_id=plan.plan_id,
        changed=list(changes(shown, fresh)),
        statements=[
            {
                "statement_index": one.statement_index,
                "phase": phase_of[one.statement_index],
                "verb": one.verb,
                "effect": one.effect.value,
                "text": one.text,
            }
            for one in plan.steps
        ],
    )


def changes(shown: Compilation, fresh: Compilation) -> Iterator[Change]:
    """Entities that are not what they were; one that is gone has no name now."""
    told: set[str] = set()
    for question, before in shown.world.answers.items():
        entity_id = before.entity_id
        if entity_id is None or entity_id in told:
            continue
        now = fresh.world.answers.get(question, OPEN)
        is_same = now.entity_id == entity_id and now.display == before.display
        if is_same and _version(shown, entity_id) == _version(fresh, entity_id):
            continue
        told.add(entity_id)
        yield {
            "entity_id": entity_id,
            "entity_type": before.entity_type or "",
            "before": before.display or entity_id,
            "now": (now.display or entity_id) if now.entity_id == entity_id else "",
        }
    used = {one.name for each in shown.program.statements for one in symbols(each)}
    for name in sorted(used & shown.world.bindings.keys()):
        bound = shown.world.bindings[name]
        entity_id = bound.entity_id
        if entity_id not in told and _version(shown, entity_id) != _version(fresh, entity_id):
            told.add(entity_id)
            is_there = bool(_version(fresh, entity_id))
            yield {
                "entity_id": entity_id,
                "entity_type": bound.entity_type or "",
                "before": f"@{name}",
                "now": f"@{name}" if is_there else "",
            }


def _version(found: Compilation, entity_id: str) -> str:
    return found.world.versions.get(entity_id, "")
