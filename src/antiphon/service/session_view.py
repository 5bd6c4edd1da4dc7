"""A session as its clients see it: the one object that every change of it answers with.

A function of the session's core and of what the service keeps beside it.  Only what belongs to
the state has a value; everything else is null.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET

from antiphon.base import limits
from antiphon.dsl.printer import printed_value
from antiphon.dsl.references import Reference
from antiphon.dsl.stages import Compilation, Stage
from antiphon.entity.types import EntityType
from antiphon.repl.callout import callout_of, words_asked_of
from antiphon.repl.candidates import Candidates
from antiphon.repl.creation import Creation, said
from antiphon.repl.program import Program
from antiphon.repl.session import Session
from antiphon.repl.table import ENDED, State
from antiphon.service.catalogue import config as config_of
from antiphon.service.catalogue import matches
from antiphon.service.diagnoses import diagnoses, location, span
from antiphon.service.scene import Scene
from antiphon.wire import dsl, language
from antiphon.wire import sessions as w

Entities = Mapping[str, EntityType]

BROKEN = (State.SYNTAX_ERROR, State.SEMANTIC_ERROR, State.DEPENDENCY_ERROR)
RESOLVING = (State.UNRESOLVED_REFS, State.CREATING)
# Where the program stands is of no interest: a question is open, or the session has ended.
WITHOUT_STATUS = (State.INTENT_CLARIFY, *ENDED)
UNKNOWN_TYPE = w.EntityConfig(
    search_keys=[], discriminators=[], resolution_mode="search_modal", return_key_type="uuid"
)


def response(session: Session, scene: Scene, entities: Entities) -> w.ChatResponse:
    state, found = session.state, session.program.compilation
    errors = _errors(session, found)
    refs = _refs(session, entities) if state in RESOLVING else None
    options = _options(session) if state is State.INTENT_CLARIFY else None
    has_run = state is State.EXECUTED
    return w.ChatResponse(
        session_id=session.session_id,
        rev=session.rev,
        message=scene.message,
        session_state=_state(session, scene, errors, refs, options),
        dsl_source=source_of(session.program),
        dsl_status=_status(session, found),
        intent_options=options,
        unresolved_refs=refs,
        errors=errors,
        plan=plan_of(found) if found and state is State.READY_TO_RUN else None,
        results=scene.results if has_run else None,
        commands=(scene.commands or None) if has_run else None,
        can_execute=session.can_execute,
        available_actions=[one.value for one in session.available_actions],
        auto_resolved=_auto_resolved(session.program),
        dsl_user_edited=session.program.is_user_edited,
        bindings={
            name: w.Bound(id=one.entity_id, entity_type=one.entity_type)
            for name, one in session.bindings.items()
        },
        trace=[one.wire for one in session.trace],
        callout=callout(session),
    )


def source_of(program: Program) -> str | None:
    """The text; nothing until somebody has written or meant one."""
    return program.source if program.source or program.compilation else None


def callout(session: Session) -> w.Callout | None:
    found = callout_of(session)
    if found is None:
        return None
    options = [w.CalloutOption(n=one.n, id=one.id, label=one.label) for one in found.options]
    return w.Callout(
        callout_id=found.callout_id, name=found.name, block=found.block, options=options
    )


def words_asked(session: Session) -> w.WordsAsked | None:
    found = words_asked_of(session)
    if found is None:
        return None
    return w.WordsAsked(
        callout_id=found.callout_id,
        name=found.name,
        question=found.question,
        offered=found.offered,
    )


def config(entity: EntityType) -> w.EntityConfig:
    found = config_of(entity)
    return w.EntityConfig(
        search_keys=found.search_keys,
        discriminators=found.discriminators,
        resolution_mode=found.resolution_mode,
        return_key_type=found.return_key_type,
    )


def plan_of(found: Compilation) -> w.Plan | None:
    if found.plan is None:
        return None
    return w.Plan(
        plan_id=found.plan.plan_id,
        phases=[list(phase) for phase in found.plan.phases],
        statements=[
            w.PlanStatement(
                statement_index=one.statement_index,
                verb=one.verb,
                effect=one.effect.value,
                text=one.text,
            )
            for one in found.plan.steps
        ],
    )


# --- parts ----------------------------------------------------------------------


def _state(
    session: Session,
    scene: Scene,
    errors: list[language.Diagnostic] | None,
    refs: list[w.UnresolvedRef] | None,
    options: list[w.IntentOption] | None,
) -> w.SessionState:
    state, found = session.state, session.program.compilation
    if options is not None:
        return w.SessionState(
            state=state.wire, options=options, original_message=session.original_message or ""
        )
    if errors is not None and found is not None:
        read = partial(found) if state is State.SYNTAX_ERROR else UNSET
        return w.SessionState(
            state=state.wire, errors=errors, errors_count=found.errors.count, partial_ast=read
        )
    if refs is not None:
        creation = session.creation
        return w.SessionState(
            state=state.wire,
            refs=refs,
            current_index=_current(refs),
            creating=_creating(creation) if creation else UNSET,
        )
    if state is State.EXECUTING:
        plan = plan_of(found) if found else None
        return w.SessionState(
            state=state.wire,
            cancel_requested=scene.is_cancelling,
            plan=plan or UNSET,
            progress=scene.progress,
        )
    if state is State.EXECUTED:
        return w.SessionState(
            state=state.wire, success=bool(session.last_run_succeeded), results=scene.results
        )
    return w.SessionState(state=state.wire)


def _errors(session: Session, found: Compilation | None) -> list[language.Diagnostic] | None:
    if session.state not in BROKEN or found is None:
        return None
    return diagnoses(found.source, [found.errors])


def _status(session: Session, found: Compilation | None) -> w.DslStatus | None:
    if session.state in WITHOUT_STATUS or found is None:
        return None
    resolving = session.state in RESOLVING
    stage = Stage.REFERENCES if resolving else found.stage
    progress = None
    if resolving:
        current, total = session.program.progress
        progress = w.Progress(current=current, total=total)
    return w.DslStatus(
        stage=stage.value,
        progress=progress,
        warnings=diagnoses(found.source, [found.warnings]),
    )


def _options(session: Session) -> list[w.IntentOption]:
    return [
        w.IntentOption(
            id=one.option_id, verb=one.verb, label=one.label, description=one.description
        )
        for one in session.options
    ]


def _refs(session: Session, entities: Entities) -> list[w.UnresolvedRef]:
    return [_ref(session.program, one, entities) for one in session.program.refs]


def _ref(program: Program, ref: Reference, entities: Entities) -> w.UnresolvedRef:
    found = program.found.get(ref.ref_id) or program.candidates.get(ref.ref_id) or Candidates()
    entity = entities.get(ref.entity_types[0])
    return w.UnresolvedRef(
        ref_id=ref.ref_id,
        location=location(ref),
        search_value=ref.search_value,
        entity_type=ref.entity_types[0],
        entity_types=list(ref.entity_types),
        config=config(entity) if entity else UNKNOWN_TYPE,
        initial_matches=matches(found.matches[: limits.CANDIDATES_SHOWN_MAX]),
        total=found.total,
        status=w.RefStatus(state="skipped" if ref.is_skipped else "pending"),
    )


def _current(refs: list[w.UnresolvedRef]) -> int:
    return next(at for at, one in enumerate(refs) if one.status.state == "pending")


def _creating(creation: Creation) -> w.CreatingEntity:
    current = creation.current
    return w.CreatingEntity(
        entity_type=creation.entity_type,
        step=creation.step,
        fields=[
            w.FieldAsked(
                name=one.name,
                type=one.kind.value,
                value=said(creation.given[one.name]) if one.name in creation.given else None,
                offered=creation.offered if one is current else None,
            )
            for one in creation.fields
        ],
        block=creation.block,
    )


def _auto_resolved(program: Program) -> list[w.AutoResolved]:
    return [
        w.AutoResolved(
            ref_id=one.ref_id,
            entity_id=one.entity_id,
            display=one.display,
            method=one.method,
            score=one.score,
        )
        for one in program.auto_resolved
    ]


def partial(found: Compilation) -> list[dsl.Statement]:
    """What could be read of a text that is broken elsewhere."""
    return [
        dsl.Statement(
            verb=one.name,
            args={arg.key: printed_value(arg.value) for arg in one.args},
            bind=one.binding.name if one.binding else None,
            text=found.source.text[one.start : one.end],
            span=span(found.source.span(one.start, one.end)),
        )
        for one in found.program.statements
    ]
