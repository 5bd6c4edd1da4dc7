"""Where sessions are kept: tables of our own in the database that holds the entities.

So what a run writes and what becomes of its session are one transaction.  Everything here happens
within a transaction that the caller has begun; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

TABLES = (
    """CREATE TABLE IF NOT EXISTS antiphon_sessions (
        session_id TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        rev BIGINT NOT NULL,
        record TEXT NOT NULL,
        scene TEXT NOT NULL,
        shown TEXT NOT NULL,
        ts_created BIGINT NOT NULL,
        ts_changed BIGINT NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS antiphon_session_snapshots (
        session_id TEXT NOT NULL,
        number BIGINT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (session_id, number)
    )""",
    """CREATE TABLE IF NOT EXISTS antiphon_session_events (
        session_id TEXT NOT NULL,
        number BIGINT NOT NULL,
        name TEXT NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (session_id, number)
    )""",
    """CREATE TABLE IF NOT EXISTS antiphon_session_runs (
        session_id TEXT NOT NULL,
        number BIGINT NOT NULL,
        is_open BIGINT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (session_id, number)
    )""",
    """CREATE TABLE IF NOT EXISTS antiphon_session_talk (
        session_id TEXT NOT NULL,
        number BIGINT NOT NULL,
        ts BIGINT NOT NULL,
        who TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (session_id, number)
    )""",
)


class Executes(Protocol):
    """A transaction of the database."""

    def execute(
        self, sql: str, values: Sequence[object] = ()
    ) -> Sequence[Mapping[str, object]]: ...


@dataclass(frozen=True, slots=True)
class Event:
    number: int
    name: str
    data: str


@dataclass(frozen=True, slots=True)
class Said:
    number: int
    ts: int
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    number: int
    record: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    number: int
    is_open: bool
    record: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    session_id: str
    state: str
    rev: int
    record: str
    scene: str  # what belongs to the service: scope, counters
    shown: str  # what a list of sessions says of it
    ts_created: int
    ts_changed: int


def make_tables(tx: Executes) -> None:
    for statement in TABLES:
        tx.execute(statement)


def session(tx: Executes, session_id: str) -> SessionRow | None:
    found = tx.execute("SELECT * FROM antiphon_sessions WHERE session_id = ?", (session_id,))
    return _session(found[0]) if found else None


def newest(tx: Executes, limit: int) -> list[SessionRow]:
    """Without their records: those changed last come first."""
    found = tx.execute(
        "SELECT session_id, state, rev, '' AS record, '' AS scene, shown, ts_created, ts_changed "
        "FROM antiphon_sessions ORDER BY ts_changed DESC, session_id LIMIT ?",
        (limit,),
    )
    return [_session(row) for row in found]


def put_session(tx: Executes, row: SessionRow) -> None:
    tx.execute(
        "INSERT INTO antiphon_sessions "
        "(session_id, state, rev, record, scene, shown, ts_created, ts_changed) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (session_id) DO UPDATE SET state = excluded.state, rev = excluded.rev, "
        "record = excluded.record, scene = excluded.scene, shown = excluded.shown, "
        "ts_changed = excluded.ts_changed",
        (
            row.session_id, row.state, row.rev, row.record, row.scene, row.shown,
            row.ts_created, row.ts_changed,
        ),
    )  # fmt: skip


def snapshots(tx: Executes, session_id: str) -> list[Snapshot]:
    found = tx.execute(
        "SELECT number, record FROM antiphon_session_snapshots WHERE session_id = ? "
        "ORDER BY number",
        (session_id,),
    )
    return [Snapshot(_int(row["number"]), str(row["record"])) for row in found]


def change_snapshots(
    tx: Executes, session_id: str, gone: Iterable[int], new: Iterable[Snapshot]
) -> None:
    for number in gone:
        tx.execute(
            "DELETE FROM antiphon_session_snapshots WHERE session_id = ? AND number = ?",
            (session_id, number),
        )
    for one in new:
        tx.execute(
            "INSERT INTO antiphon_session_snapshots (session_id, number, record) VALUES (?, ?, ?)",
            (session_id, one.number, one.record),
        )


def add_events(tx: Executes, session_id: str, events: Iterable[Event]) -> None:
    for one in events:
        tx.execute(
            "INSERT INTO antiphon_session_events (session_id, number, name, data) "
            "VALUES (?, ?, ?, ?)",
            (session_id, one.number, one.name, one.data),
        )


def events(tx: Executes, session_id: str, after: int, limit: int) -> list[Event]:
    found = tx.execute(
        "SELECT number, name, data FROM antiphon_session_events "
        "WHERE session_id = ? AND number > ? ORDER BY number LIMIT ?",
        (session_id, after, limit),
    )
    return [Event(_int(row["number"]), str(row["name"]), str(row["data"])) for row in found]


def forget_events(tx: Executes, session_id: str, up_to: int) -> None:
    tx.execute(
        "DELETE FROM antiphon_session_events WHERE session_id = ? AND number <= ?",
        (session_id, up_to),
    )


def put_run(tx: Executes, session_id: str, run: RunRecord) -> None:
    tx.execute(
        "INSERT INTO antiphon_session_runs (session_id, number, is_open, record) "
        "VALUES (?, ?, ?, ?) ON CONFLICT (session_id, number) "
        "DO UPDATE SET is_open = excluded.is_open, record = excluded.record",
        (session_id, run.number, int(run.is_open), run.record),
    )


def sessions_in_a_run(tx: Executes) -> list[str]:
    found = tx.execute(
        "SELECT DISTINCT session_id FROM antiphon_session_runs WHERE is_open = 1 ORDER BY 1"
    )
    return [str(row["session_id"]) for row in found]


def drop_run(tx: Executes, session_id: str, number: int) -> None:
    tx.execute(
        "DELETE FROM antiphon_session_runs WHERE session_id = ? AND number = ?",
        (session_id, number),
    )


def runs(tx: Executes, session_id: str) -> list[RunRecord]:
    found = tx.execute(
        "SELECT number, is_open, record FROM antiphon_session_runs WHERE session_id = ? "
        "ORDER BY number",
        (session_id,),
    )
    return [_run(row) for row in found]


def last_run(tx: Executes, session_id: str) -> RunRecord | None:
    found = tx.execute(
        "SELECT number, is_open, record FROM antiphon_session_runs WHERE session_id = ? "
        "ORDER BY number DESC LIMIT 1",
        (session_id,),
    )
    return _run(found[0]) if found else None


def add_talk(tx: Executes, session_id: str, said: Iterable[Said]) -> None:
    for one in said:
        tx.execute(
            "INSERT INTO antiphon_session_talk (session_id, number, ts, who, text) "
            "VALUES (?, ?, ?, ?, ?)",
            (session_id, one.number, one.ts, one.who, one.text),
        )


def talk(tx: Executes, session_id: str, limit: int) -> list[Said]:
    """What was said last, oldest first."""
    found = tx.execute(
        "SELECT number, ts, who, text FROM antiphon_session_talk WHERE session_id = ? "
        "ORDER BY number DESC LIMIT ?",
        (session_id, limit),
    )
    rows = [
        Said(_int(row["number"]), _int(row["ts"]), str(row["who"]), str(row["text"]))
        for row in found
    ]
    return rows[::-1]


def _run(row: Mapping[str, object]) -> RunRecord:
    return RunRecord(_int(row["number"]), bool(row["is_open"]), str(row["record"]))


def _session(row: Mapping[str, object]) -> SessionRow:
    return SessionRow(
        str(row["session_id"]),
        str(row["state"]),
        _int(row["rev"]),
        str(row["record"]),
        str(row["scene"]),
        str(row["shown"]),
        _int(row["ts_created"]),
        _int(row["ts_changed"]),
    )


def _int(value: object) -> int:
    assert isinstance(value, int), "the column is a whole number"
    return value
