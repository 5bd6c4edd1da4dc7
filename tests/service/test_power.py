"""The power is cut: what was synced is there; what was not may be gone, or zeros, or garbage."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest

from antiphon.drivers.file import File, StorageFull
from antiphon.drivers.link import Link
from antiphon.drivers.store import Durability, Store
from antiphon.service.power_cut import clamp
from antiphon.service.stream import Stream
from antiphon.service.telling import Telling
from antiphon.terminal.facts import BeginBlock, Block, EndBlock, Order, ShellDied, ShellStarted
from tests.clauses import clause
from tests.real import record
from tests.service.tape import Life, Printed, awake, kept, play
from tests.service.test_crash import STORY
from tests.service.test_mending import LATE, check
from tests.terminal.streams import KEY, prompt

CUTS = 12  # after each step


class Noted(Store):
    """Files that know how much of them a power cut cannot take."""

    def __init__(self, folder: Path) -> None:
        self.safe: dict[str, int] = {}
        self.fault: OSError | None = None
        super().__init__(folder, File.open, Durability.POWER)

    def to_disk(self, fd: int) -> None:
        if self.fault is not None:
            raise self.fault
        name = Path(f"/proc/self/fd/{fd}").readlink().name
        self.safe[name] = os.fstat(fd).st_size


class Told(Stream):
    """A stream, and what was told of it by now."""

    def __init__(self, folder: Path) -> None:
        self.noted = Noted(folder)
        self.begun: list[Block] = []
        self.ended: list[Block] = []
        self.heard = asyncio.Event()
        super().__init__("c", self.noted)

    def carry_out(self, order: Order) -> None:
        if isinstance(order, BeginBlock):
            self.begun.append(order.block)
        if isinstance(order, EndBlock):
            self.ended.append(order.block)
            self.heard.set()

    def answer_query(self, reply: bytes) -> None:
        pass


def cut_power(dice: random.Random, folder: Path, safe: dict[str, int], older: bytes) -> None:
    # A new one takes the place of the old one whole, or not; the machine is another one then.
    checkpoint = dice.choice([older, (folder / "checkpoint").read_bytes()])
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        at = dice.randint(min(safe.get(path.name, 0), len(whole)), len(whole))
        rest = len(whole) - at
        path.write_bytes(whole[:at] + dice.choice([b"", bytes(rest), b"\xa5" * rest]))
    head, _, tail = checkpoint.partition(b'"boot":"')
    (folder / "checkpoint").write_bytes(head + b'"boot":"' + tail[tail.index(b'"') :])


def living(folder: Path) -> Told:
    stream = Told(folder)
    stream.key = KEY.decode()
    stream.commit_fact(ShellStarted("sh-1", b"/"))
    stream.save()
    stream.replay(KEY)
    return stream


def check_told(folder: Path, stream: Told, outputs: dict[str, bytes]) -> None:
    """What was told is so after the power cut."""
    clamp("c", folder)
    with awake(folder, Life()) as tape:
        tape.commit_fact(ShellDied(None, 1_900_000_000_000))
    found = kept(folder)
    said = {block["block_id"]: block for block in found.blocks}
    for block in stream.ended:
        again = said[block.block_id]
        assert (again["status"], again["exit_code"]) == (block.status, block.exit_code)
        assert found.outputs.get(block.block_id, b"") == outputs.get(block.block_id, b"")
    assert [block.block_id for block in stream.begun] == list(said)
    check(folder)


@clause("terminal D8")
def test_nothing_that_was_told_is_lost_in_a_power_cut(tmp_path: Path) -> None:
    folder = tmp_path / "conversations" / "c" / "agent_pty"
    dice, stream = random.Random(4), living(folder)
    for step in [*STORY, *LATE[len(STORY) :]]:
        older = (folder / "checkpoint").read_bytes()
        play(stream, step)
        outputs = kept(folder).outputs
        for _ in range(CUTS):
            with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
                copy = Path(place) / "conversations" / "c" / "agent_pty"
                shutil.copytree(folder, copy)
                cut_power(dice, copy, stream.noted.safe, older)
                check_told(copy, stream, outputs)
    assert len(stream.ended) == 7
    stream.let_go()


def running(folder: Path) -> Told:
    stream = living(folder)
    play(stream, STORY[0])
    play(stream, STORY[1])
    return stream


def test_an_end_is_told_when_it_is_on_the_disk_and_no_sooner(tmp_path: Path) -> None:
    async def lived() -> Told:
        stream = running(tmp_path / "conversations" / "c" / "agent_pty")
        stream.noted.fault = OSError(errno.ENOSPC, "no room, says the test")
        play(stream, Printed(b"out\r\n" + prompt(5, 4, 2)))
        assert stream.is_storage_full and not stream.ended
        assert not stream.save()
        stream.noted.fault = None
        await stream.heard.wait()
        stream.let_go()
        return stream

    stream = asyncio.run(lived())
    assert [block.exit_code for block in stream.ended] == [2]
    assert kept(stream.store.folder).outputs == {"c.1": b"out\n"}
    record.check(stream.store.folder)


def test_a_disk_that_failed_is_never_believed_again(tmp_path: Path) -> None:
    async def lived() -> None:
        stream = running(tmp_path / "conversations" / "c" / "agent_pty")
        stream.noted.fault = OSError(errno.EIO, "broken, says the test")
        play(stream, Printed(prompt(5, 4, 2)))
        stream.noted.fault = None  # the kernel has said it once
        with pytest.raises(StorageFull, match="the disk failed"):
            stream.noted.sync()
        assert stream.is_storage_full and not stream.ended
        stream.let_go()

    asyncio.run(lived())


class Bell:
    """A shell's link, as far as a command is told: how much was safe at that moment."""

    key = KEY

    def __init__(self, noted: Noted) -> None:
        self.noted = noted
        self.safe_when_rung = 0
        self.rung = asyncio.Event()

    def bells_heard(self) -> int:
        return 0

    def ring(self) -> None:
        self.safe_when_rung = self.noted.safe["events.jsonl"]
        self.rung.set()


class Commanded(Telling):
    """The way to a shell that is none."""

    def __init__(self, folder: Path) -> None:
        self.noted = Noted(folder)
        super().__init__("c", self.noted)
        self.bell = Bell(self.noted)
        self.link = cast(Link, self.bell)
        self.commit_fact(ShellStarted("sh-1", b"/"))
        self.replay(KEY)
        play(self, STORY[0])

    def carry_out(self, order: Order) -> None:
        pass


@pytest.mark.parametrize("is_full", [False, True])
def test_no_command_is_told_to_run_before_its_begin_is_on_the_disk(
    tmp_path: Path, *, is_full: bool
) -> None:
    async def lived() -> None:
        telling = Commanded(tmp_path / "conversations" / "c" / "agent_pty")
        noted, bell = telling.noted, telling.bell
        noted.fault = OSError(errno.ENOSPC, "no room, says the test") if is_full else None
        telling.ask("make", None, is_session=False)
        assert bell.rung.is_set() is not is_full
        noted.fault = None
        await bell.rung.wait()
        assert bell.safe_when_rung == noted.events.size
        assert b'"cmd":"make"' in noted.events.read(0, noted.events.size)
        telling.link = None
        telling.let_go()

    asyncio.run(lived())
