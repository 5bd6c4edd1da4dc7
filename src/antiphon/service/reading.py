"""Reading back: the spool, blocks and their output, in pieces that join without a seam."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

import msgspec

from antiphon.base.errors import Broken, Code, Refused
from antiphon.drivers.file import File
from antiphon.drivers.store import Store
from antiphon.terminal import text
from antiphon.wire import terminal as wire

LINES_BYTES = 64 << 10
Line = TypeVar("Line", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Piece:
    data: str
    resume_cursor: int


def checked_cursor(cursor: int, size: int) -> int:
    if 0 <= cursor <= size:
        return cursor
    raise Refused(
        Code.CURSOR_OUT_OF_RANGE,
        f"from_cursor is {cursor}; cursors here go from 0 to {size}",
        resume_cursor=size,
    )


def piece(
    read: Callable[[int, int], bytes],
    size: int,
    cursor: int,
    max_bytes: int,
    encoding: Literal["utf-8", "base64"],
) -> Piece:
    """Text ends before a character that is not whole [D3]."""
    checked_cursor(cursor, size)
    end = min(size, cursor + max_bytes)
    data = read(cursor, end)
    if encoding == "base64":
        return Piece(base64.b64encode(data).decode(), cursor + len(data))
    data = data[: len(data) - text.unfinished_bytes(data)]
    return Piece(text.readable(data), cursor + len(data))


def tail(read: Callable[[int, int], bytes], size: int, max_bytes: int) -> str:
    """The last bytes as text: the first character is whole, and all that is there is given."""
    data = read(max(0, size - max_bytes), size)
    if size > max_bytes:
        data = data[text.stray_bytes(data) :]
    return text.readable(data)


def lines_since(file: File, cursor: int, limit: int, shape: type[Line]) -> tuple[list[Line], int]:
    """Lines of a file from a byte of it on, and where they end; a cursor stands between two."""
    checked_cursor(cursor, file.size)
    if cursor and file.read(cursor - 1, cursor) != b"\n":
        raise Refused(
            Code.CURSOR_OUT_OF_RANGE,
            f"from_cursor {cursor} is inside a line; a resume_cursor of this operation is accepted",
            resume_cursor=file.size,
        )
    items: list[Line] = []
    at = cursor
    while len(items) < limit and at < file.size:
        data = file.read(at, at + LINES_BYTES)
        lines, newline, _ = data.rpartition(b"\n")
        if not newline:  # one line is longer: a command of a megabyte
            data = file.read(at, file.size)
            lines = data[: data.index(b"\n")]
        for line in lines.split(b"\n"):
            if len(items) == limit:
                break
            items.append(_decoded(line, shape, file, at))
            at += len(line) + 1
    return items, at


def _decoded(line: bytes, shape: type[Line], file: File, at: int) -> Line:
    try:
        return msgspec.json.decode(line, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Broken(
            f"{file.path.name} is damaged in the line at {at}; antiphon fsck says what of it "
            "other files have"
        ) from None


class BlockIndex:
    """Where each ended block stands in blocks.jsonl; read once, then followed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lines: dict[str, tuple[int, int]] = {}
        self._read_until = 0

    def _follow(self) -> None:
        size = self._store.blocks.size
        while self._read_until < size:
            start = self._read_until
            data = self._store.blocks.read(start, min(size, start + (1 << 22)))
            whole = data.rfind(b"\n") + 1
            if not whole:
                data = self._store.blocks.read(start, size)
                whole = data.index(b"\n") + 1
            at = start
            for line in data[:whole].split(b"\n")[:-1]:
                with contextlib.suppress(ValueError):  # damaged: of which block, nobody knows
                    self._lines[_id_of(line)] = (at, at + len(line))
                at += len(line) + 1
            self._read_until = at

    def get(self, block_id: str) -> wire.Block | None:
        self._follow()
        where = self._lines.get(block_id)
        if where is None:
            return None
        return _decoded(self._store.blocks.read(*where), wire.Block, self._store.blocks, where[0])

    def newest_first(self) -> list[str]:
        self._follow()
        return list(reversed(self._lines))


def _id_of(line: bytes) -> str:
    """The first field, without reading the rest."""
    start = len(b'{"block_id":"')
    return line[start : line.index(b'"', start)].decode()
