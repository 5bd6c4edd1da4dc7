"""A desk on its own state directory for one test: operations in few words, files at hand."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from antiphon.service.desk import Desk
from antiphon.wire import codec
from tests.real import record

Answer = dict[str, Any]
# In the environment of every shell of a stage, so that what it leaves behind is found.
MARK = "ANTIPHON_STAGE"
# A test waits for facts; one that never come end it here.
PATIENCE_S = 120.0
LOOK_S = 0.01
PATIENTLY: dict[str, object] = {"timeout_ms": int(PATIENCE_S * 1000)}


class Stage:
    """The desk, and what a test says to it; when it leaves, its files are true and nobody lives."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self._desk: Desk | None = None
        self._closed: set[str] = set()  # conversations that had more than one shell

    @property
    def desk(self) -> Desk:
        assert self._desk is not None, "the stage is not open"
        return self._desk

    async def open(self) -> None:
        os.environ[MARK] = str(self.state)
        self._desk = await Desk.open(self.state, allowed=(MARK,))

    async def leave(self) -> None:
        """The desk closes and its shells live on."""
        await self.desk.close()
        self._desk = None

    async def __aenter__(self) -> Stage:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._desk is None:
            await self.open()
        names = [one["conversation_id"] for one in (await self.ask("pty.list"))["conversations"]]
        for name in names:
            await self.ask("pty.close", conversation_id=name)
        await self.leave()
        if error is None:
            for name in names:
                self._check(name)
            await self.nobody_is_left()

    def _check(self, name: str) -> None:
        folder = self.folder(name)
        record.check(folder)
        resets = [one for one in self.events(name) if one["type"] == "agent_session_reset"]
        if (folder / "exit").exists() and not resets and name not in self._closed:
            record.check_spool_follows_from_raw(folder)

    async def nobody_is_left(self) -> None:
        """A killed process is there until it had a turn to die."""
        await until(lambda: not self.survivors(), "all that the test started is gone")

    def survivors(self) -> list[int]:
        """Processes that came from this stage's shells."""
        wanted = f"{MARK}={self.state}\0".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and int(entry.name) != os.getpid():
                    environment = (entry / "environ").read_bytes() + b"\0"
                    found += [int(entry.name)] if wanted in environment else []
            except OSError:
                continue
        return found

    # --- operations ------------------------------------------------------------

    async def ask(self, name: str, **arguments: object) -> Answer:
        """The answer, whatever it is, as it crosses a door; the conversation is `c`."""
        if name != "pty.list":
            arguments.setdefault("conversation_id", "c")
        if name == "pty.close":
            self._closed.add(str(arguments["conversation_id"]))
        answer = await self.desk.answer(name, arguments)
        decoded: Answer = json.loads(codec.encoded(answer))
        return decoded

    async def ok(self, name: str, **arguments: object) -> Answer:
        answer = await self.ask(name, **arguments)
        assert answer["ok"] is True, (name, arguments, answer)
        return answer

    async def refused(self, name: str, code: str, **arguments: object) -> Answer:
        answer = await self.ask(name, **arguments)
        assert answer["ok"] is False and answer["error"] == code, (name, arguments, answer)
        return answer

    async def run(self, cmd: str, **arguments: object) -> Answer:
        return await self.ok("pty.run", cmd=cmd, **PATIENTLY | arguments)

    async def block(self, cmd: str, **arguments: object) -> Answer:
        return await self.ok("pty.exec_block", cmd=cmd, **arguments)

    async def session(self, cmd: str, **arguments: object) -> Answer:
        return await self.ok("pty.exec_interactive", cmd=cmd, **arguments)

    async def wait(self, match: str, cursor: int = 0, **arguments: object) -> Answer:
        waits = PATIENTLY | arguments
        return await self.ok("pty.wait_for", match=match, from_cursor=cursor, **waits)

    async def prompt(self, cursor: int = 0, **arguments: object) -> Answer:
        return await self.ok("pty.wait_prompt", from_cursor=cursor, **PATIENTLY | arguments)

    async def send(self, data: str, **arguments: object) -> Answer:
        return await self.ok("pty.send", data=data, **arguments)

    async def keys(self, *keys: str, **arguments: object) -> Answer:
        return await self.ok("pty.send", keys=list(keys), **arguments)

    async def mode(self, **arguments: object) -> str:
        return str((await self.ok("pty.status", **arguments))["mode"])

    async def exit_code(self, cmd: str, **arguments: object) -> int:
        """What the block says, which the prompt must say too."""
        answer = await self.run(cmd, **arguments)
        code = answer["block"]["exit_code"]
        cursor = answer["resume_cursor"]
        line = self.spool(str(arguments.get("conversation_id", "c")))[:cursor].splitlines()[-1]
        assert line.endswith(b" exit=%d" % code), line
        assert isinstance(code, int)
        return code

    async def get(self, block_id: str, **arguments: object) -> Answer:
        block: Answer = (await self.ok("blocks.get", block_id=block_id, **arguments))["block"]
        return block

    # --- files -----------------------------------------------------------------

    def folder(self, name: str = "c") -> Path:
        return self.state / "conversations" / name / "agent_pty"

    def spool(self, name: str = "c") -> bytes:
        return (self.folder(name) / "output.spool").read_bytes()

    def output(self, block_id: str, name: str = "c") -> bytes:
        """A block's output; the file of one that printed nothing comes a moment later."""
        path = self.folder(name) / "blocks" / f"{block_id}.out"
        return path.read_bytes() if path.exists() else b""

    def events(self, name: str = "c") -> list[Answer]:
        return record.lines(self.folder(name) / "events.jsonl")

    def blocks(self, name: str = "c") -> list[Answer]:
        return record.lines(self.folder(name) / "blocks.jsonl")

    def reasons(self, name: str = "c") -> list[str]:
        """Why shells were replaced."""
        return [one["reason"] for one in self.events(name) if one["type"] == "agent_session_reset"]


async def until(is_so: Callable[[], bool], claim: str) -> None:
    """A fact that only shows outside: looked for until it is so, or the test's patience ends."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"it never came that {claim}"
        await asyncio.sleep(LOOK_S)
