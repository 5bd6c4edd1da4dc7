"""A pack tried out: its schema, its data and its verbs, in a database that is thrown away.

What only a database can say of a pack is known before a server starts on it, file and line.
"""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterator, Mapping

from antiphon.base.errors import Broken
from antiphon.drivers.database import Database, Transaction
from antiphon.drivers.following import columns_of
from antiphon.drivers.sql import Table, Violated, listed, marks, quoted
from antiphon.dsl.verbs import Operation, Verb
from antiphon.repl.fields import Problem
from antiphon.repl.pack import Pack
from antiphon.repl.pack_schema import statements

PROBLEMS_MAX = 50  # of one table's data: more say nothing new


def problems(pack: Pack, files: Mapping[str, str]) -> list[Problem]:
    """Everything that a database has against it, and handlers that are not there."""
    missing = list(_handlers(pack))
    database = Database.in_memory()
    try:
        with database.transaction() as tx:
            found = [*missing, *_schema(tx, pack)]
            if len(found) > len(missing):
                return found
            names = {entity.table for entity in pack.entities.values()}
            names |= {verb.crud.table for verb in pack.vocabulary.verbs.values() if verb.crud}
            tables = {name: table for name in names if (table := tx.table(name)) is not None}
            found += _types(pack, tables)
            found += _verbs(tx, pack, tables)
            found += _data(tx, pack, files)
            return found
    finally:
        database.close()


class HandlerMissing(Exception):
    """What a python verb names is no function that this Python finds."""


def _handlers(pack: Pack) -> Iterator[Problem]:
    for name, verb in pack.vocabulary.verbs.items():
        try:
            if verb.handler is not None:
                _look_at(verb.handler)
        except HandlerMissing as error:
            yield Problem(*pack.places["verb", name], f"the handler of `{name}`: {error}")


def _look_at(handler: str) -> None:
    module, _, name = handler.partition(":")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except (Exception, SystemExit) as error:
        told = f"`{module}` cannot be imported: {type(error).__name__}: {error}"
        raise HandlerMissing(told) from error
    if not callable(found):
        raise HandlerMissing(f"`{module}` has no function `{name}`")


def _schema(tx: Transaction, pack: Pack) -> Iterator[Problem]:
    for file, text in zip(pack.schema_files, pack.schemas, strict=True):
        for one in statements(text)[0]:
            try:
                with tx.point():
                    tx.execute(one.text)
                    if one.kind == "view":  # only a look shows what it lacks
                        tx.execute(f"SELECT * FROM {quoted(one.name)} LIMIT 0")
            except (Broken, Violated) as error:
                yield Problem(file, one.line, f"{one.kind} `{one.name}`: {_words(error)}")


def _words(error: Exception) -> str:
    return str(error).removeprefix("the database: ")


def _types(pack: Pack, tables: Mapping[str, Table]) -> Iterator[Problem]:
    for name, type_ in pack.entities.items():
        table = tables[type_.table]
        for column in columns_of(type_):
            if column not in table.columns:
                known = ", ".join(table.columns)
                yield Problem(
                    *pack.places["entity type", name],
                    f"`{name}` needs the column `{column}`; `{table.name}` has {known}",
                )


def _verbs(tx: Transaction, pack: Pack, tables: Mapping[str, Table]) -> Iterator[Problem]:
    for name, verb in pack.vocabulary.verbs.items():
        if verb.crud is None:
            continue
        place = pack.places["verb", name]
        table = tables[verb.crud.table]
        for message in _verb(tx, verb, table):
            yield Problem(*place, message)


def _verb(tx: Transaction, verb: Verb, table: Table) -> Iterator[str]:
    crud = verb.crud
    assert crud is not None
    key = (crud.key,) if crud.key else ()
    for column in (*key, *crud.conflict_keys, *(one.column for one in verb.parameters)):
        if column not in table.columns:
            yield f"`{verb.name}` needs the column `{column}`, which `{table.name}` has not"
            return
    writes = crud.operation in (Operation.INSERT, Operation.UPSERT, Operation.LINK)
    if crud.operation is not Operation.SELECT and table.is_view:
        yield f"`{verb.name}` writes to `{table.name}`, which is a view"
        return
    if crud.operation in (Operation.UPDATE, Operation.DELETE) and not any(
        one.column == crud.key for one in verb.parameters
    ):
        yield f"`{verb.name}` has no argument for its key `{crud.key}`"
    if writes:
        for one in verb.parameters:
            if table.columns[one.column].is_generated:
                yield f"`{one.name}` of `{verb.name}` writes to a column that is computed"
        yield from _lacking(verb, table)
    if crud.operation is Operation.UPSERT:
        columns = list(table.columns)[:1]
        try:
            with tx.point():
                tx.execute(
                    f"EXPLAIN INSERT INTO {quoted(table.name)} ({listed(columns)})"
                    f" VALUES ({marks(1)}) ON CONFLICT ({listed(crud.conflict_keys)}) DO NOTHING",
                    [None],
                )
        except (Broken, Violated):
            keys = ", ".join(crud.conflict_keys)
            yield f"`{verb.name}` needs a UNIQUE ({keys}) in `{table.name}`, and there is none"


def _lacking(verb: Verb, table: Table) -> Iterator[str]:
    """A column that must have a value, and nobody gives one."""
    given = {one.column for one in verb.parameters if one.is_required or one.default is not None}
    assert verb.crud is not None
    made = {verb.crud.key, table.key[0] if len(table.key) == 1 else None}
    for column in table.columns.values():
        is_needed = not (column.is_nullable or column.has_default or column.is_generated)
        if is_needed and column.name not in given and column.name not in made:
            yield f"`{verb.name}` gives no value for `{column.name}`, which `{table.name}` needs"


# --- data -------------------------------------------------------------------


def _data(tx: Transaction, pack: Pack, files: Mapping[str, str]) -> Iterator[Problem]:
    order = [
        one.name for text in pack.schemas for one in statements(text)[0] if one.kind == "table"
    ]
    for name in sorted(pack.data, key=lambda one: order.index(one) if one in order else -1):
        file = pack.places["data", name][0]
        yield from _rows(tx, name, pack.data[name], file, files.get(file, ""))


def _rows(
    tx: Transaction, name: str, rows: tuple[Mapping[str, str], ...], file: str, text: str
) -> Iterator[Problem]:
    table = tx.table(name)
    if table is None or table.is_view:
        yield Problem(file, 1, f"`{name}` is no table that rows could be put into")
        return
    unknown = [column for column in (rows[0] if rows else {}) if column not in table.columns]
    if unknown:
        known = ", ".join(table.columns)
        yield Problem(file, 1, f"`{name}` has no column `{unknown[0]}`; it has {known}")
        return
    count = 0
    for number, row in enumerate(rows):
        filled = [column for column, value in row.items() if value != ""]
        try:
            tx.execute(
                f"INSERT INTO {quoted(name)} ({listed(filled)}) VALUES ({marks(len(filled))})"
                if filled
                else f"INSERT INTO {quoted(name)} DEFAULT VALUES",
                [row[column] for column in filled],
            )
        except (Broken, Violated) as error:
            count += 1
            if count > PROBLEMS_MAX:
                return
            yield Problem(file, _line(text, number), f"this row is refused: {_words(error)}")


def _line(text: str, number: int) -> int:
    """The line of a row: a quoted value may have several."""
    reader = csv.reader(io.StringIO(text))
    line = 1
    for at, _ in enumerate(reader):
        if at == number + 1:
            return line + 1
        line = reader.line_num
    return number + 2
