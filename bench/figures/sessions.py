"""Sessions over HTTP: one person at a time, and a thousand sessions with fifty at work.

The floor of a change is what no server can save: a request that only reads, and a commit to an
SQLite file on the same disk with the same settings.
"""

from __future__ import annotations

import http.client
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from antiphon.drivers.sqlite import SETTINGS
from bench.rows import Row, Stage, duration, merged, p50, spread
from bench.servers import Serving

CHAT_S_MAX = 0.015
CLIENTS = 50
KEPT_BYTES = 20_000  # of a session in the database, when a question is open
Answer = dict[str, Any]


class Client:
    """One connection, kept open."""

    def __init__(self, serving: Serving) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(serving.address).netloc)
        token = (serving.state_dir / "token").read_text().strip()
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, verb: str, path: str, **fields: object) -> Answer:
        body = json.dumps(fields) if verb != "GET" else None
        self.connection.request(verb, f"/api/session{path}", body, self.headers)
        found: Answer = json.loads(self.connection.getresponse().read())
        return found

    def begun(self) -> str:
        return str(self.ask("POST", "")["session_id"])

    def ensure(self, session_id: str, name: str, **more: object) -> Answer:
        intent = {"verb": "cbu.ensure", "params": {"name": name, "jurisdiction": "LU"}}
        return self.ask("POST", f"/{session_id}/intent", intents=[intent], **more)


def measure(stage: Stage) -> Iterator[Row]:
    with Serving(stage.folder / "state") as serving:
        yield from _one_at_a_time(stage, serving)
        yield _raced(stage, serving)
        yield from _many(stage, serving)
        serving.stop()


# --- one person -------------------------------------------------------------------


def _one_at_a_time(stage: Stage, serving: Serving) -> Iterator[Row]:
    rounds, count = stage.size.pick(1, 8, 20), stage.size.pick(3, 40, 100)
    client = Client(serving)
    said: dict[str, list[list[float]]] = {"show allianz cbu": [], "1": [], "run": []}
    floor: list[list[float]] = []
    for _ in range(rounds):
        ids = [client.begun() for _ in range(count)]
        for message, times in said.items():
            times.append([_timed(lambda: _said(client, one, message)) for one in ids])  # noqa: B023
        reads = [_timed(lambda: client.ask("GET", f"/{one}")) for one in ids]  # noqa: B023
        writes = _commits(stage.folder / "floor.db", count)
        floor.append([read + write for read, write in zip(reads, writes, strict=True)])
    for message, times in said.items():
        took = p50(merged(times))
        yield Row(
            f"`{message}` said over HTTP, until the whole session is answered",
            spread(merged(times)),
            f"a read over HTTP and a commit: {spread(merged(floor))}",
            p50([p50(ours) / p50(low) for ours, low in zip(times, floor, strict=True)]),
            f"p50 ≤ {CHAT_S_MAX * 1e3:.0f} ms",
            took <= CHAT_S_MAX,
        )


def _said(client: Client, session_id: str, message: str) -> None:
    answer = client.ask("POST", f"/{session_id}/chat", message=message)
    assert answer["ok"] is True, answer


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _commits(path: Path, count: int) -> list[float]:
    """Rows of a session's size, each in a transaction of its own."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        for setting in SETTINGS:
            database.execute(setting)
        database.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT)")
        text = "x" * KEPT_BYTES
        return [
            _timed(lambda: database.execute("INSERT INTO rows (text) VALUES (?)", (text,)))
            for _ in range(count)
        ]
    finally:
        database.close()


# --- many -------------------------------------------------------------------------


def _raced(stage: Stage, serving: Serving) -> Row:
    """Fifty clients that saw the same rev, again and again."""
    rounds = stage.size.pick(1, 20, 100)
    clients = [Client(serving) for _ in range(CLIENTS)]
    session_id = clients[0].begun()
    heard: list[int] = []
    with ThreadPoolExecutor(CLIENTS) as pool:
        for rev in range(rounds):
            name = f"Raced {rev}"
            asked = [pool.submit(one.ensure, session_id, name, rev=rev) for one in clients]
            heard.append(sum(one.result()["ok"] for one in asked))
    return Row(
        f"{CLIENTS} clients change what they saw at the same rev, {rounds} times",
        f"{heard.count(1)} times one is heard",
        f"{max(heard)} at most",
        None,
        "one, each time",
        heard == [1] * rounds,
    )


def _many(stage: Stage, serving: Serving) -> Iterator[Row]:
    sessions, turns = stage.size.pick(60, 1_000, 1_000), stage.size.pick(1, 3, 10)
    clients = [Client(serving) for _ in range(CLIENTS)]
    ids = [clients[0].begun() for _ in range(sessions)]
    shares = [ids[at::CLIENTS] for at in range(CLIENTS)]
    started = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        work = [pool.submit(_worked, *one, turns) for one in zip(clients, shares, strict=True)]
        times = [taken for one in work for taken in one.result()]
    rate = sessions * turns / (time.perf_counter() - started)
    alone = 1 / p50(_commits(stage.folder / "floor.db", stage.size.pick(10, 200, 1_000)))
    lost = _lost(clients[0], ids, turns)
    yield Row(
        f"{sessions:,} sessions, {CLIENTS} clients at work, {turns} changes each",
        f"{rate:,.0f} changes/s, {lost} lost; {spread(times)}",
        f"commits alone {alone:,.0f}/s",
        rate / alone,
        "none lost",
        lost == 0,
    )
    before = [_as_it_is(clients[0], one) for one in ids]
    serving.kill()
    took = serving.start()
    client = Client(serving)
    first = _timed(lambda: client.ask("GET", f"/{ids[-1]}"))
    others = sum(_as_it_is(client, one) != was for one, was in zip(ids, before, strict=True))
    yield Row(
        f"the same sessions after `kill -9`: listening after {duration(took)}",
        f"{others} answer otherwise",
        f"the first answer {duration(first)}",
        None,
        "none",
        others == 0,
    )


def _worked(client: Client, ids: Sequence[str], turns: int) -> list[float]:
    """Each session in turn, so that all of them are open at once."""
    return [
        _timed(lambda: client.ensure(one, f"{one} {turn}"))  # noqa: B023 - called at once
        for turn in range(turns)
        for one in ids
    ]


def _lost(client: Client, ids: Sequence[str], turns: int) -> int:
    lost = 0
    for one in ids:
        found = _as_it_is(client, one)
        lost += sum(found["dsl_source"].count(f'"{one} {turn}"') != 1 for turn in range(turns))
    return lost


def _as_it_is(client: Client, session_id: str) -> Answer:
    return client.ask("GET", f"/{session_id}")
