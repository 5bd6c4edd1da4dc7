"""A desk of ours without shells: it answers, remembers what it was asked, and waits on command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from antiphon.adapters.front import Reply
from antiphon.base import ids
from antiphon.base.errors import Code, Refused
from antiphon.drivers import owner
from antiphon.wire import codec
from antiphon.wire import terminal as t
from antiphon.wire.methods import METHODS

ANSWERS: dict[type, Reply] = {
    t.StatusOf: t.StatusAnswer(mode="idle", shell_id="shell-1", resume_cursor=6),
    t.WaitFor: t.WaitTimeout(resume_cursor=6),
    t.ExecBlock: t.ExecBlockAnswer(block_id="c.1", seq=1, ts=0, resume_cursor=6),
    t.Send: t.Sent(),
    t.List: t.ListAnswer(conversations=[]),
    t.Open: t.Opened(shell_id="shell-1", mode="idle", resume_cursor=6),
    t.Close: t.Closed(),
}


class FakeDesk:
    """`pty.status` answers, a wait for "never" waits for ever, the command "crash" is our bug."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.waiting = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.spool = b"hello\n"
        self.shown = asyncio.Event()
        self.ownership: owner.Ownership | None = None

    @classmethod
    async def open(cls, state_dir: Path) -> FakeDesk:
        desk = cls()
        desk.ownership = owner.take(state_dir)
        return desk

    async def answer(self, name: str, arguments: dict[str, object]) -> Reply:
        self.asked.append((name, arguments))
        try:
            request = codec.request(arguments, METHODS[name].request)
            if isinstance(request, t.ForConversation):
                ids.conversation(request.conversation_id)
            return await self.answered(request)
        except Refused as refused:
            return codec.refusal(refused)

    async def answered(self, request: object) -> Reply:
        match request:
            case t.WaitFor(match="never"):
                self.waiting.set()
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    self.cancelled.set()
                    raise
            case t.ExecBlock(cmd="crash") | t.Send(data="crash"):
                raise AssertionError("a secret of the server")
            case t.ExecBlock(cmd="busy"):
                raise Refused(Code.BUSY, "a block runs", mode="block_running")
            case t.Resize(cols=cols, rows=rows):
                return t.Resized(cols=cols, rows=rows)
        if type(request) not in ANSWERS:
            raise Refused(Code.NOT_FOUND, "the fake does not do this")
        return ANSWERS[type(request)]

    async def stream(self, conversation_id: str, from_cursor: int) -> AsyncIterator[bytes | str]:
        if from_cursor > len(self.spool):
            raise Refused(Code.CURSOR_OUT_OF_RANGE, "beyond the end", resume_cursor=6)
        yield self.spool[from_cursor:]
        yield '{"type":"mode","mode":"idle"}'
        self.shown.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()

    def live(self, conversation_id: str, from_cursor: int | None) -> AsyncIterator[bytes | str]:
        return self.stream(conversation_id, from_cursor or 0)

    def gauges(self) -> dict[str, float]:
        return {"conversations_loaded": 1.0, "waits": 0.0}

    async def close(self) -> None:
        if self.ownership is not None:
            self.ownership.release()
            self.ownership = None
