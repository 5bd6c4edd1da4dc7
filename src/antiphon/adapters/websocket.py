"""A viewer of one conversation: its output as it comes, and the keys a person types.

Binary frames are bytes of the spool from `from_cursor` on; text frames are events.  A viewer
that does not read holds up nobody: the stream is pulled from the file, a frame at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct
from starlette.types import Message, Receive, Scope, Send

from antiphon.adapters.front import Front, Reply, outcome
from antiphon.adapters.http_security import NoRequest, send_refusal
from antiphon.base import ids
from antiphon.base.errors import Code, Refused
from antiphon.wire import codec

# Close codes: the stream ended, as asked; the stream was refused.
CLOSE_END = 1000
CLOSE_REFUSED = 4400


class Input(Struct, tag="input", tag_field="type", forbid_unknown_fields=True, frozen=True):
    data: str


class Keys(Struct, tag="keys", tag_field="type", forbid_unknown_fields=True, frozen=True):
    keys: list[str]


class Size(Struct, tag="resize", tag_field="type", forbid_unknown_fields=True, frozen=True):
    cols: int
    rows: int


ACCEPTED = "a frame is an object whose type is input (data), keys (keys) or resize (cols, rows)"
FRAMES = msgspec.json.Decoder(Input | Keys | Size)


class Viewer:
    """The WebSocket routes: the spool, or what the terminal prints as it prints it."""

    def __init__(self, front: Front, *, is_live: bool) -> None:
        self.front = front
        self.is_live = is_live

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            conversation_id = _conversation(scope)
            from_cursor = _cursor(scope)
            if from_cursor is None and not self.is_live:
                from_cursor = 0
        except NoRequest as refused:
            await send_refusal(scope, send, refused)
            return
        await receive()  # websocket.connect
        await send({"type": "websocket.accept"})
        showing = asyncio.ensure_future(self._show(conversation_id, from_cursor, send))
        typing = asyncio.ensure_future(self._type(conversation_id, receive, send))
        try:
            await asyncio.wait({showing, typing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            showing.cancel()
            typing.cancel()
        for ended in (showing, typing):
            if ended.done() and not ended.cancelled():
                ended.result()

    def _items(self, conversation_id: str, cursor: int | None) -> AsyncIterator[bytes | str]:
        if self.is_live or cursor is None:
            return self.front.live(conversation_id, cursor)
        return self.front.stream(conversation_id, cursor)

    async def _show(self, conversation_id: str, from_cursor: int | None, send: Send) -> None:
        try:
            async for item in self._items(conversation_id, from_cursor):
                kind = "bytes" if isinstance(item, bytes) else "text"
                await send({"type": "websocket.send", kind: item})
        except Refused as refused:
            await _refuse(send, codec.refusal(refused))
            await send({"type": "websocket.close", "code": CLOSE_REFUSED})
            return
        await send({"type": "websocket.close", "code": CLOSE_END})

    async def _type(self, conversation_id: str, receive: Receive, send: Send) -> None:
        """Frame after frame, so that keys arrive in the order they were typed."""
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                operation, fields = _asked(message)
            except Refused as refused:
                await _refuse(send, codec.refusal(refused))
                continue
            fields["conversation_id"] = conversation_id
            reply = await self.front.answer(operation, fields)
            if outcome(reply) != "ok":
                await _refuse(send, reply)


def _asked(message: Message) -> tuple[str, dict[str, object]]:
    text = message.get("text")
    if text is None:
        raise Refused(Code.INVALID_REQUEST, "a client's frames are text: one JSON object each")
    try:
        frame = FRAMES.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError, OverflowError) as error:
        raise Refused(Code.INVALID_REQUEST, f"no frame: {error}; {ACCEPTED}") from None
    fields = msgspec.structs.asdict(frame)
    return ("pty.resize" if isinstance(frame, Size) else "pty.send"), fields


async def _refuse(send: Send, reply: Reply) -> None:
    """Clients know it by its beginning, so `type` comes first."""
    text = codec.encoded({"type": "refused", **msgspec.to_builtins(reply)}).decode()
    await send({"type": "websocket.send", "text": text})


def _conversation(scope: Scope) -> str:
    try:
        return ids.conversation(scope["path_params"]["conversation_id"])
    except Refused as refused:
        raise NoRequest(HTTPStatus.UNPROCESSABLE_ENTITY, refused.code, refused.message) from None


def _cursor(scope: Scope) -> int | None:
    query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    unknown = set(query) - {"from_cursor"}
    if not query:
        return None
    given = query.get("from_cursor", ["-"])[-1]
    if unknown or not (given.isascii() and given.isdigit()) or len(given) > 19:
        raise NoRequest(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            Code.INVALID_REQUEST,
            "the stream takes from_cursor, a whole number from 0, and nothing else",
        )
    return int(given)
