"""A pack's tables in the database: made once, filled once, and a changed pack said and followed.

What people have changed in the database stays: data of a pack only adds what is not there, rows
and the values of a column that is new.
Triggers note which entities change, whoever changes them, so that an index can follow.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from antiphon.base.errors import Broken
from antiphon.drivers.database import Database, Transaction
from antiphon.drivers.sql import Table, Violated, listed, marks, quoted
from antiphon.dsl.verbs import Kind
from antiphon.repl.pack import Pack
from antiphon.repl.pack_schema import Made, statements

LOCK = 0x616E7469  # PostgreSQL's advisory lock of those who make tables here
OWN = {
    "sqlite": (
        """CREATE TABLE IF NOT EXISTS antiphon_objects (
            name TEXT PRIMARY KEY, kind TEXT NOT NULL, definition TEXT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS antiphon_loaded (
            name TEXT PRIMARY KEY, digest TEXT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS antiphon_changes (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, entity_id TEXT)""",
    ),
    "postgres": (
        """CREATE TABLE IF NOT EXISTS antiphon_objects (
            name TEXT PRIMARY KEY, kind TEXT NOT NULL, definition TEXT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS antiphon_loaded (
            name TEXT PRIMARY KEY, digest TEXT NOT NULL)""",
        # Numbers of a sequence do not become visible in their order: the transaction is noted.
        """CREATE TABLE IF NOT EXISTS antiphon_changes (
            seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL, entity_id TEXT,
            xid BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint))""",
        "CREATE INDEX IF NOT EXISTS antiphon_changes_xid ON antiphon_changes (xid)",
        """CREATE OR REPLACE FUNCTION antiphon_note() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'TRUNCATE' THEN
                INSERT INTO antiphon_changes (name) VALUES (TG_TABLE_NAME);
                RETURN NULL;
            END IF;
            IF TG_OP <> 'INSERT' THEN
                INSERT INTO antiphon_changes (name, entity_id)
                VALUES (TG_TABLE_NAME, to_jsonb(OLD) ->> TG_ARGV[0]);
            END IF;
            IF TG_OP <> 'DELETE' THEN
                IF TG_OP = 'INSERT'
                   OR to_jsonb(NEW) ->> TG_ARGV[0] IS DISTINCT FROM to_jsonb(OLD) ->> TG_ARGV[0]
                THEN
                    INSERT INTO antiphon_changes (name, entity_id)
                    VALUES (TG_TABLE_NAME, to_jsonb(NEW) ->> TG_ARGV[0]);
                END IF;
            END IF;
            RETURN NULL;
        END $$""",
    ),
}
BATCH = 1_000  # rows of one insert of data


@dataclass(frozen=True, slots=True)
class Kept:
    """The tables as they are now, and what somebody should know of how they became so."""

    tables: Mapping[str, Table]
    json_columns: Mapping[str, tuple[str, ...]]  # by table: where lists and maps are written
    notes: tuple[str, ...] = ()


def keep(database: Database, pack: Pack) -> Kept:
    """The pack's tables with its data; doing it again changes nothing."""
    try:
        return _kept(database, pack)
    except Violated as error:
        raise Broken(f"the database does not take the pack: {error}") from error


def _kept(database: Database, pack: Pack) -> Kept:
    notes: list[str] = []
    with database.transaction() as tx:
        if tx.dialect == "postgres":
            tx.execute("SELECT pg_advisory_xact_lock(?)", [LOCK])
        for statement in OWN[tx.dialect]:
            tx.execute(statement)
        wanted = [made for schema in pack.schemas for made in statements(schema)[0]]
        gained = {made.name: _make(tx, made, notes) for made in _in_order(wanted)}
        tables = _tables(tx, pack, wanted)
        for made in wanted:
            if made.kind == "table" and made.name in pack.data:
                rows = pack.data[made.name]
                _fill(tx, tables[made.name], rows, notes)
                _fill_columns(tx, tables[made.name], gained[made.name], rows)
        _watch(tx, pack, tables)
    return Kept(tables, _json_columns(pack), tuple(notes))


def _json_columns(pack: Pack) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for verb in pack.vocabulary.verbs.values():
        if verb.crud is not None:
            new = tuple(one.column for one in verb.parameters if one.kind in (Kind.LIST, Kind.MAP))
            found[verb.crud.table] = tuple(dict.fromkeys((*found.get(verb.crud.table, ()), *new)))
    return found


def _in_order(wanted: Sequence[Made]) -> Iterator[Made]:
    """Tables before what looks at them."""
    yield from (one for one in wanted if one.kind == "table")
    yield from (one for one in wanted if one.kind != "table")


# --- definitions ------------------------------------------------------------


def _make(tx: Transaction, made: Made, notes: list[str]) -> frozenset[str]:
    """The columns that a table has gained by it."""
    gained: frozenset[str] = frozenset()
    known = tx.execute("SELECT definition FROM antiphon_objects WHERE name = ?", [made.name])
    before = str(known[0]["definition"]) if known else None
    if before == made.text:
        return gained
    if before is None:
        if made.kind == "table" and tx.table(made.name) is not None:
            notes.append(f"the table {made.name} was there already, and is taken as it is")
        else:
            tx.execute(made.text)
    elif made.kind == "table":
        gained = _add_columns(tx, made, Made(made.kind, made.name, before, made.line), notes)
    else:
        tx.execute(f"DROP {made.kind.upper()} IF EXISTS {quoted(made.name)}")
        tx.execute(made.text)
        notes.append(f"the {made.kind} {made.name} is as the pack now has it")
        if made.kind == "view":
            tx.execute("INSERT INTO antiphon_changes (name) VALUES (?)", [made.name])
    tx.execute(
        "INSERT INTO antiphon_objects (name, kind, definition) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET definition = excluded.definition",
        [made.name, made.kind, made.text],
    )
    return gained


def _add_columns(tx: Transaction, made: Made, before: Made, notes: list[str]) -> frozenset[str]:
    """A table may grow by columns; anything else would touch what people have in it."""
    gone = [item for item in before.items if item not in made.items]
    new = [item for item in made.items if item not in before.items]
    if gone:
        raise Broken(
            f"the pack's table {made.name} has changed, and the database has data in the old one: "
            f"`{gone[0]}` is not there any more. A table may gain columns; for more, move the "
            "data, or take another database"
        )
    known = _column_names(tx, made.name)
    for item in new:
        try:
            tx.execute(f"ALTER TABLE {quoted(made.name)} ADD COLUMN {item}")
        except (Broken, Violated) as error:
            raise Broken(
                f"the pack's table {made.name} has changed, and the database cannot follow: "
                f"`{item}`: {error}"
            ) from error
        notes.append(f"the table {made.name} has gained `{item}`")
    return _column_names(tx, made.name) - known


def _column_names(tx: Transaction, name: str) -> frozenset[str]:
    table = tx.table(name)
    return frozenset(table.columns if table else ())


def _tables(tx: Transaction, pack: Pack, wanted: Sequence[Made]) -> dict[str, Table]:
    names = [made.name for made in wanted if made.kind != "index"]
    names += [entity.table for entity in pack.entities.values()]
    names += [verb.crud.table for verb in pack.vocabulary.verbs.values() if verb.crud]
    found = {name: tx.table(name) for name in dict.fromkeys(names)}
    for name, table in found.items():
        if table is None:
            raise Broken(f"the table {name} is not in the database, though the pack made it")
    return {name: table for name, table in found.items() if table is not None}


# --- data -------------------------------------------------------------------


def _fill(
    tx: Transaction, table: Table, rows: Sequence[Mapping[str, str]], notes: list[str]
) -> None:
    digest = hashlib.sha256(json.dumps([dict(row) for row in rows]).encode()).hexdigest()
    known = tx.execute("SELECT digest FROM antiphon_loaded WHERE name = ?", [table.name])
    if known and known[0]["digest"] == digest:
        return
    count = _count(tx, table)
    for columns, values in _batches(rows):
        tx.execute_many(
            f"INSERT INTO {quoted(table.name)} ({listed(columns)}) VALUES ({marks(len(columns))})"
            " ON CONFLICT DO NOTHING",
            values,
        )
    tx.execute(
        "INSERT INTO antiphon_loaded (name, digest) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET digest = excluded.digest",
        [table.name, digest],
    )
    if known:
        added = _count(tx, table) - count
        notes.append(
            f"the pack's data of {table.name} has changed; rows added: {added}, and those that "
            "were there stay as they are"
        )


def _fill_columns(
    tx: Transaction, table: Table, gained: frozenset[str], rows: Sequence[Mapping[str, str]]
) -> None:
    """Nobody has written to a column that is new; a row that is as the data has it gets its value.

    In a row that people have changed, or made under the same key, it stays empty.
    """
    for columns, values in _batches(rows):
        new = [name for name in columns if name in gained]
        # A JSON column has no equality in PostgreSQL.
        old = [name for name in columns if name not in gained and not table.columns[name].is_json]
        if not new or not old:
            continue
        put = ", ".join(f"{quoted(name)} = ?" for name in new)
        same = " AND ".join(f"{quoted(name)} = ?" for name in old)
        places = [columns.index(name) for name in (*new, *old)]
        tx.execute_many(
            f"UPDATE {quoted(table.name)} SET {put} WHERE {same}",
            [[row[place] for place in places] for row in values],
        )


def _count(tx: Transaction, table: Table) -> int:
    return int(str(tx.execute(f"SELECT count(*) AS n FROM {quoted(table.name)}")[0]["n"]))


def _batches(
    rows: Sequence[Mapping[str, str]],
) -> Iterator[tuple[tuple[str, ...], list[list[str]]]]:
    """Rows with the same columns filled: what is empty is left to the column's default."""
    columns: tuple[str, ...] = ()
    batch: list[list[str]] = []
    for row in rows:
        filled = tuple(name for name, value in row.items() if value != "")
        if batch and (filled != columns or len(batch) == BATCH):
            yield columns, batch
            batch = []
        columns = filled
        batch.append([row[name] for name in filled])
    if batch:
        yield columns, batch


# --- who changes what -------------------------------------------------------


def watched(pack: Pack, tables: Mapping[str, Table]) -> dict[str, str]:
    """The tables whose changes are noted, each with the column that names an entity."""
    found = {
        entity.table: entity.key
        for entity in pack.entities.values()
        if not tables[entity.table].is_view
    }
    if any(tables[entity.table].is_view for entity in pack.entities.values()):
        # What a view shows may change with any table.
        for name, table in tables.items():
            if not table.is_view and name not in found:
                found[name] = table.key[0] if table.key else next(iter(table.columns))
    return found


def _watch(tx: Transaction, pack: Pack, tables: Mapping[str, Table]) -> None:
    for name, key in watched(pack, tables).items():
        for statement in (_sqlite_notes if tx.dialect == "sqlite" else _postgres_notes)(name, key):
            tx.execute(statement)


def _sqlite_notes(name: str, key: str) -> Iterator[str]:
    literal = "'" + name.replace("'", "''") + "'"
    for event, sides in (("INSERT", ("NEW",)), ("UPDATE", ("OLD", "NEW")), ("DELETE", ("OLD",))):
        trigger = quoted(f"antiphon_{name}_{event.lower()}")
        yield f"DROP TRIGGER IF EXISTS {trigger}"
        notes = " UNION ".join(f"SELECT {literal}, {side}.{quoted(key)}" for side in sides)
        yield (
            f"CREATE TRIGGER {trigger} AFTER {event} ON {quoted(name)} BEGIN"
            f" INSERT INTO antiphon_changes (name, entity_id) {notes}; END"
        )


def _postgres_notes(name: str, key: str) -> Iterator[str]:
    literal = "'" + key.replace("'", "''") + "'"
    for trigger, event, each in (
        ("antiphon_row", "INSERT OR UPDATE OR DELETE", "ROW"),
        ("antiphon_all", "TRUNCATE", "STATEMENT"),
    ):
        yield f"DROP TRIGGER IF EXISTS {trigger} ON {quoted(name)}"
        yield (
            f"CREATE TRIGGER {trigger} AFTER {event} ON {quoted(name)}"
            f" FOR EACH {each} EXECUTE FUNCTION antiphon_note({literal})"
        )
