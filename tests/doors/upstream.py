"""A model that misbehaves on purpose, behind an endpoint like OpenAI's."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Answer = Callable[[BaseHTTPRequestHandler], None]


def said(content: str | None, **message: Any) -> Answer:
    """A whole completion."""
    fields = {"role": "assistant", "content": content, **message}
    finish = "tool_calls" if "tool_calls" in message else "stop"
    return body({"choices": [{"index": 0, "message": fields, "finish_reason": finish}],
                 "usage": {"total_tokens": 7}})  # fmt: skip


def body(value: Any, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        _send(handler, json.dumps(value).encode(), status=status, headers=headers)

    return answer


def raw(data: bytes, *, promised: int = 0, kind: str = "application/json") -> Answer:
    """Bytes as they are; with `promised`, a connection that is cut before so many came."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _send(handler, data, kind=kind, length=promised or len(data))

    return answer


def streamed(*pieces: str, is_whole: bool = True) -> Answer:
    """A stream, though none was asked for."""
    events = [
        {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
        for piece in pieces
    ]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    lines += [": a comment\n\n", "data: [DONE]\n\n"] if is_whole else []
    return raw("".join(lines).encode(), kind="text/event-stream")


def never(until: threading.Event) -> Answer:
    """An answer that begins and does not go on."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"{")
        handler.wfile.flush()
        until.wait(120)

    return answer


def slowly(pieces: Sequence[str], turns: Iterator[object]) -> Answer:
    """A stream that goes on when the test says so, and says once that it ends."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.end_headers()
        for piece in pieces:
            next(turns)
            delta = {"choices": [{"index": 0, "delta": {"content": piece}}]}
            handler.wfile.write(f"data: {json.dumps(delta)}\n\n".encode())
            handler.wfile.flush()
        handler.wfile.write(b"data: [DONE]\n\n")
        handler.close_connection = True

    return answer


def _send(
    handler: BaseHTTPRequestHandler,
    data: bytes,
    *,
    status: int = 200,
    kind: str = "application/json",
    length: int | None = None,
    headers: dict[str, str] | None = None,
) -> None:
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(data) if length is None else length))
    handler.end_headers()
    handler.wfile.write(data)
    handler.close_connection = True


@dataclass
class Upstream:
    """Answers in turn; what it was asked is kept, byte for byte."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[bytes] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.asked.append(self.rfile.read(int(self.headers["Content-Length"])))
                outer.keys.append(self.headers["Authorization"])
                outer.arrived.release()
                outer.answers.pop(0)(self)

            def do_GET(self) -> None:
                outer.asked.append(self.path.encode())
                outer.answers.pop(0)(self)

            def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
                """Nothing: the tests look at what was asked."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"
