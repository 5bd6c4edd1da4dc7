"""What kind of caller each door says it has, in the record of what was typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.doors.doorways import COMMAND, DOORS, Answer, HttpDoor, McpStdioDoor, Places, environment
from tests.doors.terminal import Person

pytestmark = pytest.mark.slow
AGENTS = ("mcp over stdio", "mcp over http")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[HttpDoor]:
    with HttpDoor(tmp_path / "state") as door:
        yield door
        door.ask("pty.close", conversation_id="c")


def hands(door: HttpDoor) -> list[str]:
    items = door.ask("pty.read_inputs", conversation_id="c")["items"]
    return [one["by"] for one in items]


@clause("doors read_inputs")
@pytest.mark.parametrize("name", DOORS)
def test_a_model_is_an_agent_and_other_callers_are_programs(places: Places, name: str) -> None:
    door = places.door(name)
    door.ask("pty.run", conversation_id="h", cmd="true")
    answer = door.ask("pty.read_inputs", conversation_id="h")
    (one,) = answer["items"]
    by = "agent" if name in AGENTS else "program"
    assert (one["by"], one["kind"], one["block_id"]) == (by, "command", "h.1")
    assert answer["resume_cursor"] > answer["cursor"] == 0


@clause("doors read_inputs")
def test_a_server_hears_from_other_doors_who_is_at_them(served: HttpDoor) -> None:
    with McpStdioDoor(served.state) as agent:
        agent.ask("pty.run", conversation_id="c", cmd="true")
    with Person(*COMMAND, "attach", "c", environment=environment(served.state)) as person:
        person.sees("c$ ")
        person.types("printf 'who? '; read n\r")
        person.sees("\r\nwho? ")
        person.types("a\r")
        person.sees("c$ ")
        person.types("\x04")
        assert person.exit_code() == 0
    assert hands(served)[0] == "agent" and set(hands(served)[1:]) == {"person"}


@clause("doors read_inputs")
def test_a_client_with_a_token_says_what_it_is_and_nothing_else(served: HttpDoor) -> None:
    def asked(by: str) -> tuple[int, Answer]:
        headers = {**served.serving.headers, "Antiphon-By": by}
        return served.serving.post("/api/pty/c/run", b'{"cmd": "true"}', headers)

    assert asked("agent")[0] == asked("person")[0] == 200
    status, refused = asked("Agent")
    assert (status, refused["error"]) == (400, "invalid_request")
    assert hands(served) == ["agent", "person"]
