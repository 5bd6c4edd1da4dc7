from __future__ import annotations

import base64
import re
import time
from pathlib import Path

from tests.clauses import clause
from tests.real.stage import Stage

GUESS = Path(__file__).parent.parent / "fixtures" / "guess"


@clause("terminal 8.1", "terminal 2.3", "terminal 3.3a", "terminal 4.2", "terminal 4.3")
async def test_cursor_semantics(stage: Stage) -> None:
    await stage.block('printf "hello\\nworld\\n"')
    hello = await stage.wait("hello")
    assert "next_cursor" not in hello and hello["resume_cursor"] == hello["match_span"]["end"]
    world = await stage.wait("world", hello["resume_cursor"])
    assert world["match_span"]["start"] == hello["match_span"]["end"] + 1
    await stage.prompt(world["resume_cursor"])
    late = await stage.ask("pty.wait_for", match="nope", timeout_ms=50)
    assert late == {
        "ok": False,
        "matched": False,
        "error": "timeout",
        "resume_cursor": len(stage.spool()),
    }


@clause("terminal 8.2", "terminal 4.1", "terminal 4.4", "terminal 4.7")
async def test_interactive_correct_guess(stage: Stage) -> None:
    begun = await stage.session(str(GUESS))
    asked = await stage.wait("Guess a number", begun["resume_cursor"])
    await stage.send("7\r")
    correct = await stage.wait("Correct!", asked["resume_cursor"])
    prompt = await stage.prompt(correct["resume_cursor"])
    assert prompt["extra"]["exit_code"] == 0
    assert await stage.mode() == "idle"
    (block,) = stage.blocks()
    assert (block["status"], block["exit_code"]) == ("completed", 0)


@clause("terminal 8.3", "terminal 4.5", "terminal D1")
async def test_interactive_error_path(stage: Stage) -> None:
    begun = await stage.session(str(GUESS))
    asked = await stage.wait("Guess a number", begun["resume_cursor"])
    await stage.send("11\r")
    error = await stage.wait("Out of range", asked["resume_cursor"])
    prompt = await stage.prompt(error["resume_cursor"])
    assert prompt["extra"]["exit_code"] == 3
    (block,) = stage.blocks()
    assert (block["status"], block["exit_code"]) == ("completed", 3)
    assert b"Out of range" in stage.output(block["block_id"])


@clause("terminal 8.4", "terminal 3.6", "terminal 5.1a", "terminal busy")
async def test_safety_gate(stage: Stage) -> None:
    begun = await stage.session(str(GUESS))
    refused = await stage.refused("pty.exec_block", "busy", cmd="echo SHOULD_FAIL")
    assert "interactive mode" in refused["message"] and refused["mode"] == "interactive"
    await stage.send("7\r")
    await stage.prompt(begun["resume_cursor"])
    assert b"SHOULD_FAIL" not in stage.spool()


@clause("terminal 8.5", "terminal 2.4", "terminal D6")
async def test_prompt_sentinel_consistency(stage: Stage, tmp_path: Path) -> None:
    began = time.time_ns() // 1_000_000
    places = [tmp_path / "a b", tmp_path / "ü'\"$(x)", tmp_path / "new\nline"]
    for place in places:
        place.mkdir()
        await stage.run("printf x; false", cwd=str(place))
    sentinels = re.findall(
        r"^__FWS_PROMPT__ ts=(\d+) cwd_b64=(\S*) exit=(\d+)$", stage.spool().decode(), re.MULTILINE
    )
    assert len(sentinels) == 4, "one for the shell, one for each command"
    assert [int(code) for _, _, code in sentinels] == [0, 1, 1, 1]
    cwds = [base64.b64decode(cwd).decode() for _, cwd, _ in sentinels]
    assert cwds[1:] == [str(place) for place in places]
    times = [int(ts) for ts, _, _ in sentinels]
    assert times == sorted(times) and began <= times[0] <= time.time_ns() // 1_000_000
