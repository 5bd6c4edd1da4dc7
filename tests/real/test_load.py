"""The same promises with many at once, and with those who do not listen."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real.programs import STUBBORN, python
from tests.real.stage import Stage, until


async def test_a_viewer_that_never_reads_holds_nobody_up(stage: Stage) -> None:
    await stage.ok("pty.open")
    watching = stage.desk.stream("c", 0)
    await anext(watching)  # it looks once, and then no more
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = await stage.block("head -c 30000000 /dev/zero | tr '\\0' x; echo END")
    await stage.wait("END\n", begun["resume_cursor"])
    await stage.prompt(begun["resume_cursor"])
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 40_000
    size, seen = len(stage.spool()), 0
    async for frame in watching:
        seen += len(frame) if isinstance(frame, bytes) else 0
        if seen >= size - 200:
            break
    assert isinstance(watching, AsyncGenerator)
    await watching.aclose()


async def test_a_viewer_is_told_how_many_events_it_was_not_told(stage: Stage) -> None:
    await stage.ok("pty.open")
    watching = stage.desk.stream("c", 0)
    frames: list[bytes | str] = [await anext(watching)]  # it looks once, and then not for long
    for number in range(5):
        await stage.run(f"echo {number} # {'x' * 60_000}")
    async for frame in watching:
        frames.append(frame)
        if isinstance(frame, str) and '"seq":5' in frame and "agent_block_end" in frame:
            break
    events = [json.loads(frame) for frame in frames if isinstance(frame, str)]
    (place,) = [number for number, event in enumerate(events) if event["type"] == "gap"]
    lost = events[place]["events"]
    # The mode at first; then two modes, a begin and an end of each block.
    assert place <= 1 and lost > 10 and place + lost + len(events) - place - 1 == 1 + 5 * 4
    assert [event["type"] for event in events[-2:]] == ["mode", "agent_block_end"]
    assert b"".join(frame for frame in frames if isinstance(frame, bytes)) == stage.spool()
    assert isinstance(watching, AsyncGenerator)
    await watching.aclose()


async def test_a_server_with_many_old_conversations_starts_at_once(stage: Stage) -> None:
    await stage.run("echo x")
    await stage.ok("pty.close")
    source = stage.folder()
    files = {path.relative_to(source): path.read_bytes() for path in source.rglob("*")
             if path.is_file()}  # fmt: skip
    await stage.leave()
    for number in range(300):
        for name, content in files.items():
            path = stage.folder(f"old{number}") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    await stage.open()
    assert len((await stage.ok("pty.list"))["conversations"]) == 301
    assert stage.desk.rooms.loaded == {}, "none of them is read before it is asked for"
    for number in range(300):
        for path in sorted(stage.folder(f"old{number}").parent.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        stage.folder(f"old{number}").parent.rmdir()


def has_blocks(stage: Stage, count: int) -> bool:
    return len(stage.blocks()) == count


async def test_prompts_are_seen_through_type_ahead(stage: Stage) -> None:
    await stage.ok("pty.open")
    for number in range(10):
        begun = await stage.block(f"sleep 0.03; (exit {number})")
        await stage.send(f"echo a{number}\recho b{number}\r")
        prompt = await stage.prompt(begun["resume_cursor"])
        assert prompt["extra"]["exit_code"] == number
        await until(partial(has_blocks, stage, 3 * (number + 1)), "all have run")
    cmds = [one["cmd"] for one in stage.blocks()]
    assert cmds[-3:] == ["sleep 0.03; (exit 9)", "echo a9", "echo b9"]


async def test_a_wait_from_its_cursor_sees_nothing_twice_and_skips_nothing(stage: Stage) -> None:
    """Marks that came before anybody waited are found, in order, and once."""
    begun = await stage.block("for i in 1 2 3; do echo READY; done; echo DONE")
    await stage.prompt(begun["resume_cursor"])
    cursor, places = begun["resume_cursor"], []
    for _ in range(3):
        found = await stage.wait("READY", cursor)
        places.append(found["match_cursor"])
        cursor = found["resume_cursor"]
    assert places == sorted(set(places))
    late = await stage.ask("pty.wait_for", match="READY", from_cursor=cursor, timeout_ms=20)
    assert late["error"] == "timeout"
    assert (await stage.wait("DONE", cursor))["match_cursor"] > places[-1]


async def test_ctrl_c_reaches_programs_of_a_server_that_ignores_it(tmp_path: Path) -> None:
    """As a server under nohup does."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        async with Stage(tmp_path / "state") as stage:
            begun = await stage.session("echo READY; exec 3<&0; sleep 100")
            await stage.wait("READY", begun["resume_cursor"])
            ended = await stage.ok("pty.end_session")
            assert ended["exit_code"] == 130
            answer = await stage.run(python("import signal; print(signal.getsignal(2))"))
            assert "default_int_handler" in answer["data"]
    finally:
        signal.signal(signal.SIGINT, before)


async def test_a_repl_is_talked_to(stage: Stage) -> None:
    begun = await stage.session("python3 -q")
    cursor = begun["resume_cursor"]
    for line, answer in (("print(6 * 7 * 1000)", "42000"), ("1 / 0", "ZeroDivisionError")):
        cursor = (await stage.wait(">>> ", cursor))["resume_cursor"]
        await stage.send(line + "\r")
        cursor = (await stage.wait(answer, cursor))["resume_cursor"]
    await stage.send("raise SystemExit(5)\r")
    assert (await stage.prompt(cursor))["extra"]["exit_code"] == 5


async def test_a_hundred_shells_live_side_by_side(stage: Stage) -> None:
    names = [f"s{number:03d}" for number in range(100)]
    await asyncio.gather(*[stage.ok("pty.open", conversation_id=name) for name in names])
    answers = await asyncio.gather(
        *[stage.run(f"echo {name}; (exit 3)", conversation_id=name) for name in names]
    )
    assert [one["data"] for one in answers] == [f"{name}\n" for name in names]
    assert {one["block"]["exit_code"] for one in answers} == {3}
    assert len({one["shell_id"] for one in (await stage.ok("pty.list"))["conversations"]}) == 100


@clause("terminal pty.close")
async def test_a_close_ends_the_stubborn_too(stage: Stage) -> None:
    begun = await stage.block(f"for i in 1 2 3 4 5; do {STUBBORN} & done; {STUBBORN}")
    await stage.wait("READY", begun["resume_cursor"])
    await stage.ok("pty.close")
    await stage.nobody_is_left()


@pytest.mark.parametrize("cursor_first", [True, False])
async def test_what_was_said_once_is_said_the_same_for_ever(
    stage: Stage, *, cursor_first: bool
) -> None:
    begun = await stage.block("printf 'é%.0s' {1..2000}; echo; (exit 4)")
    if cursor_first:
        await stage.prompt(begun["resume_cursor"])
    prompt = await stage.prompt(begun["resume_cursor"])
    text = await stage.wait("é{3}$", begun["resume_cursor"], match_type="regex")
    for _ in range(2):
        assert await stage.prompt(begun["resume_cursor"]) == prompt
        assert await stage.wait("é{3}$", begun["resume_cursor"], match_type="regex") == text
        await stage.leave()
        await stage.open()
