"""What a figure says: rows of what was measured, beside what, and what it was to reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


class Size(Enum):
    TINY = "tiny"  # does it run at all: no peers, nothing to conclude
    USUAL = "usual"  # a few minutes for all
    FULL = "full"  # what the targets speak of

    def pick(self, tiny: Value, usual: Value, full: Value) -> Value:
        return {Size.TINY: tiny, Size.USUAL: usual, Size.FULL: full}[self]


@dataclass(frozen=True, slots=True)
class Row:
    """`is_reached` is None where nothing was to be reached."""

    what: str
    measured: str
    beside: str = ""
    ratio: float | None = None
    target: str = ""
    is_reached: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """What is too wide for rows: its own columns, below them."""

    head: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a figure is measured."""

    size: Size
    with_peers: bool
    folder: Path  # empty, on the same file system as the data

    def say(self, text: str) -> None:
        print(f"   {text}", flush=True)


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    sentence: str
    measure: Callable[[Stage], Iterable[Row | Table]]


# --- statistics -----------------------------------------------------------------


def percentile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    place = (len(ordered) - 1) * part
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def p50(values: Sequence[float]) -> float:
    return percentile(values, 0.5)


def merged(rounds: Sequence[Sequence[float]]) -> list[float]:
    return [value for one in rounds for value in one]


def duration(seconds: float) -> str:
    if abs(seconds) < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.{1 if seconds < 0.1 else 0}f} ms"
    return f"{seconds:.2f} s"


def spread(values: Sequence[float]) -> str:
    """The middle, and the far end of a hundred."""
    return f"p50 {duration(p50(values))}, p99 {duration(percentile(values, 0.99))}"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio within each round, so that load falls on both sides alike."""

    rounds: tuple[float, ...]

    @classmethod
    def of(cls, ours: Sequence[Sequence[float]], floor: Sequence[Sequence[float]]) -> Ratio:
        return cls(tuple(p50(a) / p50(b) for a, b in zip(ours, floor, strict=True)))

    @property
    def middle(self) -> float:
        return p50(self.rounds)

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({min(self.rounds):.2f} to {max(self.rounds):.2f})"
