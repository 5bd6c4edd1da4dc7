"""One statement, carried out: its values as they are, inner calls first, each by its verb's kind.

What acts on the database does so in the transaction that the caller has begun; a failure is raised
as `StatementFailed`, and the caller rolls back.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from antiphon.drivers import crud, lookups
from antiphon.drivers.database import Transaction
from antiphon.drivers.pack_tables import Kept
from antiphon.drivers.sql import Violated
from antiphon.dsl.references import OPEN, Answers, Question, Standing
from antiphon.dsl.stages import Bound, Compilation
from antiphon.dsl.tree import Boolean, Call, Decimal, Integer, List, Map, Nil, Symbol, Text, Value
from antiphon.dsl.tree import calls as calls_of
from antiphon.dsl.verbs import Behavior, Effect, Parameter, Verb, Vocabulary
from antiphon.entity.types import EntityType
from antiphon.service.scene import Scope


class StatementFailed(Exception):
    """A statement did not do what it says; it has a code and a reason for its result."""

    def __init__(
        self, code: str, message: str, value: object = None, exit_code: int | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.value, self.exit_code = code, message, value, exit_code


@dataclass(frozen=True, slots=True)
class Done:
    """What a call returned, and what it made."""

    value: object = None
    made: Bound | None = None
    exit_code: int | None = None

    @property
    def as_value(self) -> object:
        """What an inner call is to the one around it."""
        return self.made.entity_id if self.made else self.value


@dataclass(slots=True)
class World:
    """What the statements of a run know, and what they change besides the database."""

    vocabulary: Vocabulary
    types: Mapping[str, EntityType]
    kept: Kept
    answers: Answers
    bindings: dict[str, Bound]
    scope: Scope | None = None
    made: dict[str, Bound] = field(default_factory=dict)  # bound by this run

    @classmethod
    def of(
        cls,
        found: Compilation,
        types: Mapping[str, EntityType],
        kept: Kept,
        scope: Scope | None = None,
    ) -> World:
        world = found.world
        return cls(world.vocabulary, types, kept, world.answers, dict(world.bindings), scope)

    def verb(self, call: Call) -> Verb:
        return self.vocabulary.verbs[call.name]

    def bind(self, call: Call, done: Done) -> None:
        if call.binding is not None and done.made is not None:
            self.bindings[call.binding.name] = self.made[call.binding.name] = done.made

    def check_resolved(self, statement: Call) -> None:
        """A statement with a reference that nobody resolved fails before anything is done."""
        for call in calls_of(statement):
            for arg in call.args:
                self._check_value(arg.value, self.verb(call).parameter(arg.key))

    def _check_value(self, value: Value, parameter: Parameter | None) -> None:
        match value:
            case Text(text) if parameter is not None and parameter.lookup:
                self._entity_id(parameter, text)
            case List(items):
                for item in items:
                    self._check_value(item, parameter)
            case Map(fields):
                for one in fields:
                    self._check_value(one.value, parameter)
            case _:
                pass

    def values(self, call: Call, inner: Mapping[int, Done]) -> dict[str, object]:
        """The call's values by the names of its arguments; inner calls are done already."""
        verb = self.verb(call)
        return {
            arg.key: self._plain(arg.value, verb.parameter(arg.key), inner) for arg in call.args
        }

    def _plain(
        self, value: Value, parameter: Parameter | None, inner: Mapping[int, Done]
    ) -> object:
        match value:
            case Text(text):
                is_ref = parameter is not None and parameter.lookup
                return self._entity_id(parameter, text) if is_ref and parameter else text
            case Integer(number) | Decimal(number):
                return number
            case Boolean(truth):
                return truth
            case Nil():
                return None
            case Symbol(name):
                return self.bindings[name].entity_id
            case List(items):
                return [self._plain(item, parameter, inner) for item in items]
            case Map(fields):
                return {one.key: self._plain(one.value, parameter, inner) for one in fields}
            case Call():
                return inner[id(value)].as_value

    def _entity_id(self, parameter: Parameter, text: str) -> str:
        answer = self.answers.get(Question(parameter.lookup, text), OPEN)
        if answer.standing is not Standing.KNOWN or answer.entity_id is None:
            raise StatementFailed(
                "unresolved_ref",
                f"nobody chose which entity {text!r:.60} of `:{parameter.name}` is",
            )
        return answer.entity_id


def carried(tx: Transaction, world: World, statement: Call) -> Done:
    """The whole statement, within the transaction."""
    world.check_resolved(statement)
    inner: dict[int, Done] = {}
    done = Done()
    for call in calls_of(statement):
        done = inner[id(call)] = carried_call(tx, world, call, world.values(call, inner))
        world.bind(call, done)
    return done


def carried_call(tx: Transaction, world: World, call: Call, values: Mapping[str, object]) -> Done:
    """One call of a verb that acts on the database or the session."""
    verb = world.verb(call)
    match verb.behavior:
        case Behavior.CRUD:
            found = crud.carried_out(tx, verb, values, world.kept)
            if isinstance(found, crud.Failed):
                raise StatementFailed("refused_by_database", found.reason)
            made = Bound(found.entity_id, found.entity_type) if found.entity_id else None
            return Done(found.value, made)
        case Behavior.SESSION:
            return _of_session(tx, world, verb, values)
        case _:
            assert verb.behavior is Behavior.PYTHON, "what acts outside is not carried out here"
            return from_handler(verb, lambda handler: handler(tx, **keywords(verb, values)))


def _of_session(tx: Transaction, world: World, verb: Verb, values: Mapping[str, object]) -> Done:
    """A scope is set to what the verb's argument names, told, or cleared."""
    if verb.scope is not None:
        wanted = next(
            (values[one.name] for one in verb.parameters if verb.scope in one.lookup), None
        )
        entry = lookups.by_id(tx, str(wanted), [world.types[verb.scope]], world.kept.tables)
        if entry is None:
            raise StatementFailed("entity_not_found", f"there is no {verb.scope} {wanted!r:.60}")
        world.scope = Scope(
            entity_type=verb.scope, entity_id=entry.entity_id, display=entry.display
        )
    elif verb.returns is None:
        world.scope = None
        return Done()
    return Done(_scope(world.scope))


def _scope(scope: Scope | None) -> object:
    if scope is None:
        return {"scope": None}
    told = {"entity_type": scope.entity_type, "id": scope.entity_id, "display": scope.display}
    return {"scope": told}


# --- python -----------------------------------------------------------------------


def keywords(verb: Verb, values: Mapping[str, object]) -> dict[str, object]:
    """The values by names that Python takes; defaults where nothing is said."""
    defaults = {one.name: one.default for one in verb.parameters if one.default is not None}
    return {name.replace("-", "_"): value for name, value in {**defaults, **values}.items()}


def from_handler(verb: Verb, ask: Callable[[Callable[..., object]], object]) -> Done:
    """What a pack's own function answers; whatever it raises is the statement's failure."""
    module, _, name = (verb.handler or "").partition(":")
    try:
        returned = ask(getattr(importlib.import_module(module), name))
        msgspec.json.encode(returned, enc_hook=str)  # it is told and kept as JSON
    except StatementFailed:
        raise
    except Violated as error:
        raise StatementFailed("refused_by_database", error.message) from None
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        # A function that ends its program ends its statement; the server lives on.
        told = f"{type(error).__name__}: {error}"
        raise StatementFailed("handler_failed", f"{verb.handler}: {told}") from error
    made = None
    if verb.produces is not None:
        entity_id = returned.get("id") if isinstance(returned, Mapping) else returned
        if not isinstance(entity_id, str):
            raise StatementFailed(
                "handler_failed", f"{verb.handler} makes a {verb.produces} and told no id of it"
            )
        made = Bound(entity_id, verb.produces)
    return Done(returned, made)


def is_outside(verb: Verb) -> bool:
    """Does it act outside the database and the session?"""
    return verb.behavior in (Behavior.TERMINAL, Behavior.COMPONENT) or (
        verb.behavior is Behavior.PYTHON and verb.effect is Effect.EXTERNAL
    )
