"""Search in the output of blocks: at the speed of the memory it reads, without holding it.

Output is mapped, not loaded; a search of more than a little runs beside the loop, in pieces
that end at line ends, so that nobody waits for it but who asked.
"""

from __future__ import annotations

import asyncio
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import re2

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.terminal.text import readable
from antiphon.wire.terminal import BlocksSearchAnswer, Hit

# Less than this is found before another thread could begin.
SMALL_BYTES = 1 << 20
# A line in a hit: as much of it as a client wants to see.
TEXT_BYTES_MAX = 2000


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for; exactly one of the two."""

    literal: bytes | None
    pattern: re2.Pattern | None

    def find(self, data: mmap.mmap | bytes, start: int) -> int:
        """Where the next match begins, or -1."""
        if self.literal is not None:
            return data.find(self.literal, start)
        assert self.pattern is not None
        match = self.pattern.search(data, start)
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
            return Needle(data, None)
        query = re2.escape(query)
    return Needle(None, _compiled(query, ignore_case=ignore_case))


def _compiled(query: str, *, ignore_case: bool) -> re2.Pattern:
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.never_nl = True
    options.max_mem = 64 << 20
    try:
        pattern = re2.compile(f"(?m:{query})", options)
    except re2.error as error:
        raise Refused(Code.INVALID_PATTERN, f"query is no regular expression: {error}") from None
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
        return [
            Hit(block_id=block_id, line=number, text=readable(data[start:end]), cursor=start)
            for number, start, end in _lines(data, sought, wanted)
        ]


def _lines(data: mmap.mmap, sought: Needle, wanted: int) -> Iterator[tuple[int, int, int]]:
    """Number, beginning and end of each line with a match."""
    at = counted = 0
    number = 1
    while wanted and (at := sought.find(data, at)) >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        number += _line_ends(data, counted, start)
        counted = start
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield number, start, min(end, start + TEXT_BYTES_MAX)
        wanted -= 1
        at = end + 1
        if at > len(data):
            return


def _line_ends(data: mmap.mmap, start: int, end: int) -> int:
    count = 0
    for piece in range(start, end, 1 << 20):
        count += data[piece : min(end, piece + (1 << 20))].count(b"\n")
    return count
