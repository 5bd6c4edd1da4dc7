"""Entities at every door: the same answers, and at HTTP the statuses of the contract."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clauses import clause
from tests.doors.doorways import COMMAND, DOORS, Places, Serving, environment

pytestmark = pytest.mark.slow
ALLIANZ = ["ALLIANZ FUNDS", "Allianz Thematica"]


@clause("repl d10", "doors 8")
@pytest.mark.parametrize("name", DOORS)
def test_every_door_finds_the_same(name: str, places: Places) -> None:
    door, desk = places.door(name), places.door("desk")
    for operation, fields in (
        ("entities.types", {}),
        ("entities.config", {"entity_type": "person"}),
        ("entities.search", {"entity_type": "cbu", "query": "alianz"}),
        ("entities.search", {"entity_type": "cbu", "query": "x", "filters": {"no": "1"}}),
        ("entities.search", {"entity_type": "nothing", "query": "x"}),
        ("entities.search", {"entity_type": "cbu", "query": "a" * 100_000}),
        ("entities.get", {"entity_type": "jurisdiction", "entity_id": "LU"}),
        ("entities.get", {"entity_type": "jurisdiction", "entity_id": "XX"}),
    ):
        assert door.ask(operation, **fields) == desk.ask(operation, **fields)


class Http:
    def __init__(self, serving: Serving) -> None:
        self.serving = serving

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        return self.serving.exchange("GET", path, b"")

    def search(self, type_: str, **fields: object) -> tuple[int, dict[str, Any]]:
        return self.serving.post(f"/api/entities/{type_}/search", json.dumps(fields).encode())


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Any:
    serving = Serving.begin(tmp_path_factory.mktemp("state"))
    yield Http(serving)
    assert serving.end() == 0


@clause("repl d10")
def test_a_search_has_matches_and_a_total_and_pages(http: Http) -> None:
    status, found = http.search("cbu", query="allianz")
    assert status == 200 and found["total"] == 2
    assert [one["display"] for one in found["matches"]] == ALLIANZ
    for one in found["matches"]:
        assert set(one) == {"id", "display", "entity_type", "score", "features", "differs"}
        assert sum(each["points"] for each in one["features"]) == one["score"]
        assert one["differs"] == {"manco_name": "Allianz Global Investors"}
    assert http.search("cbu", query="allianz", offset=1, limit=1)[1]["matches"] == [
        found["matches"][1]
    ]
    assert http.search("cbu", query="allianz", offset=2)[1] == {
        "ok": True, "matches": [], "total": 2,
    }  # fmt: skip


@clause("repl d4")
def test_filters_are_strict_and_without_matches_the_rest_is_told(http: Http) -> None:
    status, found = http.search("cbu", query="allianz", filters={"jurisdiction": "IE"})
    assert (status, found["matches"], found["total"]) == (200, [], 0)
    assert [one["display"] for one in found["fallback_matches"]] == ALLIANZ
    for filters in ({"jurisdiction": "lu"}, {"jurisdiction": "Luxembourg", "client_type": "FUND"}):
        assert http.search("cbu", query="allianz", filters=filters)[1]["total"] == 2


@clause("repl d4")
@pytest.mark.parametrize(
    ("path", "fields", "status", "code"),
    [
        ("cbu", {"query": "a", "filters": {"colour": "red"}}, 422, "invalid_request"),
        ("cbu", {"query": "a", "search_key": "colour"}, 422, "invalid_request"),
        ("cbu", {"query": "a", "discriminators": {"colour": "red"}}, 422, "invalid_request"),
        ("cbu", {"query": "a", "limit": 51}, 422, "invalid_request"),
        ("cbu", {"query": "a", "limit": 0}, 422, "invalid_request"),
        ("cbu", {"query": "a", "offset": -1}, 422, "invalid_request"),
        ("cbu", {"query": "a", "colour": 1}, 422, "invalid_request"),
        ("cbu", {"query": 7}, 422, "invalid_request"),
        ("cbu", {}, 422, "invalid_request"),
        ("colour", {"query": "a"}, 404, "not_found"),
        ("cbu", {"query": "ü" * 40_000}, 413, "limit_reached"),
    ],
)
def test_what_is_asked_wrongly_is_refused(
    http: Http, path: str, fields: dict[str, object], status: int, code: str
) -> None:
    found, answer = http.search(path, **fields)
    assert (found, answer["error"], answer["ok"]) == (status, code, False)
    assert answer["message"]


@clause("repl d10", "repl 5b")
def test_a_type_says_how_it_is_searched(http: Http) -> None:
    status, found = http.get("/api/entities/cbu")
    assert status == 200
    assert [one["name"] for one in found["search_keys"]] == ["name", "jurisdiction", "client_type"]
    assert [one["name"] for one in found["search_keys"] if one["is_default"]] == ["name"]
    assert [one["name"] for one in found["discriminators"]] == ["manco_name"]
    assert (found["resolution_mode"], found["return_key_type"]) == ("search_modal", "uuid")
    assert found["create"] == "cbu.ensure"
    person = http.get("/api/entities/person")[1]
    assert {one["name"]: one["weight"] for one in person["discriminators"]} == {
        "nationality": 0.7, "date_of_birth": 0.95,
    }  # fmt: skip
    for code_type in (
        "role", "jurisdiction", "currency", "client_type", "document_type", "case_type",
        "screening_type",
    ):  # fmt: skip
        code = http.get(f"/api/entities/{code_type}")[1]
        assert (code["resolution_mode"], code["return_key_type"]) == ("autocomplete", "code")
    assert http.get("/api/entities/colour")[0] == 404
    assert http.get("/api/entities/jurisdiction/LU")[1]["display"] == "Luxembourg"
    assert http.get("/api/entities/jurisdiction/XX")[0] == 404
    for slashed in ("a/b", "a%2Fb", "a%2fb/c"):
        status, refused = http.get(f"/api/entities/cbu/{slashed}")
        told = slashed.replace("%2F", "/").replace("%2f", "/")
        assert (status, refused["error"]) == (404, "entity_not_found"), refused
        assert repr(told) in refused["message"]


def test_the_command_finds_and_says_when_there_is_nothing(tmp_path: Path) -> None:
    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, "entities", *words], capture_output=True, text=True, timeout=300,
            env=environment(tmp_path),
        )  # fmt: skip

    assert "cbu\n" in ran().stdout
    found = ran("cbu", "alianz", "thematica")
    assert (found.returncode, found.stdout.split("\t")[2]) == (0, "Allianz Thematica")
    assert json.loads(ran("--json", "cbu", "allianz").stdout)["total"] == 2
    assert (ran("cbu", "zzzz").returncode, ran("colour", "x").returncode) == (1, 1)
    born = ran("person", "john", "smith", "--known", "date_of_birth=1980").stdout
    assert "1980-01-20" in born.splitlines()[0]
