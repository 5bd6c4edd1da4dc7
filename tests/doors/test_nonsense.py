"""Nonsense by the thousand against a real desk: an answer each time, and nothing has changed."""

from __future__ import annotations

import http.client
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from antiphon.wire.methods import METHODS
from tests.clauses import clause
from tests.doors.doorways import HttpDoor

pytestmark = pytest.mark.slow

HOSTILE_IDS = [
    "..", ".", "...", ".x", "../c", "..%2fc", "a/b", "a%00b", "a\\b", "a b", "é", "日本", "-" * 129,
    "%2e%2e", "c\n", "c\r\nX: y", "c;x", "c?x=1", "c#x", "~", "$HOME", "*", "c\u202e",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, -1, 0, 2**63, 1.5, "", "x" * 10_000, "\x00", "\ufffd\u202e", "../..", "$(touch x)",
    "(", "a{1000}{1000}", "(a*)*$", [], ["Enter"], [[]], {}, {"a": {"a": {}}}, "Enter", "🙂",
]  # fmt: skip
# They would wait, or end what is there: their requests are tried by themselves.
CHANGING = {"pty.close", "pty.reset", "pty.open", "pty.list"}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpDoor]:
    with HttpDoor(tmp_path_factory.mktemp("nonsense") / "state") as door:
        door.ask("pty.run", conversation_id="c", cmd="echo x")
        yield door
        door.ask("pty.close", conversation_id="c")


def written(door: HttpDoor) -> dict[str, bytes]:
    folder = door.state / "conversations"
    wanted = ("output.spool", "events.jsonl", "blocks.jsonl", "prompts.idx")
    found = {str(path): path.read_bytes() for name in wanted for path in folder.rglob(name)}
    return {**found, "conversations": str(sorted(path.name for path in folder.iterdir())).encode()}


@clause("terminal D14a", "doors 18")
def test_a_hostile_name_makes_nothing(door: HttpDoor) -> None:
    before = written(door)
    outside = sorted(Path(door.state).parent.iterdir())
    for name in HOSTILE_IDS:
        for method in METHODS.values():
            if method.group not in {"pty", "blocks"} or method.name == "pty.list":
                continue
            path = f"/api/{method.group}/{quote(name, safe='')}/{method.verb}"
            status, answer = door.serving.post(path, b'{"cmd":"touch it"}')
            assert status in {404, 422} and answer["ok"] is False, (name, method.name, answer)
    assert written(door) == before and sorted(Path(door.state).parent.iterdir()) == outside


@clause("doors 18")
def test_thousands_of_wrong_requests_are_refused_and_change_nothing(door: HttpDoor) -> None:
    dice = random.Random(7)
    names = [name for name in METHODS if name.split(".")[0] in {"pty", "blocks"}]
    before = written(door)
    connection = http.client.HTTPConnection(door.serving.host, timeout=120)
    for _ in range(3_000):
        name = dice.choice([one for one in names if one not in CHANGING])
        fields = METHODS[name].request.__struct_fields__
        body = {field: dice.choice(VALUES) for field in dice.sample(fields, len(fields))}
        # One field that cannot be right, so that the whole never is.
        body |= {"conversation_id": "c", dice.choice(["unknown", "next_cursor", ""]): 1}
        group, verb = name.split(".")
        connection.request("POST", f"/api/{group}/c/{verb}", json.dumps(body), door.serving.headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status in {200, 422} and answer["ok"] is False, (name, body, answer)
        assert answer["error"] in {"invalid_request", "cursor_out_of_range"}
        assert "Traceback" not in answer["message"]
    connection.close()
    assert written(door) == before
    assert door.ask("pty.run", conversation_id="c", cmd="echo alive")["data"] == "alive\n"


@clause("terminal D13a")
def test_a_cruel_pattern_costs_nobody_anything(door: HttpDoor) -> None:
    door.ask("pty.run", conversation_id="c", cmd="printf 'a%.0s' {1..5000}; echo b")
    for pattern in ("(a*)*$b", "(a|a)*c", "(a+)+$c", "a{1000}{1000}", "(.*)(.*)(.*)(.*)x{0,1}$z"):
        asked: list[tuple[str, dict[str, object]]] = [
            ("pty.wait_for", {"match": pattern, "timeout_ms": 1}),
            ("blocks.search", {"query": pattern}),
        ]
        for operation, fields in asked:
            answer = door.ask(operation, conversation_id="c", match_type="regex", **fields)
            assert answer["ok"] is True or answer["error"] in {"timeout", "invalid_pattern"}
