"""The way back: from the place where a match ends to the leftmost place where it can begin.

The program is walked against its edges, over units, from the end towards the front.  It stops
where no state is left, at the latest where the scan was idle, and the last begin it passed is the
leftmost.  Nothing here is cut short for length: it happens once in the life of a wait.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import length_hint
from typing import NamedTuple

from antiphon.terminal.pattern_program import Program

ENTRY_COUNT_MAX = 20_000  # steps remembered: 2 MB
PIECE_BYTES_MIN = 4096
PIECE_BYTES_MAX = 1 << 18  # bytes of the stream held at once
CONTINUATIONS_MAX = 3  # bytes of a character after its first

Window = Callable[[int, int], bytes]


class Key(NamedTuple):
    bits: int
    after: int  # the kind of the unit read last, which stands behind the place
    is_begin: bool  # of a match: the place behind the unit read last


class Step(dict[str, "Step"]):
    """What each unit before a place leads to; built where the input goes."""

    __slots__ = ("has_news", "key", "memory")

    def __init__(self, memory: Memory, key: Key) -> None:
        super().__init__()
        self.memory = memory
        self.key = key
        self.has_news = key.is_begin or not key.bits

    def __missing__(self, unit: str) -> Step:
        step = self.memory.step_before(self.key, unit)
        self[unit] = step
        return step


class Memory:
    """The steps back that have been taken, shared by all scans of a pattern."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._steps: dict[Key, Step] = {}
        self.entry_count = 0

    def step(self, key: Key) -> Step:
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = Step(self, key)
        return step

    def end(self, after: int) -> Step:
        return self.step(Key(self._program.match_bit, after, is_begin=False))

    def step_before(self, key: Key, unit: str) -> Step:
        self.entry_count += 1
        if self.entry_count > ENTRY_COUNT_MAX:
            for step in self._steps.values():
                step.clear()  # they refer to each other: this frees them now
            self._steps.clear()
            self.entry_count = 0
        number = self._program.alphabet.class_of(unit)
        before = self._program.kinds[number]
        bits = self._program.leading(key.bits, before, key.after)
        left = bits >> 1 & self._program.mask(number)
        return self.step(Key(left, before, is_begin=bool(bits & 1)))

    def begins(self, key: Key, before: int) -> bool:
        return bool(self._program.leading(key.bits, before, key.after) & 1)


def leftmost_begin(
    memory: Memory, low: int, before: int, end: int, after: int, window: Window
) -> int | None:
    """The leftmost begin, from `low` on, of a match that ends at `end`.

    `before` and `after` are the kinds on the outer sides of the two.
    """
    step = memory.end(after)
    begin: int | None = None
    size = PIECE_BYTES_MIN
    high = end
    while high > low:
        text, at = _units(window, low, max(low, high - size), high)
        units = iter(reversed(text))
        for unit in units:
            step = step[unit]
            if step.has_news:
                if step.key.is_begin:
                    left = length_hint(units)
                    begin = at + len(_bytes(text[: left + 1]))
                if not step.key.bits:
                    return begin
        high, size = at, min(2 * size, PIECE_BYTES_MAX)
    return low if memory.begins(step.key, before) else begin


def _units(window: Window, low: int, begin: int, end: int) -> tuple[str, int]:
    """The text up to `end` from the unit on that holds the byte at `begin`; and where that is."""
    first = max(low, begin - CONTINUATIONS_MAX)
    data = window(first, end)
    is_inside = 0x80 <= data[begin - first] < 0xC0
    if is_inside and begin > low:
        # It belongs to one of the three bytes before it, or to none and is a unit itself.
        for at in range(begin - 1, first - 1, -1):
            if not 0x80 <= data[at - first] < 0xC0 or at == low:
                begin = at
                break
    return _text(data[begin - first :]), begin


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
