"""Sets of characters, as RE2 means them, and the refusal of what is no pattern.

A text is a row of units: a unit is a character, where the bytes are valid UTF-8, or one stray
byte, where they are not.  No pattern can tell one stray byte from another, so a set of units is
ranges of code points and one boolean.  This module does not know syntax or automata.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

CODE_POINT_MAX = 0x10FFFF
# Code points above this have no case (Unicode 16); looking at all of them would cost 0.2 s.
CASED_CODE_POINT_MAX = 0x1F000

Ranges = tuple[tuple[int, int], ...]  # sorted, disjoint, not touching, both ends inside


class PatternRefused(ValueError):
    """The caller's pattern is none.  It says what was found, where, and what is accepted."""

    def __init__(self, found: str, position: int, accepted: str) -> None:
        super().__init__(f"{found}, at character {position}; {accepted}")
        self.found = found
        self.position = position
        self.accepted = accepted


def union(*parts: Iterable[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(pair for part in parts for pair in part):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    gaps: list[tuple[int, int]] = []
    begin = 0
    for low, high in ranges:
        if begin < low:
            gaps.append((begin, low - 1))
        begin = high + 1
    if begin <= CODE_POINT_MAX:
        gaps.append((begin, CODE_POINT_MAX))
    return tuple(gaps)


@dataclass(frozen=True, slots=True)
class CharSet:
    ranges: Ranges
    has_stray_bytes: bool = False

    def negated(self) -> CharSet:
        return CharSet(complement(self.ranges), not self.has_stray_bytes)

    def merged(self, other: CharSet) -> CharSet:
        stray = self.has_stray_bytes or other.has_stray_bytes
        return CharSet(union(self.ranges, other.ranges), stray)

    def folded(self) -> CharSet:
        """This set and every character that differs from one of it by case alone."""
        return CharSet(union(self.ranges, _case_variants(self.ranges)), self.has_stray_bytes)


def single(code_point: int) -> CharSet:
    return CharSet(((code_point, code_point),))


def _case_variants(ranges: Ranges) -> list[tuple[int, int]]:
    if ranges and ranges[-1][1] < 0x80:
        return _ascii_case_variants(ranges)
    variants: list[tuple[int, int]] = []
    orbits = _case_orbits()
    for low, high in ranges:
        if high - low < len(orbits):
            members = (point for point in range(low, high + 1) if point in orbits)
        else:
            members = (point for point in orbits if low <= point <= high)
        variants.extend((other, other) for point in members for other in orbits[point])
    return variants


def _ascii_case_variants(ranges: Ranges) -> list[tuple[int, int]]:
    variants: list[tuple[int, int]] = []
    for low, high in ranges:
        for point in range(low, high + 1):
            other = ord(chr(point).swapcase())
            variants.append((other, other))
            # The long s and the sign for kelvin are the two that fold into ASCII.
            if point in b"sS":
                variants.append((0x17F, 0x17F))
            if point in b"kK":
                variants.append((0x212A, 0x212A))
    return variants


@cache
def _case_orbits() -> dict[int, tuple[int, ...]]:
    """For each character with case, all that fold together with it, by simple folding."""
    orbits: dict[str, list[int]] = {}
    for point in range(CASED_CODE_POINT_MAX):
        character = chr(point)
        folded = character.casefold()
        if len(folded) != 1:  # the full folding; the simple one is then the lower case, if any
            folded = character.lower()
        if len(folded) == 1:
            orbits.setdefault(folded, []).append(point)
    return {point: tuple(orbit) for orbit in orbits.values() if len(orbit) > 1 for point in orbit}


@cache
def _categories() -> dict[str, Ranges]:
    """The ranges of each general category; RE2 has all but Cn, the unassigned."""
    found: dict[str, list[tuple[int, int]]] = {}
    begin, current = 0, unicodedata.category("\0")
    for point in range(1, CODE_POINT_MAX + 2):
        category = unicodedata.category(chr(point)) if point <= CODE_POINT_MAX else ""
        if category != current:
            found.setdefault(current, []).append((begin, point - 1))
            begin, current = point, category
    del found["Cn"]
    return {name: tuple(ranges) for name, ranges in found.items()}


@cache
def category(name: str) -> CharSet | None:
    """The set named by \\p{name}: one or two letters of a general category, or Any."""
    if name == "Any":
        return CharSet(((0, CODE_POINT_MAX),))
    if not 1 <= len(name) <= 2:
        return None
    parts = [ranges for key, ranges in _categories().items() if key.startswith(name)]
    return CharSet(union(*parts)) if parts else None


def _ascii(*spans: str) -> CharSet:
    return CharSet(union([(ord(span[0]), ord(span[-1])) for span in spans]))


NEWLINE = single(0x0A)
WORD = _ascii("09", "AZ", "__", "az")
ANY = CharSet(((0, CODE_POINT_MAX),), has_stray_bytes=True)
NOT_NEWLINE = NEWLINE.negated()
PERL = {"d": _ascii("09"), "s": _ascii("\t\n", "\f\r", "  "), "w": WORD}
POSIX = {
    "alnum": _ascii("09", "AZ", "az"),
    "alpha": _ascii("AZ", "az"),
    "ascii": _ascii("\x00\x7f"),
    "blank": _ascii("\t\t", "  "),
    "cntrl": _ascii("\x00\x1f", "\x7f\x7f"),
    "digit": _ascii("09"),
    "graph": _ascii("!~"),
    "lower": _ascii("az"),
    "print": _ascii(" ~"),
    "punct": _ascii("!/", ":@", "[`", "{~"),
    "space": _ascii("\t\r", "  "),
    "upper": _ascii("AZ"),
    "word": WORD,
    "xdigit": _ascii("09", "AF", "af"),
}
