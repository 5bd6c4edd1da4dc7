from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from antiphon.base.errors import Broken
from tests.clauses import clause
from tests.real.disk import PAGE_BYTES, Disk, Mounted, small_disk
from tests.real.stage import Answer, Stage, until

POINTS = 28
LINES = 2_000


@asynccontextmanager
async def crowded(folder: Path) -> AsyncIterator[tuple[Stage, Disk]]:
    """A stage on a disk that has room until it is filled."""
    with small_disk(folder / "disk") as disk:
        async with Stage(disk.place / "state") as stage:
            try:
                yield stage, disk
            finally:
                disk.free()


def numbered(count: int, start: int = 1) -> str:
    return "".join(f"{number}\n" for number in range(start, start + count))


def sizes(stage: Stage) -> list[int]:
    return [path.stat().st_size for path in stage.folder().rglob("*") if path.is_file()]


async def settled(stage: Stage, is_over: Callable[[], bool]) -> None:
    """It is over, or nothing has moved for as long as a full disk is looked at twice."""
    before: list[int] = []
    while not is_over() and before != sizes(stage):
        before = sizes(stage)
        await asyncio.sleep(0.25)


async def block_of(stage: Stage, begun: Answer) -> Answer:
    await until(
        lambda: any(block["block_id"] == begun["block_id"] for block in stage.blocks()),
        "the block has ended",
    )
    return await stage.get(begun["block_id"])


@clause("terminal 9.4")
async def test_a_program_waits_for_room_and_nothing_is_torn(tmp_path: Path) -> None:
    async with crowded(tmp_path) as (stage, disk):
        await stage.run("true")
        stuck = 0
        for point in range(POINTS):
            disk.fill(point * PAGE_BYTES)
            command = f"seq {LINES}; (exit {point + 1})"
            begun = await stage.ask("pty.exec_block", cmd=command)
            if not begun["ok"]:
                assert begun["error"] == "storage_full", begun
                disk.free()
                begun = await stage.block(command)
            else:
                held = begun["block_id"]
                await settled(stage, partial(is_listed, stage, held))
                stuck += not is_listed(stage, held)
                assert await stage.mode() in {"idle", "block_running"}, "it answers all the while"
                disk.free()
            block = await block_of(stage, begun)
            assert (block["status"], block["exit_code"]) == ("completed", point + 1)
            assert stage.output(begun["block_id"]).decode() == numbered(LINES)
            await until(
                lambda: not stage.desk.rooms.known("c").conversation.is_storage_full, "room"
            )
        assert stuck >= 3, "a limit on files stops fewer writes than a full disk"
        assert len(stage.blocks()) == POINTS + 1, "what was refused did not run"


def is_listed(stage: Stage, block_id: str) -> bool:
    return block_id.encode() in (stage.folder() / "blocks.jsonl").read_bytes()


@pytest.mark.parametrize("pages", [0, 3, 12])
@clause("terminal D9")
async def test_a_shell_that_ends_on_a_full_disk_says_all_it_had_to_say(
    tmp_path: Path, pages: int
) -> None:
    async with crowded(tmp_path) as (stage, disk):
        begun = await stage.session("echo on; read -r x; seq 3000; exit 9")
        await stage.wait("on\n", begun["resume_cursor"])
        disk.fill(pages * PAGE_BYTES)
        sent = await stage.ask("pty.send", data="go\n")
        if not sent["ok"]:
            assert sent["error"] == "storage_full"
            disk.free()
            await stage.send("go\n")
        await settled(stage, lambda: is_listed(stage, begun["block_id"]))
        disk.free()
        block = await block_of(stage, begun)
        assert (block["status"], block["exit_code"]) == ("failed", 9)
        assert stage.output(begun["block_id"]).decode().endswith("go\n" + numbered(3000))
        assert await stage.exit_code("(exit 4)") == 4


async def test_a_server_is_killed_and_another_started_while_the_disk_is_full(
    tmp_path: Path,
) -> None:
    async with crowded(tmp_path) as (stage, disk):
        begun = await stage.block(f"seq {LINES * 10}; (exit 3)")
        disk.fill(PAGE_BYTES)
        await settled(stage, lambda: is_listed(stage, begun["block_id"]))
        spool = stage.spool()
        await stage.leave()
        disk.fill(0)
        if isinstance(disk, Mounted):
            with pytest.raises(Broken, match=r"server\.json: cannot be written: No space"):
                await stage.open()
        assert [path for path in stage.state.iterdir() if path.name.startswith(".")] == []
        disk.fill(PAGE_BYTES)
        await stage.open()
        assert stage.spool().startswith(spool)
        disk.free()
        block = await block_of(stage, begun)
        assert (block["status"], block["exit_code"]) == ("completed", 3)
        assert stage.output(begun["block_id"]).decode() == numbered(LINES * 10)
        assert stage.spool().startswith(spool)


async def test_no_shell_is_left_half_started_on_a_full_disk(tmp_path: Path) -> None:
    async with crowded(tmp_path) as (stage, disk):
        await stage.run("true")
        for pages in range(6):
            await stage.ok("pty.close")
            disk.fill(pages * PAGE_BYTES)
            answer = await stage.ask("pty.run", cmd="(exit 6)", timeout_ms=500)
            if not answer["ok"]:
                assert answer["error"] in {"storage_full", "timeout"}, answer
            disk.free()
            if not answer["ok"] and answer["error"] == "timeout":
                await stage.prompt(answer["resume_cursor"])
            assert await stage.exit_code("(exit 7)") == 7
            shell = stage.desk.rooms.known("c").conversation.link
            assert shell is not None


async def test_a_shell_killed_on_a_full_disk_is_followed_by_another_when_there_is_room(
    tmp_path: Path,
) -> None:
    async with crowded(tmp_path) as (stage, disk):
        begun = await stage.block("sh -c 'echo on; sleep 1000'")
        await stage.wait("on\n", begun["resume_cursor"])
        link = stage.desk.rooms.known("c").conversation.link
        assert link is not None
        disk.fill(0)
        os.kill(link.shell_pid, signal.SIGKILL)
        await settled(stage, lambda: is_listed(stage, begun["block_id"]))
        disk.free()
        block = await block_of(stage, begun)
        assert (block["status"], block["exit_code"]) == ("failed", 128 + 9)
        assert await stage.exit_code("(exit 4)") == 4
        assert len(stage.reasons()) == 1
