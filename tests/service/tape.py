"""A stream without a shell: a recorded terminal is played into the real files, and life may end.

`Life` counts what is written; when it is used up, the write that is under way stops in its
middle and the process, so to say, is gone.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from antiphon.drivers.file import File, StorageFull
from antiphon.drivers.store import Store
from antiphon.service.stream import Stream
from antiphon.terminal.facts import Fact, Order, ShellStarted
from tests.terminal.streams import KEY

Json = dict[str, Any]


class Died(BaseException):
    """The process is gone, in the middle of a write."""


@dataclass(slots=True)
class Life:
    """How many bytes may yet be written (a cut counts as one), and what was written so far."""

    left: int | None = None
    is_disk: bool = False  # what is used up is room on the disk, not life
    spent: list[int] = field(default_factory=list)

    def spend(self, wanted: int) -> int:
        """How much of it is still done."""
        self.spent.append(wanted)
        if self.left is None:
            return wanted
        done = min(wanted, self.left)
        self.left -= done
        return done

    def open(self, path: Path) -> File:
        opened = File.open(path)
        return MortalFile(opened.path, opened.fd, opened.size, self)


@dataclass(slots=True)
class MortalFile(File):
    life: Life

    def write_at(self, offset: int, data: bytes) -> None:
        done = self.life.spend(len(data))
        File.write_at(self, offset, data[:done])
        if done < len(data):
            self._end()

    def cut(self, size: int) -> None:
        if not self.life.is_disk and not self.life.spend(1):
            self._end()
        File.cut(self, size)

    def _end(self) -> None:
        if self.life.is_disk:
            raise StorageFull(f"{self.path.name}: no room, says the test")
        raise Died


class Tape(Stream):
    """A conversation's stream that only keeps what it is ordered."""

    def __init__(self, folder: Path, life: Life) -> None:
        super().__init__("c", Store(folder, life.open))

    def carry_out(self, order: Order) -> None:
        pass

    def answer_query(self, reply: bytes) -> None:
        pass


# What happens to a conversation, one after the other.
@dataclass(frozen=True, slots=True)
class Printed:
    """The terminal printed this, whoever listens."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Told:
    fact: Fact


@dataclass(frozen=True, slots=True)
class Saved:
    pass


Step = Printed | Told | Saved


def begun(folder: Path) -> None:
    """A conversation whose shell has just started."""
    tape = Tape(folder, Life())
    tape.commit_fact(ShellStarted("sh-1", b"/"))
    tape.save()
    tape.let_go()


@contextmanager
def awake(folder: Path, life: Life) -> Iterator[Tape]:
    """A server that finds the conversation, until it is done or dies."""
    tape = Tape(folder, life)
    try:
        tape.replay(KEY)
        yield tape
    finally:
        tape.let_go()


def play(tape: Stream, step: Step) -> None:
    match step:
        case Printed(data):
            with (tape.store.folder / "output.raw").open("ab") as raw:
                raw.write(data)
            tape.pump_all()
        case Told(fact):
            tape.tell(fact)
        case Saved():
            tape.save()


def played(folder: Path, steps: list[Step], *lives: Life) -> None:
    """All steps, by as many servers as it takes: one after each life that ends."""
    begun(folder)
    remaining, waiting = list(lives), list(steps)
    told = 0
    while True:
        life = remaining.pop(0) if remaining else Life()
        try:
            with awake(folder, life) as tape:
                if waiting and isinstance(waiting[0], Told) and tape.journal.serial > told:
                    told += 1  # it was written down before the end, so it happened
                    waiting.pop(0)
                while waiting:
                    play(tape, waiting[0])
                    told += isinstance(waiting[0], Told)
                    waiting.pop(0)
            return
        except Died:
            if waiting and isinstance(waiting[0], Printed):
                printed = waiting.pop(0)
                assert isinstance(printed, Printed)
                _print_missing(folder, steps, len(steps) - len(waiting))


def _print_missing(folder: Path, steps: list[Step], count: int) -> None:
    """The holder had written it all, whether or not the server lived to see it."""
    whole = b"".join(step.data for step in steps[:count] if isinstance(step, Printed))
    (folder / "output.raw").write_bytes(whole)


# --- what is on the disk --------------------------------------------------------


@dataclass(frozen=True)
class Kept:
    """What a consumer finds; how deltas were cut is the server's business."""

    spool: bytes
    prompts: bytes
    blocks: list[Json]
    outputs: dict[str, bytes]
    events: list[Json]
    deltas: dict[str, bytes]


def kept(folder: Path) -> Kept:
    text = (folder / "events.jsonl").read_text()
    assert not text or text.endswith("\n")
    events, deltas, cursors = [], dict[str, bytes](), dict[str, int]()
    for line in text.split("\n")[:-1]:
        event = json.loads(line.replace(str(folder), "HERE"))
        if event["type"] != "agent_block_delta":
            events.append(event)
            continue
        block_id = event["block_id"]
        assert events[-1]["block"]["block_id"] == block_id and events[-1]["type"].endswith("begin")
        data = base64.b64decode(event["delta_b64"]) if "delta_b64" in event else None
        said = event["delta"].encode() if data is None else data
        assert said and cursors.setdefault(block_id, event["cursor"]) == event["cursor"]
        cursors[block_id] += len(said)
        deltas[block_id] = deltas.get(block_id, b"") + said
    blocks = (folder / "blocks.jsonl").read_text().replace(str(folder), "HERE")
    outputs = {path.stem: path.read_bytes() for path in (folder / "blocks").iterdir()}
    return Kept(
        (folder / "output.spool").read_bytes(),
        (folder / "prompts.idx").read_bytes(),
        [json.loads(line) for line in blocks.split("\n")[:-1]],
        outputs,
        events,
        deltas,
    )


def standing(folder: Path) -> tuple[object, ...]:
    """The state in which the next server finds the terminal."""
    with awake(folder, Life()) as tape:
        terminal = replace(tape.terminal, spool=replace(tape.terminal.spool))
        return terminal, tape.reader.last_number, tape.raw_offset - tape.reader.held_bytes
