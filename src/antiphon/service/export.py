"""A conversation, or one block of it, as a recording (asciicast v3) or as plain text.

It reads files only, and may do so beside a server that writes them: what is not there yet is
not in the export.  Time is that at which bytes came, as the holder noted it.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from antiphon.base.errors import Code, Refused
from antiphon.service import recording
from antiphon.service.plain import plain
from antiphon.service.recording import BlockSeen, Recording, Size

TERMINAL_TYPE = "xterm-256color"  # what shells.py says to every shell
TEXT_PIECE_BYTES = 1 << 16


def asciicast(folder: Path, block_id: str | None) -> Iterator[str]:
    """The lines of an asciicast, version 3: of the whole conversation, or of one block."""
    found = recording.read(folder)
    block = None if block_id is None else _block(found, block_id)
    return _cast(found, block, title=folder.parent.name)


def text(folder: Path, block_id: str | None) -> Iterator[str]:
    """What is left to read without a terminal: of a block its output, else commands too."""
    found = recording.read(folder)
    if block_id is None:
        return _transcript(found)
    block = _block(found, block_id)
    return _plain(found.spool_between(block.begin, block.begin + block.output_bytes))


def _block(found: Recording, block_id: str) -> BlockSeen:
    for block in found.blocks:
        if block.block_id == block_id:
            return block
    raise Refused(Code.NOT_FOUND, f"there is no block {block_id!r} in this conversation")


# --- asciicast ------------------------------------------------------------------


@dataclass(slots=True)
class Cast:
    """Events, each so long after the one before it."""

    at_us: int
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def event(self, at_us: int, code: str, data: str) -> str:
        """A clock that was set back is no time at all."""
        interval_us = max(0, at_us - self.at_us)
        self.at_us += interval_us
        seconds = f"{interval_us // 1_000_000}.{interval_us % 1_000_000:06}"
        return f'[{seconds}, "{code}", {json.dumps(data, ensure_ascii=False)}]\n'

    def output(self, at_us: int, data: bytes) -> Iterator[str]:
        """A character whose rest has not come yet waits for it."""
        if said := self._decoder.decode(data):
            yield self.event(at_us, "o", said)

    def rest(self) -> Iterator[str]:
        if said := self._decoder.decode(b"", final=True):
            yield self.event(self.at_us, "o", said)


def _cast(found: Recording, block: BlockSeen | None, *, title: str) -> Iterator[str]:
    pieces = found.pieces() if block is None else found.pieces_of(block)
    first = next(pieces, None)
    start = 0 if first is None else first.raw_offset
    size, later = found.sizes_from(start)
    begin_us = found.began_us(start) if block is None else block.ts_begin * 1000
    yield _header(size, begin_us, title, block)
    cast = Cast(begin_us)
    waiting = list(found.blocks) if block is None else [block]
    if first is not None:
        yield from _events(found, cast, _with(first, pieces), waiting, later)
    yield from cast.rest()
    for one in waiting:  # begun, and nothing came since
        yield cast.event(one.ts_begin * 1000, "m", one.command)
    code = found.exit_code if block is None else block.exit_code
    if code is not None:
        end_us = cast.at_us if block is None else (block.ts_end or 0) * 1000
        yield cast.event(end_us, "x", str(code))


def _events(
    found: Recording,
    cast: Cast,
    pieces: Iterable[recording.Piece],
    waiting: list[BlockSeen],
    later: list[Size],
) -> Iterator[str]:
    """Output with its time; before it what stood before it in the stream."""
    for piece in pieces:
        begun: list[BlockSeen] = []
        while waiting and waiting[0].begin <= piece.spool_offset:
            begun.append(waiting.pop(0))
        resized: list[Size] = []
        while later and later[0].raw_offset <= piece.raw_offset:
            resized.append(later.pop(0))
        yield from _before(cast, begun, resized)
        for at_us, offset, data in found.timed(piece):
            while later and later[0].raw_offset <= offset:
                yield from _before(cast, [], [later.pop(0)])
            yield from cast.output(at_us, data)


def _before(cast: Cast, begun: list[BlockSeen], resized: list[Size]) -> Iterator[str]:
    """What stands between two pieces of output has only its own time to be ordered by."""
    events = [(size.at_us, "r", f"{size.cols}x{size.rows}") for size in resized]
    events += [(block.ts_begin * 1000, "m", block.command) for block in begun]
    # A block's begin is known to the millisecond.
    for at_us, code, data in sorted(events, key=lambda one: one[0] // 1000):
        yield cast.event(at_us, code, data)


def _with(first: recording.Piece, rest: Iterator[recording.Piece]) -> Iterator[recording.Piece]:
    yield first
    yield from rest


def _header(size: Size, begin_us: int, title: str, block: BlockSeen | None) -> str:
    header: dict[str, object] = {
        "version": 3,
        "term": {"cols": size.cols, "rows": size.rows, "type": TERMINAL_TYPE},
        "timestamp": begin_us // 1_000_000,
        "title": title,
    }
    if block is not None:
        header["command"] = block.command
    return json.dumps(header, ensure_ascii=False) + "\n"


# --- text -----------------------------------------------------------------------


def _transcript(found: Recording) -> Iterator[str]:
    at = 0
    for start, end, command in found.seams():
        yield from _plain(found.spool_between(at, start))
        if command is not None:
            yield f"$ {command}\n"
        at = end
    yield from _plain(found.spool_between(at, found.spool_size))


def _plain(pieces: Iterable[bytes]) -> Iterator[str]:
    """Whole lines at a time: a motion within a line is seen with all of it."""
    held = b""
    for piece in pieces:
        lines, newline, held = (held + piece).rpartition(b"\n")
        if newline:
            yield plain(lines.decode("utf-8", "replace")) + "\n"
    if held:
        yield plain(held.decode("utf-8", "replace"))
