"""Whether a program waits for somebody: what the kernel says, held against what the screen shows.

Silence is not enough: a program that works, sleeps or installs is silent too.  A process that
is blocked in a read of its terminal waits; one that also listens there while it works, as event
loops do, waits when its terminal is raw, it is at rest and something is asked on the screen.
This module does not know time: each look says when it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from antiphon.menu.cursor import typing_at
from antiphon.menu.guess import guess, is_pointed_at_by_cursor
from antiphon.menu.seen import Seen, bare, masked

# How long the program must have been quiet, by how sure the kernel is.
_READS_MS = 60
_POLLS_MS = 120
_LINES_MS = 350
_UNSURE_MS = 800
# Without output that asks anything: a wait for nothing.
_NOTHING_MS = 1_000
# A row that changes more often than this is drawn by a clock, not by us.
_STILL_MS = 600
# A row that was drawn again with the same words so often is too, and the next time may be late: a
# machine that has much to do has held spinners of 80 ms for 400.
_TICKS_MIN = 2
_CLOCK_MS = 750
# So long, and so often awake meanwhile, is one that may look for keys between its sleeps.
_GLANCES_MS = 600
_WAKES_MIN = 5
# The share of a processor above which a program is at work.
_WORK_SHARE = 0.3


class Reading(Enum):
    """What the processes in front do with their terminal."""

    NOT = "not"
    READS = "reads"  # the main thread is blocked in a read
    READS_BESIDE = "reads beside"  # another thread is
    POLLS = "polls"  # it waits for the terminal among other things
    SLEEPS = "sleeps"  # the main thread of one that could read it does
    UNKNOWN = "unknown"  # the kernel does not tell

    @property
    def listens(self) -> bool:
        return self not in (Reading.NOT, Reading.SLEEPS)


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a program."""

    at_ms: float
    quiet_ms: float  # since its last output, or our last key
    has_answered: bool  # there was output since our last key
    is_line_mode: bool
    unread: int
    reading: Reading
    cpu_ms: float  # of all its processes so far
    has_children: bool  # the process that listens has started others
    seen: Seen
    wakes: int = 0  # how often the process that listens, or sleeps, has slept and woken


class Verdict(Enum):
    RUNNING = "running"
    GLANCING = "glancing"  # it may look for keys between its sleeps: an arrow will tell
    WAITING = "waiting"
    WAITING_FOR_NOTHING = "waiting for nothing"


@dataclass(slots=True)
class Watch:
    """The looks at one program since the last key."""

    _last: Look | None = None
    _reading_since_ms: float | None = None
    _changed_ms: dict[int, float] = field(default_factory=dict)
    _ticks: dict[int, int] = field(default_factory=dict)  # how often a row kept its words
    _dozing: Look | None = None  # the first look at which it slept, since it was quiet
    moving: frozenset[int] = frozenset()  # rows that change by themselves, when it waits

    def looked(self, look: Look) -> Verdict:
        last, self._last = self._last, look
        self._note_changes(last, look)
        if not look.reading.listens or look.unread:
            self._reading_since_ms = None
            return Verdict.GLANCING if self._glances(last, look) else Verdict.RUNNING
        if self._reading_since_ms is None:
            self._reading_since_ms = look.at_ms
        if self._is_overdrawn(look):
            self.moving = self._moving(look.at_ms)
            return Verdict.WAITING
        if look.seen.is_blank():
            nothing = look.reading is Reading.READS and look.quiet_ms >= _NOTHING_MS
            return Verdict.WAITING_FOR_NOTHING if nothing else Verdict.RUNNING
        needed = self._patience_ms(last, look)
        if needed is not None and look.reading is not Reading.READS and self._has_clock():
            needed = max(needed, _CLOCK_MS)
        is_waiting = needed is not None and look.quiet_ms >= needed
        return Verdict.WAITING if is_waiting else Verdict.RUNNING

    def _glances(self, last: Look | None, look: Look) -> bool:
        """It sleeps and wakes again and again, at rest, under a list that stands still."""
        if look.reading is not Reading.SLEEPS:
            return False
        first = self._dozing
        if first is None or look.quiet_ms < look.at_ms - first.at_ms or look.wakes < first.wakes:
            self._dozing = look
            return False
        is_calm = look.has_answered and not (look.is_line_mode or look.unread or look.has_children)
        is_often = look.wakes - first.wakes >= _WAKES_MIN
        is_long = look.at_ms - first.at_ms >= _GLANCES_MS and _share(last, look) <= _WORK_SHARE
        return is_calm and is_often and is_long and guess(look.seen).is_menu

    def _patience_ms(self, last: Look | None, look: Look) -> float | None:
        """How long it must be quiet to be believed; None when it is not."""
        if look.reading is Reading.READS:
            return _READS_MS
        if not look.has_answered or _share(last, look) > _WORK_SHARE:
            return None
        asks = _asks(look.seen)
        if look.is_line_mode:
            return _LINES_MS if asks else None
        if look.reading is Reading.POLLS and asks:
            return _POLLS_MS
        if asks:
            return _LINES_MS
        return None if look.has_children else _UNSURE_MS

    def _note_changes(self, last: Look | None, look: Look) -> None:
        if last is None:
            return
        for index in range(max(len(last.seen.rows), len(look.seen.rows))):
            before, after = last.seen.text(index), look.seen.text(index)
            if before == after:
                continue
            self._changed_ms[index] = look.at_ms
            is_tick = bool(before.strip() and after.strip()) and _words(before) == _words(after)
            self._ticks[index] = self._ticks.get(index, 0) + 1 if is_tick else 0

    def _has_clock(self) -> bool:
        """A spinner, or what counts, is on the screen still."""
        return max(self._ticks.values(), default=0) >= _TICKS_MIN

    def _moving(self, at_ms: float) -> frozenset[int]:
        return frozenset(
            row for row, changed in self._changed_ms.items() if at_ms - changed < _STILL_MS
        )

    def _is_overdrawn(self, look: Look) -> bool:
        """It asks, and goes on drawing something beside."""
        since = self._reading_since_ms
        if since is None or look.at_ms - since < _STILL_MS or look.quiet_ms >= _STILL_MS:
            return False
        if look.reading is Reading.READS:
            return True
        if look.is_line_mode or not look.has_answered:
            return False
        still = masked(look.seen, self._moving(look.at_ms))
        return guess(still).is_menu


def _share(last: Look | None, look: Look) -> float:
    """How much of a processor it used since the last look."""
    if last is None or look.at_ms <= last.at_ms:
        return 0.0
    # The kernel counts in steps of 10 ms.
    return max(0.0, look.cpu_ms - last.cpu_ms - 10) / (look.at_ms - last.at_ms)


def _words(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _asks(seen: Seen) -> bool:
    """A list, or words with a cursor behind them, or a program that has the whole screen."""
    if seen.is_alternate or typing_at(seen) is not None or guess(seen).is_menu:
        return True
    if seen.is_cursor_shown:
        return is_pointed_at_by_cursor(seen)
    # A cursor that is hidden behind words: a question that takes one key.
    return bool(bare(seen.text(seen.cursor_row)[: seen.cursor_col]).strip())
