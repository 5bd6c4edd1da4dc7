"""`GET /api/pty/{conversation_id}/export`: a recording, or text, as a file to keep.

It is no operation: its answer is the file itself, piece by piece, and its refusals have the
status of a route.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from antiphon.adapters.front import Front
from antiphon.base import ids
from antiphon.base.errors import Broken, Code, Refused
from antiphon.service import export
from antiphon.service.desk import Desk
from antiphon.wire import codec

PATH = "/api/pty/{conversation_id}/export"
FIELDS = ("format", "block")
FORMATS = {
    "asciicast": (export.asciicast, "application/x-asciicast", "cast"),
    "text": (export.text, "text/plain; charset=utf-8", "txt"),
}
STATUS = {
    Code.NOT_FOUND: HTTPStatus.NOT_FOUND,
    Code.INVALID_REQUEST: HTTPStatus.UNPROCESSABLE_ENTITY,
}


class Export:
    """The endpoint; what has begun ends whatever is written meanwhile."""

    def __init__(self, front: Front) -> None:
        self.front = front

    async def respond(self, request: Request) -> Response:
        try:
            return await self._file(request)
        except Refused as refused:
            status = STATUS.get(refused.code, HTTPStatus.INTERNAL_SERVER_ERROR)
            return _refusal(refused, status)
        except Broken as broken:
            unreadable = Refused(Code.HOST_UNAVAILABLE, f"the files cannot be read: {broken}")
            return _refusal(unreadable, HTTPStatus.INTERNAL_SERVER_ERROR)

    async def _file(self, request: Request) -> Response:
        asked = dict(request.query_params)
        if unknown := [name for name in asked if name not in FIELDS]:
            raise Refused(
                Code.INVALID_REQUEST,
                f"{unknown[0][:80]!r} is no field here; the fields are: {', '.join(FIELDS)}",
            )
        if (wanted := asked.get("format", "asciicast")) not in FORMATS:
            raise Refused(
                Code.INVALID_REQUEST,
                f"format is {wanted[:80]!r}; accepted is {' or '.join(map(repr, FORMATS))}",
            )
        made, media_type, ending = FORMATS[wanted]
        name = ids.conversation(request.path_params["conversation_id"])
        folder = self._folder(name)
        pieces = await asyncio.to_thread(made, folder, asked.get("block"))
        return StreamingResponse(
            _encoded(pieces),
            media_type=media_type,
            headers={
                "content-disposition": f'attachment; filename="{name}.{ending}"',
                "cache-control": "no-store",
                "x-content-type-options": "nosniff",
            },
        )

    def _folder(self, name: str) -> Path:
        service = self.front.service
        if not isinstance(service, Desk):
            raise Refused(Code.HOST_UNAVAILABLE, "the files are with another server; ask it")
        folder = service.ownership.state_dir / "conversations" / name / "agent_pty"
        if not (folder / "events.jsonl").is_file():
            raise Refused(Code.NOT_FOUND, f"there is no conversation {name!r}")
        return folder


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece.encode()


def _refusal(refused: Refused, status: HTTPStatus) -> Response:
    content = codec.encoded(codec.refusal(refused))
    return Response(content, status, media_type="application/json")
