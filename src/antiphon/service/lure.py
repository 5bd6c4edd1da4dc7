"""Text that must stand in every hit, sought faster than any pattern.

RE2 looks for a text by its first byte and only then closer, so the text is sought from its rarest
byte on, and what stands before that is compared where it was found.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass

import re2

from antiphon.terminal.pattern import PatternRefused
from antiphon.terminal.pattern_needle import needle_of, rarest
from antiphon.terminal.pattern_syntax import parse

# From the rarest byte on at least so much is sought: what is short is found too often.
SOUGHT_BYTES_MIN = 4
# Each of several texts is another way through the data; beyond this the pattern itself is as fast.
TEXTS_MAX = 4


@dataclass(frozen=True, slots=True)
class _Text:
    """One text; `pattern` finds it from some byte on."""

    head: bytes  # what stands before that byte
    pattern: re2.Pattern

    def find(self, data: mmap.mmap, start: int, end: int) -> int:
        at = start + len(self.head)
        while at < end and (match := self.pattern.search(data, at, end)) is not None:
            found = int(match.start())
            begin = found - len(self.head)
            if data[begin:found] == self.head:
                return begin
            at = found + 1
        return -1


@dataclass(frozen=True, slots=True)
class Lure:
    """Any of some texts."""

    texts: tuple[_Text, ...]

    def find(self, data: mmap.mmap, start: int, end: int) -> int:
        """Where the first of them from here on begins, or -1."""
        first = -1
        for text in self.texts:
            found = text.find(data, start, end if first < 0 else min(end, first))
            first = found if found >= 0 else first
        return first


def lure_of_text(text: bytes) -> Lure:
    return Lure((_exact(text),))


def lure_of(query: str, ignore_case: bool) -> Lure | None:
    """None where no text must stand in every match, or none that is found fast."""
    try:
        tree = parse(f"(?i:{query})" if ignore_case else query)
    except PatternRefused:
        return None  # RE2 says what is wrong with it, or takes more than we do
    needle = needle_of(tree)
    if needle is None or len(needle.runs) > TEXTS_MAX:
        return None
    if not needle.ignores_case:
        return Lure(tuple(_exact(run) for run in needle.runs))
    if len(needle.runs) > 1 or len(needle.runs[0]) < SOUGHT_BYTES_MIN:
        return None
    return Lure((_Text(b"", _compiled(needle.runs[0], is_exact=False)),))


def _exact(text: bytes) -> _Text:
    last = max(0, len(text) - SOUGHT_BYTES_MIN)
    at = text.index(rarest(text[: last + 1]))
    return _Text(text[:at], _compiled(text[at:], is_exact=True))


def _compiled(text: bytes, *, is_exact: bool) -> re2.Pattern:
    options = re2.Options()
    options.case_sensitive = is_exact
    options.literal = True
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1  # bytes, whatever they say
    return re2.compile(text, options)
