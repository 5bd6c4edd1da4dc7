"""A client of the HTTP door: the service of a server that runs already.

Calls share kept connections; a call that is cancelled closes its own, and the server sees it.
It promises to say whether a failed call may have happened: `NotSent` never did, `Lost` may have.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from antiphon.adapters import limits
from antiphon.adapters.front import Reply
from antiphon.base import ids
from antiphon.base.errors import Broken, Code, Refused
from antiphon.service.principal import hand
from antiphon.wire import codec

if TYPE_CHECKING:
    from websockets.asyncio.client import connect

UNIX = "unix:"


class NotSent(Broken):
    """The server is not there, or does not know us; nothing has happened."""


class Lost(Broken):
    """The connection ended before the answer; whether the call happened is not known."""


@dataclass(frozen=True, slots=True)
class Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def close(self) -> None:
        self.writer.close()


@dataclass(slots=True)
class Remote:
    address: str  # http://host:port, or unix:/path
    token: str
    idle: list[Connection] = field(default_factory=list)

    async def answer(self, name: str, arguments: dict[str, object]) -> Reply:
        body = codec.encoded(arguments)
        status, answer = await self._exchange("POST", f"/api/call/{quote(name, safe='')}", body)
        if status == HTTPStatus.UNAUTHORIZED:
            raise NotSent(f"{self.address} does not accept this token")
        return codec.decoded(answer)

    async def get(self, path: str) -> tuple[int, bytes]:
        return await self._exchange("GET", path, b"")

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        return await self._exchange("POST", path, body)

    def stream(self, conversation_id: str, from_cursor: int) -> AsyncIterator[bytes | str]:
        path = f"/api/pty/{ids.conversation(conversation_id)}/stream?from_cursor={from_cursor}"
        return self._frames(path)

    def live(self, conversation_id: str, from_cursor: int | None) -> AsyncIterator[bytes | str]:
        query = "" if from_cursor is None else f"?from_cursor={from_cursor}"
        return self._frames(f"/api/pty/{ids.conversation(conversation_id)}/live{query}")

    async def _frames(self, path: str) -> AsyncIterator[bytes | str]:
        """The frames of a stream; a refusal of the server is raised before the first."""
        from websockets.exceptions import ConnectionClosed, InvalidStatus

        try:
            async with self._viewing(path) as socket:
                async for frame in socket:
                    if isinstance(frame, str):
                        _raise_refusal(frame)
                    yield frame
        except InvalidStatus as error:
            refused = codec.decoded(bytes(error.response.body or b"{}"))
            raise Refused(Code(str(refused["error"])), str(refused["message"])) from None
        except ConnectionClosed as error:
            raise Lost(f"{self.address}: the stream ended: {error}") from None
        except OSError as error:
            raise NotSent(f"nobody answers at {self.address}") from error

    def _viewing(self, path: str) -> connect:
        from websockets.asyncio.client import connect, unix_connect

        headers = {"Authorization": f"Bearer {self.token}", "Antiphon-By": hand.get()}
        if self.address.startswith(UNIX):
            return unix_connect(
                self.address.removeprefix(UNIX),
                f"ws://localhost{path}",
                additional_headers=headers,
                max_size=None,
                compression=None,
            )
        return connect(
            f"ws{self.address.removeprefix('http')}{path}",
            additional_headers=headers,
            max_size=None,
            compression=None,
            proxy=None,
        )

    async def close(self) -> None:
        for connection in self.idle:
            connection.close()
        self.idle.clear()

    async def _exchange(self, verb: str, path: str, body: bytes) -> tuple[int, bytes]:
        while self.idle:
            connection = self.idle.pop()
            try:
                return await self._ask(connection, verb, path, body)
            except NotSent:
                continue  # the server closed an idle connection, as it may
        return await self._ask(await self._connect(), verb, path, body)

    async def _ask(
        self, connection: Connection, verb: str, path: str, body: bytes
    ) -> tuple[int, bytes]:
        host = "localhost" if self.address.startswith(UNIX) else urlsplit(self.address).netloc
        head = (
            f"{verb} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {self.token}\r\n"
            f"Antiphon-By: {hand.get()}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        is_kept = False
        try:
            if connection.reader.at_eof():
                raise NotSent(f"{self.address} closed the connection")
            connection.writer.write(head.encode("latin-1") + body)
            await connection.writer.drain()
            status, keeps, answer = await _response(connection.reader)
            is_kept = keeps and len(self.idle) < limits.CONNECTIONS_KEPT_MAX
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError) as error:
            raise Lost(f"{self.address}: the connection ended before the answer") from error
        finally:
            if is_kept:
                self.idle.append(connection)
            else:
                connection.close()
        return status, answer

    async def _connect(self) -> Connection:
        try:
            async with asyncio.timeout(limits.CONNECT_S_MAX):
                if self.address.startswith(UNIX):
                    pair = await asyncio.open_unix_connection(
                        self.address.removeprefix(UNIX), limit=limits.HEADER_BYTES_MAX
                    )
                else:
                    where = urlsplit(self.address)
                    pair = await asyncio.open_connection(
                        where.hostname, where.port, limit=limits.HEADER_BYTES_MAX
                    )
        except (OSError, TimeoutError) as error:
            raise NotSent(f"nobody answers at {self.address}") from error
        return Connection(*pair)


async def _response(reader: asyncio.StreamReader) -> tuple[int, bool, bytes]:
    """Status, whether the connection may be kept, body; our own server always says its length."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split(" ", 2)[1])
    length, keeps = 0, True
    for line in head[1:]:
        name, _, value = line.partition(":")
        match name.lower():
            case "content-length":
                length = int(value)
            case "connection":
                keeps = value.strip().lower() != "close"
    return status, keeps, await reader.readexactly(length)


def _raise_refusal(frame: str) -> None:
    if frame.startswith('{"type":"refused"'):
        found = codec.decoded(frame.encode())
        raise Refused(Code(str(found["error"])), str(found["message"]))
