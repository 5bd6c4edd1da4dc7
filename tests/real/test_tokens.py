"""Tokens lie in a file for the shell until it has read them, and no longer."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from tests.real.stage import Stage, until

TOKEN = re.compile(rb"\d+;[0-9a-zA-Z]{16}\0")


async def test_a_bell_that_was_heard_is_no_sign_that_the_message_was_read(stage: Stage) -> None:
    await stage.run("true")
    conversation = stage.desk.rooms.loaded["c"].conversation
    link = conversation.link
    assert link is not None
    os.kill(link.shell_pid, signal.SIGSTOP)
    begun = await stage.block("echo x")
    link.drain_bell()  # as if the shell had taken it and were about to read
    conversation._scrub(0.02)
    assert len(TOKEN.findall(conversation.store.read_run())) == 4
    link.ring()
    os.kill(link.shell_pid, signal.SIGCONT)
    await stage.prompt(begun["resume_cursor"])
    await until(lambda: not TOKEN.search(conversation.store.read_run()), "tokens are gone")


async def test_tokens_are_gone_while_a_program_runs(stage: Stage) -> None:
    begun = await stage.session("cat")
    conversation = stage.desk.rooms.loaded["c"].conversation
    await until(lambda: not TOKEN.search(conversation.store.read_run()), "tokens are gone")
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])


async def test_blocks_without_output_share_an_empty_file_and_lose_nothing(stage: Stage) -> None:
    first = await stage.run("true")
    second = await stage.run("echo x")
    third = await stage.run("true")
    outputs = [stage.output(one["block"]["block_id"]) for one in (first, second, third)]
    assert outputs == [b"", b"x\n", b""]
    for one in (first, second, third):
        mode = Path(one["block"]["output_path"]).stat().st_mode
        assert mode & 0o777 == 0o600
