"""How the tests of the doors drive one: in this process, by hand, or over a socket."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.types import ASGIApp, Message, Scope

from antiphon.adapters import http, serving
from antiphon.adapters.front import Front
from antiphon.adapters.http_security import Keys
from antiphon.adapters.serving import Listening
from tests.doors.fake import FakeDesk

TOKEN = "the-token-of-the-tests"
PORT = 8040
HOST = f"127.0.0.1:{PORT}"
JSON = ("content-type", "application/json")
BEARER = ("authorization", f"Bearer {TOKEN}")
PATIENCE_S = 120

Headers = Iterable[tuple[str, str]]


def awaited(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """The test in an event loop of its own; one that hangs fails."""

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        async def patiently() -> None:
            async with asyncio.timeout(PATIENCE_S):
                await test(*arguments, **named)

        asyncio.run(patiently())

    return run


@dataclass
class Clock:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return msgspec.json.decode(self.body, type=dict[str, Any])


@dataclass
class Inside:
    """The application without a socket: what a request meets, exactly as it is written here."""

    desk: FakeDesk = field(default_factory=FakeDesk)
    clock: Clock = field(default_factory=Clock)
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.front = Front(self.desk)
        self.keys = Keys((TOKEN,), self.clock)
        self.address = http.Address("127.0.0.1", PORT, self.hosts)
        self.app: ASGIApp = http.application(self.front, self.keys, self.address)

    async def ask(
        self,
        method: str,
        path: str,
        headers: Headers = (BEARER, JSON),
        body: bytes = b"",
        host: str | None = HOST,
    ) -> Answer:
        given = [*headers] if host is None else [("host", host), *headers]
        scope = self._scope(path, given) | {"type": "http", "method": method, "scheme": "http"}
        return await _asked(self.app, scope, body)

    async def knock(self, path: str, headers: Headers, host: str | None = HOST) -> Answer:
        """A WebSocket's request: a refusal comes as an answer, an open one as status 101."""
        given = [*headers] if host is None else [("host", host), *headers]
        scope = self._scope(path, given) | {
            "type": "websocket",
            "scheme": "ws",
            "subprotocols": [],
            "extensions": {"websocket.http.response": {}},
        }
        return await _asked(self.app, scope, b"")

    def _scope(self, path: str, headers: list[tuple[str, str]]) -> dict[str, Any]:
        bare, _, query = path.partition("?")
        return {
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "path": bare,
            "raw_path": bare.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [
                (name.lower().encode(), value.encode("latin-1")) for name, value in headers
            ],
            "client": ("127.0.0.1", 5),
            "server": ("127.0.0.1", PORT),
            "state": {},
        }


class _Upgraded(Exception):
    pass


async def _asked(app: ASGIApp, scope: Scope, body: bytes) -> Answer:
    said: list[Message] = []
    coming = [{"type": "http.request", "body": body, "more_body": False}]
    if scope["type"] == "websocket":
        coming = [{"type": "websocket.connect"}]

    async def receive() -> Message:
        if coming:
            return coming.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        if message["type"] == "websocket.accept":
            raise _Upgraded
        said.append({**message, "type": message["type"].removeprefix("websocket.")})

    try:
        await app(scope, receive, send)
    except _Upgraded:
        return Answer(101, {}, b"")
    start = next(message for message in said if message["type"] == "http.response.start")
    whole = b"".join(message.get("body", b"") for message in said)
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], headers, whole)


@dataclass
class Outside:
    """The application behind a real socket."""

    desk: FakeDesk
    listening: Listening

    @property
    def host(self) -> str:
        return urlsplit(self.listening.address).netloc

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        where = urlsplit(self.listening.address)
        return await asyncio.open_connection(where.hostname, where.port)

    async def say(self, request: bytes) -> bytes:
        """Everything the server says to these bytes, until it is silent or closes."""
        reader, writer = await self.connect()
        writer.write(request)
        try:
            return await read_answer(reader)
        finally:
            writer.close()

    def request(self, method: str, path: str, body: bytes = b"", *headers: str) -> bytes:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}",
            f"Authorization: Bearer {TOKEN}",
            f"Content-Length: {len(body)}",
            *headers,
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def read_answer(reader: asyncio.StreamReader) -> bytes:
    """One HTTP answer, or what there is before the server closes."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            ),
            0,
        )
        return head + await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        return error.partial
    except ConnectionError:
        return b""


@asynccontextmanager
async def outside() -> AsyncIterator[Outside]:
    desk = FakeDesk()
    listening = await serving.listen(Front(desk), (TOKEN,), "127.0.0.1", 0)
    try:
        yield Outside(desk, listening)
    finally:
        await listening.stop()
