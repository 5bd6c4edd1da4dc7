"""The index follows the database: by the notes that triggers make of every change.

Who changed what makes no difference, this process or another one: before each search the notes
since the last one are read.  Where they do not reach back far enough, the index is made anew.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from antiphon.base.errors import Broken
from antiphon.drivers.database import Database, Transaction
from antiphon.drivers.index import Change, Damaged, EntityIndex, Entry
from antiphon.drivers.sql import Row, Table, listed, marks, quoted, worded
from antiphon.dsl.values import UUID
from antiphon.entity.types import EntityType
from antiphon.repl.pack_entities import COLUMN

FOLDER = "entities.index"
NOTES_MAX = 10_000  # more changes than that are read as a whole table sooner
NOTES_KEPT = 100_000
IDS_MAX = 500  # in one statement


class Follower:
    def __init__(
        self,
        database: Database,
        state_dir: Path | None,
        types: Mapping[str, EntityType],
        tables: Mapping[str, Table],
    ) -> None:
        self.database, self.types, self.tables = database, types, tables
        self._lock = threading.Lock()
        self._is_stopped = False
        folder = None if state_dir is None else state_dir / FOLDER
        self._seen: set[int] = set()
        self.index = _index(folder, types)
        self._position = self.index.position()

    def follow(self) -> EntityIndex:
        """The index, as true as the database is now."""
        with self._lock:
            try:
                self._follow()
            except Damaged:
                self.index.forget()
                self._rebuild()
            return self.index

    def again(self) -> EntityIndex:
        """The index made anew: reading it has shown that it is damaged."""
        with self._lock:
            self._rebuild()
            return self.index

    def stop(self) -> None:
        """What is being read is left: who ends does not wait for a million names."""
        self._is_stopped = True

    def _follow(self) -> None:
        if self._position is None:
            self._rebuild()
            return
        with self.database.reading() as tx:
            notes, position = self._notes(tx, self._position)
            if notes is None:
                self._position = None
            elif notes:
                self.index.update(self._changes(tx, notes), position)
                self._position = position
            else:
                self._position = position
        if self._position is None:
            self._rebuild()

    def _rebuild(self) -> None:
        self._seen.clear()
        with self.database.reading() as tx:
            position = _now(tx)
            entries = (entry for name in self.types for entry in self.entries(tx, name))
            self.index.rebuild(entries, position)
            self._position = position

    # --- notes -----------------------------------------------------------------

    def _notes(self, tx: Transaction, position: str) -> tuple[list[Row] | None, str]:
        """What has changed since; nothing at all when that cannot be known."""
        now = _now(tx)
        if tx.dialect == "sqlite":
            # The newest note is never thrown away: without it the database is another one.
            if int(position) > int(now):
                return None, now
            if now == position:
                return [], now
            rows = tx.execute(
                "SELECT * FROM antiphon_changes WHERE seq > ? ORDER BY seq LIMIT ?",
                [int(position), NOTES_MAX + 1],
            )
            is_whole = bool(rows) and int(str(rows[0]["seq"])) == int(position) + 1
            return (rows if is_whole and len(rows) <= NOTES_MAX else None), now
        rows = tx.execute(
            "SELECT * FROM antiphon_changes WHERE xid >= ? ORDER BY seq LIMIT ?",
            [int(position), NOTES_MAX + 1],
        )
        if len(rows) > NOTES_MAX:
            return None, now
        fresh = [row for row in rows if int(str(row["seq"])) not in self._seen]
        if now != position:
            # Transactions that were open then may have ended since, and are read again.
            self._seen = {int(str(row["seq"])) for row in rows if int(str(row["xid"])) >= int(now)}
        else:
            self._seen |= {int(str(row["seq"])) for row in fresh}
        return fresh, now

    def _changes(self, tx: Transaction, notes: Sequence[Row]) -> list[Change]:
        changes: list[Change] = []
        for name, type_ in self.types.items():
            is_all = self.tables[type_.table].is_view or any(
                row["name"] == type_.table and row["entity_id"] is None for row in notes
            )
            if is_all:
                raise Damaged(f"{name} must be read as a whole")
            ids = [str(row["entity_id"]) for row in notes if row["name"] == type_.table]
            ids = list(dict.fromkeys(ids))
            now = {one.entity_id: one for one in self.entries(tx, name, ids)}
            changes += [Change(name, one, now.get(one)) for one in ids]
        return changes

    # --- entities --------------------------------------------------------------

    def entries(
        self, tx: Transaction, name: str, ids: Sequence[str] | None = None
    ) -> Iterator[Entry]:
        """The entities of a type as the database has them now, all or these."""
        type_ = self.types[name]
        for row in rows_of(tx, type_, self.tables[type_.table], ids):
            if self._is_stopped:
                raise Broken("the entities are being closed")
            yield entry(type_, row)


def _now(tx: Transaction) -> str:
    if tx.dialect == "sqlite":
        found = tx.execute("SELECT seq AS now FROM sqlite_sequence WHERE name = 'antiphon_changes'")
    else:
        found = tx.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS now")
    return str(found[0]["now"]) if found else "0"


def _index(folder: Path | None, types: Mapping[str, EntityType]) -> EntityIndex:
    try:
        return EntityIndex(folder, types)
    except Damaged:
        assert folder is not None
        shutil.rmtree(folder, ignore_errors=True)
        return EntityIndex(folder, types)


def columns_of(type_: EntityType) -> tuple[str, ...]:
    """What must be known of an entity to find and to show it."""
    names = [type_.key, *COLUMN.findall(type_.display), *type_.search_keys]
    names += [type_.also] if type_.also else []
    return tuple(dict.fromkeys([*names, *(one.name for one in type_.discriminators)]))


def rows_of(
    tx: Transaction, type_: EntityType, table: Table, ids: Sequence[str] | None = None
) -> Iterator[Row]:
    statement = f"SELECT {listed(columns_of(type_))} FROM {quoted(type_.table)}"
    if ids is None:
        yield from tx.stream(statement)
        return
    for chunk in _chunks(usable(table.columns[type_.key].kind, ids)):
        yield from tx.execute(
            f"{statement} WHERE {quoted(type_.key)} IN ({marks(len(chunk))})", chunk
        )


def usable(kind: str, ids: Iterable[str]) -> list[str]:
    """Those that a column of this kind can be compared with at all."""
    if kind == "uuid":
        return [one for one in ids if UUID.fullmatch(one)]
    if kind in ("integer", "bigint", "smallint"):
        return [one for one in ids if one.isascii() and one.isdigit() and len(one) <= 18]
    return list(ids)


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(ids), IDS_MAX):
        yield ids[at : at + IDS_MAX]


def entry(type_: EntityType, row: Row) -> Entry:
    facts = {name: worded(row[name]) for name in columns_of(type_)}
    display = " ".join(COLUMN.sub(lambda found: facts[found[1]], type_.display).split())
    entity_id = facts[type_.key]
    kept = [*type_.search_keys, *(one.name for one in type_.discriminators)]
    kept += [type_.also] if type_.also else []
    known = {name: facts[name] for name in kept if facts[name]}
    return Entry(type_.name, entity_id, display or entity_id, known)
