"""What the database says of ids and codes: known or not, of which type, in which version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from antiphon.drivers.database import Transaction
from antiphon.drivers.following import entry, rows_of, usable
from antiphon.drivers.index import Entry
from antiphon.drivers.reconciler import Seen
from antiphon.drivers.sql import Table, marks, plain, quoted
from antiphon.dsl.references import OPEN, Answer, Question, Standing
from antiphon.dsl.values import UUID
from antiphon.entity.folding import folded
from antiphon.entity.types import EntityType, KeyKind
from antiphon.repl.creation import CodeOption

Tables = Mapping[str, Table]
Types = Mapping[str, EntityType]
IDS_MAX = 500  # in one statement
CODES_MAX = 10_000  # that are read as a whole


def by_id(
    tx: Transaction, entity_id: str, types: Sequence[EntityType], tables: Tables
) -> Entry | None:
    for type_ in types:
        for wanted in _spellings(type_, entity_id):
            for row in rows_of(tx, type_, tables[type_.table], [wanted]):
                return entry(type_, row)
    return None


def _spellings(type_: EntityType, entity_id: str) -> tuple[str, ...]:
    """An id of hexadecimal digits is the same in capitals."""
    is_uuid = type_.key_kind is KeyKind.UUID and UUID.fullmatch(entity_id)
    return tuple(dict.fromkeys((entity_id, entity_id.lower()))) if is_uuid else (entity_id,)


def answers(
    tx: Transaction, questions: Sequence[Question], types: Types, tables: Tables
) -> dict[Question, Answer]:
    """What each string is: an id, a code, nothing, or words."""
    known: dict[str, dict[str, Entry]] = {}
    for name, type_ in types.items():
        if type_.key_kind is KeyKind.CODE:
            if any(name in one.entity_types for one in questions):
                known[name] = _by_code(tx, type_, tables)
        else:
            # An id of another type is told as such, so ids are looked for in all.
            values = {
                one.value
                for one in questions
                if name in one.entity_types or UUID.fullmatch(one.value)
            }
            known[name] = _by_key(tx, type_, tables, values)
    return {one: _answer(one, types, known) for one in questions}


def _answer(question: Question, types: Types, known: Mapping[str, Mapping[str, Entry]]) -> Answer:
    def found(name: str) -> Entry | None:
        entries = known.get(name, {})
        value = question.value
        return entries.get(value) or entries.get(_folded_key(types[name], value))

    for name in question.entity_types:
        one = found(name)
        if one is not None:
            return Answer(Standing.KNOWN, one.entity_id, name, one.display)
    if not UUID.fullmatch(question.value):
        return OPEN
    for name in types:
        one = found(name) if name not in question.entity_types else None
        if one is not None and types[name].key_kind is KeyKind.UUID:
            return Answer(Standing.OTHER_TYPE, one.entity_id, name, one.display)
    return Answer(Standing.MISSING)


def _folded_key(type_: EntityType, value: str) -> str:
    return value.casefold() if type_.key_kind is KeyKind.CODE else value.lower()


def _by_code(tx: Transaction, type_: EntityType, tables: Tables) -> dict[str, Entry]:
    """By the code, and by the code without its case where that is one code's alone."""
    entries = [entry(type_, row) for row in rows_of(tx, type_, tables[type_.table])]
    folded_: dict[str, Entry | None] = {}
    for one in entries:
        key = one.entity_id.casefold()
        folded_[key] = None if key in folded_ else one
    plain_ = {key: one for key, one in folded_.items() if one is not None}
    return {**plain_, **{one.entity_id: one for one in entries}}


def _by_key(
    tx: Transaction, type_: EntityType, tables: Tables, values: Iterable[str]
) -> dict[str, Entry]:
    wanted = sorted({spelling for value in values for spelling in _spellings(type_, value)})
    found = (entry(type_, row) for row in rows_of(tx, type_, tables[type_.table], wanted))
    return {one.entity_id: one for one in found}


def versions(tx: Transaction, ids: Sequence[str], types: Types, tables: Tables) -> dict[str, str]:
    found: dict[str, str] = {}
    for type_ in types.values():
        for row in _whole_rows(tx, type_, tables[type_.table], ids):
            told = json.dumps({key: plain(value) for key, value in row.items()}, default=str)
            version = hashlib.sha256(f"{type_.name} {told}".encode()).hexdigest()[:16]
            found.setdefault(str(plain(row[type_.key])), version)
    return found


def _whole_rows(
    tx: Transaction, type_: EntityType, table: Table, ids: Sequence[str]
) -> Iterator[Mapping[str, object]]:
    wanted = usable(table.columns[type_.key].kind, ids)
    for at in range(0, len(wanted), IDS_MAX):
        chunk = wanted[at : at + IDS_MAX]
        yield from tx.execute(
            f"SELECT * FROM {quoted(type_.table)}"
            f" WHERE {quoted(type_.key)} IN ({marks(len(chunk))})",
            chunk,
        )


def keep_seen(tx: Transaction, type_: EntityType, seen: Sequence[Seen]) -> None:
    """Entities of another service, by its ids and names; what is known besides stays."""
    table, key, name = map(quoted, (type_.table, type_.key, type_.search_default))
    for one in seen:
        tx.execute(
            f"INSERT INTO {table} ({key}, {name}) VALUES (?, ?)"
            f" ON CONFLICT ({key}) DO UPDATE SET {name} = excluded.{name}"
            f" WHERE {table}.{name} <> excluded.{name}",
            [one.entity_id, one.name],
        )


def all_codes(tx: Transaction, type_: EntityType, tables: Tables) -> list[tuple[str, str]]:
    """Codes with their names, in the order of names."""
    entries = [entry(type_, row) for row in rows_of(tx, type_, tables[type_.table])]
    entries.sort(key=lambda one: (folded(one.display), one.entity_id))
    return [(one.entity_id, one.display) for one in entries[:CODES_MAX]]


def code_options(tx: Transaction, type_: EntityType, tables: Tables) -> list[CodeOption]:
    return [CodeOption(code, label) for code, label in all_codes(tx, type_, tables)]
