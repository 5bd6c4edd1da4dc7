"""A session as it is kept: everything that cannot be made again from something else.

A compilation is kept as its text and what was known of the world, for the same text in the same
world compiles to the same.  Values of programs are kept as program text.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from antiphon.dsl.printer import printed_value
from antiphon.dsl.reader import read
from antiphon.dsl.references import Answer, Question
from antiphon.dsl.similar import Similar
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Bound, World, compiled
from antiphon.dsl.tree import Value
from antiphon.dsl.verbs import Vocabulary
from antiphon.repl.candidates import Candidates
from antiphon.repl.creation import CodeOption, Creation
from antiphon.repl.intents import Intent, Option
from antiphon.repl.program import AutoResolved, Place, Program, Resolved
from antiphon.repl.session import Session
from antiphon.repl.table import State


class KeptWorld(Struct, frozen=True):
    answers: list[tuple[Question, Answer]]
    bindings: dict[str, Bound]
    skipped: frozenset[str]
    versions: dict[str, str]
    similar: list[tuple[Question, Similar]]


class KeptProgram(Struct, frozen=True):
    source: str
    is_user_edited: bool
    intent_from: int
    resolved: dict[str, Resolved]
    resolved_before: int
    places: tuple[Place, ...]
    skipped: frozenset[str]
    asked: frozenset[str]
    auto_resolved: tuple[AutoResolved, ...]
    candidates: dict[str, Candidates]
    offered: dict[str, frozenset[str]]
    searches: dict[str, str]
    found: dict[str, Candidates]
    world: KeptWorld | None = None


class KeptIntent(Struct, frozen=True):
    verb: str
    params: dict[str, str]
    refs: dict[str, str]
    bind: str | None


class KeptOption(Struct, frozen=True):
    option_id: str
    verb: str
    label: str
    description: str
    intent: KeptIntent


class KeptCreation(Struct, frozen=True):
    entity_type: str
    ref_id: str
    search_value: str
    verb: str
    codes: dict[str, tuple[CodeOption, ...]]
    given: dict[str, str]
    near: tuple[CodeOption, ...]
    complaint: str
    at: tuple[int, ...] = ()
    is_picking: bool = False


class KeptSession(Struct, frozen=True):
    vocabulary: str  # the digest of the verbs that it was checked with
    state: State
    rev: int
    epoch: int
    program: KeptProgram
    options: tuple[KeptOption, ...]
    original_message: str | None
    creation: KeptCreation | None
    bindings: dict[str, Bound]
    orders: int
    prior: State
    trace: tuple[State, ...]
    last_run_succeeded: bool | None


_SESSION, _PROGRAM = msgspec.json.Decoder(KeptSession), msgspec.json.Decoder(KeptProgram)
_encode = msgspec.json.Encoder().encode


def kept(session: Session) -> str:
    """All of a session but its history, whose snapshots are kept one by one."""
    return _encode(
        KeptSession(
            vocabulary=session.vocabulary.digest,
            state=session.state,
            rev=session.rev,
            epoch=session.epoch,
            program=_program(session.program, with_world=True),
            options=tuple(map(_option, session.options)),
            original_message=session.original_message,
            creation=_creation(session.creation) if session.creation else None,
            bindings=session.bindings,
            orders=session.orders,
            prior=session.prior,
            trace=tuple(session.trace),
            last_run_succeeded=session.last_run_succeeded,
        )
    ).decode()


def kept_snapshot(program: Program) -> str:
    """A snapshot: undo compiles it again, so the world of then is not kept."""
    return _encode(_program(program, with_world=False)).decode()


def snapshot(record: str) -> Program:
    return _unkept_program(_PROGRAM.decode(record), None)


def session(
    session_id: str, record: str, vocabulary: Vocabulary, makers: Mapping[str, str]
) -> tuple[Session, bool]:
    """The session without its history; and whether the verbs are those it was checked with."""
    found = _SESSION.decode(record)
    is_same = found.vocabulary == vocabulary.digest
    creation = _unkept_creation(found.creation, vocabulary) if found.creation else None
    made = Session(
        session_id,
        vocabulary,
        makers,
        state=found.state,
        rev=found.rev,
        epoch=found.epoch,
        program=_unkept_program(found.program, vocabulary),
        options=tuple(map(_unkept_option, found.options)),
        original_message=found.original_message,
        creation=creation,
        bindings=found.bindings,
        orders=found.orders,
        prior=found.prior,
        trace=list(found.trace),
        last_run_succeeded=found.last_run_succeeded,
    )
    return made, is_same


# --- parts --------------------------------------------------------------------


def _program(program: Program, *, with_world: bool) -> KeptProgram:
    world = program.compilation.world if with_world and program.compilation else None
    return KeptProgram(
        source=program.source,
        is_user_edited=program.is_user_edited,
        intent_from=program.intent_from,
        resolved=dict(program.resolved),
        resolved_before=program.resolved_before,
        places=program.places,
        skipped=program.skipped,
        asked=program.asked,
        auto_resolved=program.auto_resolved,
        candidates=dict(program.candidates),
        offered=dict(program.offered),
        searches=dict(program.searches),
        found=dict(program.found),
        world=_world(world) if world else None,
    )


def _world(world: World) -> KeptWorld:
    return KeptWorld(
        list(world.answers.items()),
        dict(world.bindings),
        world.skipped,
        dict(world.versions),
        list(world.similar.items()),
    )


def _unkept_program(found: KeptProgram, vocabulary: Vocabulary | None) -> Program:
    compilation = None
    if found.world is not None and vocabulary is not None:
        known = found.world
        world = World(
            vocabulary,
            dict(known.answers),
            known.bindings,
            known.skipped,
            known.versions,
            dict(known.similar),
        )
        compilation = compiled(found.source, world)
    return Program(
        source=found.source,
        compilation=compilation,
        is_user_edited=found.is_user_edited,
        intent_from=found.intent_from,
        resolved=found.resolved,
        resolved_before=found.resolved_before,
        places=found.places,
        skipped=found.skipped,
        asked=found.asked,
        auto_resolved=found.auto_resolved,
        candidates=found.candidates,
        offered=found.offered,
        searches=found.searches,
        found=found.found,
    )


def _option(option: Option) -> KeptOption:
    intent = option.intent
    return KeptOption(
        option.option_id,
        option.verb,
        option.label,
        option.description,
        KeptIntent(intent.verb, _values(intent.params), dict(intent.refs), intent.bind),
    )


def _unkept_option(found: KeptOption) -> Option:
    intent = found.intent
    return Option(
        found.option_id,
        found.verb,
        found.label,
        found.description,
        Intent(intent.verb, _unkept_values(intent.params), intent.refs, intent.bind),
    )


def _creation(creation: Creation) -> KeptCreation:
    return KeptCreation(
        creation.entity_type,
        creation.ref_id,
        creation.search_value,
        creation.verb.name,
        {name: tuple(codes) for name, codes in creation.codes.items()},
        _values(creation.given),
        creation.near,
        creation.complaint,
        creation.at,
        creation.is_picking,
    )


def _unkept_creation(found: KeptCreation, vocabulary: Vocabulary) -> Creation | None:
    verb = vocabulary.verbs.get(found.verb)
    if verb is None:
        return None
    return Creation(
        found.entity_type,
        found.ref_id,
        found.search_value,
        verb,
        found.codes,
        _unkept_values(found.given),
        found.near,
        found.complaint,
        found.at,
        found.is_picking,
    )


def _values(values: Mapping[str, Value]) -> dict[str, str]:
    return {name: printed_value(value) for name, value in values.items()}


def _unkept_values(texts: Mapping[str, str]) -> dict[str, Value]:
    return {name: value_of(text) for name, text in texts.items()}


def value_of(text: str) -> Value:
    """A value read back from its text."""
    (statement,) = read(Source(f"(a.b :v {text})")).program.statements
    return statement.args[0].value
