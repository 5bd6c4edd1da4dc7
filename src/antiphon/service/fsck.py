"""Whether a conversation's files agree: a sentence for each place where they do not.

It reads and never changes anything.  It may run beside a server: files are read in the
reverse of the order in which they are written, so that what one says is in the next by then;
and what is found is looked for twice, since a crash leaves it there and a write does not.
"""

from __future__ import annotations

import base64
import stat
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from antiphon.base import limits
from antiphon.drivers import sums
from antiphon.drivers.store import PROMPT_ITEM_BYTES, SIZE_ITEM
from antiphon.service.checkpoint import Checkpoint
from antiphon.service.fsck_raw import raw_against_spool
from antiphon.service.journal import Entry
from antiphon.service.lifecycle import Wanted
from antiphon.service.orders import exit_of
from antiphon.terminal.spool import is_sentinel
from antiphon.wire import terminal as wire
from antiphon.wire.inputs import Input

TIME_ITEM = struct.Struct("<QQ")
# Longer than a write from one file to the next takes, also on a slow disk.
AGAIN_S = 0.2
# A conversation has these once it was loaded; the holder's come with its first shell.
ALWAYS = ("events.jsonl", "blocks.jsonl", "output.spool", "output.raw", "prompts.idx")
_event = msgspec.json.Decoder(wire.Event)
_block = msgspec.json.Decoder(wire.Block)
_input = msgspec.json.Decoder(Input)


def check(folder: Path, again_s: float = AGAIN_S) -> Iterator[str]:
    """What does not agree, file by file."""
    found = list(_once(folder))
    if found:
        time.sleep(again_s)
        still = set(_once(folder))
        found = [sentence for sentence in found if sentence in still]
    yield from found


def _once(folder: Path) -> Iterator[str]:
    missing = [name for name in ALWAYS if not (folder / name).is_file()]
    yield from (f"{name} is missing" for name in missing)
    yield from _modes(folder)
    if missing:
        return
    # What follows from the others is read before them.
    checkpoint = _content(folder / "checkpoint")
    journal = _content(folder / "journal")
    blocks = Lines.read(folder / "blocks.jsonl")
    events = Lines.read(folder / "events.jsonl")
    prompts = _content(folder / "prompts.idx")
    record = Record()
    yield from record.events(events)
    yield from record.blocks(blocks)
    yield from record.outputs(folder)
    yield from _inputs(Lines.read(folder / "inputs.jsonl"))
    spool = _content(folder / "output.spool")
    yield from record.spool(spool)
    yield from _prompts(prompts, spool, record)
    yield from _small(folder)
    yield from _times(folder)
    yield from _checkpoint(checkpoint, folder)
    for start, end in sums.damaged(folder):
        yield f"events.jsonl is not what was written, from byte {start} to {end}"
    yield from _journal(journal, folder)
    yield from raw_against_spool(folder)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def said_bytes(delta: wire.BlockDelta) -> bytes:
    if isinstance(delta.delta_b64, str):
        return base64.b64decode(delta.delta_b64)
    return delta.delta.encode() if isinstance(delta.delta, str) else b""


@dataclass(frozen=True, slots=True)
class Lines:
    """A file of JSON lines."""

    name: str
    whole: list[bytes]
    torn: bytes

    @classmethod
    def read(cls, path: Path) -> Lines:
        content, newline, torn = _content(path).rpartition(b"\n")
        return cls(path.name, content.split(b"\n") if newline else [], torn)


def _inputs(lines: Lines) -> Iterator[str]:
    if lines.torn:
        yield f"inputs.jsonl ends in a torn line of {len(lines.torn)} bytes"
    for number, line in enumerate(lines.whole, 1):
        try:
            _input.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            yield f"inputs.jsonl line {number} is no input: {error}"


# --- the record -------------------------------------------------------------------


@dataclass(slots=True)
class Record:
    """What the events say, and what they say it differs from."""

    ended: list[wire.Block] = field(default_factory=list)
    printed: dict[str, int] = field(default_factory=dict)  # bytes of output said
    begins: dict[str, int] = field(default_factory=dict)  # in the spool
    deltas: list[tuple[int, bytes, int]] = field(default_factory=list)  # cursor, bytes, line
    active: str | None = None

    def events(self, lines: Lines) -> Iterator[str]:
        if lines.torn:
            yield f"events.jsonl ends in a torn line of {len(lines.torn)} bytes"
        for number, line in enumerate(lines.whole, 1):
            try:
                event = _event.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                yield f"events.jsonl line {number} is no event: {error}"
                continue
            for fault in self._event(event, number):
                yield f"events.jsonl line {number}: {fault}"

    def _event(self, event: wire.Event, number: int) -> Iterator[str]:
        match event:
            case wire.BlockBegan(block=block):
                if self.active is not None:
                    yield f"{block.block_id} begins, and {self.active} has not ended"
                if block.block_id in self.printed:
                    yield f"{block.block_id} begins a second time"
                self.active = block.block_id
                self.printed[block.block_id] = 0
            case wire.BlockDelta(block_id=block_id, cursor=cursor):
                yield from self._delta(block_id, cursor, said_bytes(event), number)
            case wire.BlockEnded(block=block):
                if block.block_id != self.active:
                    yield f"{block.block_id} ends, and {self.active or 'nothing'} runs"
                said = self.printed.get(block.block_id, 0)
                if said != block.output_bytes:
                    yield (
                        f"{block.block_id} ends with {block.output_bytes} bytes of output, and its "
                        f"deltas have {said}"
                    )
                self.ended.append(block)
                self.active = None

    def _delta(self, block_id: str, cursor: int, said: bytes, number: int) -> Iterator[str]:
        if block_id != self.active:
            yield f"output of {block_id}, and {self.active or 'nothing'} runs"
        expected = self.begins.setdefault(block_id, cursor) + self.printed.get(block_id, 0)
        if cursor != expected:
            yield f"output of {block_id} at {cursor} of the spool, and {expected} is next"
        self.printed[block_id] = self.printed.get(block_id, 0) + len(said)
        self.deltas.append((cursor, said, number))

    def blocks(self, lines: Lines) -> Iterator[str]:
        if lines.torn:
            yield f"blocks.jsonl ends in a torn line of {len(lines.torn)} bytes"
        listed = []
        for number, line in enumerate(lines.whole, 1):
            try:
                listed.append(_block.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                yield f"blocks.jsonl line {number} is no block: {error}"
                return
        for number, (block, ended) in enumerate(zip(listed, self.ended, strict=False), 1):
            if block != ended:
                yield (
                    f"blocks.jsonl line {number} says another thing of {block.block_id} than its "
                    f"end in events.jsonl says of {ended.block_id}"
                )
        if len(listed) != len(self.ended):
            yield (
                f"blocks.jsonl has {len(listed)} blocks, and in events.jsonl {len(self.ended)} "
                "have ended"
            )

    def outputs(self, folder: Path) -> Iterator[str]:
        for block in self.ended:
            path = folder / "blocks" / f"{block.block_id}.out"
            if not path.is_file():
                if block.output_bytes:  # what has no file reads as empty
                    yield f"blocks/{path.name} is missing"
            elif path.stat().st_size != block.output_bytes:
                yield (
                    f"blocks/{path.name} has {path.stat().st_size} bytes, and {block.block_id} "
                    f"printed {block.output_bytes}"
                )
            else:
                yield from self._output(path, block)
        known = {f"{block_id}.out" for block_id in self.printed}
        for path in sorted((folder / "blocks").iterdir()):
            if path.name not in known:
                yield f"blocks/{path.name} belongs to no block of events.jsonl"

    def _output(self, path: Path, block: wire.Block) -> Iterator[str]:
        begin = self.begins.get(block.block_id, 0)
        with path.open("rb") as output, (path.parent.parent / "output.spool").open("rb") as spool:
            spool.seek(begin)
            if output.read() != spool.read(block.output_bytes):
                yield (
                    f"blocks/{path.name} is not what output.spool has from {begin} to "
                    f"{begin + block.output_bytes}"
                )

    def spool(self, spool: bytes) -> Iterator[str]:
        for cursor, said, number in self.deltas:
            if spool[cursor : cursor + len(said)] != said:
                yield (
                    f"events.jsonl line {number}: the delta is not what output.spool has at "
                    f"{cursor}"
                )
        if (place := spool.find(b"\r\n")) >= 0:
            yield f"output.spool has a carriage return before the line end at {place + 1}"


# --- the other files ----------------------------------------------------------------


def _prompts(index: bytes, spool: bytes, record: Record) -> Iterator[str]:
    if rest := len(index) % PROMPT_ITEM_BYTES:
        yield f"prompts.idx ends in {rest} bytes of an item of {PROMPT_ITEM_BYTES}"
    whole = index[: len(index) - len(index) % PROMPT_ITEM_BYTES]
    before = 0
    for number, (start, end) in enumerate(TIME_ITEM.iter_unpack(whole), 1):
        where = f"prompts.idx item {number} ({start} to {end})"
        if not before <= start < end <= len(spool):
            yield f"{where} is not behind the last one and within output.spool"
            return
        if not is_sentinel(spool[start:end]):
            yield f"{where} is no prompt's line in output.spool"
        elif start and spool[start - 1 : start] != b"\n":
            yield f"{where} does not begin a line of output.spool"
        before = end
    for block in record.ended:
        begin = record.begins.get(block.block_id)
        if begin is None:
            continue
        for start, end in TIME_ITEM.iter_unpack(whole):
            if begin < end and start < begin + block.output_bytes:
                yield f"prompts.idx has a prompt at {start}, inside the output of {block.block_id}"


def _times(folder: Path) -> Iterator[str]:
    """Notes are written before the bytes that they tell of."""
    for name, item in (("output.times", TIME_ITEM), ("output.sizes", SIZE_ITEM)):
        content = _content(folder / name)
        size = (folder / "output.raw").stat().st_size
        if rest := len(content) % item.size:
            yield f"{name} ends in {rest} bytes of an item of {item.size}"
        before = 0
        for number, fields in enumerate(item.iter_unpack(content[: len(content) - rest]), 1):
            if not before <= fields[1] <= size:
                yield (
                    f"{name} item {number} is at {fields[1]}, which is not behind the last one and "
                    "within output.raw"
                )
                break
            before = fields[1]
            cols, rows = (*fields[2:], 1, 1)[:2]
            if not (0 < cols <= limits.COLS_MAX and 0 < rows <= limits.ROWS_MAX):
                yield f"{name} item {number} is no size of a terminal: {cols} x {rows}"


def _checkpoint(content: bytes, folder: Path) -> Iterator[str]:
    if not content:
        return  # none is taken before the first shell
    try:
        found = msgspec.json.decode(content, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        yield f"checkpoint cannot be read: {error}"
        return
    for name, offset in (
        ("output.raw", found.raw_offset),
        ("output.spool", found.spool.size),
        ("events.jsonl", found.events_size),
        ("blocks.jsonl", found.blocks_size),
        ("prompts.idx", found.prompts_size),
    ):
        size = (folder / name).stat().st_size
        if offset > size:
            yield f"checkpoint knows {name} up to {offset}, and it has {size} bytes"
        elif name.endswith(".jsonl") and _byte(folder / name, offset - 1) not in (b"", b"\n"):
            yield f"checkpoint knows {name} up to {offset}, which is inside a line"
    if found.said_until > found.spool.size:
        yield (
            f"checkpoint says deltas up to {found.said_until}, and output.spool up to "
            f"{found.spool.size}"
        )
    for place in ("raw_offset", "events_size", "blocks_size", "prompts_size", "said_until"):
        if getattr(found, place) < 0:
            yield f"checkpoint has a negative {place}"


def _byte(path: Path, offset: int) -> bytes:
    if offset < 0:
        return b""
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(1)


def _journal(content: bytes, folder: Path) -> Iterator[str]:
    whole, _, torn = content.rpartition(b"\n")
    if torn:
        yield f"journal ends in a torn line of {len(torn)} bytes"
    size = (folder / "output.raw").stat().st_size
    before = -1
    for number, line in enumerate(whole.split(b"\n") if whole else [], 1):
        try:
            entry = msgspec.json.decode(line, type=Entry)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            yield f"journal line {number} is no entry: {error}"
            return
        if entry.serial <= before:
            yield f"journal line {number} has the serial {entry.serial} after {before}"
        if not 0 <= entry.at <= size:
            yield f"journal line {number} is at {entry.at}, and output.raw has {size} bytes"
        before = entry.serial


def _small(folder: Path) -> Iterator[str]:
    """Files of one value, each with what reads it."""
    events_size = (folder / "events.jsonl").stat().st_size

    def offset(content: bytes) -> bool:
        return content.strip().isdigit() and int(content) <= events_size

    def shell(content: bytes) -> bool:
        return isinstance(msgspec.json.decode(content, type=Wanted), Wanted)

    def exit_note(content: bytes) -> bool:
        return bool(exit_of(content)[1])

    readers: dict[str, tuple[Callable[[bytes], bool], str]] = {
        "shell": (shell, "the shell that is wanted"),
        "exit": (exit_note, "an exit status and a key"),
        ".transcript_offset": (offset, "an offset within events.jsonl"),
    }
    for name, (is_right, what) in readers.items():
        content = _content(folder / name)
        try:
            wrong = bool(content) and not is_right(content)
        except (msgspec.DecodeError, ValueError):
            wrong = True
        if wrong:
            yield f"{name} is not {what}"


def _modes(folder: Path) -> Iterator[str]:
    for path in (folder, *sorted(folder.rglob("*"))):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            continue  # it was there a moment ago
        name = "the folder" if path == folder else str(path.relative_to(folder))
        if stat.S_ISLNK(mode):
            yield f"{name} is a symbolic link"
        elif stat.S_IMODE(mode) & 0o077:
            yield f"{name} is open to others: its mode is {stat.S_IMODE(mode):04o}"
