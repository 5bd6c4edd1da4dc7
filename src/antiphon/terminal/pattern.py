"""Waiting for text in a stream that only grows: a substring, or a pattern in RE2's syntax.

The law: the match is the leftmost in the shortest prefix of the stream, from the waiter's cursor
on, that contains one; of those that begin there, the longest in that prefix.  So it depends on
the stream and the cursor and never on how the bytes were cut into reads.

Why one look at each byte is enough.  A prefix contains a match when the automaton of
"anything, then the pattern" accepts it as if the text ended there; its states after n bytes are
a function of its states after n - 1 and of one byte, its table is built as the input asks
(pattern_rows.py), and the first place that accepts is the end of the shortest prefix.  Only then
is the begin looked for, by the reversed automaton from that end (pattern_start.py).

A unit is a character or a stray byte.  A byte is stray once the bytes after it have shown that it
belongs to no character; until then nothing matches it, so no match ever splits a character.
As the text of a prefix ends where the prefix ends, `x$` is found with the x itself.  An
assertion that needs the next unit (`x\\B`) is settled by that, and the match then ends before the
end of its shortest prefix.

This module does not read the stream: the caller feeds it, and lends a window to look back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from antiphon.terminal.pattern_alphabet import ROOT
from antiphon.terminal.pattern_classes import PatternRefused
from antiphon.terminal.pattern_needle import CARRIED_BYTES_MAX, Needle, needle_of, rarest
from antiphon.terminal.pattern_program import EDGE, Program
from antiphon.terminal.pattern_rows import Found, Rows
from antiphon.terminal.pattern_start import Memory, leftmost_begin
from antiphon.terminal.pattern_syntax import parse
from antiphon.terminal.pattern_tree import begins_with_anything, matches_empty

__all__ = ["PatternRefused", "Regex", "Scanner", "Span", "compile_regex", "substring"]

# A scan that is not idle goes on for a piece before it asks again whether it is; pieces double.
PIECE_BYTES_MIN = 64
PIECE_BYTES_MAX = 4096

Window = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Span:
    """Byte offsets in the stream, the end outside."""

    start: int
    end: int


class Scanner(Protocol):
    """What one waiter knows of the stream.  It is spent after a match."""

    @property
    def position(self) -> int:
        """The stream offset up to which it has looked."""

    @property
    def lower_bound(self) -> int:
        """No byte before this stream offset can be in a match to come."""

    def feed(self, data: bytes, window: Window) -> Span | None:
        """Look at the bytes from `position` on; `window(a, b)` gives those of [a, b) again."""


def substring(needle: bytes, start: int) -> Scanner:
    if not needle:
        raise PatternRefused("an empty text", 0, "at least one byte")
    return _SubstringScanner(needle, start)


def compile_regex(pattern: str) -> Regex:
    return Regex(pattern)


class _SubstringScanner:
    __slots__ = ("_kept_max", "_needle", "_position", "_rare", "_tail")

    def __init__(self, needle: bytes, start: int) -> None:
        self._needle = needle
        self._kept_max = len(needle) - 1
        self._rare = rarest(needle)  # a test for one byte is ten times as fast as the search
        self._position = start
        self._tail = b""  # the last bytes looked at that a match to come can begin in

    @property
    def position(self) -> int:
        return self._position

    @property
    def lower_bound(self) -> int:
        return self._position - len(self._tail)

    def feed(self, data: bytes, window: Window) -> Span | None:  # noqa: ARG002 - nothing to ask
        if self._rare in data or self._rare in self._tail:
            begin = self._find(data)
            if begin is not None:
                self._position = begin + len(self._needle)
                return Span(begin, self._position)
        self._position += len(data)
        kept_max = self._kept_max
        if len(data) >= kept_max:
            self._tail = data[len(data) - kept_max :]
        else:
            self._tail = (self._tail + data)[-kept_max:]
        return None

    def _find(self, data: bytes) -> int | None:
        # The seam first, for it lies before all of data.
        at = (self._tail + data[: self._kept_max]).find(self._needle)
        if at >= 0:
            return self._position - len(self._tail) + at
        at = data.find(self._needle)
        return self._position + at if at >= 0 else None


class Regex:
    """A pattern, compiled.  Its scanners share what they find out about its automaton."""

    def __init__(self, pattern: str) -> None:
        tree = parse(pattern)
        if matches_empty(tree):
            found = "a pattern that can match nothing"
            raise PatternRefused(found, 0, "one that always matches at least one byte")
        program = Program(tree)
        self._automaton = _Automaton(
            Rows(program), Memory(program), needle_of(tree), begins_with_anything(tree)
        )

    def scanner(self, start: int) -> Scanner:
        return _RegexScanner(self._automaton, start)


@dataclass(frozen=True, slots=True)
class _Automaton:
    rows: Rows
    memory: Memory
    needle: Needle | None
    begins_at_start: bool  # the way back would be as long as the spool, and is not gone


class _RegexScanner:
    __slots__ = (
        "_automaton",
        "_before",
        "_carried",
        "_idle_at",
        "_needle",
        "_position",
        "_start",
        "_state",
    )

    def __init__(self, automaton: _Automaton, start: int) -> None:
        self._automaton = automaton
        self._needle = automaton.needle
        self._start = start
        self._position = start
        self._idle_at = start
        self._carried = b""  # seen, and without a needle
        self._state = automaton.rows.begin()
        # Set after a skip: the byte before the next to look at, from which the state follows.  It
        # is only asked for when there is something to look at: the tables of ten thousand
        # patterns do not fit the processor's cache.
        self._before: int | None = None

    @property
    def position(self) -> int:
        return self._position

    @property
    def lower_bound(self) -> int:
        return self._idle_at

    def feed(self, data: bytes, window: Window) -> Span | None:
        needle, carried = self._needle, self._carried
        if needle is not None and self._idle_at == self._position - len(carried):
            kept = needle.kept(carried, data)
            if kept is not None:
                self._skip(data, *kept)
                return None
        return self._scan(data, window)

    def _skip(self, data: bytes, kept: bytes, before: int | None) -> None:
        """No needle is in these bytes: of ten thousand who wait, nearly all are done here."""
        self._position += len(data)
        self._carried = kept
        if before is not None:
            self._before = before
            self._idle_at = self._position - len(kept)

    def _scan(self, data: bytes, window: Window) -> Span | None:
        base, at, size = self._position - len(self._carried), 0, PIECE_BYTES_MIN
        data, self._carried = self._carried + data, b""
        needle, rows = self._needle, self._automaton.rows
        while at < len(data):
            end = at + size
            if needle is not None:
                if self._idle_at == base + at:
                    begin, place = needle.next_begin(data, at)
                    if begin > at:
                        self._before = data[begin - 1]
                        self._idle_at = base + begin
                    if place == len(data) <= begin + CARRIED_BYTES_MAX:
                        self._carried = data[begin:]
                        break
                    # Where needles are frequent, skipping costs more than it saves.
                    size = PIECE_BYTES_MIN if begin - at > size else size
                    at, end = begin, max(place, begin + size)
                end = needle.piece_end(data, end)
            if self._before is not None:
                self._state = rows.idle_after(self._before)
                self._before = None
            follows, count = rows.run(self._state, data[at:end])
            at += count
            self._position = base + at
            if isinstance(follows, Found):
                return self._span(follows, window)
            self._state = follows
            if follows.is_idle and follows.node == ROOT:
                self._idle_at = base + at
            size = min(2 * size, PIECE_BYTES_MAX)
        self._position = base + len(data)
        return None

    def _span(self, found: Found, window: Window) -> Span:
        ends = [(self._position - behind, after) for behind, after in found.ends]
        if self._automaton.begins_at_start:
            return Span(self._start, max(end for end, _ in ends))
        low = self._idle_at
        is_start = low == self._start
        before = EDGE if is_start else self._automaton.rows.kind_of(window(low - 1, low)[0])
        spans: list[Span] = []
        for end, after in ends:
            begin = leftmost_begin(self._automaton.memory, low, before, end, after, window)
            if begin is not None:
                spans.append(Span(begin, end))
        return min(spans, key=lambda span: (span.start, -span.end))
