"""A program's text and the places in it.

Cores count in code points, the wire in bytes; a line ends at a newline, a column is a code
point, and both count from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` up to `end`, and where the first one stands."""

    start: int
    end: int
    line: int
    column: int


@dataclass(frozen=True)
class Source:
    text: str

    @cached_property
    def lines(self) -> list[int]:
        """Where each line starts, in code points."""
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    @cached_property
    def _bytes_before(self) -> list[int]:
        """Where each line starts, in bytes."""
        if self.text.isascii():
            return self.lines
        starts, size = [0], 0
        for line in self.text.split("\n")[:-1]:
            size += len(_encoded(line)) + 1
            starts.append(size)
        return starts

    def span(self, start: int, end: int) -> Span:
        row = bisect_right(self.lines, start) - 1
        return Span(self.byte(start), self.byte(end), row + 1, start - self.lines[row] + 1)

    def byte(self, at: int) -> int:
        if self.text.isascii():
            return at
        row = bisect_right(self.lines, at) - 1
        return self._bytes_before[row] + len(_encoded(self.text[self.lines[row] : at]))

    def offset(self, byte: int) -> int:
        """The code point that starts at this byte (the other way round)."""
        if self.text.isascii():
            return byte
        row = bisect_right(self._bytes_before, byte) - 1
        end = self.lines[row + 1] if row + 1 < len(self.lines) else len(self.text)
        line = _encoded(self.text[self.lines[row] : end])
        return self.lines[row] + len(
            line[: byte - self._bytes_before[row]].decode(errors="surrogatepass")
        )

    def line(self, number: int) -> str:
        """A line by its number, without its end."""
        start = self.lines[number - 1]
        end = self.lines[number] if number < len(self.lines) else len(self.text) + 1
        return self.text[start : end - 1].removesuffix("\r")


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
