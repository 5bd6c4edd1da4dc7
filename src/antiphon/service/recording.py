"""What a conversation's files say of its past: what the terminal printed, when, and for whom.

`output.raw` is read again, without the marks in it.  Their key may be gone with its shell, so
a mark is known by its form; what a program printed in that form is left out with them.  Each
prompt that the spool has is found again in the stream, so places in the one are places in the
other.
"""

from __future__ import annotations

import array
import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Broken
from antiphon.drivers.store import PROMPT_ITEM_BYTES, SIZE_ITEM
from antiphon.service.orders import exit_of
from antiphon.terminal.marks import CLOSING, MARK_BYTES_MAX, OPENING, Mark, PromptSeen, read_body
from antiphon.terminal.spool import Prompt, Spool, is_sentinel, prompt_of

PIECE_BYTES = 1 << 18
_MARK = re.compile(rb"\x1b\]7770;\d{1,18};[0-9a-f]{16};([PTR][^\x07\x1b]*)\x07")
_TIME = struct.Struct("<QQ")


@dataclass(frozen=True, slots=True)
class Size:
    """From this byte of the raw output on the terminal was so large."""

    at_us: int
    raw_offset: int
    cols: int
    rows: int


@dataclass(frozen=True, slots=True)
class BlockSeen:
    """A block as the record tells it, and where its output begins in the spool."""

    block_id: str
    command: str
    ts_begin: int
    ts_end: int | None
    exit_code: int | None
    begin: int
    output_bytes: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that the terminal printed, with no mark and no block's border inside."""

    raw_offset: int
    spool_offset: int
    data: bytes
    prompts: int  # how many stand before it


class _Event(msgspec.Struct):
    """As much of an event as is needed here."""

    type: str
    block: dict[str, str | int | None] = {}
    block_id: str | None = ""  # of input at the prompt there is none
    cursor: int = 0
    delta: str = ""
    delta_b64: str = ""


@dataclass(frozen=True, slots=True)
class Recording:
    """One conversation's past."""

    folder: Path
    blocks: list[BlockSeen]
    prompts: list[tuple[int, int, Prompt]]  # start and end in the spool, and what it says
    times_us: array.array[int]
    time_offsets: array.array[int]
    sizes: list[Size]
    exit_code: int | None  # of the last shell, once it has ended
    spool_size: int

    # --- what the terminal printed ---

    def pieces(self) -> Iterator[Piece]:
        borders = {one.begin for one in self.blocks}
        borders |= {one.begin + one.output_bytes for one in self.blocks}
        walk = _Walk(self, sorted(borders))
        for offset, found in cut(self.folder / "output.raw"):
            if isinstance(found, bytes):
                yield from walk.text(offset, found)
            elif isinstance(found, PromptSeen):
                walk.prompt(found)

    def pieces_of(self, block: BlockSeen) -> Iterator[Piece]:
        """The block's own: from its begin to the prompt that ended it."""
        end = block.begin + block.output_bytes
        last = bisect_right([start for start, _, _ in self.prompts], end - 1)
        for piece in self.pieces():
            if piece.prompts > last or (block.ts_end is not None and piece.spool_offset >= end):
                return
            if piece.spool_offset >= block.begin:
                yield piece

    def spool_between(self, start: int, end: int) -> Iterator[bytes]:
        with (self.folder / "output.spool").open("rb") as file:
            file.seek(start)
            while start < end and (data := file.read(min(PIECE_BYTES, end - start))):
                start += len(data)
                yield data

    def seams(self) -> Iterator[tuple[int, int, str | None]]:
        """In the spool's order: a prompt, which is left out, or a command that began there."""
        places = [(start, 1, end, None) for start, end, _ in self.prompts]
        begun = [(one.begin, 0, one.begin, one.command) for one in self.blocks]
        for start, _, end, command in sorted([*places, *begun], key=lambda one: one[:2]):
            yield start, end, command

    # --- when ---

    def timed(self, piece: Piece) -> Iterator[tuple[int, int, bytes]]:
        """The piece by the times at which its bytes came: time, raw offset, bytes."""
        start, end = piece.raw_offset, piece.raw_offset + len(piece.data)
        note = bisect_right(self.time_offsets, start)
        while start < end:
            until = min(end, self.time_offsets[note]) if note < len(self.times_us) else end
            data = piece.data[start - piece.raw_offset : until - piece.raw_offset]
            yield self.times_us[max(note - 1, 0)] if self.times_us else 0, start, data
            start, note = until, note + 1

    def began_us(self, raw_offset: int) -> int:
        note = bisect_right(self.time_offsets, raw_offset)
        return self.times_us[max(note - 1, 0)] if self.times_us else 0

    def sizes_from(self, raw_offset: int) -> tuple[Size, list[Size]]:
        """How large the terminal was there, and each size after it."""
        default = Size(0, 0, limits.COLS_DEFAULT, limits.ROWS_DEFAULT)
        before = [size for size in self.sizes if size.raw_offset <= raw_offset]
        later = [size for size in self.sizes if size.raw_offset > raw_offset]
        return (before or self.sizes[:1] or [default])[-1], later


class _Walk:
    """Raw bytes and the spool, side by side."""

    def __init__(self, recording: Recording, borders: list[int]) -> None:
        self.prompts = recording.prompts
        self.borders = borders
        self.passed = 0
        self.spool = Spool()

    def prompt(self, seen: PromptSeen) -> None:
        """The next one of the spool, unless it is one that was too old to stand there."""
        if self.passed == len(self.prompts):
            return
        _, end, said = self.prompts[self.passed]
        if is_same(seen, said):
            self.passed += 1
            self.spool = Spool(size=end)

    def text(self, offset: int, data: bytes) -> Iterator[Piece]:
        while data:
            length = self._until_border(data)
            yield Piece(offset, self.spool.size, data[:length], self.passed)
            self.spool.text(data[:length])
            offset, data = offset + length, data[length:]

    def _until_border(self, data: bytes) -> int:
        place = bisect_right(self.borders, self.spool.size)
        if place == len(self.borders):
            return len(data)
        border = self.borders[place]
        if self._size_after(data) <= border:
            return len(data)
        low, high = 1, len(data)
        while low < high:
            middle = (low + high) // 2
            if self._size_after(data[:middle]) < border:
                low = middle + 1
            else:
                high = middle
        return low

    def _size_after(self, data: bytes) -> int:
        spool = replace(self.spool)
        spool.text(data)
        return spool.size


def is_same(seen: PromptSeen, said: Prompt) -> bool:
    """Whether the mark led to the line; a shell whose clock was taken away gives no time."""
    where = (seen.exit_code, seen.cwd) == (said.exit_code, said.cwd)
    return where and seen.ts_ms in (None, said.ts)


def cut(path: Path) -> Iterator[tuple[int, bytes | Mark]]:
    """The file's text and its marks, each with its place."""
    for offset, whole, mark in cut_whole(path):
        yield offset, whole if mark is None else mark


def cut_whole(path: Path) -> Iterator[tuple[int, bytes, Mark | None]]:
    """The same with the bytes of marks; what may yet become one at the file's end is not told."""
    offset, held = 0, b""
    with path.open("rb") as file:
        while data := file.read(PIECE_BYTES):
            data = held + data
            at = 0
            for found in _MARK.finditer(data):
                mark = read_body(found[1])
                if mark is None:
                    continue
                if found.start() > at:
                    yield offset + at, data[at : found.start()], None
                yield offset + found.start(), found[0], mark
                at = found.end()
            end = len(data) - _unfinished(data, at)
            if end > at:
                yield offset + at, data[at:end], None
            offset, held = offset + end, data[end:]


def _unfinished(data: bytes, start: int) -> int:
    """How many bytes at the end may be the beginning of a mark."""
    escape = data.rfind(b"\x1b", start)
    if escape < 0 or len(data) - escape > MARK_BYTES_MAX:
        return 0
    tail = data[escape:]
    is_mark = OPENING.startswith(tail) or (tail.startswith(OPENING) and CLOSING not in tail)
    return len(tail) if is_mark else 0


# --- reading --------------------------------------------------------------------


def read(folder: Path) -> Recording:
    """What the files say now; a line that is being written is not there yet."""
    prompts = prompts_of(folder)
    notes = _content(folder / "output.times")
    numbers = array.array("Q", notes[: len(notes) // _TIME.size * _TIME.size])
    sizes = _content(folder / "output.sizes")
    whole = len(sizes) // SIZE_ITEM.size * SIZE_ITEM.size
    return Recording(
        folder=folder,
        blocks=_blocks(folder, prompts),
        prompts=prompts,
        times_us=numbers[::2],
        time_offsets=numbers[1::2],
        sizes=[Size(*item) for item in SIZE_ITEM.iter_unpack(sizes[:whole])],
        exit_code=exit_of(_content(folder / "exit"))[0],
        spool_size=(folder / "output.spool").stat().st_size,
    )


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def prompts_of(folder: Path) -> list[tuple[int, int, Prompt]]:
    index = _content(folder / "prompts.idx")
    places = array.array("Q", index[: len(index) // PROMPT_ITEM_BYTES * PROMPT_ITEM_BYTES])
    found = []
    with (folder / "output.spool").open("rb") as spool:
        for start, end in zip(places[::2], places[1::2], strict=True):
            spool.seek(start)
            line = spool.read(min(end - start, MARK_BYTES_MAX)) if start < end else b""
            if not is_sentinel(line):
                raise Broken(f"prompts.idx and output.spool differ at {start}; see antiphon fsck")
            found.append((start, end, prompt_of(line)))
    return found


def _blocks(folder: Path, prompts: list[tuple[int, int, Prompt]]) -> list[BlockSeen]:
    """In the order in which they began; one that runs has what it printed so far."""
    shown: dict[str, dict[str, str | int | None]] = {}
    begins: dict[str, int] = {}
    sizes: dict[str, int] = {}
    with (folder / "events.jsonl").open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            event = msgspec.json.decode(line, type=_Event)
            if event.type in ("agent_block_begin", "agent_block_end"):
                shown[str(event.block["block_id"])] = event.block
            elif event.type == "agent_block_delta":
                assert event.block_id is not None
                begins.setdefault(event.block_id, event.cursor)
                size = len(event.delta.encode()) or _base64_bytes(event.delta_b64)
                sizes[event.block_id] = event.cursor + size - begins[event.block_id]
    found: list[BlockSeen] = []
    for block_id, block in shown.items():
        ts_begin, ts_end, code = block["ts_begin"], block["ts_end"], block["exit_code"]
        assert isinstance(ts_begin, int)
        after = found[-1].begin + found[-1].output_bytes if found else 0
        found.append(
            BlockSeen(
                block_id=block_id,
                command=str(block["cmd"]),
                ts_begin=ts_begin,
                ts_end=ts_end if isinstance(ts_end, int) else None,
                exit_code=code if isinstance(code, int) else None,
                begin=begins.get(block_id) or _silent_begin(prompts, after, ts_begin),
                output_bytes=sizes.get(block_id, 0),
            )
        )
    return found


def _silent_begin(prompts: list[tuple[int, int, Prompt]], after: int, ts_begin: int) -> int:
    """Of a block that printed nothing: where the prompt that ended it begins."""
    for start, _, said in prompts[bisect_right(prompts, after, key=lambda one: one[0] - 1) :]:
        if said.ts >= ts_begin:
            return start
    return prompts[-1][1] if prompts else 0


def _base64_bytes(encoded: str) -> int:
    return len(encoded) // 4 * 3 - encoded[-2:].count("=")
