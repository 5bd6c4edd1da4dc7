"""What goes through the server that owns the directory is answered as by the desk itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.doors.doorways import Answer, HttpDoor, LibraryDoor, Serving, plainly, run_cli

pytestmark = pytest.mark.slow

LONG = "a" * 100_000
STRANGE: list[tuple[str, dict[str, object]]] = [
    ("session.get", {"session_id": LONG}),
    ("session.get", {"session_id": "a/b"}),
    ("session.get", {"session_id": ""}),
    ("session.get", {"session_id": 7}),
    ("session.get", {}),
    ("session.get", {"session_id": "\udcff"}),
    ("session.list", {"limit": "3"}),
    ("session.list", {"limit": LONG}),
    ("session.list", {"limit": True}),
    ("session.chat", {"session_id": "..", "message": 7}),
    ("session.talk", {"session_id": "x", "limit": None}),
    ("session.close", {"session_id": "a/b", "rev": 2**63}),
    ("entities.config", {"entity_type": "a/b"}),
    ("entities.get", {"entity_type": "cbu", "entity_id": "N/A"}),
    ("entities.get", {"entity_type": "cbu", "entity_id": "?x=1#y"}),
    ("reconcile.types", {"prefix": 1, "cursor": [1]}),
    ("pty.resize", {"conversation_id": "#", "cols": {"a": "b"}}),
    ("pty.read_spool", {"from_cursor": "0"}),
    ("pty.wait_prompt", {"conversation_id": 1.5, "from_cursor": []}),
    ("pty.wait_for", {"conversation_id": "c", "match": 7, "from_cursor": "0"}),
    ("blocks.since", {"conversation_id": "nowhere", "from_cursor": "0"}),
    ("pty.nothing", {}),
]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LibraryDoor, LibraryDoor]]:
    """One that goes through a server, and one that is the owner itself."""
    state = tmp_path_factory.mktemp("owned")
    alone = tmp_path_factory.mktemp("alone")
    with HttpDoor(state), LibraryDoor(state) as through, LibraryDoor(alone) as itself:
        yield through, itself


def asked(door: LibraryDoor, name: str, fields: dict[str, object]) -> Answer:
    return plainly(door.loop.result(door.terminals.service.answer(name, fields)))


@clause("doors 8")
@pytest.mark.parametrize(("name", "fields"), STRANGE)
def test_a_server_in_between_changes_no_answer(
    doors: tuple[LibraryDoor, LibraryDoor], name: str, fields: dict[str, object]
) -> None:
    through, alone = doors
    answer = asked(through, name, fields)
    assert answer == asked(alone, name, fields)
    assert answer["ok"] is False and answer["message"]


def test_what_is_missing_is_told_before_a_cursor(doors: tuple[LibraryDoor, LibraryDoor]) -> None:
    for door in doors:
        answer = asked(door, "pty.read_spool", {"from_cursor": "0"})
        assert answer["error"] == "invalid_request" and "conversation_id" in answer["message"]


@clause("doors 18")
@pytest.mark.parametrize("is_served", [True, False])
def test_words_that_are_no_utf_8_are_refused_without_a_traceback(
    is_served: bool, tmp_path: Path
) -> None:
    bad = os.fsdecode(b"\xff\xfe")
    serving = Serving.begin(tmp_path) if is_served else None
    for command in (
        ("exec", "c", "--", f"echo {bad}"),
        ("exec", "c", "--cwd", bad, "--", "true"),
        ("search", "c", bad),
        ("entities", "cbu", bad),
        ("entities", bad, "x"),
        ("menu", "--", bad),
        ("resolve", bad),
        ("repl", "--session", bad),
    ):
        done = run_cli(tmp_path, *command[:1], "--json", *command[1:])
        assert (done.returncode, json.loads(done.stdout)["ok"]) == (1, False), done
        assert done.stderr.startswith("antiphon: ") and "Traceback" not in done.stderr
    if serving:
        assert serving.end() == 0


def test_a_file_whose_name_is_no_utf_8_is_told_in_json_all_the_same(tmp_path: Path) -> None:
    done = run_cli(tmp_path, "ask", "--json", os.fsdecode(b"\xff.yaml"))
    assert (done.returncode, json.loads(done.stdout)["error"]) == (2, "not_found")
    folder = os.fsdecode(b"\xff")
    (tmp_path / folder).mkdir()
    done = run_cli(tmp_path, "pack", "check", "--json", str(tmp_path / folder))
    assert (done.returncode, json.loads(done.stdout)["ok"]) == (1, False)
    text = tmp_path / folder / "text"
    text.write_text("not a block")
    done = run_cli(tmp_path, "lint", "--json", str(text))
    assert (done.returncode, json.loads(done.stdout)["ok"]) == (1, False)
