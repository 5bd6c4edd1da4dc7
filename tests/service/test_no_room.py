from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.base.errors import Code, Refused
from antiphon.drivers.file import StorageFull
from antiphon.drivers.store import Store
from tests.clauses import clause
from tests.service.tape import Kept, Life, Step, Tape, Told, awake, begun, kept, play, standing
from tests.service.test_crash import STORY, outcome, places


async def crowded(folder: Path, steps: list[Step], life: Life) -> int:
    """All steps on a disk that fills up once; how often it was met full."""
    begun(folder)
    met = 0
    with awake(folder, life) as tape:
        for step in steps:
            try:
                play(tape, step)
            except Refused as refused:
                if refused.code is not Code.STORAGE_FULL or not isinstance(step, Told):
                    raise
                met += 1
                make_room(tape, life)
                play(tape, step)
            if tape.is_storage_full:
                met += 1
                assert life.left == 0
                tape._retry()
                assert not tape.save(), "there is room for none before all is written"
                make_room(tape, life)
                tape.pump_all()
        assert not tape.is_storage_full
    return met


def make_room(tape: Tape, life: Life) -> None:
    life.left = None
    tape._retry()


def result(steps: list[Step], left: int) -> tuple[int, tuple[Kept, tuple[object, ...]]]:
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        folder = Path(place) / "conversations" / "c" / "agent_pty"
        met = asyncio.run(crowded(folder, steps, Life(left, is_disk=True)))
        state = standing(folder)
        return met, (kept(folder), state)


def test_a_disk_that_fills_up_in_any_write_costs_nothing() -> None:
    whole = Life()
    expected = outcome(STORY, whole)
    met = 0
    for place in places(whole.spent):
        times, found = result(STORY, place)
        assert found == expected, place
        met += times
    assert met > 50, "most places are in what the stream writes, not in a checkpoint"


@settings(max_examples=60)
@given(st.data())
@clause("terminal D8")
def test_a_server_that_dies_while_the_disk_is_full_loses_nothing(data: st.DataObject) -> None:
    whole = Life()
    expected = outcome(STORY, whole)
    left = data.draw(st.integers(0, sum(whole.spent)))
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        folder = Path(place) / "conversations" / "c" / "agent_pty"
        asyncio.run(stopped_and_woken(folder, Life(left, is_disk=True)))
        state = standing(folder)
        assert (kept(folder), state) == expected


async def stopped_and_woken(folder: Path, life: Life) -> None:
    """The first server meets a full disk and is killed; the second finds room."""
    begun(folder)
    done = 0
    with awake(folder, life) as tape:
        for step in STORY:
            try:
                play(tape, step)
            except Refused:
                break
            done += 1
            if tape.is_storage_full:
                break
    with awake(folder, Life()) as tape:
        for step in STORY[done:]:
            play(tape, step)


# --- the files themselves -------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "conversations" / "c" / "agent_pty")


@contextmanager
def file_bytes_max() -> Iterator[int]:
    """Files end here; the kernel takes what fits of a write, and refuses the next.

    Not as a fixture: pytest writes its own report while one lasts, and that may be a longer file.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        yield 1_000
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_small_file_is_whole_or_the_old_one(store: Store) -> None:
    with file_bytes_max() as most:
        store.put("checkpoint", b"old")
        with pytest.raises(StorageFull):
            store.put("checkpoint", b"n" * (most + 1))
        assert store.get("checkpoint") == b"old"
        store.put("checkpoint", b"new")
        assert store.get("checkpoint") == b"new"


def test_a_record_that_does_not_fit_leaves_no_half_of_it(store: Store) -> None:
    with file_bytes_max():
        store.record(b"a" * 900)
        with pytest.raises(StorageFull):
            store.record(b"b" * 200)
        assert (store.folder / "events.jsonl").read_bytes() == b"a" * 900
        store.record(b"c" * 100)
    assert (store.folder / "events.jsonl").read_bytes() == b"a" * 900 + b"c" * 100


def test_a_command_that_does_not_fit_is_refused(store: Store) -> None:
    with file_bytes_max() as most, pytest.raises(StorageFull):
        store.write_run(b"x" * (most + 1))


def test_what_has_no_file_reads_as_empty(store: Store) -> None:
    assert store.outputs.read("c.1", 0, 10) == b""
    store.outputs.begin("c.1")
    assert (store.folder / "blocks" / "c.1.out").read_bytes() == b""
