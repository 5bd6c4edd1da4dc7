"""What a statement does outside the database: a command in a terminal, a component, a function.

A command is what the program says it is, and no value is ever put into another command's text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from msgspec import UNSET

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.dsl.verbs import Behavior, Verb
from antiphon.service.carrying import Done, StatementFailed, from_handler, keywords
from antiphon.service.components import Components
from antiphon.service.history import History
from antiphon.service.terminals import Terminals
from antiphon.service.waiting import Waiting
from antiphon.wire import components as component
from antiphon.wire import terminal as wire

Tell = Callable[[dict[str, object]], None]

OUTPUT_BYTES_MAX = 64 << 10  # of a command, in the results; the block has all of it


class Outside:
    def __init__(
        self,
        terminals: Terminals,
        waiting: Waiting,
        history: History,
        components: Components,
    ) -> None:
        self._terminals = terminals
        self._waiting = waiting
        self._history = history
        self._components = components

    async def carried(
        self,
        verb: Verb,
        values: Mapping[str, object],
        session_id: str,
        stop: asyncio.Event,
        tell: Tell,
    ) -> Done:
        """The call with these values; `tell` is told what somebody else should look at."""
        defaults = {one.name: one.default for one in verb.parameters if one.default is not None}
        said = {**defaults, **{name: one for name, one in values.items() if one is not None}}
        try:
            match verb.behavior:
                case Behavior.TERMINAL:
                    return await self._command(said, session_id, stop)
                case Behavior.COMPONENT:
                    return await self._component(said, stop, tell)
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
        try:
            await self._prompted(conversation, begun, stop)
        except Refused as refused:
            # A command may end the shell itself: then its exit code is the shell's.
            if refused.code is not Code.SHELL_LOST:
                raise
        block = await self._block(conversation, begun.block_id)
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
        if block.exit_code is None:
            raise StatementFailed("shell_lost", "the shell ended, and how is not known", value)
        is_well = block.exit_code == 0
        if not is_well and said.get("check", True) is not False:
            how = f"the command ended with {block.exit_code}"
            raise StatementFailed("command_failed", how, value, block.exit_code)
        return Done(value, None, block.exit_code)

    async def _prompted(
        self, conversation: str, begun: wire.ExecBlockAnswer, stop: asyncio.Event
    ) -> None:
        """The command has ended; a stop is passed on to it as Ctrl-C, once."""
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

    async def _block(self, conversation: str, block_id: str) -> wire.Block:
        asked = wire.BlocksGet(conversation_id=conversation, block_id=block_id)
        return (await self._history.get(asked)).block

    async def _prompt(self, conversation: str, cursor: int) -> None:
        ending = wire.WaitPrompt(
            conversation_id=conversation, from_cursor=cursor, timeout_ms=limits.TIMEOUT_MS_MAX
        )
        while not isinstance(await self._waiting.wait_prompt(ending), wire.Matched):
            pass  # a day is the longest wait there is

    # --- components -----------------------------------------------------------------

    async def _component(self, said: Mapping[str, object], stop: asyncio.Event, tell: Tell) -> Done:
        """Found, made, or failed; what the tool asks meanwhile, whoever looks at it answers."""
        started = await self._components.start(
            component.Start(component_name=str(said.get("name", "")))
        )
        resolving = asyncio.ensure_future(self._component_ended(started.task_id, tell))
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({resolving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not resolving.done():
                await self._components.close(component.Close(task_id=started.task_id))
                raise StatementFailed("cancelled", "the search was cancelled")
            task = resolving.result()
        finally:
            resolving.cancel()
            stopping.cancel()
        value = {
            name: found
            for name in ("task_id", "location", "source", "exit_code", "reason")
            if (found := getattr(task, name)) is not UNSET
        }
        if task.state != "finished":
            reason = task.error or task.reason or f"the search ended as {task.state}"
            raise StatementFailed("component_failed", str(reason), value)
        return Done(value)

    async def _component_ended(self, task_id: str, tell: Tell) -> component.Task:
        while (task := await self._components.rested(task_id)).state == "selection_required":
            tell({"task_id": task_id, "status": "selection_required"})
            await self._components.answered(task_id)
        return task
