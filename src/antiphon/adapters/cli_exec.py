"""`antiphon exec`: a command in a conversation, its output as it comes, its exit code ours."""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import shlex
import signal
import sys
from collections.abc import Iterator

import msgspec

from antiphon.adapters import limits
from antiphon.adapters.cli_exit import (
    REFUSED,
    Fields,
    print_json,
    refused,
    say,
    with_service,
)
from antiphon.adapters.front import outcome
from antiphon.adapters.reach import Nearest
from antiphon.base import limits as base_limits
from antiphon.base.errors import Broken
from antiphon.wire import terminal as t

PAGE_BYTES = 1 << 20


def execute(arguments: argparse.Namespace) -> int:
    words: list[str] = arguments.words
    fields: Fields = {
        "conversation_id": arguments.conversation,
        # One word is shell text as it stands; several are words, and stay words.
        "cmd": words[0] if len(words) == 1 else shlex.join(words),
    }
    if arguments.cwd is not None:
        fields["cwd"] = arguments.cwd

    async def use(service: Nearest) -> int:
        if arguments.json:
            return await _answered(service, fields, arguments.timeout_ms)
        reply = await service.answer("pty.exec_block", fields)
        if outcome(reply) != "ok":
            return refused(reply, as_json=False)
        begun = msgspec.convert(msgspec.to_builtins(reply), t.ExecBlockAnswer)
        running = Running(service, arguments.conversation, begun)
        seconds = None if arguments.timeout_ms is None else arguments.timeout_ms / 1000
        try:
            async with asyncio.timeout(seconds):
                with running.interrupts():
                    return await running.shown()
        except TimeoutError:
            shows = f"`antiphon tail -f {arguments.conversation}` shows it"
            say(f"time is up; block {begun.block_id} goes on running; {shows}")
            return REFUSED

    return with_service(arguments, use, shares_after_s=limits.SHARE_AFTER_S)


async def _answered(service: Nearest, fields: Fields, timeout_ms: int | None) -> int:
    """As one answer, with the exit code of the command all the same."""
    patience = base_limits.TIMEOUT_MS_MAX if timeout_ms is None else timeout_ms
    asked = {**fields, "timeout_ms": patience, "max_bytes": base_limits.READ_BYTES_MAX}
    reply = await service.answer("pty.run", asked)
    if outcome(reply) != "ok":
        return refused(reply, as_json=True)
    print_json(reply)
    block = msgspec.convert(msgspec.to_builtins(reply), t.RunAnswer).block
    return REFUSED if block.exit_code is None else block.exit_code


class Running:
    """A block that runs, and what of its output was shown."""

    def __init__(self, service: Nearest, conversation_id: str, begun: t.ExecBlockAnswer) -> None:
        self.service = service
        self.conversation_id = conversation_id
        self.begun = begun
        self.cursor = 0
        self.interrupt_count = 0

    async def shown(self) -> int:
        """The stream tells when to look; the block says what is its own output and what is not."""
        ended: t.Block | None = None
        is_first = True
        async for item in self.service.stream(self.conversation_id, self.begun.resume_cursor):
            if isinstance(item, bytes):
                await self._show()
            else:
                ended = self._end_in(item)
            if is_first and ended is None:
                # The stream tells of an end from here on; an earlier one the block tells.
                ended = await self._ended()
                is_first = False
            if ended is not None:
                break
        if ended is None:
            raise Broken("the stream ended before the command did")
        await self._show()
        if ended.exit_code is None:
            say(f"the block {ended.status}: its shell is gone")
            return REFUSED
        return ended.exit_code

    @contextlib.contextmanager
    def interrupts(self) -> Iterator[None]:
        """Ctrl-C goes to the command; a second one leaves it running and goes home."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def interrupt() -> None:
            self.interrupt_count += 1
            if self.interrupt_count > 1:
                task.cancel()
                return
            sending = loop.create_task(
                self.service.answer(
                    "pty.send", {"conversation_id": self.conversation_id, "keys": ["C-c"]}
                )
            )
            sending.add_done_callback(lambda _: None)

        loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    async def _ended(self) -> t.Block | None:
        reply = await self.service.answer("blocks.get", self._block())
        if outcome(reply) != "ok":
            return None
        block = msgspec.convert(msgspec.to_builtins(reply), t.BlocksGetAnswer).block
        return None if block.status == "running" else block

    def _end_in(self, event: str) -> t.Block | None:
        if not event.startswith('{"type":"agent_block_end"'):
            return None
        block = msgspec.json.decode(event, type=t.BlockEnded).block
        return block if block.block_id == self.begun.block_id else None

    async def _show(self) -> None:
        while True:
            asked: Fields = {
                **self._block(),
                "from_cursor": self.cursor,
                "max_bytes": PAGE_BYTES,
                "encoding": "base64",
            }
            reply = await self.service.answer("blocks.read", asked)
            if outcome(reply) != "ok":
                raise Broken(str(msgspec.to_builtins(reply)["message"]))
            page = msgspec.convert(msgspec.to_builtins(reply), t.ReadAnswer)
            if not page.data:
                return
            sys.stdout.buffer.write(base64.b64decode(page.data))
            sys.stdout.buffer.flush()
            self.cursor = page.resume_cursor

    def _block(self) -> Fields:
        return {"conversation_id": self.conversation_id, "block_id": self.begun.block_id}
