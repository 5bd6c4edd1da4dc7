"""Nobody is left of a conversation that was closed, whatever its commands started."""

from __future__ import annotations

import asyncio

import pytest

from tests.clauses import clause
from tests.real.stage import Stage, until


@clause("terminal pty.close")
@pytest.mark.parametrize(
    "command",
    [
        "nohup sleep 600 >/dev/null 2>&1 & sleep 600",
        "(trap '' HUP INT TERM; sleep 600; sleep 600) & sleep 600",
        "(trap '' HUP TERM; setsid sleep 600 & sleep 600) & sleep 600",
        "sleep 600 & kill -STOP $!; sleep 600",
        "(trap '' HUP INT TERM; while :; do sleep 600 & sleep 0.003; done) & sleep 600",
    ],
)
async def test_those_who_do_not_hear_the_hangup_end_with_the_conversation(
    stage: Stage, command: str
) -> None:
    begun = await stage.block(f"echo started; {command}")
    await stage.wait("started", begun["resume_cursor"])
    await until(lambda: len(stage.survivors()) >= 3, "the shell and two children live")
    await stage.ok("pty.close")
    await stage.nobody_is_left()
    assert stage.spool().startswith(b"__FWS_PROMPT__") and stage.blocks(), "the files stay"


@pytest.mark.parametrize("turns", range(0, 12, 3))
async def test_a_shell_that_is_on_its_way_when_its_conversation_is_closed_does_not_stay(
    stage: Stage, turns: int
) -> None:
    await stage.run("exit 3")  # another one follows
    for _ in range(turns):
        await asyncio.sleep(0)
    await stage.ok("pty.close")
    assert stage.desk.rooms.loaded["c"].lifecycle._starting is None
    await stage.nobody_is_left()
    assert (await stage.run("echo again"))["data"] == "again\n"
