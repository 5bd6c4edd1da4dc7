"""The library's door: the operations as methods, their answers as values, refusals raised.

    async with antiphon.open() as terminals:
        answer = await terminals.pty.run("build", "make")

It is the service of this process, or a client of the server that owns the state directory.
The methods are written out so that a type checker knows every field; a test holds them to
METHODS.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from antiphon.adapters.block_calls import Blocks
from antiphon.adapters.callout_calls import Callout
from antiphon.adapters.calls import Refused, Verbs
from antiphon.adapters.component_calls import Component
from antiphon.adapters.dialogue_calls import Flow, Interaction
from antiphon.adapters.entity_calls import Entities
from antiphon.adapters.front import Service
from antiphon.adapters.guarding import Generate, Record, guard
from antiphon.adapters.menu_calls import Menu
from antiphon.adapters.reach import Nearest, open_desk
from antiphon.adapters.reconcile_calls import Reconcile
from antiphon.adapters.session_calls import Dsl, Repl, Session
from antiphon.base.errors import Broken
from antiphon.choice.guard import Question, SafetyRefused
from antiphon.drivers import owner
from antiphon.wire import terminal as t
from antiphon.wire.inputs import ReadInputsAnswer

__all__ = [
    "Blocks", "Broken", "Durability", "Entities", "Flow", "Generate", "Interaction", "KeyNames",
    "Pty", "Question", "Record", "Refused", "Repl", "SafetyRefused", "Session", "Terminals",
    "guard", "open",
]  # fmt: skip

KeyNames = list[str]
Durability = Literal["process", "power"]


class Pty(Verbs):
    """The operations `pty.…`, each with its fields."""

    async def open(
        self,
        conversation_id: str,
        *,
        shell: t.Shell | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        cols: int | None = None,
        rows: int | None = None,
    ) -> t.Opened:
        """Opens the conversation's shell, or finds it open."""
        return await self._called(
            t.Opened,
            "pty.open",
            conversation_id=conversation_id,
            shell=shell,
            cwd=cwd,
            env=env,
            cols=cols,
            rows=rows,
        )

    async def exec_block(
        self, conversation_id: str, cmd: str, *, cwd: str | None = None
    ) -> t.ExecBlockAnswer:
        """Runs a command as a block and answers as soon as it has begun."""
        return await self._called(
            t.ExecBlockAnswer, "pty.exec_block", conversation_id=conversation_id, cmd=cmd, cwd=cwd
        )

    async def exec_interactive(
        self, conversation_id: str, cmd: str, *, cwd: str | None = None
    ) -> t.ExecInteractiveAnswer:
        """Starts an interactive program and answers as soon as it has begun."""
        return await self._called(
            t.ExecInteractiveAnswer,
            "pty.exec_interactive",
            conversation_id=conversation_id,
            cmd=cmd,
            cwd=cwd,
        )

    async def run(
        self,
        conversation_id: str,
        cmd: str,
        *,
        cwd: str | None = None,
        timeout_ms: int = 30_000,
        max_bytes: int = 65_536,
    ) -> t.RunAnswer:
        """Runs a command, waits for its end and gives its output and exit code."""
        return await self._called(
            t.RunAnswer,
            "pty.run",
            conversation_id=conversation_id,
            cmd=cmd,
            cwd=cwd,
            timeout_ms=timeout_ms,
            max_bytes=max_bytes,
        )

    async def wait_for(
        self,
        conversation_id: str,
        match: str | None = None,
        *,
        match_type: Literal["substring", "regex", "prompt"] = "substring",
        from_cursor: int = 0,
        timeout_ms: int = 30_000,
    ) -> t.Matched:
        """Waits until text, a regular expression (RE2) or the prompt appears after a cursor."""
        return await self._called(
            t.Matched,
            "pty.wait_for",
            conversation_id=conversation_id,
            match=match,
            match_type=match_type,
            from_cursor=from_cursor,
            timeout_ms=timeout_ms,
        )

    async def wait_prompt(
        self, conversation_id: str, *, from_cursor: int = 0, timeout_ms: int = 30_000
    ) -> t.Matched:
        """Waits for the next prompt after a cursor: the command has ended, the shell is idle."""
        return await self._called(
            t.Matched,
            "pty.wait_prompt",
            conversation_id=conversation_id,
            from_cursor=from_cursor,
            timeout_ms=timeout_ms,
        )

    async def expect_send(
        self,
        conversation_id: str,
        expect: str,
        send: str,
        *,
        expect_type: Literal["substring", "regex"] = "substring",
        from_cursor: int = 0,
        timeout_ms: int = 30_000,
    ) -> t.MatchedAndSent:
        """Waits for output and at once sends input, with no other writer in between."""
        return await self._called(
            t.MatchedAndSent,
            "pty.expect_send",
            conversation_id=conversation_id,
            expect=expect,
            send=send,
            expect_type=expect_type,
            from_cursor=from_cursor,
            timeout_ms=timeout_ms,
        )

    async def send(
        self,
        conversation_id: str,
        *,
        data: str | None = None,
        keys: KeyNames | None = None,
        secret: bool = False,
    ) -> t.Sent:
        """Sends raw text, or named keys, to whatever reads the terminal."""
        return await self._called(
            t.Sent, "pty.send", conversation_id=conversation_id, data=data, keys=keys, secret=secret
        )

    async def read_spool(
        self,
        conversation_id: str,
        *,
        from_cursor: int = 0,
        max_bytes: int = 65_536,
        encoding: t.Encoding = "utf-8",
    ) -> t.ReadAnswer:
        """Reads the conversation's output from a cursor on."""
        return await self._called(
            t.ReadAnswer,
            "pty.read_spool",
            conversation_id=conversation_id,
            from_cursor=from_cursor,
            max_bytes=max_bytes,
            encoding=encoding,
        )

    async def read_inputs(
        self, conversation_id: str, *, from_cursor: int = 0, limit: int = 50
    ) -> ReadInputsAnswer:
        """Lists who typed what into the conversation from a cursor on, oldest first."""
        return await self._called(
            ReadInputsAnswer,
            "pty.read_inputs",
            conversation_id=conversation_id,
            from_cursor=from_cursor,
            limit=limit,
        )

    async def status(self, conversation_id: str) -> t.StatusAnswer:
        """Says what the conversation is doing: idle, block_running or interactive."""
        return await self._called(t.StatusAnswer, "pty.status", conversation_id=conversation_id)

    async def screen(self, conversation_id: str) -> t.ScreenAnswer:
        """Shows the screen as a person would see it, as rows of text."""
        return await self._called(t.ScreenAnswer, "pty.screen", conversation_id=conversation_id)

    async def resize(self, conversation_id: str, cols: int, rows: int) -> t.Resized:
        """Changes the size of the terminal."""
        return await self._called(
            t.Resized, "pty.resize", conversation_id=conversation_id, cols=cols, rows=rows
        )

    async def end_session(
        self,
        conversation_id: str,
        *,
        session_id: str | None = None,
        force: bool = False,
        grace_ms: int = 3_000,
    ) -> t.EndSessionAnswer:
        """Ends what runs with Ctrl-C and waits for the prompt; force kills it."""
        return await self._called(
            t.EndSessionAnswer,
            "pty.end_session",
            conversation_id=conversation_id,
            session_id=session_id,
            force=force,
            grace_ms=grace_ms,
        )

    async def reset(self, conversation_id: str) -> t.Opened:
        """Kills the shell with all it runs and starts a fresh one; history stays readable."""
        return await self._called(t.Opened, "pty.reset", conversation_id=conversation_id)

    async def close(self, conversation_id: str) -> t.Closed:
        """Ends the shell with all it runs; its files stay."""
        return await self._called(t.Closed, "pty.close", conversation_id=conversation_id)

    async def list(self) -> t.ListAnswer:
        """Lists the conversations."""
        return await self._called(t.ListAnswer, "pty.list")


@dataclass(frozen=True, slots=True)
class Terminals:
    """All conversations of one state directory."""

    service: Service
    pty: Pty
    blocks: Blocks
    flow: Flow
    interaction: Interaction
    menu: Menu
    component: Component
    entities: Entities
    session: Session
    repl: Repl
    dsl: Dsl
    callout: Callout
    reconcile: Reconcile

    def stream(self, conversation_id: str, from_cursor: int = 0) -> AsyncIterator[bytes | str]:
        """Bytes of the spool from a cursor on, and events as JSON text, until the caller leaves."""
        return self.service.stream(conversation_id, from_cursor)


@asynccontextmanager
async def open(  # noqa: A001 - it is used as antiphon.open
    state_dir: str | Path | None = None,
    *,
    durability: Durability | None = None,
) -> AsyncIterator[Terminals]:
    """The conversations of a state directory; left, their shells live on.

    With `durability="power"` what was told survives a power cut, or the server that runs already
    is refused; with None the setting decides.
    """
    chosen = Path(state_dir) if state_dir is not None else owner.default_state_dir()
    opened = functools.partial(open_desk, durability=durability)
    service = Nearest(chosen.expanduser().absolute(), None, opened, durability=durability)
    try:
        await service.found()
        yield Terminals(
            service,
            Pty(service),
            Blocks(service),
            Flow(service),
            Interaction(service),
            Menu(service),
            Component(service),
            Entities(service),
            Session(service),
            Repl(service),
            Dsl(service),
            Callout(service),
            Reconcile(service),
        )
    finally:
        await service.close()
