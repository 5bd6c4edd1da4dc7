"""What a terminal of the viewer's own is fed: the bytes as they were printed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from antiphon.base.errors import Refused
from tests.real.stage import Stage


async def until_raw(items: AsyncIterator[bytes | str], end: bytes) -> tuple[list[str], bytes]:
    """Events and bytes up to these."""
    events, data = [], b""
    async for item in items:
        if isinstance(item, str):
            events.append(item)
        else:
            data += item
        if end in data:
            break
    return events, data


async def test_a_live_view_has_the_bytes_as_they_were_printed(stage: Stage) -> None:
    await stage.run("printf 'a\\r\\nb\\x1b[31mc\\n'; stty -opost; printf 'x\\ny'; stty opost")
    events, data = await until_raw(stage.desk.live("c", None), b"x\ny")
    first = json.loads(events[0])
    assert (first["type"], first["cursor"], first["cols"], first["rows"]) == ("live", 0, 120, 40)
    assert b"a\r\r\nb\x1b[31mc\r\nx\ny" in data


async def test_a_live_view_goes_on_where_it_was(stage: Stage) -> None:
    await stage.run("echo one")
    _, before = await until_raw(stage.desk.live("c", None), b"one\r\n")
    begun = await stage.block("echo two; read x; echo three")
    _, after = await until_raw(stage.desk.live("c", len(before)), b"two\r\n")
    await stage.send("\r")
    await stage.prompt(begun["resume_cursor"])
    _, rest = await until_raw(stage.desk.live("c", len(before + after)), b"three\r\n")
    raw = (stage.folder() / "output.raw").read_bytes()
    assert raw.startswith(before + after + rest)


async def test_a_late_live_view_begins_so_far_back_that_a_screen_can_be_drawn(
    stage: Stage,
) -> None:
    await stage.run("seq 200000")
    events, data = await until_raw(stage.desk.live("c", None), b"\n200000\r\n")
    assert 200_000 < len(data) < 300_000
    assert data.split(b"\r\n")[0].isdigit()
    raw = (stage.folder() / "output.raw").read_bytes()
    cursor = json.loads(events[0])["cursor"]
    assert raw[cursor:].startswith(data)


async def test_a_cursor_beyond_what_was_printed_is_refused(stage: Stage) -> None:
    await stage.run("true")
    with pytest.raises(Refused, match="cursors here go from 0"):
        await anext(stage.desk.live("c", 1 << 40))
