"""Sums of events.jsonl, piece by piece: whether what is there is what was written.

A line whose digit or letter has changed on the disk is a line still.  `events.sums` has items of
16 bytes: where a piece ends, and the CRC-32 of what it held; a piece is what came between two
syncs.
"""

from __future__ import annotations

import itertools
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from antiphon.drivers.file import FLAGS

NAME = "events.sums"
ITEM = struct.Struct("<QQ")
_READ_BYTES = 1 << 20


def extend(folder: Path, events: int, size: int) -> None:
    """The sum of what came since the last item; `events` is the record's descriptor."""
    fd = os.open(folder / NAME, FLAGS, 0o600)
    try:
        start, count = _last(fd)
        if size > start:
            item = ITEM.pack(size, _sum(events, start, size))
            os.pwrite(fd, item, count * ITEM.size)
    finally:
        os.close(fd)


def trim(folder: Path, size: int) -> None:
    """The record ends here now, and what follows will be another."""
    try:
        fd = os.open(folder / NAME, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        kept = [end for end, _ in _items(fd) if end <= size]
        os.ftruncate(fd, len(kept) * ITEM.size)
    finally:
        os.close(fd)


def damaged(folder: Path) -> Iterator[tuple[int, int]]:
    """From where to where the record is not what was written; a torn end is none of it."""
    try:
        fd = os.open(folder / NAME, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        items = _items(fd)
    finally:
        os.close(fd)
    events = os.open(folder / "events.jsonl", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        for (start, _), (end, found) in itertools.pairwise([(0, 0), *items]):
            if _sum(events, start, end) != found:
                yield start, end
    finally:
        os.close(events)


def _last(fd: int) -> tuple[int, int]:
    """Where the last piece ends, and how many there are; only the last two are read.

    What a crash has torn does not follow on the one before it; then all are counted.
    """
    count, torn = divmod(os.fstat(fd).st_size, ITEM.size)
    newest = min(count, 2)
    content = os.pread(fd, newest * ITEM.size, (count - newest) * ITEM.size)
    before, end = [0, 0, *(end for end, _ in ITEM.iter_unpack(content))][-2:]
    if torn or (count and end <= before):
        items = _items(fd)
        return (items[-1][0] if items else 0), len(items)
    return end, count


def _items(fd: int) -> list[tuple[int, int]]:
    """Whole items whose pieces follow one another."""
    content = os.pread(fd, os.fstat(fd).st_size, 0)
    found: list[tuple[int, int]] = []
    for end, crc in ITEM.iter_unpack(content[: len(content) // ITEM.size * ITEM.size]):
        if end <= (found[-1][0] if found else 0):
            break
        found.append((end, crc))
    return found


def _sum(fd: int, start: int, end: int) -> int:
    found = 0
    while start < end and (data := os.pread(fd, min(_READ_BYTES, end - start), start)):
        found = zlib.crc32(data, found)
        start += len(data)
    return found
