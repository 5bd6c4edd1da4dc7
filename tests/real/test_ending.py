"""Ending what runs, at the moments when it is hard."""

from __future__ import annotations

import pytest

from tests.clauses import clause
from tests.real.stage import Stage


async def test_an_end_between_two_programs_reaches_the_second(stage: Stage) -> None:
    for _ in range(60):
        begun = await stage.session("echo there; sleep 1000")
        await stage.wait("there\n", begun["resume_cursor"])
        ended = await stage.ok("pty.end_session", grace_ms=2_000)
        assert (ended["mode"], ended["exit_code"]) == ("idle", 130)


@clause("terminal D7", "terminal d8")
@pytest.mark.parametrize("count", [1, 2])
async def test_a_ctrl_c_right_after_the_begin_reaches_the_program(stage: Stage, count: int) -> None:
    """A shell drops one that comes while it forks; it was one in four."""
    for cmd in ("sleep 1000", "echo x; sleep 1000", "sh -c 'exec sleep 1000'") * 10:
        begun = await stage.session(cmd)
        for _ in range(count):
            await stage.send("\x03")
        await stage.prompt(begun["resume_cursor"])
        block = await stage.get(begun["block_id"])
        assert (block["status"], block["exit_code"]) == ("cancelled", 130), cmd
        assert (await stage.run("(exit 7)"))["block"]["exit_code"] == 7


async def test_a_ctrl_c_ends_what_starts_no_program(stage: Stage) -> None:
    for cmd in ("while :; do :; done", "( while :; do :; done )", "read line"):
        begun = await stage.block(cmd)
        await stage.send("\x03")
        await stage.prompt(begun["resume_cursor"])
        assert (await stage.get(begun["block_id"]))["exit_code"] == 130, cmd
