"""PostgreSQL behind the shape that both databases have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import cast

import psycopg
from psycopg import errors
from psycopg.rows import dict_row

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

# A literal, a quoted name, or a mark.
MARK = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\?|%""")
VIOLATIONS: tuple[tuple[type[psycopg.Error], Reason], ...] = (
    (errors.UniqueViolation, Reason.UNIQUE),
    (errors.ForeignKeyViolation, Reason.MISSING),
    (errors.NotNullViolation, Reason.NOT_NULL),
    (errors.CheckViolation, Reason.CHECK),
    (errors.RaiseException, Reason.CHECK),
    (errors.DataError, Reason.VALUE),
    (errors.DatatypeMismatch, Reason.VALUE),
    (errors.UndefinedFunction, Reason.VALUE),
    (errors.GeneratedAlways, Reason.VALUE),
)
STREAM_ROWS = 5_000  # that come at a time
COLUMNS = """
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS kind,
           a.attgenerated <> '' OR a.attidentity = 'a' AS is_generated,
           a.attnotnull AS is_required, a.atthasdef AS has_default,
           coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS key_position
    FROM pg_attribute a
    LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
    WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum
"""
FOREIGN_KEYS = """
    SELECT c.confrelid::regclass::text AS other,
           array(SELECT attname::text FROM unnest(c.conkey) WITH ORDINALITY k(n, o)
                 JOIN pg_attribute ON attrelid = c.conrelid AND attnum = n ORDER BY o) AS mine,
           array(SELECT attname::text FROM unnest(c.confkey) WITH ORDINALITY k(n, o)
                 JOIN pg_attribute ON attrelid = c.confrelid AND attnum = n ORDER BY o) AS theirs
    FROM pg_constraint c WHERE c.contype = 'f' AND c.conrelid = to_regclass(?) ORDER BY c.conname
"""


class PostgresConnection:
    def __init__(self, url: str) -> None:
        try:
            self._raw = psycopg.connect(
                url,
                autocommit=True,
                row_factory=dict_row,
                connect_timeout=limits.DATABASE_WAIT_S_MAX,
                application_name="antiphon",
            )
            self._raw.execute("SET client_min_messages = warning")
            self._raw.execute("SET standard_conforming_strings = on")
            self._raw.execute(f"SET lock_timeout = '{limits.DATABASE_WAIT_S_MAX}s'")
        except psycopg.Error as error:
            # The address may hold a password, and a library's words may hold the address.
            raise DatabaseBroken(f"PostgreSQL cannot be reached: {_words(error)}") from None

    @property
    def is_usable(self) -> bool:
        return not self._raw.closed and not self._raw.broken

    def begin(self, *, writes: bool) -> None:
        kind = "READ WRITE" if writes else "ISOLATION LEVEL REPEATABLE READ READ ONLY"
        self.execute(f"BEGIN {kind}", ())

    def commit(self) -> None:
        self.execute("COMMIT", ())

    def rollback(self) -> None:
        self.execute("ROLLBACK", ())

    def close(self) -> None:
        self._raw.close()

    def execute(self, sql: str, values: Sequence[object]) -> list[Row]:
        try:
            # Without values the text goes as it is: a schema may hold marks of its own.
            cursor = self._raw.execute(_native(sql), values) if values else self._raw.execute(sql)
            return cast(list[Row], cursor.fetchall()) if cursor.description else []
        except psycopg.Error as error:
            raise _told(error) from error

    def stream(self, sql: str) -> Iterator[Row]:
        """Row by row: more than fits in memory, perhaps."""
        try:
            with self._raw.cursor(name="antiphon_rows") as cursor:
                cursor.itersize = STREAM_ROWS
                cursor.execute(sql)
                yield from cursor
        except psycopg.Error as error:
            raise _told(error) from error

    def execute_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        try:
            self._raw.cursor().executemany(_native(sql), rows)
        except psycopg.Error as error:
            raise _told(error) from error

    def table(self, name: str) -> Table | None:
        as_name = '"' + name.replace('"', '""') + '"'
        found = self.execute("SELECT relkind FROM pg_class WHERE oid = to_regclass(?)", [as_name])
        if not found:
            return None
        columns = {
            str(row["name"]): Column(
                str(row["name"]),
                str(row["kind"]),
                bool(row["is_generated"]),
                not row["is_required"],
                bool(row["has_default"]),
                int(str(row["key_position"])),
            )
            for row in self.execute(COLUMNS, [as_name])
        }
        keys = tuple(
            ForeignKey(
                tuple(cast(list[str], row["mine"])),
                str(row["other"]).strip('"'),
                tuple(cast(list[str], row["theirs"])),
            )
            for row in self.execute(FOREIGN_KEYS, [as_name])
        )
        return Table(name, found[0]["relkind"] in (b"v", "v", b"m", "m"), columns, keys)


@lru_cache(maxsize=1_000)
def _native(sql: str) -> str:
    """`?` as this driver wants it, and only where it is a mark."""

    def shown(found: re.Match[str]) -> str:
        text = found[0]
        return "%s" if text == "?" else text.replace("%", "%%")

    return MARK.sub(shown, sql)


def _told(error: psycopg.Error) -> Exception:
    if isinstance(error, errors.DiskFull):
        return StorageFull("PostgreSQL: the disk is full")
    for kind, reason in VIOLATIONS:
        if isinstance(error, kind):
            detail = error.diag.message_detail
            words = f"{_words(error)}: {detail}" if detail else _words(error)
            is_used = isinstance(error, errors.ForeignKeyViolation) and "still referenced" in words
            return Violated(Reason.USED if is_used else reason, words)
    return DatabaseBroken(f"PostgreSQL: {_words(error)}")


def _words(error: psycopg.Error) -> str:
    return str(error.diag.message_primary or str(error).partition("\n")[0])
