"""Listening: the HTTP door on a port or a socket file, until it is told to stop.

It promises that what waits when the stop comes is told so, and what works is cut after a second,
so that the whole stop takes less than three.  It does not know who owns the state directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from antiphon.adapters import http, limits
from antiphon.adapters.front import Front
from antiphon.adapters.http_security import Keys
from antiphon.adapters.mcp_rooms import Room
from antiphon.adapters.remote import UNIX
from antiphon.base.errors import Broken, Code, Refused
from antiphon.wire import codec


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()
        self._is_leaving = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    def leave(self) -> None:
        self.should_exit = True
        self._is_leaving.set()

    async def main_loop(self) -> None:
        """Uvicorn's own looks ten times a second; a server that nobody asks has nothing to do."""
        await self._is_leaving.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Signals are the command's: uvicorn would raise them again and end without our ending.
        yield


class _Protocol(HttpToolsProtocol):
    """What is no HTTP at all reaches no route; it is refused in JSON all the same."""

    def on_headers_complete(self) -> None:
        # Uvicorn's own loop would keep the date.
        date = formatdate(usegmt=True).encode()
        self.server_state.default_headers = [(b"date", date)]
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words
        message = "this is no HTTP request, or the head of one that is too long"
        body = codec.encoded(codec.refusal(Refused(Code.INVALID_REQUEST, message)))
        head = (
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


@dataclass(frozen=True, slots=True)
class Listening:
    server: _Server
    task: asyncio.Task[None]
    address: str
    keys: Keys
    front: Front

    async def stop(self) -> None:
        self.server.leave()
        self.front.part()
        await self.task
        if self.address.startswith(UNIX):
            _remove(Path(self.address.removeprefix(UNIX)))

    def browser_address(self) -> str:
        return f"{self.address}/login?code={self.keys.make_code()}"


async def listen(
    front: Front,
    tokens: tuple[str, ...],
    host: str,
    port: int,
    others: tuple[str, ...] = (),
    page_key: bytes | None = None,
    rooms: Sequence[Room] = (),
) -> Listening:
    """On a port; without a key the browsers' sessions end with this server."""
    sock = _bound(host, port)
    found = sock.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    address = http.Address(host, found, others)
    keys = Keys(tokens, time.monotonic, page_key=page_key or secrets.token_bytes(32))
    return await _serve(front, keys, sock, address, f"http://{shown}:{found}", rooms)


async def listen_at(front: Front, tokens: tuple[str, ...], path: Path) -> Listening:
    """On a socket file that only its user can open; for other commands of the same user."""
    keys = Keys(tokens, time.monotonic)
    address = http.Address("localhost", 80)
    return await _serve(front, keys, _bound_at(path), address, UNIX + str(path))


async def _serve(
    front: Front,
    keys: Keys,
    sock: socket.socket,
    address: http.Address,
    shown: str,
    rooms: Sequence[Room] = (),
) -> Listening:
    config = uvicorn.Config(
        http.application(front, keys, address, rooms),
        http=_Protocol,
        ws="websockets-sansio",
        ws_max_size=limits.FRAME_BYTES_MAX,
        ws_per_message_deflate=False,
        lifespan="on",
        # A request line may hold a one-time code, so requests are not logged.
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=limits.STOP_WAIT_S,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve([sock]))
    up = asyncio.create_task(server.is_up.wait())
    try:
        await asyncio.wait({task, up}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        # A command that ends as soon as it begins to share: left alone, uvicorn says so at length.
        server.leave()
        await asyncio.wait({task})
        raise
    finally:
        up.cancel()
    if task.done():
        await task
        raise Broken(f"{shown}: the server did not start")
    return Listening(server, task, shown, keys, front)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # The protocol is named: for a nameless one asyncio sets no TCP_NODELAY, and each answer
        # then waits 40 ms for an acknowledgement [measured].
        sock = socket.socket(family, kind, protocol)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
    except OSError as error:
        way_out = "; --port chooses another, and 0 picks one" * (error.errno == errno.EADDRINUSE)
        raise Broken(
            f"{host}:{port}: cannot be listened at: {error.strerror or error}{way_out}"
        ) from error
    return sock


def _bound_at(path: Path) -> socket.socket:
    _remove(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(str(path))
        path.chmod(0o600)
    except OSError as error:  # also a path of more than 107 bytes
        raise Broken(f"{path}: cannot be listened at: {error.strerror or error}") from error
    return sock


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
