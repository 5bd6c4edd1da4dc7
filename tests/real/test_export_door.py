"""The HTTP door's download of a recording: behind the token like everything else."""

from __future__ import annotations

import asyncio
import json

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Message

from antiphon.adapters.front import Front
from antiphon.adapters.http_export import PATH, Export
from tests.doors.fake import FakeDesk
from tests.real.stage import Stage
from tests.real.test_export import Cast


async def got(front: Front, path: str, query: str = "") -> tuple[int, dict[str, str], bytes]:
    """The route's answer, without the guard before it."""
    app = Starlette(routes=[Route(PATH, Export(front).respond, methods=["GET"])])
    sent: list[Message] = []

    async def receive() -> Message:
        """The client stays to the end."""
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": query.encode(), "headers": [], "http_version": "1.1",
        "scheme": "http", "server": ("127.0.0.1", 8040), "asgi": {"version": "3.0"},
    }  # fmt: skip
    await app(scope, receive, send)
    headers = {key.decode(): value.decode() for key, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(one.get("body", b"") for one in sent[1:])


async def test_a_recording_is_downloaded(stage: Stage) -> None:
    block = (await stage.run("echo é; (exit 3)"))["block"]
    await stage.run("echo two")
    front = Front(stage.desk)
    status, headers, body = await got(front, "/api/pty/c/export")
    assert (status, headers["content-type"]) == (200, "application/x-asciicast")
    assert headers["content-disposition"] == 'attachment; filename="c.cast"'
    assert Cast(body.decode()).output == "é\r\ntwo\r\n"
    query = f"format=text&block={block['block_id']}"
    status, headers, body = await got(front, "/api/pty/c/export", query)
    assert (status, headers["content-type"], body.decode()) == (
        200, "text/plain; charset=utf-8", "é\n"
    )  # fmt: skip


async def test_what_cannot_be_downloaded_is_refused_with_a_reason(stage: Stage) -> None:
    await stage.run("true")
    front = Front(stage.desk)
    for path, query, status, code in (
        ("/api/pty/nobody/export", "", 404, "not_found"),
        ("/api/pty/c/export", "block=c.9", 404, "not_found"),
        ("/api/pty/c/export", "format=gif", 422, "invalid_request"),
        ("/api/pty/c/export", "nonsense=1", 422, "invalid_request"),
        ("/api/pty/.c/export", "", 422, "invalid_request"),
    ):
        found, _, body = await got(front, path, query)
        answer = json.loads(body)
        assert (found, answer["ok"], answer["error"]) == (status, False, code), (path, query)
        assert answer["message"]


async def test_a_server_that_has_no_files_says_so() -> None:
    status, _, body = await got(Front(FakeDesk()), "/api/pty/c/export")
    assert (status, json.loads(body)["error"]) == (500, "host_unavailable")
