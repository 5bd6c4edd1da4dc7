"""States at the doors: whose they are, how long, and that no restart loses them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from antiphon.adapters import schemas
from antiphon.wire.methods import METHODS
from tests.choice.driving import ENV, REGION, summary
from tests.clauses import clause
from tests.doors.doorways import Answer, Door, HttpDoor, McpHttpDoor, McpStdioDoor, Serving
from tests.doors.scenario import FLOW

pytestmark = pytest.mark.slow

FLOW_ENV = ENV.replace("Which environment?", "Which one?")
FLOW_REGION = REGION.replace("Which regions?", "Which ones?")


def begin(door: Door, **fields: Any) -> str:
    answer = door.ask("flow.start", flow=FLOW, **fields)
    assert answer["output"] == FLOW_ENV and answer["done"] is False
    state: str = answer["state"]
    return state


def post(serving: Serving, token: str, verb: str, **fields: object) -> Answer:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    _, answer = serving.post(f"/api/flow/{verb}", json.dumps(fields).encode(), headers)
    return answer


@clause("interaction R28", "interaction 7.1")
def test_a_state_survives_a_restart_and_belongs_to_its_token(tmp_path: Path) -> None:
    first = Serving.begin(tmp_path, ANTIPHON_TOKEN="one")
    states = {
        token: post(first, token, "start", flow=FLOW)["state"] for token in ("one", first.token)
    }
    own = first.token
    assert len(set(states.values())) == 2
    for mine, other in [("one", own), (own, "one")]:
        refused = post(first, mine, "answer", state=states[other], input="1")
        assert refused["error"] == "state_invalid"
        assert "output" not in refused
    first.end()

    second = Serving.begin(tmp_path, ANTIPHON_TOKEN="one")
    for token, state in [("one", states["one"]), (second.token, states[own])]:
        assert post(second, token, "answer", state=state, input="2")["output"] == FLOW_REGION
    second.end()

    third = Serving.begin(tmp_path, ANTIPHON_TOKEN="two")
    refused = post(third, "two", "answer", state=states["one"], input="2")
    assert refused["error"] == "state_invalid"
    third.end()


@clause("interaction R28", "interaction 7.1")
def test_stdio_is_the_user_of_the_state_directory(tmp_path: Path) -> None:
    with McpStdioDoor(tmp_path) as door:
        state = begin(door)
    with HttpDoor(tmp_path) as other:
        assert other.ask("flow.answer", state=state, input="2")["output"] == FLOW_REGION


@clause("interaction R28")
def test_over_mcp_a_state_belongs_to_the_token_too(tmp_path: Path) -> None:
    with McpHttpDoor(tmp_path) as door:
        state = begin(door)
        assert door.ask("flow.answer", state=state, input="2")["output"] == FLOW_REGION
        mine = post(door.serving, door.serving.token, "answer", state=state, input="2")
        assert mine["output"] == FLOW_REGION


@clause("interaction R27", "interaction R28")
def test_the_same_call_has_the_same_answer_and_a_short_life_ends(tmp_path: Path) -> None:
    with HttpDoor(tmp_path) as door:
        state = begin(door)
        answers = [door.ask("flow.answer", state=state, input="2") for _ in range(5)]
        assert all(answer == answers[0] for answer in answers)
        short = begin(door, ttl_s=1)
        asked = (door.ask("flow.answer", state=short, input="hello") for _ in itertools.count())
        refused = next(answer for answer in asked if not answer["ok"])
        assert refused["error"] == "state_invalid"


@clause("interaction 7.1", "interaction R28")
def test_another_flow_beside_a_state_is_refused(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "deploy.yaml").write_text(json.dumps(FLOW))
    with HttpDoor(tmp_path) as door:
        named = door.ask("flow.start", flow="deploy")["state"]
        assert named == begin(door)
        for flow in ("deploy", FLOW):
            answer = door.ask("flow.answer", state=named, input="2", flow=flow)
            assert answer["output"] == FLOW_REGION
        other = {**FLOW, "flow": "other"}
        refused = door.ask("flow.answer", state=named, input="2", flow=other)
        assert refused["error"] == "state_invalid"


@clause("interaction 6 flow.start", "interaction 6 flow.answer", "interaction 6 flow.reopen")
@clause("interaction R55", "interaction R57", "interaction 7.3")
def test_a_dialogue_over_http_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    with HttpDoor(tmp_path) as door:
        state = begin(door)
        for _ in range(3):
            state = door.ask("flow.answer", state=state, input="0")["state"]
        answer = door.ask("flow.answer", state=state, input="0")
        state = answer["state"]
        assert answer["output"] == "STEP_ABORT" and answer["done"] is False
        assert [event["type"] for event in answer["events"]] == ["INVALID", "STEP_ABORT"]
        state = door.ask("flow.reopen", state=state)["state"]
        answer = door.ask("flow.answer", state=state, input={"choice": [2]})
        assert answer["events"] == [
            {"type": "SELECTED", "step": "env", "values": {"env": "staging"}}
        ]
        answer = door.ask("flow.answer", state=answer["state"], input="1,3")
        assert answer["output"] == summary("env: staging", "region: eu, ap")
        summed = answer["state"]
        done = door.ask("flow.answer", state=summed, input="1")
        assert (done["output"], done["done"]) == (None, True)
        assert done["values"] == {"env": "staging", "region": ["eu", "ap"]}
        cancelled = door.ask("flow.answer", state=summed, input="cancel")
        assert (cancelled["output"], cancelled["done"]) == ("FLOW_CANCEL", True)
        assert cancelled["values"] is None
        for ended in (done, cancelled):
            refused = door.ask("flow.answer", state=ended["state"], input="1")
            assert refused["error"] == "flow_terminal"
            assert "output" not in refused


@clause("interaction 5", "interaction 7.1")
def test_a_named_flow_that_is_none_is_told_whole_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "bad.yaml").write_text("flow: bad\nsteps: []\nmore: 1\n")
    with HttpDoor(tmp_path) as door:
        refused = door.ask("flow.start", flow="bad")
    assert refused["error"] == "invalid_request"
    for place in ("flows/bad.yaml:2: there are 0 steps", "flows/bad.yaml:3: 'more' is no key"):
        assert place in refused["message"]
    assert [(one["file"], one["line"]) for one in refused["problems"]] == [
        ("flows/bad.yaml", 2), ("flows/bad.yaml", 3),
    ]  # fmt: skip
    jsonschema.validate(refused, schemas.refusal_schema(METHODS["flow.start"]))


# --- what a confirmed flow runs ------------------------------------------------------

ACTING = {
    **FLOW,
    "on_confirm": {
        "run": 'echo begun >> "$HOME/runs"; printf "%s|%s\\n" "$FLOW_ENV" "$FLOW_REGION"; false',
        "conversation": "acting",
    },
}


def at_summary(door: Door, flow: object, **values: object) -> str:
    state: str = door.ask("flow.start", flow=flow, values=values)["state"]
    return state


@clause("interaction 7.8", "interaction R31", "interaction R47", "interaction R49")
def test_a_confirmed_action_runs_once_and_its_output_is_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    hostile = "a';touch owned;$(touch owned)\"x"
    flow = json.loads(json.dumps(ACTING))
    flow["steps"][0]["options"][0] = hostile
    with HttpDoor(tmp_path / "state") as door:
        state = at_summary(door, flow, env=hostile, region=["eu", "ap"])
        done = door.ask("flow.answer", state=state, input="1")
        assert done["output"] == f"{hostile}|eu,ap\n"
        assert done["done"] is True and done["values"]["env"] == hostile
        assert door.ask("flow.answer", state=state, input="1") == done
        assert (tmp_path / "runs").read_text() == "begun\n"
        assert not list(tmp_path.rglob("owned"))
        block = door.ask("blocks.since", conversation_id="acting")["items"][0]
        assert "touch" not in block["cmd"]
        assert block["exit_code"] == 1
        assert not list((tmp_path / "state" / "dialogues" / "env").iterdir())
        again = at_summary(door, flow, env=hostile, region=["eu", "ap"])
        assert again != state
        door.ask("flow.answer", state=again, input="1")
        assert (tmp_path / "runs").read_text() == "begun\n" * 2
        door.ask("pty.close", conversation_id="acting")


@clause("interaction 7.8")
def test_a_field_that_was_not_asked_has_no_variable_whatever_the_shell_holds(
    tmp_path: Path,
) -> None:
    flow = json.loads(json.dumps(ACTING))
    flow["steps"][1]["when"] = {"env": ["staging"]}
    flow["on_confirm"]["run"] = 'echo "$FLOW_ENV ${FLOW_REGION-none}"'
    with HttpDoor(tmp_path) as door:
        door.ask("pty.run", conversation_id="acting", cmd="export FLOW_REGION=eu FLOW_ENV=x")
        state = at_summary(door, flow, env="dev")
        assert door.ask("flow.answer", state=state, input="1")["output"] == "dev none\n"
        assert (
            door.ask("pty.run", conversation_id="acting", cmd="echo $FLOW_REGION")["data"] == "eu\n"
        )
        door.ask("pty.close", conversation_id="acting")


@clause("interaction R47", "interaction R31")
def test_nothing_is_said_before_the_result_and_a_busy_terminal_changes_nothing(
    tmp_path: Path,
) -> None:
    flow = {
        **FLOW,
        "on_confirm": {"run": "echo progress; read x; echo end $x", "conversation": "c"},
    }
    with HttpDoor(tmp_path) as door:
        busy = door.ask("pty.exec_block", conversation_id="c", cmd="read y")
        state = at_summary(door, flow, env="dev", region=["us"])
        refused = door.ask("flow.answer", state=state, input="1")
        assert refused["error"] == "busy" and "output" not in refused
        door.ask("pty.send", conversation_id="c", data="\r")
        door.ask("pty.wait_prompt", conversation_id="c", from_cursor=busy["resume_cursor"])
        confirming = door.start("flow.answer", state=state, input="1")
        waited = door.ask("pty.wait_for", conversation_id="c", match="progress\n")
        assert waited["ok"] and not confirming.done()
        assert door.ask("pty.status", conversation_id="c")["mode"] == "block_running"
        door.ask("pty.send", conversation_id="c", data="now\r")
        done = confirming.result(30)
        assert done["output"].startswith("progress\n")
        assert done["output"].endswith("end now\n")
        door.ask("pty.close", conversation_id="c")


@clause("interaction 7.8", "interaction R31")
def test_a_server_killed_while_the_action_runs_hears_its_end_all_the_same(tmp_path: Path) -> None:
    flow = {**FLOW, "on_confirm": {"run": "echo progress; read x; echo end", "conversation": "c"}}
    first = HttpDoor(tmp_path)
    state = at_summary(first, flow, env="dev", region=["us"])
    confirming = first.start("flow.answer", state=state, input="1")
    first.ask("pty.open", conversation_id="c")
    assert first.ask("pty.wait_for", conversation_id="c", match="progress\n")["ok"]
    first.serving.kill()
    assert confirming.exception(30) is not None
    first.close()
    with HttpDoor(tmp_path) as door:
        again = door.start("flow.answer", state=state, input="1")
        door.ask("pty.send", conversation_id="c", data="\r")
        done = again.result(30)
        assert done["output"].endswith("end\n")
        assert len(door.ask("blocks.since", conversation_id="c")["items"]) == 1
        door.ask("pty.close", conversation_id="c")


@clause("interaction 7.8", "interaction R49")
def test_a_command_that_takes_its_shell_with_it_has_a_result_all_the_same(tmp_path: Path) -> None:
    action = {"run": "echo $FLOW_ENV; kill -9 $$", "conversation": "c"}
    with HttpDoor(tmp_path) as door:
        state = at_summary(door, {**FLOW, "on_confirm": action}, env="dev", region=["us"])
        done = door.ask("flow.answer", state=state, input="1")
        assert (done["ok"], done["output"], done["done"]) == (True, "dev\n", True)
        assert door.ask("flow.answer", state=state, input="1") == done
        door.ask("pty.close", conversation_id="c")
