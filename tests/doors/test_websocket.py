from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from antiphon.adapters.limits import FRAME_BYTES_MAX
from antiphon.adapters.remote import Remote
from antiphon.base.errors import Code, Refused
from tests.doors.running import TOKEN, Outside, awaited, outside


@asynccontextmanager
async def viewing(server: Outside, query: str = "") -> AsyncIterator[ClientConnection]:
    address = f"ws://{server.host}/api/pty/c/stream{query}"
    headers = {"Authorization": f"Bearer {TOKEN}"}
    # Nothing is left unread: a full queue would hold up the closing, which this is not about.
    async with connect(address, additional_headers=headers, proxy=None, max_queue=None) as socket:
        yield socket


async def refused(socket: ClientConnection) -> dict[str, Any]:
    """The next refusal, past output and events."""
    async for frame in socket:
        if isinstance(frame, str):
            found: dict[str, Any] = msgspec.json.decode(frame)
            if found["type"] == "refused":
                return found
    raise AssertionError("the stream ended without a refusal")


@awaited
async def test_output_is_binary_and_events_are_text() -> None:
    async with outside() as server, viewing(server) as socket:
        assert await socket.recv() == b"hello\n"
        assert await socket.recv() == '{"type":"mode","mode":"idle"}'


@awaited
async def test_a_viewer_goes_on_from_its_cursor() -> None:
    async with outside() as server, viewing(server, "?from_cursor=2") as socket:
        assert await socket.recv() == b"llo\n"


@awaited
async def test_a_cursor_beyond_the_end_is_said_in_a_frame_and_ends_the_stream() -> None:
    async with outside() as server, viewing(server, "?from_cursor=99") as socket:
        found = await refused(socket)
        assert (found["error"], found["resume_cursor"]) == ("cursor_out_of_range", 6)
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 4400


@pytest.mark.parametrize(
    "query", ["?from_cursor=-1", "?from_cursor=x", "?from_cursor=", "?from_cursor=1.0",
              "?from_cursor=99999999999999999999", "?cursor=1", "?from_cursor=²"],
)  # fmt: skip
@awaited
async def test_what_is_no_cursor_is_refused_before_the_upgrade(query: str) -> None:
    async with outside() as server:
        with pytest.raises(InvalidStatus) as caught:
            async with viewing(server, query):
                pass
        assert caught.value.response.status_code == 422


@awaited
async def test_frames_of_a_client_are_operations_in_their_order() -> None:
    async with outside() as server, viewing(server) as socket:
        await socket.send('{"type":"input","data":"ls\\r"}')
        await socket.send('{"type":"keys","keys":["Enter"]}')
        await socket.send('{"type":"resize","cols":80,"rows":24}')
        await socket.send("nonsense")
        await refused(socket)
        assert server.desk.asked == [
            ("pty.send", {"data": "ls\r", "conversation_id": "c"}),
            ("pty.send", {"keys": ["Enter"], "conversation_id": "c"}),
            ("pty.resize", {"cols": 80, "rows": 24, "conversation_id": "c"}),
        ]


@pytest.mark.parametrize(
    "frame",
    [
        "", "nonsense", "[]", "7", "null", "{}", '{"type":"nonsense"}', '{"type":"input"}',
        '{"type":"input","data":7}', '{"type":"input","data":"x","conversation_id":"other"}',
        '{"type":"keys","keys":"Enter"}', '{"type":"resize","cols":80}',
        '{"type":"resize","cols":0,"rows":24}', "[" * 10_000, b"binary",
    ],
)  # fmt: skip
@awaited
async def test_what_is_no_frame_is_refused_and_the_stream_goes_on(frame: str | bytes) -> None:
    async with outside() as server, viewing(server) as socket:
        for _ in range(2):
            await socket.send(frame)
            assert (await refused(socket))["error"] == "invalid_request"


@awaited
async def test_our_own_mistake_ends_no_stream() -> None:
    async with outside() as server, viewing(server) as socket:
        await socket.send('{"type":"input","data":"crash"}')
        found = await refused(socket)
        assert found["error"] == "host_unavailable" and "secret" not in found["message"]


@awaited
async def test_a_frame_that_is_too_large_ends_only_its_own_stream() -> None:
    async with outside() as server:
        async with viewing(server) as socket:
            await socket.send("x" * (FRAME_BYTES_MAX + 1))
            with pytest.raises(ConnectionClosed):
                await refused(socket)
            assert socket.close_code == 1009
        async with viewing(server) as socket:
            assert await socket.recv() == b"hello\n"


@awaited
async def test_thousands_of_broken_frames_break_nothing() -> None:
    dice = random.Random(31)
    whole = '{"type":"input","data":"ls\\r"}'
    async with outside() as server, viewing(server) as socket:
        for _ in range(3_000):
            place = dice.randrange(len(whole))
            cut = whole[:place] + chr(dice.randrange(1, 0x2FF)) + whole[place + 1 :]
            await socket.send(cut if dice.random() < 0.9 else dice.randbytes(20))
        await socket.send('{"type":"input","data":"the last"}')
        await socket.send("nonsense")
        while True:
            await refused(socket)
            if server.desk.asked and server.desk.asked[-1][1].get("data") == "the last":
                break


@awaited
async def test_the_stream_of_a_viewer_who_leaves_is_ended() -> None:
    async with outside() as server:
        async with viewing(server):
            await server.desk.shown.wait()
        await server.desk.cancelled.wait()


@awaited
async def test_the_client_raises_what_the_stream_refuses() -> None:
    async with outside() as server:
        remote = Remote(server.listening.address, TOKEN)
        for cursor, code in ((99, Code.CURSOR_OUT_OF_RANGE), (-1, Code.INVALID_REQUEST)):
            with pytest.raises(Refused) as caught:
                async for _ in remote.stream("c", cursor):
                    pass
            assert caught.value.code is code
        with pytest.raises(Refused) as caught:
            async for _ in Remote(server.listening.address, "wrong").stream("c", 0):
                pass
        assert caught.value.code is Code.UNAUTHORIZED
