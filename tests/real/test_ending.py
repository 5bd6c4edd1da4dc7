"""Ending what runs, at the moments when it is hard."""

from __future__ import annotations

from tests.real.stage import Stage


async def test_an_end_between_two_programs_reaches_the_second(stage: Stage) -> None:
    for _ in range(60):
        begun = await stage.session("echo there; sleep 1000")
        await stage.wait("there\n", begun["resume_cursor"])
        ended = await stage.ok("pty.end_session", grace_ms=2_000)
        assert (ended["mode"], ended["exit_code"]) == ("idle", 130)
