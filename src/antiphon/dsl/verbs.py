"""Verbs, as packs declare them: what each takes, makes and does.

Data and nothing besides: who reads a pack makes these, and the checker asks them.
"""

from __future__ import annotations

import decimal
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property


class Kind(Enum):
    """What an argument takes."""

    STRING = "string"
    INTEGER = "integer"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    UUID = "uuid"
    CODE = "code"
    LIST = "list"
    MAP = "map"


class Behavior(Enum):
    """Who carries a verb out."""

    CRUD = "crud"
    SESSION = "session"
    TERMINAL = "terminal"
    COMPONENT = "component"
    PYTHON = "python"


class Effect(Enum):
    """What a verb touches; a later one counts more."""

    READ = "read"
    WRITE = "write"
    EXTERNAL = "external"  # outside the database: it cannot be rolled back


class Operation(Enum):
    INSERT = "insert"
    SELECT = "select"
    UPDATE = "update"
    DELETE = "delete"
    UPSERT = "upsert"
    LINK = "link"
    UNLINK = "unlink"


EFFECTS = tuple(Effect)
Scalar = str | int | bool | decimal.Decimal


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a value must keep to beside its kind; lengths are those of strings and lists."""

    least: decimal.Decimal | None = None
    most: decimal.Decimal | None = None
    length_min: int | None = None
    length_max: int | None = None
    pattern: str | None = None


UNBOUNDED = Bounds()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument that a verb takes."""

    name: str
    kind: Kind
    is_required: bool = False
    default: Scalar | None = None
    values: tuple[str, ...] = ()  # none: any
    lookup: tuple[str, ...] = ()  # the entity types it names; none: it is no reference
    maps_to: str | None = None  # the column, where it is not the name
    bounds: Bounds = UNBOUNDED
    description: str = ""
    consumes: str | None = None  # what other verbs make, and no entity is looked up for

    @property
    def column(self) -> str:
        return self.maps_to or self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Crud:
    operation: Operation
    table: str
    key: str | None = None
    conflict_keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verb:
    name: str  # domain.verb
    description: str
    behavior: Behavior
    effect: Effect
    parameters: tuple[Parameter, ...] = ()
    phrases: tuple[str, ...] = ()
    crud: Crud | None = None
    handler: str | None = None  # "module:function" of a python verb
    scope: str | None = None  # the entity type that a session verb moves the session to
    returns: str | None = None
    produces: str | None = None  # the entity type it makes; what makes a thing, can be bound
    consumes: tuple[str, ...] = ()
    asks_first: bool = False

    @cached_property
    def _by_name(self) -> dict[str, Parameter]:
        return {one.name: one for one in self.parameters}

    @cached_property
    def required(self) -> tuple[Parameter, ...]:
        """What a call must give: those without a default."""
        return tuple(one for one in self.parameters if one.is_required and one.default is None)

    def parameter(self, name: str) -> Parameter | None:
        return self._by_name.get(name)


@dataclass(frozen=True)
class Vocabulary:
    """The verbs that a program may use."""

    verbs: Mapping[str, Verb] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)  # in wishes: a word for another

    @cached_property
    def digest(self) -> str:
        """A name for exactly these verbs; it is part of a plan's."""
        told = "\n".join(repr(self.verbs[name]) for name in sorted(self.verbs))
        return hashlib.sha256(told.encode()).hexdigest()
