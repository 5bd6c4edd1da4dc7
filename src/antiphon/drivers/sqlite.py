"""SQLite behind the shape that both databases have.

The file is the state directory's, readable by its user alone.  A commit is on the disk before
it is told; readers see the last commit and wait for nobody.
"""

from __future__ import annotations

import decimal
import errno
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from antiphon.base import limits
from antiphon.drivers.file import StorageFull
from antiphon.drivers.sql import (
    Column,
    DatabaseBroken,
    ForeignKey,
    Reason,
    Row,
    Table,
    Violated,
)

FILE = "antiphon.db"
SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    f"PRAGMA busy_timeout = {limits.DATABASE_WAIT_S_MAX * 1000}",
    # A table that many statements of one program read stays in memory.
    "PRAGMA cache_size = -16384",
    "PRAGMA mmap_size = 268435456",
)
VIOLATIONS = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE: Reason.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: Reason.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_ROWID: Reason.UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_NOTNULL: Reason.NOT_NULL,
    sqlite3.SQLITE_CONSTRAINT_CHECK: Reason.CHECK,
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: Reason.MISSING,
    sqlite3.SQLITE_CONSTRAINT_TRIGGER: Reason.CHECK,
    3091: Reason.VALUE,  # SQLITE_CONSTRAINT_DATATYPE; not every Python names it
}
# Hidden columns of table_xinfo: 2 is generated, 3 generated and stored.
GENERATED = (2, 3)


class SqliteConnection:
    def __init__(self, path: Path | None) -> None:
        """The file at the path, or a database in memory."""
        self.path = path
        if path is not None:
            _make(path)
        try:
            self._raw = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False
            )
            self._raw.row_factory = _row
            for setting in SETTINGS:
                self._raw.execute(setting)
        except sqlite3.Error as error:
            raise self._broken(error) from error

    @property
    def is_usable(self) -> bool:
        return not self._raw.in_transaction

    def begin(self, *, writes: bool) -> None:
        self.execute("BEGIN IMMEDIATE" if writes else "BEGIN", ())

    def commit(self) -> None:
        self.execute("COMMIT", ())

    def rollback(self) -> None:
        if self._raw.in_transaction:
            self.execute("ROLLBACK", ())

    def close(self) -> None:
        self._raw.close()

    def execute(self, sql: str, values: Sequence[object]) -> list[Row]:
        try:
            return self._raw.execute(sql, [_bound(value) for value in values]).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            raise self._told(error) from error

    def stream(self, sql: str) -> Iterator[Row]:
        """Row by row: more than fits in memory, perhaps."""
        try:
            yield from self._raw.execute(sql)
        except sqlite3.Error as error:
            raise self._told(error) from error

    def execute_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        try:
            self._raw.executemany(sql, ([_bound(value) for value in row] for row in rows))
        except (sqlite3.Error, OverflowError) as error:
            raise self._told(error) from error

    def table(self, name: str) -> Table | None:
        found = self.execute(
            "SELECT type FROM sqlite_master WHERE name = ? AND type IN ('table', 'view')", [name]
        )
        if not found:
            return None
        columns = {}
        for row in self.execute("SELECT * FROM pragma_table_xinfo(?)", [name]):
            is_generated = row["hidden"] in GENERATED
            columns[str(row["name"])] = Column(
                str(row["name"]),
                re.sub(r"\s*generated always.*", "", str(row["type"]).lower()),
                is_generated,
                not row["notnull"],
                row["dflt_value"] is not None,
                int(str(row["pk"])),
            )
        return Table(name, found[0]["type"] == "view", columns, self._foreign_keys(name))

    def _foreign_keys(self, name: str) -> tuple[ForeignKey, ...]:
        by_id: dict[object, list[Row]] = {}
        rows = self.execute("SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq", [name])
        for row in rows:
            by_id.setdefault(row["id"], []).append(row)
        return tuple(
            ForeignKey(
                tuple(str(row["from"]) for row in parts),
                str(parts[0]["table"]),
                # Without a name the other table's primary key is meant.
                tuple(str(row["to"] or row["from"]) for row in parts),
            )
            for parts in by_id.values()
        )

    def _told(self, error: Exception) -> Exception:
        """Whose turn it is: the values', the disk's or ours."""
        code = getattr(error, "sqlite_errorcode", None)
        if code in VIOLATIONS:
            return Violated(VIOLATIONS[code], str(error))
        if isinstance(error, OverflowError):
            return Violated(Reason.VALUE, "a whole number is too large for the database")
        if code == sqlite3.SQLITE_FULL:
            return StorageFull(f"{FILE}: the disk is full")
        if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
            return Violated(Reason.VALUE, str(error))
        return self._broken(error)

    def _broken(self, error: Exception) -> DatabaseBroken:
        return DatabaseBroken(f"{self.path or 'the database'}: {error}")


def _row(cursor: sqlite3.Cursor, values: tuple[object, ...]) -> Row:
    return {item[0]: value for item, value in zip(cursor.description, values, strict=True)}


def _bound(value: object) -> object:
    match value:
        case bool():
            return int(value)
        case decimal.Decimal():
            return str(value)
        case str():
            # A lone surrogate is no text for a database.
            return value.encode("utf-8", "replace").decode() if not value.isascii() else value
        case _:
            return value


def _make(path: Path) -> None:
    """The file, before SQLite makes it with another mask."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(f"{path.name}: {error.strerror}") from None
        raise DatabaseBroken(f"{path}: cannot be opened: {error.strerror}") from error
