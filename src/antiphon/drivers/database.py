"""The database: it holds the truth about entities, and whatever else must change with it.

SQLite in the state directory, or PostgreSQL where an address is given; both take the same
statements, with `?` for each value.  Writers go one after the other, readers wait for nobody.
It knows no pack: `pack_tables` makes what one declares.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from antiphon.base.errors import Broken
from antiphon.drivers.sql import Connection, DatabaseBroken, Row, Table
from antiphon.drivers.sqlite import FILE, SqliteConnection

POSTGRES = ("postgresql://", "postgres://")
IDLE_MAX = 8  # connections that wait for a reader


class Transaction:
    """Statements that happen all or not at all."""

    def __init__(self, connection: Connection, dialect: str) -> None:
        self._connection = connection
        self.dialect = dialect  # "sqlite" or "postgres"
        self._points = 0

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """The rows, if there are any; `Violated` when a rule of the schema forbids it."""
        return self._connection.execute(sql, values)

    def stream(self, sql: str) -> Iterator[Row]:
        """The rows one after the other, within the transaction."""
        return self._connection.stream(sql)

    def execute_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        self._connection.execute_many(sql, rows)

    def table(self, name: str) -> Table | None:
        return self._connection.table(name)

    @contextlib.contextmanager
    def point(self) -> Iterator[None]:
        """What happens within is undone when it fails, and the transaction goes on."""
        self._points += 1
        name = f"point_{self._points}"
        self.execute(f"SAVEPOINT {name}")
        is_well = False
        try:
            yield
            is_well = True
        finally:
            if not is_well:
                self.execute(f"ROLLBACK TO SAVEPOINT {name}")
            self.execute(f"RELEASE SAVEPOINT {name}")


@dataclass
class Database:
    connect: Callable[[], Connection]
    dialect: str
    _writing: threading.Lock = field(default_factory=threading.Lock)
    _idle: list[Connection] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _writer: Connection | None = None
    _is_closed: bool = False

    @classmethod
    def at(cls, url: str | None, state_dir: Path) -> Database:
        """The one in the state directory, or the one that the address names."""
        if not url:
            path = state_dir / FILE
            return cls(lambda: SqliteConnection(path), "sqlite")
        if url.startswith(POSTGRES):
            # Only who has a server imports its driver.
            from antiphon.drivers.postgres import PostgresConnection

            return cls(lambda: PostgresConnection(url), "postgres")
        scheme = url.partition(":")[0][:20]
        raise Broken(
            f"ANTIPHON_DATABASE_URL begins with {scheme!r}; postgresql://… is accepted, and "
            "without it the database is SQLite in the state directory"
        )

    @classmethod
    def in_memory(cls) -> Database:
        """For a look at a schema; one connection, and gone with it."""
        connection = SqliteConnection(None)
        return cls(lambda: connection, "sqlite")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """One that writes: committed at the end, undone on any exception."""
        with self._writing:
            if self._writer is None:
                self._writer = self.connect()
            is_well = False
            try:
                self._begin_writing()
                yield Transaction(self._writer, self.dialect)
                self._writer.commit()
                is_well = True
            finally:
                if not is_well:
                    self._give_up_writing()

    def _begin_writing(self) -> None:
        assert self._writer is not None
        try:
            self._writer.begin(writes=True)
        except DatabaseBroken:
            # The server may have been away since the last one: once more, afresh.
            if self.dialect == "sqlite":
                raise
            self._give_up_writing()
            self._writer = self.connect()
            self._writer.begin(writes=True)

    def _give_up_writing(self) -> None:
        connection, self._writer = self._writer, None
        if connection is None:
            return
        try:
            connection.rollback()
            self._writer = connection
        except DatabaseBroken:
            connection.close()  # what cannot even roll back is of no use; why, is raised above

    @contextlib.contextmanager
    def reading(self) -> Iterator[Transaction]:
        """One that sees a single moment and changes nothing."""
        connection = self._reader()
        try:
            yield Transaction(connection, self.dialect)
        finally:
            # It has changed nothing, so there is nothing to keep.
            with contextlib.suppress(DatabaseBroken):
                connection.rollback()
            self._keep(connection)

    def _reader(self) -> Connection:
        with self._guard:
            connection = self._idle.pop() if self._idle else None
        if connection is not None:
            try:
                connection.begin(writes=False)
            except DatabaseBroken:
                connection.close()
            else:
                return connection
        connection = self.connect()
        connection.begin(writes=False)
        return connection

    def _keep(self, connection: Connection) -> None:
        with self._guard:
            if connection.is_usable and len(self._idle) < IDLE_MAX and not self._is_closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._writing, self._guard:
            self._is_closed = True
            for connection in (*self._idle, *([self._writer] if self._writer else [])):
                connection.close()
            self._idle.clear()
            self._writer = None
