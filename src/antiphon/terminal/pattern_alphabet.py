"""The classes of units a pattern can tell apart, and how bytes become them.

A class is an interval of code points (or several) that lie in the same sets of the pattern; the
stray bytes are one more class.  The bytes of a character are read by nodes, one for each way a
character can go on: the root is node 0, and nodes with the same future are one, so that all of
CJK costs a pattern about ten.  This module does not know what a match is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from antiphon.terminal.pattern_classes import CODE_POINT_MAX, CharSet

CONTINUATIONS = range(0x80, 0xC0)
# Every valid lead byte: the code points below it and how many bytes follow (Unicode, table 3-7).
LEADS = {
    **{lead: ((lead & 0x1F) << 6, 1) for lead in range(0xC2, 0xE0)},
    **{lead: ((lead & 0x0F) << 12, 2) for lead in range(0xE0, 0xF0)},
    **{lead: ((lead & 0x07) << 18, 3) for lead in range(0xF0, 0xF5)},
}
# No character is below these when it is written with so many bytes after the first.
CODE_POINT_MIN = {1: 0x80, 2: 0x800, 3: 0x10000}
SURROGATES = (0xD800, 0xDFFF)  # no characters; Python's `surrogateescape` puts stray bytes there
ROOT = 0
INVALID = 0  # as a child: no node has the root below it


class Alphabet:
    def __init__(self, sets: Sequence[CharSet]) -> None:
        flips: dict[int, int] = {0: 0}
        for index, chars in enumerate(sets):
            for low, high in chars.ranges:
                flips[low] = flips.get(low, 0) ^ 1 << index
                flips[high + 1] = flips.get(high + 1, 0) ^ 1 << index
        self.members: list[int] = []  # of each class, the sets it lies in, as bits
        classes: dict[int, int] = {}
        self._begins = sorted(flips)
        self._classes: list[int] = []
        inside = 0
        for begin in self._begins:
            inside ^= flips[begin]
            self._classes.append(self._class_of(inside, classes))
        strays = sum(1 << index for index, chars in enumerate(sets) if chars.has_stray_bytes)
        self.stray = self._class_of(strays, classes)
        self.children: list[tuple[int, ...]] = [()]  # of each node; see `_node`
        self._nodes: dict[tuple[int, ...], int] = {}
        self.symbols = [self._symbol(byte) for byte in range(256)]

    def _class_of(self, inside: int, classes: dict[int, int]) -> int:
        number = classes.setdefault(inside, len(self.members))
        if number == len(self.members):
            self.members.append(inside)
        return number

    def class_of(self, character: str) -> int:
        """The class of one unit, decoded with `surrogateescape`."""
        point = ord(character)
        if SURROGATES[0] <= point <= SURROGATES[1]:
            return self.stray
        return self._classes[bisect_right(self._begins, point) - 1]

    def _symbol(self, byte: int) -> int:
        """What a byte is at the root: a node above 0, or ~class of the unit that it is."""
        if byte < 0x80:
            return ~self.class_of(chr(byte))
        if byte not in LEADS:
            return ~self.stray
        low, followers = LEADS[byte]
        return self._node(low, followers, CODE_POINT_MIN[followers])

    def _node(self, low: int, followers: int, valid_min: int) -> int:
        """The node for the code points from `low` on that so many more bytes tell apart.

        Its children, for 0x80 to 0xBF: a node above 0, ~class at a last byte, or INVALID.
        """
        size = 1 << 6 * (followers - 1)
        last = low + size * len(CONTINUATIONS) - 1
        number = self._only_class(low, last)
        is_valid = low >= valid_min and last <= CODE_POINT_MAX and not low <= SURROGATES[0] <= last
        if number is not None and is_valid:
            return self._uniform(number, followers)
        if followers == 1:
            return self._interned(self._leaves(low, last))
        begins = range(low, last + 1, size)
        return self._interned(
            tuple(self._child(begin, followers - 1, size, valid_min) for begin in begins)
        )

    def _leaves(self, low: int, last: int) -> tuple[int, ...]:
        """~class for each code point; a block of 64 is valid as a whole, or is no node."""
        leaves: list[int] = []
        index = bisect_right(self._begins, low) - 1
        while low <= last:
            is_last = index + 1 == len(self._begins)
            end = last + 1 if is_last else min(last + 1, self._begins[index + 1])
            leaves += [~self._classes[index]] * (end - low)
            low, index = end, index + 1
        return tuple(leaves)

    def _child(self, low: int, followers: int, size: int, valid_min: int) -> int:
        if low < valid_min or low > CODE_POINT_MAX or SURROGATES[0] <= low <= SURROGATES[1]:
            return INVALID
        number = self._only_class(low, low + size - 1)
        if number is not None:
            return self._uniform(number, followers)
        return self._node(low, followers, valid_min)

    def _only_class(self, low: int, last: int) -> int | None:
        index = bisect_right(self._begins, low) - 1
        is_whole = index + 1 == len(self._begins) or self._begins[index + 1] > last
        return self._classes[index] if is_whole else None

    def _uniform(self, number: int, followers: int) -> int:
        if followers == 0:
            return ~number
        return self._interned((self._uniform(number, followers - 1),) * len(CONTINUATIONS))

    def _interned(self, children: tuple[int, ...]) -> int:
        node = self._nodes.setdefault(children, len(self.children))
        if node == len(self.children):
            self.children.append(children)
        return node
