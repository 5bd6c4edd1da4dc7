"""Questions as forms, for hosts that have some: by retry, and by the older request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from tests.clauses import clause
from tests.doors.doorways import COMMAND, Answer, McpDoor, Serving, environment, spoken_to
from tests.doors.scenario import FLOW

pytestmark = pytest.mark.slow


class Host:
    """Answers forms in turn, and keeps what it was shown."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.shown: list[Any] = []

    async def ask(self, context: object, params: Any) -> types.ElicitResult:
        del context
        jsonschema.Draft202012Validator.check_schema(params.requested_schema)
        self.shown.append(params)
        match self.answers.pop(0):
            case "decline":
                return types.ElicitResult(action="decline")
            case "cancel":
                return types.ElicitResult(action="cancel")
            case choice:
                content: Any = {"choice": choice}
                return types.ElicitResult(action="accept", content=content)


class StdioHost(McpDoor):
    def __init__(self, state: Path, mode: str, host: Host) -> None:
        command, *rest = COMMAND
        server = StdioServerParameters(command=command, args=[*rest, "mcp"], env=environment(state))
        super().__init__(state, lambda: Client(server, mode=mode, elicitation_callback=host.ask))


class HttpHost(McpDoor):
    def __init__(self, state: Path, mode: str, host: Host) -> None:
        self.serving = Serving.begin(state)
        address, token = f"{self.serving.address}/mcp", self.serving.token
        super().__init__(
            state,
            lambda: Client(spoken_to(address, token), mode=mode, elicitation_callback=host.ask),
        )

    def close(self) -> None:
        super().close()
        self.serving.end()


def started(door: McpDoor) -> Answer:
    return door.ask("flow.start", flow=FLOW)


DOORS = [StdioHost, HttpHost]


@clause("interaction 6 form")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("door_of", DOORS)
def test_a_flow_is_answered_in_forms_to_its_end(
    tmp_path: Path, mode: str, door_of: type[StdioHost] | type[HttpHost]
) -> None:
    host = Host("2", ["1", "3"], "1")
    with door_of(tmp_path, mode, host) as door:
        done = started(door)
    assert done["done"] is True
    assert done["values"] == {"env": "staging", "region": ["eu", "ap"]}
    assert "form" not in done
    assert [params.message for params in host.shown] == [
        "Which one?", "Which ones?", "Summary:\n- env: staging\n- region: eu, ap",
    ]  # fmt: skip
    one, many, _ = [params.requested_schema["properties"]["choice"] for params in host.shown]
    assert one["oneOf"][1] == {"const": "2", "title": "staging"}
    assert many["items"]["anyOf"][2] == {"const": "3", "title": "ap"}


@clause("interaction 6 form", "interaction R17", "interaction R23")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_form_that_is_left_cancels_and_one_that_is_declined_leaves_the_block(
    tmp_path: Path, mode: str
) -> None:
    host = Host("cancel", "2", "decline", "9", "9", "9", "9")
    with StdioHost(tmp_path, mode, host) as door:
        left = started(door)
        assert (left["output"], left["done"], left["values"]) == ("FLOW_CANCEL", True, None)
        declined = started(door)
        assert declined["output"] == "Which ones?\n\n1) eu\n2) us\n3) ap"
        aborted = door.ask("flow.answer", state=declined["state"], input="9")
    assert aborted["output"] == "STEP_ABORT"
    assert host.shown[-1].message == "Enter 1-3: Which ones?"


@clause("interaction 6 form")
def test_a_host_without_forms_gets_the_block_and_may_ask_for_its_schema(tmp_path: Path) -> None:
    command, *rest = COMMAND
    server = StdioServerParameters(command=command, args=[*rest, "mcp"], env=environment(tmp_path))
    with McpDoor(tmp_path, lambda: Client(server)) as door:
        assert set(started(door)) == {"ok", "output", "state", "done"}
        shown = door.ask("flow.start", flow=FLOW, form=True)
        assert shown["form"]["required"] == ["choice"]
        free = door.ask("flow.answer", state=shown["state"], input="hello", form=True)
        assert "form" not in free
        again = door.ask("flow.reopen", state=shown["state"], form=True)
        assert again["form"] == shown["form"]
