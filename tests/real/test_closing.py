"""Nobody is left of a conversation that was closed, whatever its commands started."""

from __future__ import annotations

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
    ],
)
async def test_those_who_do_not_hear_the_hangup_end_with_the_conversation(
    stage: Stage, command: str
) -> None:
    begun = await stage.block(f"echo started; {command}")
    await stage.wait("started", begun["resume_cursor"])
    await until(lambda: len(stage.survivors()) >= 3, "the shell and two children live")
    await stage.ok("pty.close")
    assert not stage.survivors()
    assert stage.spool().startswith(b"__FWS_PROMPT__") and stage.blocks(), "the files stay"
