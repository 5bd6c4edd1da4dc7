"""What a statement does outside the database: a command in a terminal, a component, a function.

A command is what the program says it is, and no value is ever put into another command's text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol

from msgspec import UNSET

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.dsl.verbs import Behavior, Verb
from antiphon.service.carrying import Done, StatementFailed, from_handler, keywords
from antiphon.service.history import History
from antiphon.service.terminals import Terminals
from antiphon.service.waiting import Waiting
from antiphon.wire import terminal as wire

OUTPUT_BYTES_MAX = 64 << 10  # of a command, in the results; the block has all of it


class Resolver(Protocol):
    """Who finds components by their names."""

    async def resolved(self, name: str) -> object: ...


class Outside:
    def __init__(
        self,
        terminals: Terminals,
        waiting: Waiting,
        history: History,
        components: Resolver | None = None,
    ) -> None:
        self._terminals = terminals
        self._waiting = waiting
        self._history = history
        self._components = components

    async def carried(
        self, verb: Verb, values: Mapping[str, object], session_id: str, stop: asyncio.Event
    ) -> Done:
        defaults = {one.name: one.default for one in verb.parameters if one.default is not None}
        said = {**defaults, **{name: one for name, one in values.items() if one is not None}}
        try:
            match verb.behavior:
                case Behavior.TERMINAL:
                    return await self._command(said, session_id, stop)
                case Behavior.COMPONENT:
                    return await self._component(said)
                case _:
                    given = keywords(verb, values)
                    return await asyncio.to_thread(
                        from_handler, verb, lambda handler: handler(**given)
                    )
        except Refused as refused:
            raise StatementFailed(refused.code.value, refused.message) from None

    # --- terminals ------------------------------------------------------------------

    async def _command(
        self, said: Mapping[str, object], session_id: str, stop: asyncio.Event
    ) -> Done:
        conversation = str(said.get("conversation", f"session-{session_id}"))
        cwd = said.get("cwd")
        begun = await self._terminals.exec_block(
            wire.ExecBlock(
                conversation_id=conversation,
                cmd=str(said.get("cmd", "")),
                cwd=UNSET if cwd is None else str(cwd),
            )
        )
        block = await self._ended(conversation, begun, stop)
        read = await self._history.read(
            wire.BlocksRead(
                conversation_id=conversation, block_id=begun.block_id, max_bytes=OUTPUT_BYTES_MAX
            )
        )
        value = {
            "conversation_id": conversation,
            "block_id": begun.block_id,
            "output": read.data,
            "output_bytes": block.output_bytes,
            "exit_code": block.exit_code,
        }
        is_well = block.exit_code == 0 and block.status != "cancelled"
        if not is_well and said.get("check", True) is not False:
            how = (
                f"the command ended with {block.exit_code}"
                if block.exit_code is not None
                else f"the command was {block.status}"
            )
            raise StatementFailed("command_failed", how, value, block.exit_code)
        return Done(value, None, block.exit_code)

    async def _ended(
        self, conversation: str, begun: wire.ExecBlockAnswer, stop: asyncio.Event
    ) -> wire.Block:
        """The block when it has ended; a stop is passed on to it as Ctrl-C, once."""
        waiting = asyncio.ensure_future(self._prompt(conversation, begun.resume_cursor))
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                ending = wire.EndSession(
                    conversation_id=conversation, session_id=begun.block_id, force=True
                )
                try:
                    await self._terminals.end_session(ending)
                except Refused:
                    pass  # it ended by itself meanwhile
            await waiting
        finally:
            waiting.cancel()
            stopping.cancel()
        found = await self._history.get(
            wire.BlocksGet(conversation_id=conversation, block_id=begun.block_id)
        )
        return found.block

    async def _prompt(self, conversation: str, cursor: int) -> None:
        ending = wire.WaitPrompt(
            conversation_id=conversation, from_cursor=cursor, timeout_ms=limits.TIMEOUT_MS_MAX
        )
        try:
            while not isinstance(await self._waiting.wait_prompt(ending), wire.Matched):
                pass  # a day is the longest wait there is
        except Refused as refused:
            if refused.code is not Code.SHELL_LOST:
                raise
            # `exit 3` ends the shell too: its block has ended, and has the exit code.

    # --- components -----------------------------------------------------------------

    async def _component(self, said: Mapping[str, object]) -> Done:
        if self._components is None:
            raise StatementFailed("component_failed", "no components are resolved here")
        task = await self._components.resolved(str(said.get("name", "")))
        return component_done(task)


def component_done(task: object) -> Done:
    raise StatementFailed("component_failed", f"{task!r:.200}")
