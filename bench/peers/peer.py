"""What figures and probes ask of everyone who drives a terminal.

A peer carries each verb out by its own most direct interface.  What it lacks is made up for as a
caller would: a line with the exit code, a poll for text, a look at the screen.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench import machine

Handle = Any  # a peer's own name for one shell

MARKER = Path(__file__).parent.parent / "marker.py"
MARK_S_MAX = 15.0
WARM_COUNT = 3
SETTLE_S = 0.3

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>c]")


def plain(text: str) -> str:
    """Text without the sequences that move and colour, and with one kind of line end."""
    return _ESCAPES.sub("", text).replace("\r\n", "\n")


def nonce() -> str:
    return uuid4().hex[:10]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a peer says of a command: `exit_code` is None when it does not know."""

    output: str
    exit_code: int | None = None
    is_done: bool = True
    note: str = ""


class Unmeasured(Exception):
    """The peer has no such thing, or did not see what it was to see."""


class Peer:
    """One way to drive shells.

    `forged` is a command that prints what looks like the peer's mark, then more, and gives 5.
    """

    forged = ""
    enter = "\n"
    has_sessions = False  # several callers at once in one process

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def pids(self) -> list[int]:
        """The processes that are the peer's own, without the shells."""
        return [os.getpid()]

    def open(self) -> Handle:
        raise NotImplementedError

    def run(self, shell: Handle, command: str, limit_s: float = 30) -> Ran:
        raise NotImplementedError

    def begin(self, shell: Handle, command: str) -> None:
        """Starts a command and does not wait for it."""
        self.send(shell, command + self.enter)

    def send(self, shell: Handle, text: str) -> None:
        raise NotImplementedError

    def interrupt(self, shell: Handle) -> None:
        self.send(shell, "\x03")

    def wait_for(self, shell: Handle, expression: str, limit_s: float) -> bool:
        raise NotImplementedError

    def screen(self, shell: Handle) -> str:
        """What a caller can see now."""
        raise NotImplementedError

    def later(self, shell: Handle) -> str:
        """What came since the last command was asked for."""
        return self.screen(shell)

    # --- measured -------------------------------------------------------------------

    def round_trips(self, shell: Handle, count: int) -> tuple[list[float], int]:
        """How long `true` took each time, and how often its exit code was not 0."""
        for _ in range(WARM_COUNT):
            self.run(shell, "true")
        times, wrong = [], 0
        for _ in range(count):
            started = time.perf_counter()
            ran = self.run(shell, "true")
            times.append(time.perf_counter() - started)
            wrong += ran.exit_code != 0
        return times, wrong

    def wakes(self, shell: Handle, count: int, gap_s: float) -> list[float]:
        """From each mark that a program writes to the moment the wait for it has answered."""
        marks = Marks.planned(self.folder, count, gap_s)
        self.begin(shell, marks.command)
        seen = {}
        for number in range(count):
            if not self.wait_for(shell, marks.text(number), MARK_S_MAX):
                raise Unmeasured(f"mark {number} of {count} was not seen")
            seen[number] = time.monotonic_ns()
        time.sleep(SETTLE_S)
        self.back(shell)
        return marks.times(seen)

    def back(self, shell: Handle) -> None:
        """Reads on to the prompt, after a command that was only begun."""

    def ingest(self, shell: Handle, path: Path, limit_s: float) -> float | None:
        """Seconds of `cat` of a file to its end in the peer's hands; None if it does not come."""
        started = time.perf_counter()
        ran = self.run(shell, f"cat {shlex.quote(str(path))}", limit_s)
        return time.perf_counter() - started if ran.is_done else None

    def finds(self, shell: Handle, line: str) -> bool:
        """Whether a line that was printed can still be had."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Marks:
    """A run of bench/marker.py: its command, the text of each mark, and the times it wrote."""

    tag: str
    command: str
    beside: Path

    @classmethod
    def planned(cls, folder: Path, count: int, gap_s: float) -> Marks:
        tag = nonce()
        beside = Path(tempfile.mkdtemp(prefix="marks-", dir=folder)) / "times"
        words = [sys.executable, str(MARKER), tag, str(count), str(gap_s), str(beside)]
        return cls(tag, shlex.join(words), beside)

    def text(self, number: int) -> str:
        return f"mark-{self.tag}-{number}:end"

    def times(self, seen: dict[int, int]) -> list[float]:
        """Seconds from each mark's time to when it was seen, both in nanoseconds of one clock."""
        deadline = time.monotonic() + MARK_S_MAX
        while len(lines := self._lines()) < len(seen) and time.monotonic() < deadline:
            time.sleep(0.01)
        written = {int(number): int(at) for number, at in (line.split() for line in lines)}
        return [(seen[number] - written[number]) / 1e9 for number in sorted(seen)]

    def _lines(self) -> list[str]:
        if not self.beside.exists():
            return []
        return [one for one in self.beside.read_text().splitlines(keepends=True) if one[-1] == "\n"]


def with_code(command: str) -> tuple[str, re.Pattern[str]]:
    """A command that says its exit code in a line of its own at the end, and that line."""
    name = nonce()
    return f"{command}\nprintf '\\n--%s-%d--\\n' {name} $?", re.compile(rf"--{name}-(\d+)--")


def own(marker: bytes) -> list[int]:
    """Processes below this one whose command line has these words."""
    found = []
    for pid in machine.descendants(os.getpid()):
        try:
            if marker in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            pass  # it ended while we looked
    return found
