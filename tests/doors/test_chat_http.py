"""A stream that waits: comments until the answer, then the answer; and a client that leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest
from starlette.types import Message

from antiphon.adapters import limits
from antiphon.adapters.chat import STREAM, ChatAnswer
from antiphon.adapters.chat_http import COMMENT, ChatEndpoint
from tests.clauses import clause
from tests.doors.running import awaited

EVENTS = b'data: {"choices":[]}\n\ndata: [DONE]\n\n'


class Client:
    """Reads until it has seen enough; then it says so."""

    def __init__(self, body: bytes, enough: Callable[[list[Message]], bool]) -> None:
        self.coming = [{"type": "http.request", "body": body, "more_body": False}]
        self.said: list[Message] = []
        self.enough = enough
        self.has_enough = asyncio.Event()
        self.leaves = asyncio.Event()
        self.is_forgotten = asyncio.Event()

    async def receive(self) -> Message:
        if self.coming:
            return self.coming.pop(0)
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.said.append(message)
        if self.enough(self.said):
            self.has_enough.set()

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.said)


async def asked(client: Client, answer: ChatAnswer, *, leaves: bool = False) -> None:
    """The model answers once the client has had enough, if it is still there."""

    async def ask(_: dict[str, Any]) -> ChatAnswer:
        try:
            await client.has_enough.wait()
            if leaves:
                client.leaves.set()
                await asyncio.Event().wait()
            return answer
        except asyncio.CancelledError:
            client.is_forgotten.set()
            raise

    scope = {
        "type": "http", "method": "POST", "path_params": {}, "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }  # fmt: skip
    await ChatEndpoint(ask)(scope, client.receive, client.send)


def three_comments(said: list[Message]) -> bool:
    return [message.get("body") for message in said].count(COMMENT) >= 3


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAM_SILENCE_S", 0.0)


@clause("interaction R47", "interaction R53")
@awaited
async def test_a_stream_that_waits_says_so_in_comments_and_then_has_the_whole_answer() -> None:
    client = Client(b'{"stream": true}', three_comments)
    await asked(client, ChatAnswer(HTTPStatus.OK, EVENTS, STREAM))
    assert client.said[0]["status"] == 200
    assert client.body.replace(COMMENT, b"") == EVENTS
    assert client.body.startswith(COMMENT * 3)


@awaited
async def test_an_error_behind_comments_is_an_event() -> None:
    client = Client(b'{"stream": true}', three_comments)
    await asked(client, ChatAnswer(HTTPStatus.BAD_GATEWAY, b'{"error":{"code":"x"}}'))
    assert client.body.replace(COMMENT, b"") == b'data: {"error":{"code":"x"}}\n\n'


@awaited
async def test_who_leaves_a_stream_ends_the_asking_of_the_model() -> None:
    client = Client(b'{"stream": true}', three_comments)
    answer = ChatAnswer(HTTPStatus.OK, EVENTS, STREAM)
    await asked(client, answer, leaves=True)
    await client.is_forgotten.wait()
    assert EVENTS not in client.body


@awaited
async def test_without_a_stream_nothing_is_said_before_the_answer() -> None:
    client = Client(b"{}", bool)
    client.has_enough.set()
    await asked(client, ChatAnswer(HTTPStatus.TOO_MANY_REQUESTS, b"{}", retry_after="3"))
    assert client.said[0]["status"] == 429 and client.body == b"{}"
    assert (b"retry-after", b"3") in client.said[0]["headers"]
