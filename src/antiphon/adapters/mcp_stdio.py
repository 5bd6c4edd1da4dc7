"""The MCP door over stdin and stdout: one JSON-RPC message a line, and nothing else on either.

The SDK's own stdio goes through a thread for each line; this one reads the pipe in the event
loop, which halves the time of a call.  It also answers what is no message, instead of silence.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from antiphon.adapters import limits, mcp
from antiphon.adapters.front import Front
from antiphon.adapters.mcp import ToolNames
from antiphon.adapters.mcp_rooms import Room
from antiphon.base import limits as base_limits

Message = SessionMessage | Exception


async def serve(
    front: Front,
    names: ToolNames,
    rooms: Sequence[Room],
    streams: tuple[int, int] | None,
) -> None:
    """Until stdin ends.  `streams` are those that `claimed` gave; without them the SDK's way."""
    server = mcp.server(front, names, rooms)
    options = server.create_initialization_options()
    if streams is None:
        async with stdio_server() as (source, sink):
            await server.run(source, sink, options)
        return
    replies = await Replies.open(streams[1])
    try:
        await server.run(await Lines.open(streams[0], replies), replies, options)
    finally:
        replies.writer.close()


def claimed() -> tuple[int, int] | None:
    """Private copies of stdin and stdout, if both are pipes; then nothing else can use them.

    What a library prints goes to stderr from here on, and a child finds an empty stdin.
    A file cannot be waited for, and a person's terminal must not become non-blocking.
    """
    kinds = [os.fstat(descriptor).st_mode for descriptor in (0, 1)]
    if not all(stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) for kind in kinds):
        return None
    private = (os.dup(0), os.dup(1))  # a duplicate is not inherited
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return private


class Replies:
    """The stream of what we say."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.pending = 0
        self.is_quiet = asyncio.Event()

    @classmethod
    async def open(cls, descriptor: int) -> Replies:
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(descriptor, "wb", buffering=0)
        )
        return cls(asyncio.StreamWriter(transport, protocol, None, loop))

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        await self.write(message.model_dump_json(by_alias=True, exclude_unset=True))
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self.pending -= 1
            if not self.pending:
                self.is_quiet.set()

    async def write(self, line: str) -> None:
        self.writer.write(line.encode() + b"\n")
        try:
            await self.writer.drain()
        except ConnectionError:
            pass  # the client went away; its stdin ends too, and that ends us

    def expect(self) -> None:
        self.pending += 1
        self.is_quiet.clear()

    async def finished(self) -> None:
        """A client may close stdin behind its last question and still read the answer."""
        if self.pending:
            try:
                async with asyncio.timeout(limits.STOP_WAIT_S):
                    await self.is_quiet.wait()
            except TimeoutError:
                pass

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class Lines:
    """The stream of what the client says."""

    def __init__(self, reader: asyncio.StreamReader, replies: Replies) -> None:
        self.reader = reader
        self.replies = replies

    @classmethod
    async def open(cls, descriptor: int, replies: Replies) -> Lines:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=base_limits.BODY_BYTES_MAX)
        await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader),
            os.fdopen(descriptor, "rb", buffering=0),
        )
        return cls(reader, replies)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        while True:
            line = await self._line()
            if not line:
                await self.replies.finished()
                raise StopAsyncIteration
            if line.isspace():
                continue
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError as error:
                await self.replies.write(_refusal(line, error))
                continue
            if isinstance(message, types.JSONRPCRequest):
                self.replies.expect()
            return SessionMessage(message)

    async def receive(self) -> Message:
        return await self.__anext__()

    async def _line(self) -> bytes:
        """A line; one that is too long comes as an empty object, which is no message."""
        try:
            return await self.reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            return error.partial
        except asyncio.LimitOverrunError:
            pass
        while True:
            try:
                await self.reader.readuntil(b"\n")
            except asyncio.IncompleteReadError:
                return b""
            except asyncio.LimitOverrunError as error:
                await self.reader.readexactly(error.consumed)
            else:
                return b"{}\n"

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


def _refusal(line: bytes, error: ValidationError) -> str:
    is_json = not any(found["type"] == "json_invalid" for found in error.errors())
    code, message = (
        (types.INVALID_REQUEST, "no JSON-RPC message")
        if is_json
        else (types.PARSE_ERROR, "the line is no JSON")
    )
    refusal = types.JSONRPCError(
        jsonrpc="2.0", id=_asked_as(line), error=types.ErrorData(code=code, message=message)
    )
    return refusal.model_dump_json(by_alias=True, exclude_unset=True)


def _asked_as(line: bytes) -> int | str | None:
    """The id of a request that is none, so that its client waits no longer for an answer.

    A text that was cut within a character has a lone surrogate, which is no JSON to us but is
    what other languages write.
    """
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = said.get("id") if isinstance(said, dict) and "method" in said else None
    is_id = isinstance(found, int) or (isinstance(found, str) and found.isascii())
    return found if is_id and not isinstance(found, bool) else None
