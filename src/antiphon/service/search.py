"""Search in the output of blocks: at the speed of the memory it reads, without holding it.

Output is mapped, not loaded; a search of more than a little runs beside the loop, in pieces
that end at line ends, on as many cores as there are.  A piece is first searched for a lure: text
that must stand in every hit, which is found much faster than a pattern.
"""

from __future__ import annotations

import asyncio
import mmap
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import re2

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.service.lure import Lure, lure_of, lure_of_text
from antiphon.terminal.text import readable
from antiphon.wire.terminal import BlocksSearchAnswer, Hit

# Less than this is found before another thread could begin.
SMALL_BYTES = 1 << 20
# What one core takes at a time: large beside the handing over, small beside the whole.
PIECE_BYTES = 4 << 20
# Line ends are counted by so much, which stays in the processor's cache.
COUNT_BYTES = 1 << 18
# More than two do not make memory faster.
CORES_MAX = 4
# A lure that leads astray so often takes longer than the pattern on all that lies between.
MISSES_MIN = 32
MISS_BYTES_MIN = 4096
# A line in a hit: as much of it as a client wants to see.
TEXT_BYTES_MAX = 2000

Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for.  Where there is a lure, no line without it has a match."""

    pattern: re2.Pattern | None  # None: the lure is all
    lure: Lure | None

    def find(self, data: mmap.mmap, start: int, end: int) -> int:
        """Where in these whole lines the next match is, or -1."""
        if self.lure is None:
            return self._match(data, start, end)
        at = self.lure.find(data, start, end)
        if self.pattern is None:
            return at
        misses = 0
        while at >= 0:
            line, line_end = _line(data, at, start, end)
            found = self._match(data, line, line_end)
            if found >= 0:
                return found
            misses += 1
            if misses >= MISSES_MIN and line_end - start < misses * MISS_BYTES_MIN:
                return self._match(data, line_end, end)
            at = self.lure.find(data, line_end, end) if line_end < end else -1
        return -1

    def _match(self, data: mmap.mmap, start: int, end: int) -> int:
        assert self.pattern is not None
        match = self.pattern.search(data, start, end)
        return -1 if match is None else int(match.start())


def needle(query: str, match_type: str, *, ignore_case: bool) -> Needle:
    data = query.encode("utf-8", "surrogatepass")
    if not data:
        raise Refused(Code.INVALID_PATTERN, "query is empty; text is accepted")
    if len(data) > limits.QUERY_BYTES_MAX:
        raise Refused(
            Code.INVALID_PATTERN,
            f"query has {len(data)} bytes; at most {limits.QUERY_BYTES_MAX} are taken "
            "(QUERY_BYTES_MAX)",
        )
    if match_type == "substring":
        if b"\n" in data:
            raise Refused(Code.INVALID_PATTERN, "query has a line end; hits are lines")
        if not ignore_case:
            return Needle(None, lure_of_text(data))
        query = re2.escape(query)
    return Needle(_compiled(query, ignore_case=ignore_case), lure_of(query, ignore_case))


def _compiled(query: str, *, ignore_case: bool) -> re2.Pattern:
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.never_nl = True
    options.max_mem = 64 << 20
    try:
        pattern = re2.compile(f"(?m:{query})", options)
    except re2.error as error:
        why = str(error).removeprefix("b'").removesuffix("'").partition(": (?m:")[0]
        message = f"query {query[:80]!r} is no regular expression: {why}"
        raise Refused(Code.INVALID_PATTERN, message) from None
    if pattern.search(b"") is not None:
        raise Refused(Code.INVALID_PATTERN, "query can match nothing; a hit has text")
    return pattern


async def hits(paths: list[tuple[str, Path]], sought: Needle, limit: int) -> BlocksSearchAnswer:
    """The first hits, newest block first, and whether there are more."""
    found: list[Hit] = []
    for block_id, path in paths:
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            continue
        if not size:
            continue
        wanted = limit + 1 - len(found)
        if size <= SMALL_BYTES:
            found += _in_file(block_id, path, sought, wanted)
        else:
            found += await asyncio.to_thread(_in_file, block_id, path, sought, wanted)
        if len(found) > limit:
            break
    return BlocksSearchAnswer(hits=found[:limit], truncated=len(found) > limit)


def _in_file(block_id: str, path: Path, sought: Needle, wanted: int) -> list[Hit]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = spans(data, sought, wanted)
        return [
            Hit(block_id=block_id, line=number, text=readable(data[start:end]), cursor=start)
            for (start, end), number in zip(found, numbers(data, found), strict=True)
        ]


def spans(data: mmap.mmap, sought: Needle, wanted: int, piece_bytes: int = PIECE_BYTES) -> Spans:
    """Beginning and end of each line with a match, in order."""
    if len(data) <= piece_bytes:
        return _in_piece(data, sought, wanted, 0, len(data))
    found: Spans = []
    cores = min(CORES_MAX, len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(cores) as pool:
        under_way: deque[Future[Spans]] = deque()
        pieces = _pieces(data, piece_bytes)
        while len(found) < wanted:
            while len(under_way) <= cores and (piece := next(pieces, None)):
                under_way.append(pool.submit(_in_piece, data, sought, wanted, *piece))
            if not under_way:
                break
            found += under_way.popleft().result()
        for one in under_way:
            one.cancel()
    return found[:wanted]


def _pieces(data: mmap.mmap, piece_bytes: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", min(start + piece_bytes, len(data) - 1)) + 1 or len(data)
        yield start, end
        start = end


def _in_piece(data: mmap.mmap, sought: Needle, wanted: int, start: int, end: int) -> Spans:
    found: Spans = []
    at = start
    while len(found) < wanted and at < end and (at := sought.find(data, at, end)) >= 0:
        line, line_end = _line(data, at, start, end)
        found.append((line, min(line_end, line + TEXT_BYTES_MAX)))
        at = line_end + 1
    return found


def _line(data: mmap.mmap, at: int, start: int, end: int) -> tuple[int, int]:
    """Beginning and end of the line of a place, within whole lines."""
    line_end = data.find(b"\n", at, end)
    return data.rfind(b"\n", start, at) + 1 or start, end if line_end < 0 else line_end


def numbers(data: mmap.mmap, found: Spans) -> Iterator[int]:
    """The number of each line, from 1."""
    number, counted = 1, 0
    for start, _ in found:
        for piece in range(counted, start, COUNT_BYTES):
            number += data[piece : min(start, piece + COUNT_BYTES)].count(b"\n")
        counted = start
        yield number
