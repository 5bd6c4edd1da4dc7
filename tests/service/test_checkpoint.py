from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antiphon.service import checkpoint
from antiphon.terminal.blocks import Terminal
from antiphon.terminal.facts import BlockRequested, ShellDied, ShellStarted
from antiphon.terminal.marks import MarkReader
from tests.clauses import clause
from tests.service.tape import Life, Printed, Saved, Step, Tape, awake, begun, kept, play, played
from tests.service.test_crash import STORY, told
from tests.terminal.streams import KEY, prompt

# Each example has a folder of its own in the folder of the test, on a machine that may be slow.
KEPT = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)

FILES = ["output.spool", "output.raw", "events.jsonl", "blocks.jsonl", "prompts.idx", "journal"]
# The last block of the story runs still, and has said something.
RUNNING: list[Step] = [*STORY, Saved(), told(24), Printed(b"half"), Saved()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "conversations" / "c" / "agent_pty"


def test_a_checkpoint_has_all_of_the_terminals_state() -> None:
    state = {field.name for field in dataclasses.fields(Terminal)} - {"conversation_id"}
    assert state <= set(checkpoint.Checkpoint.__struct_fields__)


@given(st.data())
@settings(max_examples=40, suppress_health_check=KEPT)
def test_a_checkpoint_is_read_as_it_was_taken(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / str(data.draw(st.uuids())) / "c" / "agent_pty"
    begun(folder)
    count = data.draw(st.integers(0, len(STORY)))
    with awake(folder, Life()) as tape:
        for step in STORY[:count]:
            play(tape, step)
        assert tape.save()
        state = tape.terminal, tape.reader.last_number
    with awake(folder, Life()) as again:
        assert again.is_sound
        assert (again.terminal, again.reader.last_number) == state


def lost(folder: Path) -> Tape:
    """A server that finds no sound checkpoint, and ends what ran."""
    tape = Tape(folder, Life())
    assert not tape.is_sound
    tape.commit_fact(ShellDied(None, 1_900_000_000_000))
    assert tape.save()
    return tape


def check_nothing_is_lost(folder: Path) -> None:
    """History is as it was, the running block has failed, and the next one has an id of its own."""
    before, old = kept(folder), (folder / "blocks.jsonl").read_bytes()
    tape = lost(folder)
    now = kept(folder)
    assert now.spool == before.spool and now.prompts == before.prompts
    assert (folder / "blocks.jsonl").read_bytes().startswith(old)
    assert [block["status"] for block in now.blocks[5:]] == ["failed"]
    assert now.blocks[-1]["exit_code"] is None and now.outputs["c.6"] == b"half"
    assert now.deltas == {**before.deltas, "c.6": b"half"}
    assert now.events[:-1] == before.events
    tape.commit_fact(ShellStarted("sh-2", b"/"))
    tape.reader, tape.raw_offset = MarkReader(KEY), tape.store.raw_size()
    play(tape, Printed(prompt(100_000)))
    tape.tell(BlockRequested("next", 100_004, 1_900_000_000_001))
    assert tape.terminal.active is not None and tape.terminal.active.block_id == "c.7"
    tape.let_go()
    with awake(folder, Life()) as again:
        assert again.is_sound
    assert kept(folder).spool.startswith(before.spool)


@clause("terminal D15a")
@pytest.mark.parametrize(
    "content", [None, b"", b"\0" * 400, b"{", b"[]", b"\xff", b'{"mode":"odd"}']
)
def test_without_a_checkpoint_the_files_say_how_it_stands(
    folder: Path, content: bytes | None
) -> None:
    played(folder, RUNNING)
    path = folder / checkpoint.NAME
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    check_nothing_is_lost(folder)


def test_a_checkpoint_cut_off_anywhere_is_none(folder: Path) -> None:
    played(folder, RUNNING)
    path = folder / checkpoint.NAME
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        tape = Tape(folder, Life())
        assert not tape.is_sound and tape.terminal.active is not None
        assert tape.terminal.active.block_id == "c.6"
        tape.let_go()
    path.write_bytes(whole[:-1])
    check_nothing_is_lost(folder)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_survived_and_no_id_is_given_twice(folder: Path, name: str) -> None:
    played(folder, RUNNING)
    (folder / name).unlink()
    tape = Tape(folder, Life())
    assert tape.is_sound is (name == "journal")
    assert tape.terminal.seq == 6 or name == "events.jsonl"
    if not tape.is_sound:
        tape.commit_fact(ShellDied(None, 1_900_000_000_000))
    assert tape.save()
    tape.let_go()
    found = kept(folder)
    if name != "events.jsonl":
        ids = [block["block_id"] for block in found.blocks]
        assert ids[:5] == [f"c.{seq}" for seq in range(1, 6)]
    with awake(folder, Life()) as again:
        assert again.is_sound


@given(st.binary(max_size=60), st.sampled_from(["events.jsonl", "blocks.jsonl", "journal"]))
@settings(max_examples=60, suppress_health_check=KEPT)
def test_garbage_behind_the_last_record_is_cut_off_and_kept(
    tmp_path: Path, garbage: bytes, name: str
) -> None:
    folder = tmp_path / garbage.hex() / name / "agent_pty"
    played(folder, RUNNING)
    before = kept(folder)
    with (folder / name).open("ab") as file:
        file.write(garbage)
    with awake(folder, Life()) as tape:
        assert tape.is_sound
    assert kept(folder) == before
    if garbage and name != "journal":
        assert (folder / f"{name}.torn").read_bytes() == garbage


def test_a_block_that_ended_in_the_events_is_listed_again(folder: Path) -> None:
    played(folder, RUNNING)
    whole = (folder / "blocks.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    (folder / "blocks.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:20])
    (folder / checkpoint.NAME).unlink()
    lost(folder).let_go()
    listed = (folder / "blocks.jsonl").read_bytes().splitlines(keepends=True)
    assert [json.loads(line) for line in listed[:5]] == [json.loads(line) for line in lines]


def test_a_conversation_that_never_was_is_no_loss(folder: Path) -> None:
    tape = Tape(folder, Life())
    assert tape.is_sound and tape.terminal == Terminal("c")
    tape.let_go()


def test_only_a_closed_conversation_can_be_left_asleep(folder: Path) -> None:
    assert not checkpoint.says_closed(folder)
    played(folder, [*STORY, Saved()])
    assert not checkpoint.says_closed(folder)
    with awake(folder, Life()) as tape:
        tape.commit_fact(ShellDied(0, 1_900_000_000_000))
        tape.save()
    assert checkpoint.says_closed(folder)
    (folder / checkpoint.NAME).write_bytes(b"{")
    assert not checkpoint.says_closed(folder)


def test_a_start_is_no_activity(folder: Path) -> None:
    played(folder, [*STORY, Saved()])
    os.utime(folder / "output.spool", (1_000, 1_000))
    with awake(folder, Life()) as tape:
        assert tape.last_activity == 1_000_000
    assert (folder / "output.spool").stat().st_mtime == 1_000


def test_output_that_the_machine_lost_is_taken_off_the_spool(folder: Path) -> None:
    played(folder, RUNNING)
    size = (folder / "output.spool").stat().st_size
    with (folder / "output.spool").open("ab") as spool:
        spool.write(b"from bytes that never reached the disk")
    with awake(folder, Life()):
        pass
    assert (folder / "output.spool").stat().st_size == size
