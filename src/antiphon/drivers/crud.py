"""The verbs of a pack that write and read tables, carried out within a transaction.

Values are bound, names come from the pack; what a rule of the schema forbids is an answer with
a reason, and has changed nothing.  It opens no transaction and ends none.
"""

from __future__ import annotations

import decimal
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from antiphon.base import limits
from antiphon.drivers.database import Transaction
from antiphon.drivers.pack_tables import Kept
from antiphon.drivers.sql import (
    Column,
    ForeignKey,
    Reason,
    Row,
    Table,
    Violated,
    listed,
    marks,
    plain,
    quoted,
)
from antiphon.dsl.verbs import Crud, Kind, Operation, Parameter, Verb

WHOLE = ("integer", "bigint", "smallint", "int")
UUIDS = ("uuid", "text", "varchar", "character varying", "char", "")


@dataclass(frozen=True, slots=True)
class Done:
    """What a verb returned, and what it made, if it makes a thing."""

    value: object
    entity_id: str | None = None
    entity_type: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing has changed, and why."""

    reason: str


def carried_out(
    tx: Transaction,
    verb: Verb,
    values: Mapping[str, object],
    kept: Kept,
) -> Done | Failed:
    """The verb with these values by the names of its arguments; what is not said is not there."""
    crud = verb.crud
    assert crud is not None, "only verbs on tables are carried out here"
    table = kept.tables[crud.table]
    try:
        said = _said(verb, table, values)
    except Violated as error:
        return Failed(error.message)
    work = _Work(tx, verb, crud, table, said, kept.json_columns.get(crud.table, ()))
    try:
        with tx.point():
            return _OPERATIONS[crud.operation](work)
    except Violated as error:
        return Failed(_reason(work, error, kept.tables))


@dataclass(frozen=True, slots=True)
class _Work:
    tx: Transaction
    verb: Verb
    crud: Crud
    table: Table
    said: Mapping[str, object]  # by column
    json_columns: Sequence[str]

    @property
    def name(self) -> str:
        return quoted(self.table.name)

    @property
    def key(self) -> str:
        """The column that names a row: the verb's, or the table's own."""
        return self.crud.key or (self.table.key[0] if self.table.key else "")

    def where(self, columns: Sequence[str]) -> str:
        return " AND ".join(
            f"{quoted(one)} IS NULL" if self.said[one] is None else f"{quoted(one)} = ?"
            for one in columns
        )

    def values(self, columns: Sequence[str]) -> list[object]:
        return [self.said[one] for one in columns if self.said[one] is not None]

    def shown(self, row: Row) -> dict[str, object]:
        """A row as JSON has it; lists and maps are themselves again."""
        out = {name: plain(value) for name, value in row.items()}
        for name in self.json_columns:
            value = out.get(name)
            if isinstance(value, str):
                out[name] = _read_json(value)
        return out

    def returned(self, rows: Sequence[Row]) -> object:
        match self.verb.returns:
            case "record":
                return self.shown(rows[0]) if rows else None
            case "record_set":
                return [self.shown(row) for row in rows]
            case "affected":
                return len(rows)
            case "uuid":
                return None if not rows else plain(rows[0][self.key])
            case _:
                return None

    def done(self, rows: Sequence[Row]) -> Done:
        if self.verb.produces is None or not rows:
            return Done(self.returned(rows))
        return Done(self.returned(rows), str(plain(rows[0][self.key])), self.verb.produces)


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text  # somebody else wrote it


# --- operations -------------------------------------------------------------


def _insert(work: _Work, ending: str = "") -> Done | Failed:
    said = {**_made_key(work), **work.said}
    columns = list(said)
    names = f"({listed(columns)}) VALUES ({marks(len(columns))})" if columns else "DEFAULT VALUES"
    rows = work.tx.execute(
        f"INSERT INTO {work.name} {names} {ending} RETURNING *", list(said.values())
    )
    return work.done(rows)


def _made_key(work: _Work) -> dict[str, object]:
    """An id for a new row, where its column is one of ids and nothing else makes one."""
    column = work.table.columns.get(work.key)
    if column is None or column.name in work.said or column.has_default or column.is_generated:
        return {}
    if column.name not in work.table.key and column.is_nullable:
        return {}
    if column.kind.partition("(")[0].strip() not in UUIDS:
        return {}
    return {column.name: str(uuid.uuid4())}


def _upsert(work: _Work) -> Done | Failed:
    keys = work.crud.conflict_keys
    changed = [one for one in work.said if one not in keys and one != work.key]
    # Something must be set, or the row that is there would not be answered.
    sets = ", ".join(f"{quoted(one)} = excluded.{quoted(one)}" for one in changed or keys[:1])
    return _insert(work, f"ON CONFLICT ({listed(keys)}) DO UPDATE SET {sets}")


def _link(work: _Work) -> Done | Failed:
    return _insert(work, "ON CONFLICT DO NOTHING")


def _update(work: _Work) -> Done | Failed:
    keys, sets = _split(work)
    if sets:
        assigned = ", ".join(f"{quoted(one)} = ?" for one in sets)
        rows = work.tx.execute(
            f"UPDATE {work.name} SET {assigned} WHERE {work.where(keys)} RETURNING *",
            [work.said[one] for one in sets] + work.values(keys),
        )
    else:
        rows = work.tx.execute(
            f"SELECT * FROM {work.name} WHERE {work.where(keys)}", work.values(keys)
        )
    return work.done(rows) if rows else _nothing(work, keys)


def _delete(work: _Work) -> Done | Failed:
    keys, others = _split(work)
    columns = [*keys, *others]
    rows = work.tx.execute(
        f"DELETE FROM {work.name} WHERE {work.where(columns)} RETURNING *", work.values(columns)
    )
    return work.done(rows) if rows else _nothing(work, columns)


def _unlink(work: _Work) -> Done | Failed:
    columns = list(work.said)
    if not columns:
        return Failed(f"`{work.verb.name}` says nothing of what is to be unlinked")
    rows = work.tx.execute(
        f"DELETE FROM {work.name} WHERE {work.where(columns)} RETURNING *", work.values(columns)
    )
    return work.done(rows)


def _select(work: _Work) -> Done | Failed:
    columns = list(work.said)
    where = f" WHERE {work.where(columns)}" if columns else ""
    order = listed(work.table.key or list(work.table.columns))
    rows = work.tx.execute(
        f"SELECT * FROM {work.name}{where} ORDER BY {order} LIMIT {limits.ROWS_SHOWN_MAX}",
        work.values(columns),
    )
    if not rows and work.verb.returns == "record" and columns:
        return _nothing(work, columns)
    return work.done(rows)


_OPERATIONS: dict[Operation, Callable[[_Work], Done | Failed]] = {
    Operation.INSERT: _insert,
    Operation.SELECT: _select,
    Operation.UPDATE: _update,
    Operation.DELETE: _delete,
    Operation.UPSERT: _upsert,
    Operation.LINK: _link,
    Operation.UNLINK: _unlink,
}


def _split(work: _Work) -> tuple[list[str], list[str]]:
    """The columns that name the row, and the others."""
    keys = [one for one in work.said if one == work.key]
    if not keys:
        raise Violated(Reason.NOT_NULL, f"`{work.verb.name}` does not say which row is meant")
    return keys, [one for one in work.said if one not in keys]


def _nothing(work: _Work, columns: Sequence[str]) -> Failed:
    named = ", ".join(f"{one} {str(work.said[one])!r:.80}" for one in columns)
    return Failed(f"there is nothing in {work.table.name} with {named}")


# --- values -----------------------------------------------------------------


def _said(verb: Verb, table: Table, values: Mapping[str, object]) -> dict[str, object]:
    """The values by column, as the column takes them; defaults where nothing is said."""
    said: dict[str, object] = {}
    for parameter in verb.parameters:
        value = values.get(parameter.name)
        if parameter.name not in values:
            if parameter.default is None:
                continue
            value = parameter.default
        column = table.columns.get(parameter.column)
        if column is None:
            raise Violated(
                Reason.VALUE,
                f"{table.name} has no column {parameter.column} for `:{parameter.name}`",
            )
        said[column.name] = bound(parameter, column, value)
    return said


def bound(parameter: Parameter, column: Column, value: object) -> object:
    """A value as its column takes it, or a refusal with both."""
    if value is None:
        return None
    if parameter.kind in (Kind.LIST, Kind.MAP) or isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    kind = column.kind.partition("(")[0].strip()
    if kind in WHOLE and not isinstance(value, int):
        try:
            return int(str(value))
        except ValueError:
            message = f"`:{parameter.name}` is {str(value)!r:.80}; {column.name} is a whole number"
            raise Violated(Reason.VALUE, message) from None
    if kind.startswith(("bool", "tinyint")):
        return value
    if isinstance(value, bool):
        return value if kind in WHOLE else "true" if value else "false"
    if isinstance(value, int | decimal.Decimal) and _is_text(kind):
        return str(value)
    if isinstance(value, str) and "\0" in value:
        raise Violated(Reason.VALUE, f"`:{parameter.name}` has a character that no text has")
    return value


def _is_text(kind: str) -> bool:
    return any(part in kind for part in ("char", "text", "clob", "uuid", "date", "time"))


# --- reasons ----------------------------------------------------------------


def _reason(work: _Work, error: Violated, tables: Mapping[str, Table]) -> str:
    match error.reason:
        case Reason.UNIQUE:
            return _alike(work, error)
        case Reason.MISSING | Reason.USED:
            if work.crud.operation is Operation.DELETE:
                return _used(work, tables)
            return _missing(work, error)
        case Reason.NOT_NULL:
            for column in work.table.columns.values():
                is_named = f".{column.name}" in error.message or f'"{column.name}"' in error.message
                if is_named:
                    return f"{work.table.name} needs a value for {column.name}"
            return f"{work.table.name} needs a value that is not there: {error.message}"
        case _:
            return f"{work.table.name} does not take this: {error.message}"


def _alike(work: _Work, error: Violated) -> str:
    named = [
        one
        for one in work.said
        if f"{work.table.name}.{one}" in error.message or _in_brackets(one, error.message)
    ]
    said = ", ".join(f"{one} {str(work.said[one])!r:.80}" for one in named)
    return f"there is already one in {work.table.name} with {said or error.message}"


def _in_brackets(column: str, message: str) -> bool:
    inside = message.partition("(")[2].partition(")")[0]
    return column in [one.strip(' "') for one in inside.split(",")]


def _missing(work: _Work, error: Violated) -> str:
    for key in work.table.foreign_keys:
        if all(work.said.get(one) is not None for one in key.columns) and not _exists(work, key):
            said = ", ".join(f"{one} {str(work.said[one])!r:.80}" for one in key.columns)
            return f"{said} is not there: {key.table} has none"
    return f"{work.table.name} names something that is not there: {error.message}"


def _exists(work: _Work, key: ForeignKey) -> bool:
    where = " AND ".join(f"{quoted(one)} = ?" for one in key.others)
    values = [work.said[one] for one in key.columns]
    found = work.tx.execute(f"SELECT 1 AS one FROM {quoted(key.table)} WHERE {where}", values)
    return bool(found)


def _used(work: _Work, tables: Mapping[str, Table]) -> str:
    users = [
        one.name
        for one in tables.values()
        if any(key.table == work.table.name for key in one.foreign_keys)
    ]
    return f"it cannot go from {work.table.name}: it is still named in {' or '.join(users)}"
