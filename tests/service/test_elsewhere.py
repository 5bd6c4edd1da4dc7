"""Another reconciliation service as a source, on good days and on bad ones."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from antiphon.dsl.references import Question, Standing
from antiphon.repl.pack import Pack, loaded
from antiphon.service.catalogue import Catalogue
from antiphon.service.domain import Domain
from antiphon.service.entities import Entities, Found
from antiphon.wire import entities as e

SCHEMA = "CREATE TABLE things (thing_id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT);\n"
ENTITIES = """\
thing:
  table: things
  key: {column: thing_id, type: uuid}
  display: "{name}"
  search: {default: name, keys: [name, kind]}
"""
VERBS = """\
thing.list:
  description: Things.
  behavior: crud
  effect: read
  crud: {operation: select, table: things}
  returns: record_set
"""
DATA = "thing_id,name\n1,Alpha House\n"


@dataclass
class Elsewhere:
    """A service that says what a test tells it to, and keeps what it was asked."""

    says: Callable[[BaseHTTPRequestHandler], None] = lambda _: None
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def candidates(self, *given: dict[str, Any]) -> None:
        self.body(json.dumps({"results": [{"candidates": given}]}).encode())

    def body(self, data: bytes, status: int = 200, **headers: str) -> None:
        def say(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data)

        self.says = say

    def dribbles(self) -> None:
        """A byte now and then, and no end: no single read takes long."""

        def say(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.end_headers()
            while not self.over.wait(0.01):
                handler.wfile.write(b" ")
                handler.wfile.flush()

        self.says = say

    def is_silent(self) -> None:
        def say(_: BaseHTTPRequestHandler) -> None:
            self.over.wait(30)

        self.says = say

    def hangs_up(self) -> None:
        self.says = lambda handler: handler.connection.close()


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    found = Elsewhere()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            found.asked.append(json.loads(self.rfile.read(length)))
            found.headers.append(dict(self.headers.items()))
            try:
                found.says(self)
            except OSError:
                self.close_connection = True  # whoever asked did not wait

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_address[1]}/reconcile/"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    found.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


def pack(url: str, more: str = "") -> Pack:
    source = f"  source: {{url: '{url}', timeout_ms: 400{more}}}\n"
    found = loaded(
        {
            "p/verbs/things.yaml": VERBS, "p/entities.yaml": ENTITIES + source,
            "p/schema.sql": SCHEMA, "p/data/things.csv": DATA,
        }
    )  # fmt: skip
    assert found.pack is not None, found.problems
    return found.pack


@pytest.fixture
def entities(elsewhere: Elsewhere, database_url: str | None, tmp_path: Path) -> Iterator[Entities]:
    found = asyncio.run(Entities.open(database_url, tmp_path, pack(elsewhere.url)))
    yield found
    found.database.close()


def search(entities: Entities, words: str, **more: Any) -> Found:
    return asyncio.run(entities.search(["thing"], words, **more))


def displays(found: Found) -> list[str]:
    return [one.display for one in found.matches]


def test_what_the_service_finds_stands_beside_our_own(
    elsewhere: Elsewhere, entities: Entities
) -> None:
    elsewhere.candidates(
        {"id": "Q1", "name": "Alpha Centauri", "score": 30, "match": False, "more": [1]},
        {"id": "Q2", "name": "Rigil Kentaurus", "score": 100},
        {"id": "Q3", "name": "Something else", "score": 10},
    )
    found = search(entities, "alpha")
    assert displays(found) == ["Alpha House", "Alpha Centauri", "Rigil Kentaurus"]
    assert elsewhere.asked == [
        {"queries": [
            {"conditions": [{"matchType": "name", "propertyValue": "alpha"}], "limit": 50},
        ]}
    ]  # fmt: skip
    for one in found.matches:
        assert sum(each.points for each in one.features) == one.score
    # A name by which only the service knows it never stands above one that holds the words.
    assert found.matches[-1].score < 74 and found.matches[-1].features[0].name == "service"


def test_what_was_found_is_known_from_then_on(elsewhere: Elsewhere, entities: Entities) -> None:
    elsewhere.candidates({"id": "Q1", "name": "Alpha Centauri"})
    search(entities, "centauri")
    elsewhere.candidates({"id": "Q1", "name": "Alpha Centauri B"})
    search(entities, "centauri")
    elsewhere.body(b"", 500)
    assert displays(search(entities, "centaury")) == ["Alpha Centauri B"]
    question = Question(("thing",), "Q1")
    assert asyncio.run(entities.answers([question]))[question].standing is Standing.KNOWN
    known = asyncio.run(entities.by_id("Q1"))
    assert known is not None and known.display == "Alpha Centauri B"


def test_filters_are_required_properties(elsewhere: Elsewhere, entities: Entities) -> None:
    elsewhere.candidates()
    search(entities, "alpha", filters={"kind": "star"})
    (query,) = elsewhere.asked[0]["queries"]
    assert query["conditions"][1] == {
        "matchType": "property", "propertyId": "kind", "propertyValue": ["star"], "required": True,
    }  # fmt: skip


def test_a_type_and_a_key_go_with_the_question(
    elsewhere: Elsewhere, tmp_path: Path, database_url: str | None
) -> None:
    key = tmp_path / "key"
    key.write_text("sesame\n")
    more = f", type: Star, key_file: '{key}'"
    found = asyncio.run(Entities.open(database_url, tmp_path, pack(elsewhere.url, more)))
    elsewhere.candidates()
    search(found, "alpha")
    assert elsewhere.asked[0]["queries"][0]["type"] == "Star"
    assert elsewhere.headers[0]["authorization"] == "Bearer sesame"
    key.unlink()
    assert "key" in search(found, "alpha").failure
    found.database.close()


NONSENSE = [
    b"", b"nonsense", b"[]", b"{}", b'{"results": 1}', b'{"results": []}', b"\xff\xfe",
    b'{"results": [{}]}', b'{"results": [{"candidates": [1]}]}', b"[" * 100_000,
    b'{"results": [{"candidates": [{"id": 1, "name": "x"}]}]}',
    b'{"results": [{"candidates": []}, {"candidates": []}]}',
]  # fmt: skip


@pytest.mark.parametrize("data", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_told_and_our_own_are_found(
    elsewhere: Elsewhere, entities: Entities, data: bytes
) -> None:
    elsewhere.body(data)
    found = search(entities, "alpha")
    assert displays(found) == ["Alpha House"] and elsewhere.url.rstrip("/") in found.failure


def test_a_service_that_is_slow_or_broken_holds_nobody_up(
    elsewhere: Elsewhere, entities: Entities
) -> None:
    elsewhere.dribbles()
    assert "400 ms" in search(entities, "alpha").failure
    elsewhere.is_silent()
    assert "400 ms" in search(entities, "alpha").failure
    elsewhere.hangs_up()
    assert search(entities, "alpha").failure
    elsewhere.body(b"x", 503)
    assert "503" in search(entities, "alpha").failure
    elsewhere.body(b"", 302, Location="http://127.0.0.1:1/")
    assert "302" in search(entities, "alpha").failure
    elsewhere.body(b" " * (5 << 20))
    assert "bytes" in search(entities, "alpha").failure
    assert displays(search(entities, "alpha")) == ["Alpha House"]


def test_candidates_that_cannot_be_are_left_out(elsewhere: Elsewhere, entities: Entities) -> None:
    elsewhere.candidates(
        {"id": "", "name": "Alpha 1"}, {"id": "a\u0000b", "name": "Alpha 2"},
        {"id": "Q3", "name": "  "}, {"id": "Q4", "name": "Alpha\n  4", "score": 1e300},
        {"id": "Q4", "name": "Alpha 4 again"}, {"id": "x" * 501, "name": "Alpha 5"},
        {"id": "'; DROP TABLE things; --", "name": "Alpha 6", "score": -5},
    )  # fmt: skip
    found = search(entities, "alpha")
    assert sorted(displays(found)) == ["Alpha 4", "Alpha 6", "Alpha House"]
    assert found.failure == ""
    elsewhere.candidates(*({"id": f"N{n}", "name": f"Alpha N{n}"} for n in range(500)))
    assert search(entities, "alpha").total <= 53


def test_where_nothing_is_found_without_it_the_failure_is_the_answer(
    elsewhere: Elsewhere, entities: Entities, tmp_path: Path
) -> None:
    domain = Domain(tmp_path)
    domain._entities = entities
    catalogue = Catalogue(domain)
    elsewhere.body(b"", 500)

    async def asked(words: str) -> e.Found:
        return await catalogue.search(e.Search(entity_type="thing", query=words))

    assert "500" in str(asyncio.run(asked("alpha")).source_failed)
    with pytest.raises(Exception, match="500"):
        asyncio.run(asked("zzzz"))


def test_a_source_is_declared_strictly() -> None:
    for text in ("ftp://x", "https://", "no address"):
        source = f"  source: {{url: '{text}', timeout_ms: 70000, colour: red}}\n"
        files = {"p/verbs/t.yaml": VERBS, "p/entities.yaml": ENTITIES + source,
                 "p/schema.sql": SCHEMA}  # fmt: skip
        assert len(loaded(files).problems) == 3
