"""The routes that speak another protocol than ours: OpenAI's, for agents in front of a model.

A stream that has nothing to say yet sends a comment now and then, so that nobody on the way takes
it for dead; whoever reads events never sees one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from antiphon.adapters import limits
from antiphon.adapters.chat import STREAM, ChatAnswer
from antiphon.adapters.http_body import Gone, arguments_of, until_gone
from antiphon.adapters.http_security import NO_STORE, NoRequest, send_refusal

COMMENT = b": waiting\n\n"


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    ask: Callable[[dict[str, object]], Coroutine[object, object, ChatAnswer]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            arguments = await arguments_of(scope, receive)
        except NoRequest as refused:
            await send_refusal(scope, send, refused, receive)
            return
        except Gone:
            return
        answer = asyncio.ensure_future(until_gone(self.ask(arguments), receive))
        try:
            if arguments.get("stream") is True and not await _is_there(answer):
                await _streamed(answer, send)
            else:
                await _whole(await answer)(scope, receive, send)
        except Gone:
            return
        finally:
            answer.cancel()


async def _is_there(answer: asyncio.Future[ChatAnswer]) -> bool:
    done, _ = await asyncio.wait({answer}, timeout=limits.STREAM_SILENCE_S)
    return bool(done)


def _whole(answer: ChatAnswer) -> Response:
    headers = {"cache-control": "no-store"}
    if answer.retry_after is not None:
        headers["retry-after"] = answer.retry_after
    return Response(answer.body, answer.status, headers, answer.media_type)


async def _streamed(answer: asyncio.Future[ChatAnswer], send: Send) -> None:
    """Begun before the answer is known; an error is an event then, as clients understand it."""
    headers = [(b"content-type", STREAM.encode()), NO_STORE]
    await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": headers})
    while True:
        await send({"type": "http.response.body", "body": COMMENT, "more_body": True})
        if await _is_there(answer):
            break
    made = answer.result()
    body = made.body if made.status == HTTPStatus.OK else b"data: " + made.body + b"\n\n"
    await send({"type": "http.response.body", "body": body})
