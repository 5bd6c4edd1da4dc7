"""What a character is: digit, letter, punctuation, space, hidden; the same under every Python.

The tables are of one Unicode version.  Patterns here are classes of characters, so each takes
time linear in its text.
"""

from __future__ import annotations

import re

from antiphon.choice import tables

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"


def charset(table: str) -> str:
    """The inside of a bracketed class."""
    found = []
    for part in table.split():
        first, _, last = part.partition("-")
        found.append(_escaped(first) + (f"-{_escaped(last)}" if last else ""))
    return "".join(found)


def _escaped(point: str) -> str:
    return f"\\U{int(point, 16):08x}"


SPACE = charset(tables.SPACES)
DIGIT = charset(tables.DIGITS)
LETTER = charset(tables.LETTERS)
PUNCTUATION = charset(tables.PUNCTUATION)
HIDDEN = re.compile(f"[{charset(tables.HIDDEN)}]")
DENSE_LETTER = charset(tables.DENSE_LETTERS)
DENSE_MARK = charset(tables.DENSE_MARKS)
CJK_LETTER = charset(tables.CJK_LETTERS)

ANY_LETTER = re.compile(f"[{LETTER}]")
ANY_DIGIT = re.compile(f"[{DIGIT}]")
LETTER_OR_DIGIT = re.compile(f"[{LETTER}{DIGIT}]")
BLANK = re.compile(f"[{SPACE}{ZERO_WIDTH}]*")
# What may stand around a word without being part of it.
_EDGES = ZERO_WIDTH + "".join(
    chr(point)
    for part in f"{tables.SPACES} {tables.PUNCTUATION}".split()
    for first, _, last in [part.partition("-")]
    for point in range(int(first, 16), int(last or first, 16) + 1)
)


def without_edges(text: str) -> str:
    """Without white space, zero-width characters and punctuation at both ends."""
    return text.strip(_EDGES)
