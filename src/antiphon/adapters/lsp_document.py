"""A text in an editor: its lines and positions as the protocol counts them.

A line ends at \\n, \\r\\n or \\r and nowhere else; a column counts units of the encoding that was
agreed.  A position beyond the end of its line or of the text is the end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from lsprotocol import types as lsp

from antiphon.base import limits
from antiphon.dsl.source import Source, Span

LINE_END = re.compile(r"\r\n|\n|\r")
Change = lsp.TextDocumentContentChangePartial | lsp.TextDocumentContentChangeWholeDocument


@dataclass(frozen=True)
class Text:
    """One version of it."""

    source: Source
    version: int | None
    encoding: lsp.PositionEncodingKind
    lines: list[int] = field(init=False, compare=False)  # where each starts, in code points
    ends: list[int] = field(init=False, compare=False)  # and where its own characters end

    def __post_init__(self) -> None:
        found = [(one.start(), one.end()) for one in LINE_END.finditer(self.source.text)]
        object.__setattr__(self, "lines", [0, *(end for _, end in found)])
        ends = [*(start for start, _ in found), len(self.source.text)]
        object.__setattr__(self, "ends", ends)

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def is_too_large(self) -> bool:
        return len(self.text.encode(errors="replace")) > limits.SOURCE_BYTES_MAX

    # --- places ---------------------------------------------------------------

    def offset(self, position: lsp.Position) -> int:
        """In code points."""
        if position.line >= len(self.lines):
            return len(self.text)
        start, end = self.lines[position.line], self.ends[position.line]
        if self.encoding is lsp.PositionEncodingKind.Utf32:
            return min(start + position.character, end)
        line = self.text[start:end]
        if line.isascii():
            return min(start + position.character, end)
        units, at = 0, start
        for character in line:
            if units >= position.character:
                break
            units += self._units(character)
            at += 1
        return at

    def position(self, offset: int) -> lsp.Position:
        row = bisect_right(self.lines, offset) - 1
        start = self.lines[row]
        line = self.text[start : min(offset, self.ends[row])]
        is_plain = self.encoding is lsp.PositionEncodingKind.Utf32 or line.isascii()
        column = len(line) if is_plain else sum(map(self._units, line))
        return lsp.Position(row, column)

    def range(self, start: int, end: int) -> lsp.Range:
        return lsp.Range(self.position(start), self.position(end))

    def range_of(self, span: Span) -> lsp.Range:
        return self.range(self.source.offset(span.start), self.source.offset(span.end))

    def _units(self, character: str) -> int:
        if self.encoding is lsp.PositionEncodingKind.Utf16:
            return 2 if ord(character) > 0xFFFF else 1
        return len(character.encode(errors="surrogatepass"))

    # --- changes --------------------------------------------------------------

    def changed(self, change: Change, version: int | None) -> Text:
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start = self.offset(change.range.start)
            end = max(start, self.offset(change.range.end))
            new = self.text[:start] + change.text + self.text[end:]
        else:
            new = change.text
        return Text(Source(new), version, self.encoding)
