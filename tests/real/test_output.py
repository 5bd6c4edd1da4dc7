"""Output: what is kept, where it begins and ends, and what it is not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from functools import partial
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real import record
from tests.real.programs import python
from tests.real.stage import Answer, Stage, until


@clause("terminal D5", "terminal D5a", "terminal pty.exec_interactive", "terminal 5.2")
@pytest.mark.parametrize("cmd", ["echo RE''ADY; cat", "sleep 0.1; echo REA\\DY; cat"])
async def test_an_echo_is_not_output(stage: Stage, cmd: str) -> None:
    await stage.run("echo before")
    begun = await stage.session(cmd)
    assert set(begun) == {"ok", "session_id", "block_id", "ts_begin", "resume_cursor"}
    found = await stage.wait("READY", begun["resume_cursor"])
    assert found["match_cursor"] == begun["resume_cursor"]
    assert stage.spool()[begun["resume_cursor"] :].startswith(b"READY\n")
    assert cmd.encode() not in stage.spool()
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])


@clause("terminal 3.5", "terminal D8")
async def test_fast_output_is_kept(stage: Stage) -> None:
    for number in range(50):
        answer = await stage.run(f"echo {number}")
        assert stage.output(answer["block"]["block_id"]) == b"%d\n" % number
    events = [event["type"] for event in stage.events()]
    assert events == ["agent_block_begin", "agent_block_delta", "agent_block_end"] * 50


@clause("terminal D6a", "terminal d5")
@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        (r"foo", b"foo"),
        (r"foo\n", b"foo\n"),
        (r"foo\r", b"foo"),
        (r"a\rb", b"a\rb"),
        (r"foo\r\n", b"foo\n"),
        (r"foo\r\r\r\n", b"foo\n"),
        (r"", b""),
        (r"\n", b"\n"),
        (r"\r", b""),
        (r"x\033[2J\033[Hy", b"x\x1b[2J\x1b[Hy"),
        (r"\033]0;title", b"\x1b]0;title"),
        (r"\033", b"\x1b"),
        (r"\033]7770;", b"\x1b]7770;"),
        (r"\033]7770;12;0123456789abcdef;P;1;2", b"\x1b]7770;12;0123456789abcdef;P;1;2"),
    ],
)
async def test_a_block_is_what_was_printed(stage: Stage, printed: str, kept: bytes) -> None:
    answer = await stage.run(f"printf '{printed}'")
    assert stage.output(answer["block"]["block_id"]) == kept
    after = stage.spool()[: answer["resume_cursor"]]
    line_end = b"" if kept.endswith(b"\n") or not kept else b"\n"
    assert after.rpartition(b"__FWS_PROMPT__")[0].endswith(kept + line_end)


async def test_a_line_without_an_end_is_told_at_once(stage: Stage) -> None:
    begun = await stage.session("printf 'Name: '; read x; echo hi $x")
    await stage.wait("Name: ", begun["resume_cursor"])
    deltas = [one["delta"] for one in stage.events() if one["type"] == "agent_block_delta"]
    assert "".join(deltas) == "Name: "
    await stage.send("bob\r")
    await stage.prompt(begun["resume_cursor"])
    assert stage.output(begun["block_id"]).count(b"Name: ") == 1
    assert stage.output(begun["block_id"]).endswith(b"hi bob\n")


async def test_a_big_output_is_whole_and_found(stage: Stage) -> None:
    begun = await stage.block("seq 1 300000")
    found = await stage.wait("\n299999\n", begun["resume_cursor"])
    assert found["match_cursor"] - begun["resume_cursor"] > 1 << 20
    await stage.ok("pty.status")
    await stage.prompt(begun["resume_cursor"])
    expected = b"".join(b"%d\n" % number for number in range(1, 300001))
    assert stage.output(begun["block_id"]) == expected
    answer = await stage.run("seq 1 200000", max_bytes=64)
    assert answer["truncated"] and answer["data"].endswith("\n199999\n200000\n")


@clause("terminal D13b", "terminal 3.3")
async def test_a_match_goes_across_reads(stage: Stage) -> None:
    begun = await stage.session("printf AB; read x; printf 'CD\\n'; cat")
    await stage.wait("AB", begun["resume_cursor"])
    regex = asyncio.create_task(stage.wait(r"AB\s*CD", begun["resume_cursor"], match_type="regex"))
    await stage.send("\r")
    found = await regex
    start, end = found["match_span"]["start"], found["match_span"]["end"]
    assert start == begun["resume_cursor"] and stage.spool()[start:end] == b"AB\nCD"
    await stage.send("\x04")
    await stage.prompt(end)
    # Exactly on the border of the reads of 4096 and of 65536 bytes.
    for border in (4096, 65536):
        begun = await stage.block(python(f"print('x' * {border - 3} + 'NEEDLE')"))
        found = await stage.wait("NEEDLE", begun["resume_cursor"])
        assert found["match_cursor"] == begun["resume_cursor"] + border - 3
        await stage.prompt(begun["resume_cursor"])


@clause("terminal D2", "terminal 2.2b", "terminal 5.3")
async def test_cursors_are_bytes(stage: Stage) -> None:
    begun = await stage.block("printf 'éééééééééé日本MATCH\\n'")
    found = await stage.wait("本MATCH", begun["resume_cursor"])
    span = found["match_span"]
    assert stage.spool()[span["start"] : span["end"]] == "本MATCH".encode()
    assert found["match_cursor"] == span["start"] and found["resume_cursor"] == span["end"]
    assert found["match_text"] == "本MATCH"
    await stage.prompt(begun["resume_cursor"])


@clause("terminal D3", "terminal D3a", "terminal 3.9", "terminal pty.read_spool", "terminal 5.4")
@pytest.mark.parametrize("max_bytes", [4, 5, 6, 7, 8])
async def test_reads_join_without_a_seam(stage: Stage, max_bytes: int) -> None:
    await stage.run(r"printf 'aé日本𝄞\xff\xe6\x97\xf0\x9d z\xc3'")
    spool = stage.spool()
    text, data, cursor = "", b"", 0
    while cursor < len(spool):
        read = await stage.ok("pty.read_spool", from_cursor=cursor, max_bytes=max_bytes)
        assert read["cursor"] == cursor and cursor < read["resume_cursor"] <= cursor + max_bytes
        text, cursor = text + read["data"], read["resume_cursor"]
    assert text == spool.decode(errors="replace")
    cursor = 0
    while cursor < len(spool):
        read = await stage.ok(
            "pty.read_spool", from_cursor=cursor, max_bytes=max_bytes, encoding="base64"
        )
        data, cursor = data + base64.b64decode(read["data"]), read["resume_cursor"]
    assert data == spool


async def test_an_unfinished_character_at_the_end_is_waited_for_by_nobody(stage: Stage) -> None:
    begun = await stage.session(r"stty -echo; printf 'a\xe6\x97'; read -n1 x; printf '\xa5'; cat")
    await stage.wait("a", begun["resume_cursor"])
    at = begun["resume_cursor"] + 1
    read = await stage.ok("pty.read_spool", from_cursor=at)
    assert (read["data"], read["resume_cursor"]) == ("", at)
    await stage.send("x")
    await stage.wait("日", begun["resume_cursor"])
    read = await stage.ok("pty.read_spool", from_cursor=at)
    assert (read["data"], read["resume_cursor"]) == ("日", at + 3)
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])


@clause("terminal D2b")
@pytest.mark.parametrize("cursor", [-1, 10**6, 2**63, 1.5, "0", None, True, [0]])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("pty.wait_for", {"match": "x"}),
        ("pty.wait_prompt", {}),
        ("pty.read_spool", {}),
        ("pty.expect_send", {"expect": "x", "send": "y"}),
        ("blocks.since", {}),
    ],
)
async def test_a_wrong_cursor_is_refused_with_the_size(
    stage: Stage, cursor: object, name: str, more: dict[str, object]
) -> None:
    await stage.run("echo x")
    answer = await stage.refused(name, "cursor_out_of_range", from_cursor=cursor, **more)
    file = "blocks.jsonl" if name == "blocks.since" else "output.spool"
    assert answer["resume_cursor"] == (stage.folder() / file).stat().st_size


async def test_a_wait_at_the_end_waits_for_what_is_new(stage: Stage) -> None:
    await stage.run("echo x")
    end = len(stage.spool())
    waiting = asyncio.create_task(stage.wait("x", end))
    await stage.run("echo y")
    await stage.run("echo x")
    assert (await waiting)["match_cursor"] > end


def raw_size(stage: Stage) -> int:
    return (stage.folder() / "output.raw").stat().st_size


def has_read(stage: Stage, size: int) -> bool:
    return stage.desk.rooms.loaded["c"].conversation.raw_offset >= size


async def written_in_pieces(stage: Stage, pieces: list[bytes]) -> Answer:
    """A program writes these bytes, each piece once the one before it was read by the server."""
    code = f"import os,sys\nfor p in {pieces!r}:\n os.write(1, p); sys.stdin.buffer.read(1)"
    begun = await stage.session(f"stty raw -echo; {python(code)}; stty sane")
    size = raw_size(stage)
    for piece in pieces:
        size += len(piece)
        await until(partial(has_read, stage, size), f"{piece!r} was read")
        await stage.send("k")
    await stage.prompt(begun["resume_cursor"])
    return begun


@clause("terminal D4", "terminal D4a", "terminal 2.2a")
async def test_line_ends_hold_across_reads(stage: Stage) -> None:
    pieces = [b"a\r", b"\nb\r\r", b"\r", b"\nc\r50%\r100%\n", b"\n\r", b"d", b"\r"]
    begun = await written_in_pieces(stage, pieces)
    assert stage.output(begun["block_id"]) == b"a\nb\nc\r50%\r100%\n\n\rd"


@clause("terminal d3", "terminal d3a", "terminal events")
async def test_a_character_is_never_split(stage: Stage) -> None:
    pieces = [b"\xe6\x97", b"\xa5\n", b"\xff\n", b"\xc3"]
    begun = await written_in_pieces(stage, pieces)
    deltas = [one for one in stage.events() if one["type"] == "agent_block_delta"]
    assert b"".join(map(record.said, deltas)) == b"\xe6\x97\xa5\n\xff\n\xc3"
    assert [one["cursor"] - begun["resume_cursor"] for one in deltas][:2] == [0, 4]
    assert all(("delta" in one) is not ("delta_b64" in one) for one in deltas)
    assert "".join(one.get("delta", "") for one in deltas) == "日\n"


async def test_random_bytes_hurt_nobody(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "random"
    content = hashlib.shake_256(b"seed").digest(1 << 17)
    file.write_bytes(content)
    answer = await stage.run(f"stty -opost; cat {file}; stty opost", max_bytes=4)
    kept = stage.output(answer["block"]["block_id"])
    assert kept.replace(b"\r", b"").replace(b"\n", b"") == content.replace(b"\r", b"").replace(
        b"\n", b""
    )
    assert await stage.exit_code("(exit 5)") == 5


@clause("terminal 5.3a", "terminal d1")
async def test_a_timeout_has_four_fields(stage: Stage) -> None:
    await stage.run("echo x")
    size = len(stage.spool())
    timeout = {"ok": False, "matched": False, "error": "timeout", "resume_cursor": size}
    assert await stage.ask("pty.wait_for", match="nope", timeout_ms=1) == timeout
    assert (
        await stage.ask("pty.wait_for", match="n+ope", match_type="regex", timeout_ms=1) == timeout
    )
    assert await stage.ask("pty.wait_prompt", from_cursor=size, timeout_ms=1) == timeout
    assert (
        await stage.ask("pty.wait_for", match_type="prompt", from_cursor=size, timeout_ms=0)
        == timeout
    )
    assert await stage.ask("pty.expect_send", expect="nope", send="x", timeout_ms=1) == {
        **timeout,
        "sent": False,
    }


async def test_many_waiters_each_hear_once(stage: Stage) -> None:
    begun = await stage.session("cat")
    cursor = begun["resume_cursor"]
    found = [
        asyncio.create_task(
            stage.wait(
                ["needle", "ne+dle"][number % 2],
                cursor,
                match_type=["substring", "regex"][number % 2],
            )
        )
        for number in range(10)
    ]
    late = [
        asyncio.create_task(
            stage.ask("pty.wait_for", match="absent", from_cursor=cursor, timeout_ms=10 * number)
        )
        for number in range(10)
    ]
    await stage.send("x needle\r")
    spans = {
        (one["match_span"]["start"], one["match_span"]["end"])
        for one in await asyncio.gather(*found)
    }
    assert len(spans) == 1
    assert {one["error"] for one in await asyncio.gather(*late)} == {"timeout"}
    await stage.send("\x04")
    await stage.prompt(cursor)


@clause("terminal D11")
async def test_background_output_is_in_no_block(stage: Stage) -> None:
    first = await stage.run("(read x < <(sleep 0.2); echo la''te) & echo now")
    assert b"late" not in stage.output(first["block"]["block_id"])
    await stage.wait("late", first["resume_cursor"])
    second = await stage.run("echo next")
    for block in (first, second):
        assert b"late" not in stage.output(block["block"]["block_id"])


@clause("terminal pty.run timeout")
async def test_a_run_that_times_out_goes_on(stage: Stage) -> None:
    cmd = "echo a; read x; echo $x"
    late = await stage.refused("pty.run", "timeout", cmd=cmd, timeout_ms=1500)
    assert late["data"] == "a\n" and not late["truncated"]
    assert (await stage.get(late["block_id"]))["status"] == "running"
    await stage.send("b\r")
    await stage.prompt(late["resume_cursor"])
    assert stage.output(late["block_id"]).endswith(b"b\n")


@clause("terminal d4a", "terminal pty.run")
async def test_a_run_keeps_the_end_and_begins_with_a_whole_character(stage: Stage) -> None:
    answer = await stage.run("printf '日本語'", max_bytes=5)
    assert (answer["data"], answer["truncated"], answer["output_bytes"]) == ("語", True, 9)
    assert answer["resume_cursor"] == len(stage.spool())


@clause("terminal d4b")
@pytest.mark.parametrize("name", ["pty.run", "pty.read_spool", "blocks.read"])
async def test_a_max_bytes_that_holds_no_character_is_refused(stage: Stage, name: str) -> None:
    begun = await stage.run("echo x")
    more = {"pty.run": {"cmd": "true"}, "blocks.read": {"block_id": begun["block"]["block_id"]}}
    await stage.refused(name, "invalid_request", max_bytes=3, **more.get(name, {}))
