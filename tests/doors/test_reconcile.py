"""Our entities as a W3C reconciliation service, asked as its clients do."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import jsonschema
import pytest

from tests.clauses import clause
from tests.doors.doorways import LibraryDoor, Serving, SyncDoor

pytestmark = pytest.mark.slow
ALLIANZ_FUNDS = "fed371f6-471f-5090-a002-07961158a8ba"
THEMATICA = "cb944318-c4a7-5997-8c26-c9284e963fde"
NAMED = {
    "type": "object", "required": ["id", "name"],
    "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
}  # fmt: skip
# What the draft demands of each answer, in its own fields.
MANIFEST = {
    "type": "object", "required": ["versions", "name", "view"],
    "properties": {
        "versions": {"type": "array", "contains": {"enum": ["1.0-draft"]}},
        "name": {"type": "string"},
        "view": {"type": "object", "required": ["url"],
                 "properties": {"url": {"type": "string", "pattern": r".*\{.*id.*\}.*"}}},
        "defaultTypes": {"type": "array", "items": NAMED, "uniqueItems": True},
        "suggest": {"type": "object", "required": ["entity", "property", "type"]},
        "preview": {"type": "object", "required": ["width", "height"]},
        "standardizedScore": {"const": True}, "batchSize": {"type": "integer"},
    },
}  # fmt: skip
RESULTS = {
    "type": "object", "required": ["results"],
    "properties": {"results": {"type": "array", "items": {
        "type": "object", "required": ["candidates"],
        "properties": {"candidates": {"type": "array", "items": {
            "type": "object", "required": ["id", "name", "type", "match", "score"],
            "properties": {
                "id": {"type": "string"}, "name": {"type": "string"},
                "description": {"type": "string"}, "match": {"type": "boolean"},
                "score": {"type": "number", "minimum": 0, "maximum": 100},
                "type": {"type": "array", "items": NAMED},
                "features": {"type": "array", "items": {
                    "type": "object", "required": ["id", "name", "value"]}},
            },
        }}},
    }}},
}  # fmt: skip
SUGGESTED = {
    "type": "object", "required": ["result"],
    "properties": {"result": {"type": "array", "items": NAMED}},
}  # fmt: skip


class Client:
    def __init__(self, serving: Serving) -> None:
        self.serving = serving

    def get(self, path: str, **query: object) -> tuple[int, Any]:
        found = f"/reconcile{path}?{urlencode(query)}" if query else f"/reconcile{path}"
        return self.serving.exchange("GET", found, b"")

    def post(self, path: str, body: object) -> tuple[int, Any]:
        return self.serving.post(f"/reconcile{path}", json.dumps(body).encode())

    def match(self, *conditions: dict[str, object], **more: object) -> list[dict[str, Any]]:
        status, found = self.post("/match", {"queries": [{"conditions": conditions, **more}]})
        assert status == 200, found
        jsonschema.validate(found, RESULTS)
        (result,) = found["results"]
        for one in result["candidates"]:
            assert sum(each["value"] for each in one["features"]) == one["score"]
        candidates: list[dict[str, Any]] = result["candidates"]
        return candidates

    def page(self, **query: object) -> tuple[int, str, str]:
        connection = http.client.HTTPConnection(self.serving.host, timeout=120)
        path = f"/reconcile/preview?{urlencode(query)}"
        connection.request("GET", path, headers=self.serving.headers)
        response = connection.getresponse()
        policy = response.getheader("content-security-policy") or ""
        text = response.read().decode()
        connection.close()
        return response.status, policy, text


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    serving = Serving.begin(tmp_path_factory.mktemp("state"))
    yield Client(serving)
    assert serving.end() == 0


def name(value: object, **more: object) -> dict[str, object]:
    return {"matchType": "name", "propertyValue": value, **more}


def about(key: str, value: object, **more: object) -> dict[str, object]:
    return {"matchType": "property", "propertyId": key, "propertyValue": value, **more}


def names(found: list[dict[str, Any]]) -> list[str]:
    return [one["name"] for one in found]


@clause("repl d18")
def test_the_manifest_says_what_the_service_does(client: Client) -> None:
    status, found = client.get("")
    assert status == 200
    assert client.get("/") == (status, found)
    jsonschema.validate(found, MANIFEST)
    assert {"id": "cbu", "name": "Cbu"} in found["defaultTypes"]
    where = urlsplit(found["view"]["url"].replace("{id}", ALLIANZ_FUNDS))
    assert f"{where.scheme}://{where.netloc}" == client.serving.address
    status, _, text = client.page(**dict([where.query.split("=")]))
    assert status == 200 and "ALLIANZ FUNDS" in text


@clause("repl d18")
def test_a_name_finds_candidates_with_scores_and_a_cautious_match(client: Client) -> None:
    found = client.match(name("allianz"), type="cbu", limit=5)
    assert names(found) == ["ALLIANZ FUNDS", "Allianz Thematica"]
    assert [one["match"] for one in found] == [False, False]
    assert found[0]["type"] == [{"id": "cbu", "name": "Cbu"}]
    exact = client.match(name("aviva lux 9"))
    assert (exact[0]["name"], exact[0]["match"], exact[0]["score"]) == ("Aviva Lux 9", True, 100)
    smiths = client.match(name("John Smith"), type="person")
    assert [one["match"] for one in smiths] == [False] * len(smiths) and len(smiths) >= 3
    assert client.match(name("allianz"), limit=1)[0]["id"] == ALLIANZ_FUNDS
    assert client.match(name("zzzzzz")) == []


@clause("repl d18")
def test_conditions_are_put_together(client: Client) -> None:
    def cbus(*conditions: dict[str, object]) -> list[str]:
        return names(client.match(*conditions, type="cbu"))

    both = ["ALLIANZ FUNDS", "Allianz Thematica"]
    assert cbus(name(["thematica", "allianz funds"])) == both
    assert cbus(name(["allianz", "thematica"], matchQuantifier="all")) == both[1:]
    assert cbus(name("allianz"), name("thematica", matchQuantifier="none")) == both[:1]
    assert cbus(name("allianz"), about("jurisdiction", "LU", required=True)) == both
    assert cbus(name("allianz"), about("jurisdiction", ["IE", "LU"], required=True)) == both
    assert cbus(name("allianz"), about("jurisdiction", "IE", required=True)) == []
    assert cbus(name("allianz"), about("jurisdiction", "LU", matchQuantifier="none")) == []
    assert cbus(name("allianz"), about("colour", "red", required=True)) == []
    value = {"id": "IE", "name": "Ireland"}
    irish = cbus(about("jurisdiction", value, required=True))
    assert len(irish) == 10 and "ALLIANZ FUNDS" not in irish
    # What is not required only changes the order.
    smiths = client.match(name("john smith"), about("date_of_birth", "1980"), type="person")
    assert smiths[0]["description"] == "Nationality: US, Date of birth: 1980-01-20"
    assert len(smiths) >= 3 and smiths[0]["score"] == 100
    # The older spelling of the same draft.
    old = {"matchType": "property", "pid": "jurisdiction", "v": "LU", "required": True}
    assert cbus({"matchType": "name", "v": "thematica"}, old) == both[1:]


@clause("repl d18")
def test_an_id_is_found_as_a_name_and_as_an_id(client: Client) -> None:
    assert client.match(name(THEMATICA))[0]["id"] == THEMATICA
    by_id = client.match({"matchType": "id", "propertyValue": THEMATICA})
    assert [(one["id"], one["score"], one["match"]) for one in by_id] == [(THEMATICA, 100, True)]
    assert client.match({"matchType": "id", "propertyValue": "no-such"}) == []
    assert client.match({"matchType": "id", "propertyValue": THEMATICA}, type="person") == []


@clause("repl d18")
def test_a_batch_answers_each_query_by_itself_in_order(client: Client) -> None:
    queries = [{"conditions": [name(text)], "type": "cbu"} for text in ("thematica", "zz", "apex")]
    status, found = client.post("/match", {"queries": queries})
    jsonschema.validate(found, RESULTS)
    assert status == 200
    assert [len(one["candidates"]) > 0 for one in found["results"]] == [True, False, True]
    assert client.post("/match", {"queries": []})[1]["results"] == []
    status, found = client.post("/match", {"queries": queries * 20})
    assert (status, found["error"], found["ok"]) == (413, "limit_reached", False)


@clause("repl d18")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ([], 422),
        ({"queries": {}}, 422),
        ({"queries": [{}]}, 422),
        ({"queries": [{"conditions": []}]}, 422),
        ({"queries": [{"conditions": [{"propertyValue": "x"}]}]}, 422),
        ({"queries": [{"conditions": [{"matchType": "name"}]}]}, 422),
        ({"queries": [{"conditions": [{"matchType": "property", "propertyValue": "x"}]}]}, 422),
        ({"queries": [{"conditions": [name("x")], "type": ["cbu", "person"]}]}, 422),
        ({"queries": [{"conditions": [name("x")], "limit": 0}]}, 422),
        ({"queries": [{"conditions": [name("x")], "type": "colour"}]}, 404),
        ({"queries": [{"query": "x"}]}, 422),
    ],
)
def test_what_is_no_query_is_refused_as_everywhere(
    client: Client, body: object, status: int
) -> None:
    found, answer = client.post("/match", body)
    assert (found, answer["ok"]) == (status, False) and answer["error"] and answer["message"]


@clause("repl d18")
def test_entities_types_and_properties_are_suggested(client: Client) -> None:
    def suggested(kind: str, **query: object) -> list[dict[str, Any]]:
        status, found = client.get(f"/suggest/{kind}", **query)
        assert status == 200
        jsonschema.validate(found, SUGGESTED)
        result: list[dict[str, Any]] = found["result"]
        return result

    assert names(suggested("entity", prefix="allia"))[:2] == ["ALLIANZ FUNDS", "Allianz Thematica"]
    assert suggested("entity", prefix=THEMATICA)[0]["id"] == THEMATICA
    first, second = suggested("entity", prefix=""), suggested("entity", prefix="", cursor=10)
    assert len(first) == len(second) == 10
    assert not {one["id"] for one in first} & {one["id"] for one in second}
    assert suggested("entity", prefix="allianz")[0]["notable"] == [{"id": "cbu", "name": "Cbu"}]
    assert [one["id"] for one in suggested("type", prefix="per")] == ["person"]
    assert len(suggested("type", prefix="")) == 10
    properties = {one["id"] for one in suggested("property", prefix="")}
    assert {"name", "jurisdiction", "date_of_birth", "manco_name"} <= properties
    assert [one["id"] for one in suggested("property", prefix="birth")] == ["date_of_birth"]


@clause("repl d18")
def test_values_of_properties_are_fetched(client: Client) -> None:
    body = {"ids": [ALLIANZ_FUNDS, "nobody"], "properties": [{"id": "jurisdiction"}, {"id": "x"}]}
    status, found = client.post("/extend", body)
    assert status == 200 and [one["id"] for one in found["meta"]] == ["jurisdiction", "x"]
    assert found["rows"][0] == {
        "id": ALLIANZ_FUNDS,
        "properties": [
            {"id": "jurisdiction", "values": [{"str": "LU"}]}, {"id": "x", "values": []},
        ],
    }  # fmt: skip
    assert found["rows"][1]["properties"][0]["values"] == []
    status, found = client.get("/extend/propose", type="person", limit=2)
    assert status == 200 and [one["id"] for one in found["properties"]] == ["name", "first_name"]


@clause("repl d18", "doors 18")
def test_a_preview_is_a_page_on_which_nothing_can_run(client: Client) -> None:
    evil = '<script>alert(1)</script>"&'
    session = client.serving
    _, made = session.post("/api/session", b"{}")
    source = f'(cbu.ensure :name {json.dumps(evil)} :jurisdiction "LU")'
    path = f"/api/session/{made['session_id']}"
    session.exchange("PUT", f"{path}/dsl", json.dumps({"source": source}).encode())
    session.post(f"{path}/execute", b"{}")
    (found,) = [one for one in client.match(name(evil), type="cbu") if one["name"] == evil]
    status, policy, text = client.page(id=found["id"])
    assert status == 200 and "default-src 'none'" in policy and "sandbox" in policy
    assert "<script" not in text and "&lt;script&gt;" in text
    status, _, said = client.page(id="nobody")
    assert status == 404 and "no entity has the id 'nobody'" in said
    assert client.page(id="LU", type="jurisdiction")[0] == 200


@clause("repl d18", "doors 11")
@pytest.mark.parametrize(
    "path",
    ["", "/match", "/suggest/entity", "/suggest/type", "/suggest/property", "/preview", "/extend"],
)
def test_every_route_wants_the_token(client: Client, path: str) -> None:
    verb = "POST" if path in ("/match", "/extend") else "GET"
    headers = {"Content-Type": "application/json"}
    status, answer = client.serving.exchange(verb, f"/reconcile{quote(path)}", b"{}", headers)
    assert (status, answer["ok"], answer["error"]) == (401, False, "unauthorized")


@clause("repl d18")
def test_a_pack_without_entities_is_a_service_without_any(tmp_path: Path) -> None:
    serving = Serving.begin(tmp_path, "--pack", "components")
    try:
        client = Client(serving)
        assert client.get("")[1]["defaultTypes"] == []
        assert client.match(name("x")) == []
        for kind in ("entity", "type", "property"):
            assert client.get(f"/suggest/{kind}", prefix="x")[1]["result"] == []
        assert client.page(id="x")[0] == 404
        assert client.post("/extend", {"ids": ["x"], "properties": []})[0] == 200
    finally:
        serving.end()


@clause("doors 8")
@pytest.mark.parametrize("door", [LibraryDoor, SyncDoor], ids=["async", "sync"])
def test_the_library_reconciles_as_the_routes_do(tmp_path: Path, door: type[LibraryDoor]) -> None:
    with door(tmp_path) as library:
        conditions = [{"matchType": "name", "propertyValue": "allianz funds"}]
        found = library.ask("reconcile.match", queries=[{"type": "cbu", "conditions": conditions}])
        assert found["results"][0]["candidates"][0]["id"] == ALLIANZ_FUNDS
        extended = library.ask(
            "reconcile.extend", ids=[ALLIANZ_FUNDS], properties=[{"id": "jurisdiction"}]
        )
        assert extended["rows"][0]["properties"][0]["values"] == [{"str": "LU"}]
        assert library.ask("reconcile.types", prefix="cb")["result"][0]["id"] == "cbu"
        assert library.ask("reconcile.entities", type="ghost")["error"] == "not_found"
