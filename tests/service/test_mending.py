"""The machine dies: whatever was not synced since the checkpoint may be gone, or garbled."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antiphon.terminal.facts import BlockRequested
from tests.clauses import clause
from tests.real import record
from tests.service.tape import Life, Printed, Saved, Step, awake, kept, play, played
from tests.service.test_crash import STORY, told
from tests.terminal.streams import prompt

# Each example has a folder of its own in the folder of the test, on a machine that may be slow.
KEPT = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)

# Since the last checkpoint: a block that ended, a silent one, one that runs.
LATE: list[Step] = [
    *STORY,
    Saved(),
    told(24),
    Printed(b"some output\r\n" + prompt(25, 24, 3)),
    told(28),
    Printed(prompt(29, 28, 0)),
    told(32),
    Printed(b"half of it, as long as a line of output is"),
]
DAMAGED = ["journal", "events.jsonl", "blocks.jsonl", "output.spool", "prompts.idx"]


def synced(folder: Path) -> dict[str, int]:
    """How long each file was at the last checkpoint."""
    found = json.loads((folder / "checkpoint").read_bytes())
    return {
        "journal": 0,
        "events.jsonl": found["events_size"],
        "blocks.jsonl": found["blocks_size"],
        "output.spool": found["spool"]["size"],
        "prompts.idx": found["prompts_size"],
    }


def check(folder: Path, *, is_over: bool = True) -> None:
    for block in kept(folder).blocks:
        if not block["output_bytes"]:  # whose empty file the conversation makes, not its stream
            (folder / "blocks" / f"{block['block_id']}.out").touch()
    record.check(folder, is_over=is_over)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "conversations" / "c" / "agent_pty"
    played(folder, LATE)
    return folder


@settings(max_examples=150, deadline=None, suppress_health_check=KEPT)
@given(st.data())
@clause("terminal D8", "terminal 3.5")
def test_a_machine_that_dies_leaves_a_record_that_agrees_with_itself(
    folder: Path, data: st.DataObject
) -> None:
    before, sizes = kept(folder), synced(folder)
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        copy = Path(place) / "conversations" / "c" / "agent_pty"
        shutil.copytree(folder, copy)
        for name in sorted(data.draw(st.sets(st.sampled_from(DAMAGED), min_size=1))):
            whole = (copy / name).read_bytes()
            at = data.draw(st.integers(sizes[name], len(whole)))
            how = data.draw(st.sampled_from(["cut", "zeroed", "garbled"]))
            tail = {"cut": b"", "zeroed": b"\0", "garbled": b"\xa5"}[how] * (len(whole) - at)
            (copy / name).write_bytes(whole[:at] + tail)
        with awake(copy, Life()) as tape:
            mended, running = kept(copy), tape.terminal.active
            assert mended.spool == before.spool, "it follows from the terminal's own bytes"
            check(copy, is_over=running is None)
            if running is None:
                tape.tell(BlockRequested("next", 400, 1_900_000_000_000))
                play(tape, Printed(b"new\r\n" + prompt(401, 400, 0)))
                check(copy)


def test_a_block_that_nobody_can_end_any_more_has_failed(folder: Path) -> None:
    (folder / "journal").write_bytes(b"")
    with awake(folder, Life()):
        pass
    *_, last = kept(folder).blocks
    assert (last["block_id"], last["status"], last["exit_code"]) == ("c.8", "failed", None)
    check(folder)


def test_what_was_listed_and_is_in_no_event_is_kept_beside(folder: Path) -> None:
    listed = (folder / "blocks.jsonl").read_bytes()
    os.truncate(folder / "events.jsonl", synced(folder)["events.jsonl"])
    (folder / "journal").unlink()
    with awake(folder, Life()):
        pass
    torn = (folder / "blocks.jsonl.torn").read_bytes()
    assert torn and (folder / "blocks.jsonl").read_bytes() + torn == listed
    check(folder)
