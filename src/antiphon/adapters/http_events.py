"""What happens in a session as server-sent events; `Last-Event-ID` goes on where a client left."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from antiphon.adapters.front import Front
from antiphon.adapters.http_security import NoRequest
from antiphon.base.errors import Code, Refused
from antiphon.drivers.session_store import Event
from antiphon.wire import codec

PATH = "/api/session/{session_id}/events"
NUMBER = re.compile(r"[0-9]{1,15}")


async def respond(front: Front, request: Request) -> Response:
    try:
        heard = _heard(request)
        events = await front.events(request.path_params["session_id"], heard)
    except Refused as refused:
        status = refused.status if isinstance(refused, NoRequest) else _status(refused)
        return Response(
            codec.encoded(codec.refusal(refused)), status,
            {"cache-control": "no-store"}, "application/json",
        )  # fmt: skip
    return StreamingResponse(
        _lines(events),
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        media_type="text/event-stream",
    )


def _heard(request: Request) -> int | None:
    said = request.headers.get("last-event-id", "")
    if not said:
        return None
    if not NUMBER.fullmatch(said):
        raise Refused(
            Code.INVALID_REQUEST,
            f"Last-Event-ID is {said!r:.40}; the id of an event of this session is accepted",
        )
    return int(said)


def _status(refused: Refused) -> int:
    return 422 if refused.code is Code.INVALID_REQUEST else 404


async def _lines(events: AsyncIterator[Event | None]) -> AsyncIterator[str]:
    # The first bytes say that whatever comes from now on is heard.
    yield ": listening\n\n"
    async for one in events:
        if one is None:
            yield ": quiet\n\n"
        else:
            yield f"id: {one.number}\nevent: {one.name}\ndata: {one.data}\n\n"
