"""A record that is no longer what was written is told, and what follows the damage is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from antiphon.base.errors import Broken
from antiphon.drivers import sums
from antiphon.drivers.file import File
from antiphon.service import fsck, reading
from antiphon.terminal.facts import ShellDied
from antiphon.wire import terminal as wire
from tests.service.tape import Life, Tape, awake, kept, play, played
from tests.service.test_crash import STORY

PLACES = 23  # a prime, so that it meets every kind of character


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A conversation whose server was stopped; half of its record was synced before."""
    folder = tmp_path / "conversations" / "c" / "agent_pty"
    played(folder, STORY[:12])
    with awake(folder, Life()) as tape:
        tape.store.sync()
        for step in STORY[12:]:
            play(tape, step)
        tape.store.sync()
        assert tape.save()
    return folder


def flips(folder: Path, name: str) -> Iterator[int]:
    """The file with a bit changed, in one place after the other."""
    whole = (folder / name).read_bytes()
    for place in range(0, len(whole), len(whole) // PLACES):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        (folder / name).write_bytes(changed)
        yield place
        (folder / name).write_bytes(whole)


def damages(folder: Path) -> list[str]:
    lines = (folder / "events.jsonl").read_bytes().split(b"\n")
    return [line.decode() for line in lines if b'"agent_record_damaged"' in line]


def test_every_bit_that_changes_in_the_record_is_told(folder: Path) -> None:
    (first, second) = 0, 0
    for place in flips(folder, "events.jsonl"):
        for _ in range(2):
            with awake(folder, Life()) as tape:
                tape.tell_damage()
        (line,) = damages(folder)
        ((start, end),) = sums.damaged(folder)
        assert start <= place < end and f"from byte {start} to {end}" in json.loads(line)["message"]
        assert f"events.jsonl is not what was written, from byte {start} to {end}" in fsck.check(
            folder, again_s=0
        )
        first, second = first + (start == 0), second + (start > 0)
    assert first > 2 and second > 2, "the place is told to a second of writing"


def test_a_record_that_is_what_was_written_is_told_nothing_of(folder: Path) -> None:
    before = (folder / "events.jsonl").read_bytes()
    with awake(folder, Life()) as tape:
        tape.tell_damage()
    assert (folder / "events.jsonl").read_bytes() == before and not list(sums.damaged(folder))


def test_what_follows_the_damage_is_kept_though_the_checkpoint_is_lost(folder: Path) -> None:
    blocks = kept(folder).blocks
    events = (folder / "events.jsonl").read_bytes()
    lines = events.split(b"\n")
    damaged = b"\n".join([*lines[:4], b"{" + lines[4][1:].replace(b":", b";"), *lines[5:]])
    (folder / "events.jsonl").write_bytes(damaged)
    (folder / "checkpoint").unlink()
    tape = Tape(folder, Life())
    tape.commit_fact(ShellDied(None, 1_900_000_000_000))
    tape.let_go()
    assert (folder / "events.jsonl").read_bytes() == damaged
    found = [json.loads(line) for line in (folder / "blocks.jsonl").read_bytes().splitlines()]
    assert [block["block_id"] for block in found] == [block["block_id"] for block in blocks]


def test_a_block_whose_end_is_lost_is_not_ended_twice(folder: Path) -> None:
    blocks = kept(folder).blocks
    events = (folder / "events.jsonl").read_bytes()
    (folder / "events.jsonl").write_bytes(events[: events.rindex(b'{"type":"agent_block_end"')])
    tape = Tape(folder, Life())
    tape.commit_fact(ShellDied(None, 1_900_000_000_000))
    tape.let_go()
    found = [json.loads(line) for line in (folder / "blocks.jsonl").read_bytes().splitlines()]
    assert [block["block_id"] for block in found] == [block["block_id"] for block in blocks]


def test_what_is_cut_off_and_written_anew_has_a_sum_of_its_own(folder: Path) -> None:
    with awake(folder, Life()) as tape:
        store = tape.store
        store.cut(store.events, store.events.size - 10)
        store.record(b"another\n")
        store.sync()
    assert not list(sums.damaged(folder))


@pytest.mark.parametrize("torn", [b"", b"\0" * 5, b"\0" * 16, b"\1" + b"\0" * 15, b"\0" * 40])
def test_the_sums_go_on_after_a_tail_that_a_crash_has_torn(folder: Path, torn: bytes) -> None:
    path = folder / sums.NAME
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    with awake(folder, Life()) as tape:
        tape.store.record(b"another\n")
        tape.store.sync()
        size = tape.store.events.size
    assert not list(sums.damaged(folder))
    found = path.read_bytes()
    assert found.startswith(whole)
    assert sums.ITEM.unpack_from(found, len(whole))[0] == size, "all that came is in the next sum"


def test_of_many_sums_only_the_last_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read = folder / sums.NAME, []
    descriptor = os.open(folder / "events.jsonl", os.O_RDWR)
    path.write_bytes(b"".join(sums.ITEM.pack(end, 0) for end in range(1, 10_000)))
    pread = os.pread

    def counted(fd: int, size: int, offset: int) -> bytes:
        read.append(size if fd != descriptor else 0)
        return pread(fd, size, offset)

    monkeypatch.setattr(os, "pread", counted)
    sums.extend(folder, descriptor, 10_001)
    os.close(descriptor)
    assert sum(read) == 2 * sums.ITEM.size and path.stat().st_size == 10_000 * sums.ITEM.size


def test_a_damaged_line_of_blocks_is_told_with_its_place(folder: Path) -> None:
    whole = (folder / "blocks.jsonl").read_bytes()
    second = whole.index(b"\n") + 1
    (folder / "blocks.jsonl").write_bytes(whole[:second] + b"!" + whole[second + 1 :])
    file = File.open(folder / "blocks.jsonl")
    items, end = reading.lines_since(file, 0, 1, wire.Block)
    assert (len(items), end) == (1, second)
    with pytest.raises(Broken, match=rf"blocks\.jsonl is damaged in the line at {second};"):
        reading.lines_since(file, 0, 2, wire.Block)
    file.close()
