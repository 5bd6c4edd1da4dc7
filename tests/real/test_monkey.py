"""Anything at all, in any order: the terminal stays true to itself and comes back to idle."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable

import pytest

from antiphon.drivers import processes
from tests.clauses import clause
from tests.real.stage import Answer, Stage

COMMANDS = [
    "true",
    "false",
    "echo x",
    "printf x",
    "sleep 0.01",
    "cat",
    "read x",
    "exit 3",
    "kill -9 $$",
    "exec true",
    "(exit 5)",
    "seq 1 5000",
    "head -c 100000 /dev/urandom",
    "while :; do :; done",
    "stty raw -echo; cat",
    "less /etc/passwd",
    "sleep 0.3 &",
    "(sleep 0.01; echo late) &",
    "trap '' INT; sleep 0.2; trap - INT",
    "break",
    "echo 'open",
    "cat <<E",
    "bash --norc -i",
    "set -e; false",
    "printf '\\033[?1049h\\033[6n'",
    "kill -STOP $$",
    "stty sane; PS1=x",
    "PROMPT_COMMAND=",
]
DATA = ["x", "\r", "echo typed\r", "\x03", "\x04", "\x1a", "\x1c", "echo 'open", "\x1b", "q", "\t",
        "exit\r", "cat\r", "a\rb\rc\r", "\x15", "é日\r", "\x00", ":q!\r", "x" * 3000]  # fmt: skip
KEYS = ["Enter", "Up", "C-c", "C-d", "C-z", "C-r", "Escape", "Tab", "F1", "Delete"]
CODES = {
    "busy",
    "timeout",
    "shell_lost",
    "not_interactive",
    "backpressure",
    "limit_reached",
    "invalid_request",
    "cancelled",
    "not_found",
}


class Monkey:
    def __init__(self, stage: Stage, seed: int) -> None:
        self.stage = stage
        self.dice = random.Random(seed)
        self.doings: list[Callable[[], Awaitable[Answer]]] = [
            *[self.exec] * 5,
            *[self.send] * 6,
            *[self.look] * 3,
            self.wait,
            self.expect,
            self.resize,
            self.end,
            self.run,
        ]

    def exec(self) -> Awaitable[Answer]:
        name = self.dice.choice(["pty.exec_block", "pty.exec_interactive"])
        return self.stage.ask(name, cmd=self.dice.choice(COMMANDS))

    def run(self) -> Awaitable[Answer]:
        return self.stage.ask("pty.run", cmd=self.dice.choice(COMMANDS), timeout_ms=30)

    def send(self) -> Awaitable[Answer]:
        if self.dice.random() < 0.3:
            return self.stage.ask("pty.send", keys=[self.dice.choice(KEYS)])
        return self.stage.ask("pty.send", data=self.dice.choice(DATA))

    def look(self) -> Awaitable[Answer]:
        return self.stage.ask(self.dice.choice(["pty.status", "pty.screen", "blocks.since"]))

    def wait(self) -> Awaitable[Answer]:
        name = self.dice.choice(["pty.wait_prompt", "pty.wait_for"])
        more = {"match": "x"} if name == "pty.wait_for" else {}
        return self.stage.ask(name, timeout_ms=20, **more)

    def expect(self) -> Awaitable[Answer]:
        return self.stage.ask("pty.expect_send", expect="typed", send="z\r", timeout_ms=20)

    def resize(self) -> Awaitable[Answer]:
        cols, rows = self.dice.randint(1, 200), self.dice.randint(1, 80)
        return self.stage.ask("pty.resize", cols=cols, rows=rows)

    def end(self) -> Awaitable[Answer]:
        force = self.dice.random() < 0.7
        return self.stage.ask("pty.end_session", grace_ms=20, force=force)

    async def play(self, steps: int) -> None:
        await self.stage.ok("pty.open")
        doing: set[asyncio.Task[Answer]] = set()
        for _ in range(steps):
            doing.add(asyncio.ensure_future(self.dice.choice(self.doings)()))
            if self.dice.random() < 0.02:
                link = self.stage.desk.rooms.loaded["c"].conversation.link
                if link is not None:
                    processes.send(link.shell_pid, signal.SIGKILL)
            if len(doing) >= self.dice.randint(1, 4):
                done, doing = await asyncio.wait(doing, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    check(one.result())
        for one in doing:
            check(await one)


def check(answer: Answer) -> None:
    assert answer["ok"] or answer["error"] in CODES, answer
    assert answer["ok"] or answer["error"] == "timeout" or answer["message"]


@clause("terminal 3.5", "terminal D8a", "terminal 3.8")
@pytest.mark.parametrize("seed", range(5))
async def test_whatever_is_done_the_record_is_true_and_idle_is_reached(
    stage: Stage, seed: int
) -> None:
    await Monkey(stage, seed).play(250)
    for _ in range(10):  # what was typed ahead may yet begin
        status = await stage.ok("pty.status")
        assert (status["active_block_id"] is None) is (status["mode"] == "idle")
        if status["mode"] != "idle":
            await stage.ask("pty.end_session", force=True, grace_ms=100)
        answer = await stage.ask("pty.run", cmd="stty sane; (exit 9)", timeout_ms=15_000)
        if answer["ok"] and answer["block"]["exit_code"] == 9:
            break
    assert await stage.exit_code("(exit 8)", timeout_ms=15_000) == 8
