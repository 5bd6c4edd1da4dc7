"""What a confirmed flow runs: a command in a conversation, begun at most once, heard to its end.

The values are in the command's environment and never in its text.  Who confirms the same state
again hears the same result.
"""

from __future__ import annotations

import asyncio
import hashlib
import shlex
from collections.abc import Mapping

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.choice.flow import Action, Value
from antiphon.choice.loading import variable
from antiphon.drivers.dialogue_files import DialogueFiles
from antiphon.service.history import History
from antiphon.service.terminals import Terminals
from antiphon.service.waiting import Waiting
from antiphon.wire import terminal as wire

# Every field of a flow; without a value if it was not asked.
Given = Mapping[str, Value | None]


class Begun(msgspec.Struct, frozen=True):
    """The block that a state's action became; without one, it was about to begin."""

    conversation_id: str
    block_id: str | None = None
    resume_cursor: int = 0


class Actions:
    def __init__(
        self, files: DialogueFiles, terminals: Terminals, waiting: Waiting, history: History
    ) -> None:
        self._files = files
        self._terminals = terminals
        self._waiting = waiting
        self._history = history
        self._running: dict[str, asyncio.Task[str]] = {}

    async def result(self, state: str, action: Action, values: Given) -> str:
        """The command's own output.  It goes on when the caller leaves."""
        name = hashlib.sha256(state.encode()).hexdigest()
        running = self._running.get(name)
        if running is None:
            running = asyncio.create_task(self._result(name, action, values))
            self._running[name] = running
            running.add_done_callback(lambda ended: self._end(name, ended))
        return await asyncio.shield(running)

    def _end(self, name: str, ended: asyncio.Task[str]) -> None:
        del self._running[name]
        if not ended.cancelled():
            ended.exception()  # who still listens hears it; nobody has to

    async def _result(self, name: str, action: Action, values: Given) -> str:
        kept = self._files.kept("run", name)
        begun = msgspec.json.decode(kept, type=Begun) if kept else None
        if begun is None:
            begun = await self._begin(name, action, values)
        if begun.block_id is None:
            raise Refused(
                Code.HOST_UNAVAILABLE,
                "the server ended as the command began, so whether it ran is not known; look at "
                f"conversation {begun.conversation_id}",
            )
        ending = wire.WaitPrompt(
            conversation_id=begun.conversation_id,
            from_cursor=begun.resume_cursor,
            timeout_ms=limits.TIMEOUT_MS_MAX,
        )
        await self._ended(ending)
        self._files.forget("env", name)
        read = await self._history.read(
            wire.BlocksRead(
                conversation_id=begun.conversation_id,
                block_id=begun.block_id,
                max_bytes=limits.READ_BYTES_MAX,
            )
        )
        return read.data

    async def _ended(self, ending: wire.WaitPrompt) -> None:
        try:
            while not isinstance(await self._waiting.wait_prompt(ending), wire.Matched):
                pass  # a day is the longest wait there is; the command may take two
        except Refused as refused:
            # A command that takes its shell with it has a result all the same: what it printed.
            if refused.code is not Code.SHELL_LOST:
                raise

    async def _begin(self, name: str, action: Action, values: Given) -> Begun:
        self._files.keep("env", name, "".join(_said(key, value) for key, value in values.items()))
        self._files.keep("run", name, _encoded(Begun(action.conversation)))
        path = shlex.quote(str(self._files.folder / "env" / name))
        try:
            block = await self._terminals.exec_block(
                wire.ExecBlock(
                    conversation_id=action.conversation,
                    # In a subshell, so that the variables end with the command.
                    cmd=f"(\n. {path}\n{action.run}\n)",
                )
            )
        except Refused:
            self._files.forget("run", name)  # nothing ran, so the same state may be confirmed
            self._files.forget("env", name)
            raise
        begun = Begun(action.conversation, block.block_id, block.resume_cursor)
        self._files.keep("run", name, _encoded(begun))
        return begun


def _said(key: str, value: Value | None) -> str:
    """What the shell is told of a field; an old variable of that name is no answer."""
    if value is None:
        return f"unset {variable(key)}\n"
    return f"export {variable(key)}={shlex.quote(_joined(value))}\n"


def _joined(value: Value) -> str:
    return value if isinstance(value, str) else ",".join(value)


def _encoded(begun: Begun) -> str:
    return msgspec.json.encode(begun).decode()
