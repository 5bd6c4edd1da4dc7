"""Somebody who watches a flood and never reads."""

from __future__ import annotations

import base64
import json
import os
import socket
import time
from collections.abc import Iterator
from typing import BinaryIO
from urllib.parse import urlsplit

import antiphon.sync
from antiphon.sync import Terminals
from bench import machine
from bench.rows import Row, Stage, p50
from bench.servers import Serving

GROWN_MB_MAX = 4
# Of RFC 6455: a frame of bytes; a size that stands in the two bytes behind it.
BINARY = 2
SIZE_IN_TWO = 126
SPEED_MIN = 0.9


def measure(stage: Stage) -> Iterator[Row]:
    size = stage.size.pick(200_000, 100_000_000, 1_000_000_000)
    rounds = stage.size.pick(1, 3, 3)
    path = machine.lines_file(size)
    state = stage.folder / "state"
    ratios, grown, missing = [], [], 0
    with Serving(state) as server, antiphon.sync.open(state) as terminals:
        terminals.pty.open("c")

        def flood() -> float:
            started = time.perf_counter()
            terminals.pty.run("c", f"cat {path}", timeout_ms=600_000, max_bytes=4096)
            return time.perf_counter() - started

        flood()  # the first one pays for what stays
        for _ in range(rounds):
            alone = flood()
            machine.reset_peak([server.pid])
            before = machine.peak_mb([server.pid])
            cursor = terminals.pty.status("c").resume_cursor
            with _watching(server, cursor):
                beside = flood()
            grown.append(machine.peak_mb([server.pid]) - before)
            ratios.append(alone / beside)
            missing += size - _readable(terminals, cursor, size)
        left_out, told, output = _counted(server, terminals, stage.size.pick(200, 2000, 20_000))
        terminals.pty.close("c")
        server.stop()
    ratio = p50(ratios)
    yield Row(
        f"`cat` of {size / 1e6:,.0f} MB beside a viewer that never reads",
        f"{ratio:.2f} of the speed without",
        ratio=ratio,
        target=f"≥ {SPEED_MIN}",
        is_reached=ratio >= SPEED_MIN,
    )
    yield Row(
        "memory of the server, peak above before",
        f"{max(grown):.1f} MB",
        target=f"< {GROWN_MB_MAX} MB",
        is_reached=max(grown) < GROWN_MB_MAX,
    )
    yield Row(
        "bytes that the viewer cannot read afterwards from its cursor",
        f"{missing}",
        target="0",
        is_reached=missing == 0,
    )
    yield Row(
        "events that it was not told of, and was told how many; output it then missed",
        f"{left_out:,} of {left_out + told:,}, told in a `gap`; {output} bytes",
        target="told, 0",
        is_reached=left_out > 0 and output == 0,
    )


def _counted(server: Serving, terminals: Terminals, blocks: int) -> tuple[int, int, int]:
    """Events left out as the stream says, events told, bytes of output that differ."""
    cursor = terminals.pty.status("c").resume_cursor
    with _watching(server, cursor) as viewer:
        for number in range(blocks):
            terminals.pty.run("c", f"echo {number} # {'x' * 10_000}")
        size = terminals.pty.status("c").resume_cursor - cursor
        left_out = told = 0
        output = bytearray()
        with viewer.makefile("rb") as stream:
            while len(output) < size or told + left_out < 4 * blocks:
                kind, data = _frame(stream)
                if kind == BINARY:
                    output += data
                    continue
                event = json.loads(data)
                is_gap = event["type"] == "gap"
                left_out += event["events"] if is_gap else 0
                told += not is_gap
    said = terminals.pty.read_spool("c", from_cursor=cursor, max_bytes=size, encoding="base64")
    same = sum(one == other for one, other in zip(output, base64.b64decode(said.data), strict=True))
    return left_out, told, size - same


def _frame(stream: BinaryIO) -> tuple[int, bytes]:
    """One frame of a server, which masks nothing and splits nothing."""
    head = stream.read(2)
    size = head[1]
    if size >= SIZE_IN_TWO:
        size = int.from_bytes(stream.read(2 if size == SIZE_IN_TWO else 8), "big")
    return head[0] & 15, stream.read(size)


def _readable(terminals: antiphon.sync.Terminals, cursor: int, size: int) -> int:
    """How many bytes of the flood can be read from a cursor on."""
    read = 0
    while read < size:
        piece = terminals.pty.read_spool(
            "c", from_cursor=cursor + read, max_bytes=min(8 << 20, size - read), encoding="base64"
        )
        if piece.resume_cursor == piece.cursor:
            break
        read += len(base64.b64decode(piece.data))
    return read


def _watching(server: Serving, cursor: int) -> socket.socket:
    """A WebSocket whose other side is never read."""
    address = urlsplit(server.address)
    assert address.hostname is not None and address.port is not None
    token = (server.state_dir / "token").read_text().strip()
    viewer = socket.socket()
    viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    viewer.connect((address.hostname, address.port))
    key = base64.b64encode(os.urandom(16)).decode()
    viewer.sendall(
        f"GET /api/pty/c/stream?from_cursor={cursor} HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
        f"Sec-WebSocket-Version: 13\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += viewer.recv(1)
    assert b" 101 " in answer, "the stream was refused"
    return viewer
