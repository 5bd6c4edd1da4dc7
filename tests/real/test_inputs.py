"""Who typed what: each command and each input once, also after a crash; secrets nowhere."""

from __future__ import annotations

import pytest

from antiphon.service.principal import hand
from antiphon.wire.inputs import By
from tests.clauses import clause
from tests.real.stage import Answer, Stage, until


async def inputs(stage: Stage, **fields: object) -> list[Answer]:
    answer = await stage.ok("pty.read_inputs", **fields)
    items: list[Answer] = answer["items"]
    return items


async def as_hand(by: By, stage: Stage, name: str, **fields: object) -> Answer:
    before = hand.set(by)
    try:
        return await stage.ok(name, **fields)
    finally:
        hand.reset(before)


@clause("doors read_inputs")
async def test_commands_and_inputs_are_listed_with_who_gave_them(stage: Stage) -> None:
    begun = await as_hand("agent", stage, "pty.exec_interactive", cmd="read -p 'READY ' x; echo $x")
    await stage.wait("READY", begun["resume_cursor"])
    await as_hand("person", stage, "pty.send", data="b\u00f6b\r")
    await stage.prompt(begun["resume_cursor"])
    command, typed = await inputs(stage)
    assert command == {"ts": command["ts"], "by": "agent", "kind": "command", "block_id": "c.1"}
    assert typed == {
        "ts": typed["ts"],
        "by": "person",
        "kind": "input",
        "block_id": "c.1",
        "data": "b\u00f6b\r",
    }
    block = (await stage.ok("blocks.get", block_id="c.1"))["block"]
    assert block["ts_begin"] <= command["ts"] <= typed["ts"] <= block["ts_end"]


@clause("doors read_inputs")
async def test_what_is_typed_at_the_prompt_is_the_command_of_who_typed_it(stage: Stage) -> None:
    await stage.run("true")
    await as_hand("person", stage, "pty.send", data="echo typed\r")
    await until(lambda: len(stage.blocks()) == 2, "it has run")
    _, typed, command = await inputs(stage)
    assert (typed["kind"], typed["by"], typed["block_id"]) == ("input", "person", None)
    assert (command["kind"], command["by"], command["block_id"]) == ("command", "person", "c.2")


@clause("doors read_inputs", "terminal d9")
async def test_a_secret_is_its_length_alone(stage: Stage) -> None:
    begun = await stage.session("read -s -p 'Key: ' k; echo")
    await stage.wait("Key: ", begun["resume_cursor"])
    await stage.ok("pty.send", data="hunter2\r", secret=True)
    await stage.prompt(begun["resume_cursor"])
    last = (await inputs(stage))[-1]
    assert (last["data"], last["secret"], last["length"]) == (None, True, 8)
    assert b"hunter2" not in (stage.folder() / "inputs.jsonl").read_bytes()


@clause("doors read_inputs")
async def test_inputs_are_read_piece_by_piece_by_cursor(stage: Stage) -> None:
    for _ in range(5):
        await stage.run("true")
    whole = await stage.ok("pty.read_inputs")
    assert whole["resume_cursor"] == (stage.folder() / "inputs.jsonl").stat().st_size
    cursor, found = 0, []
    while cursor < whole["resume_cursor"]:
        page = await stage.ok("pty.read_inputs", from_cursor=cursor, limit=2)
        assert page["cursor"] == cursor
        found += page["items"]
        cursor = page["resume_cursor"]
    assert found == whole["items"] and len(found) == 5
    for wrong in (1, cursor + 1, -1):
        refused = await stage.ask("pty.read_inputs", from_cursor=wrong)
        assert refused["error"] == "cursor_out_of_range"
        assert refused["resume_cursor"] == cursor


@clause("doors read_inputs")
@pytest.mark.parametrize("torn", [b'{"ts":1', b"\0" * 100_000])
async def test_a_torn_line_is_cut_off_and_the_rest_goes_on(stage: Stage, torn: bytes) -> None:
    await stage.run("true")
    await stage.leave()
    file = stage.folder() / "inputs.jsonl"
    kept = file.read_bytes()
    file.write_bytes(kept + torn)
    await stage.open()
    assert file.read_bytes() == kept
    await stage.run("true")
    assert [one["block_id"] for one in await inputs(stage)] == ["c.1", "c.2"]
