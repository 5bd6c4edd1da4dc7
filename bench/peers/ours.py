"""Antiphon's library, the service in the process of its caller."""

from __future__ import annotations

import base64
import os
import shlex
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import antiphon
from antiphon.adapters.blocking import LoopThread
from antiphon.base.errors import Code
from antiphon.library import Refused, Terminals
from bench.peers.peer import (
    MARK_S_MAX,
    WARM_COUNT,
    Handle,
    Marks,
    Peer,
    Ran,
    Unmeasured,
    own,
)

SCREEN_BYTES = 1 << 20
GRACE_MS = 1000


@dataclass(slots=True)
class Conversation:
    name: str
    cursor: int
    block_id: str = ""


class Antiphon(Peer):
    forged = "echo '__FWS_PROMPT__ ts=1 cwd_b64=Lw== exit=0'; sleep 1.6; echo AFTER; (exit 5)"
    enter = "\r"
    has_sessions = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.loop = LoopThread()
        self.stack = AsyncExitStack()
        self.count = 0
        self._terminals: Terminals | None = None

    @property
    def terminals(self) -> Terminals:
        assert self._terminals is not None
        return self._terminals

    def start(self) -> None:
        self.loop.__enter__()
        entered = self.stack.enter_async_context(antiphon.open(self.folder / "state"))
        self._terminals = self.loop.result(entered)

    def stop(self) -> None:
        for number in range(1, self.count + 1):
            self.loop.result(self.terminals.pty.close(f"c{number}"))
        self.loop.result(self.stack.aclose())
        self.loop.__exit__(None, None, None)

    def pids(self) -> list[int]:
        return [os.getpid(), *own(b"holder.py")]

    def open(self) -> Handle:
        self.count += 1
        name = f"c{self.count}"
        opened = self.loop.result(self.terminals.pty.open(name))
        return Conversation(name, opened.resume_cursor)

    def run(self, shell: Handle, command: str, limit_s: float = 30) -> Ran:
        return self.loop.result(self._run(shell, command, limit_s))

    async def _run(self, shell: Conversation, command: str, limit_s: float) -> Ran:
        timeout_ms = int(limit_s * 1000)
        try:
            ran = await self.terminals.pty.run(
                shell.name, command, timeout_ms=timeout_ms, max_bytes=SCREEN_BYTES
            )
        except Refused as refused:
            if refused.code is not Code.TIMEOUT:
                return Ran("", None, is_done=False, note=str(refused))
            shell.block_id = str(refused.answer["block_id"])
            return Ran(str(refused.answer["data"]), None, is_done=False, note="timeout")
        shell.cursor, shell.block_id = ran.resume_cursor, ran.block.block_id
        return Ran(ran.data, ran.block.exit_code)

    def begin(self, shell: Handle, command: str) -> None:
        begun = self.loop.result(self.terminals.pty.exec_interactive(shell.name, command))
        shell.cursor, shell.block_id = begun.resume_cursor, begun.block_id

    def send(self, shell: Handle, text: str) -> None:
        self.loop.result(self.terminals.pty.send(shell.name, data=text))

    def interrupt(self, shell: Handle) -> None:
        ended = self.terminals.pty.end_session(shell.name, force=True, grace_ms=GRACE_MS)
        self.loop.result(ended)

    def prompt(self, shell: Handle) -> None:
        self.loop.result(self.terminals.pty.wait_prompt(shell.name, from_cursor=shell.cursor))

    back = prompt

    def wait_for(self, shell: Handle, expression: str, limit_s: float) -> bool:
        waited = self.terminals.pty.wait_for(
            shell.name,
            expression,
            match_type="regex",
            from_cursor=shell.cursor,
            timeout_ms=int(limit_s * 1000),
        )
        try:
            shell.cursor = self.loop.result(waited).resume_cursor
        except Refused:
            return False
        return True

    def screen(self, shell: Handle) -> str:
        return "\n".join(self.loop.result(self.terminals.pty.screen(shell.name)).rows)

    def everything(self, shell: Handle) -> str:
        read = self.terminals.pty.read_spool(shell.name, max_bytes=SCREEN_BYTES)
        return self.loop.result(read).data

    later = everything

    def raw_output(self, shell: Handle) -> bytes:
        read = self.terminals.blocks.read(shell.name, shell.block_id, encoding="base64")
        return base64.b64decode(self.loop.result(read).data)

    # --- measured, within the loop of the library ----------------------------------------

    def round_trips(self, shell: Handle, count: int) -> tuple[list[float], int]:
        return self.loop.result(self._round_trips(shell.name, count))

    async def _round_trips(self, name: str, count: int) -> tuple[list[float], int]:
        run = self.terminals.pty.run
        for _ in range(WARM_COUNT):
            await run(name, "true")
        times, wrong = [], 0
        for _ in range(count):
            started = time.perf_counter()
            ran = await run(name, "true")
            times.append(time.perf_counter() - started)
            wrong += ran.block.exit_code != 0
        return times, wrong

    def wakes(self, shell: Handle, count: int, gap_s: float) -> list[float]:
        return self.loop.result(self._wakes(shell, count, gap_s))

    async def _wakes(self, shell: Conversation, count: int, gap_s: float) -> list[float]:
        pty, marks = self.terminals.pty, Marks.planned(self.folder, count, gap_s)
        begun = await pty.exec_interactive(shell.name, marks.command)
        cursor, seen = begun.resume_cursor, {}
        for number in range(count):
            try:
                found = await pty.wait_for(
                    shell.name,
                    marks.text(number),
                    from_cursor=cursor,
                    timeout_ms=int(MARK_S_MAX * 1000),
                )
            except Refused as refused:
                raise Unmeasured(str(refused)) from refused
            seen[number] = time.monotonic_ns()
            cursor = found.resume_cursor
        await pty.wait_prompt(shell.name, from_cursor=cursor)
        return marks.times(seen)

    def ingest(self, shell: Handle, path: Path, limit_s: float) -> float | None:
        started = time.perf_counter()
        ran = self.loop.result(
            self.terminals.pty.run(
                shell.name,
                f"cat {shlex.quote(str(path))}",
                timeout_ms=int(limit_s * 1000),
                max_bytes=4096,
            )
        )
        took = time.perf_counter() - started
        shell.cursor = ran.resume_cursor
        return took

    def finds(self, shell: Handle, line: str) -> bool:
        found = self.loop.result(self.terminals.blocks.search(shell.name, line, limit=1))
        return any(hit.text == line for hit in found.hits)
