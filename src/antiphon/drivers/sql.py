"""What both databases share: names, values, what a table is, and why a write was refused.

No statement is ever made of values: they are bound, and names come from a pack and are quoted.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from antiphon.base.errors import Broken

Row = Mapping[str, object]


class Reason(Enum):
    """Why a database would not write."""

    UNIQUE = "unique"  # there is one like it
    MISSING = "missing"  # it names something that does not exist
    USED = "used"  # something else names it
    NOT_NULL = "not_null"
    CHECK = "check"
    VALUE = "value"  # the column takes no such value


class Violated(Exception):
    """A rule of the schema; the statement has changed nothing."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class DatabaseBroken(Broken):
    """The database cannot be reached, or is no database."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: str  # as declared, in lower case
    is_generated: bool = False
    is_nullable: bool = True
    has_default: bool = False
    key_position: int = 0  # in the primary key, from 1

    @property
    def is_json(self) -> bool:
        return self.kind.startswith("json")


@dataclass(frozen=True, slots=True)
class ForeignKey:
    columns: tuple[str, ...]
    table: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    is_view: bool
    columns: Mapping[str, Column]
    foreign_keys: tuple[ForeignKey, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        found = [one for one in self.columns.values() if one.key_position]
        return tuple(one.name for one in sorted(found, key=lambda one: one.key_position))


class Connection(Protocol):
    """One connection, in one transaction at a time."""

    @property
    def is_usable(self) -> bool: ...
    def begin(self, *, writes: bool) -> None: ...
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def close(self) -> None: ...
    def execute(self, sql: str, values: Sequence[object]) -> list[Row]: ...
    def stream(self, sql: str) -> Iterator[Row]: ...
    def execute_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None: ...
    def table(self, name: str) -> Table | None: ...


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def listed(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def marks(count: int) -> str:
    return ", ".join("?" * count)


def plain(value: object) -> object:
    """A value out of a database as JSON has it."""
    match value:
        case decimal.Decimal():
            return int(value) if value == value.to_integral_value() else str(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case uuid.UUID():
            return str(value)
        case bytes():
            return value.hex()
        case _:
            return value


def worded(value: object) -> str:
    """A value as words that are searched and shown; nothing is no words."""
    value = plain(value)
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case dict() | list():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)
