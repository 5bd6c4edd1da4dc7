"""Processes as the kernel shows them: who descends from whom, and how all of them are ended."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

# How long each step of the ladder waits for everybody to go; on a machine that has much to do
# the killed need a turn to die.
_STEPS = (
    ((signal.SIGHUP, signal.SIGCONT), 0.15),
    ((signal.SIGTERM,), 0.15),
    ((signal.SIGKILL,), 2.0),
)
_LOOK_S = 0.01


@functools.cache
def boot() -> str:
    """Which life of the machine this is; empty where the kernel does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


class Birth(NamedTuple):
    parent: int
    session: int
    started: int


def born() -> dict[int, Birth]:
    """Each living process: whose it is and when it started; the dead do not count."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_bytes()
        except OSError:
            continue  # it ended while we looked
        fields = stat[stat.rindex(b")") + 2 :].split(None, 20)
        if fields[0] not in (b"Z", b"X"):
            found[int(entry)] = Birth(int(fields[1]), int(fields[3]), int(fields[19]))
    return found


def began_ms(pid: int) -> int | None:
    """When a process started, by the clock on the wall; to a hundredth of a second."""
    found = born().get(pid)
    if found is None:
        return None
    ago_s = time.clock_gettime(time.CLOCK_BOOTTIME) - found.started / os.sysconf("SC_CLK_TCK")
    return int((time.time() - ago_s) * 1000)


def is_asleep(pid: int) -> bool:
    """It waits for something, and for something that may never come."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat[stat.rindex(b")") + 2 :].startswith(b"S")


def descendants(pid: int) -> list[int]:
    """All that come from this process, nearest first; a subreaper keeps the orphans."""
    return list(_below([pid], born()))


def _below(roots: Iterable[int], living: Mapping[int, Birth]) -> dict[int, int]:
    """All that come from these processes, nearest first, and when each started."""
    children: dict[int, list[int]] = {}
    for child, birth in living.items():
        children.setdefault(birth.parent, []).append(child)
    found: dict[int, int] = {}
    waiting = list(roots)
    while waiting:
        here = [pid for pid in children.get(waiting.pop(0), []) if pid not in found]
        found |= {pid: living[pid].started for pid in here}
        waiting += here
    return found


@dataclass(slots=True)
class Family:
    """All that came from a process, as long as they live.

    Who was seen once is not forgotten: the process may end before them, and then nobody says
    any more whose they were.  Who was forked in that moment is known by its session, unless it
    has made one of its own.
    """

    root: int
    _birth: Birth | None = None  # with its pid one process for ever
    _known: dict[int, int] = field(default_factory=dict)
    _sessions: set[int] = field(default_factory=set)

    def living(self) -> list[int]:
        living = born()
        if self._birth is None:
            self._birth = living.get(self.root)
        is_there = (
            self._birth is not None
            and self.root in living
            and living[self.root].started == self._birth.started
        )
        roots = [self.root] if is_there else []
        known = {
            pid: started
            for pid, started in self._known.items()
            if pid in living and living[pid].started == started
        }
        known |= {
            pid: birth.started for pid, birth in living.items() if birth.session in self._sessions
        }
        self._known = known | _below([*roots, *known], living)
        # A session that nobody is in any more may become another's.
        ours = {self._birth.session} if self._birth else set[int]()
        self._sessions = {living[pid].session for pid in self._known} - ours
        return list(self._known)


def send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # gone, or not ours to end (a setuid program)


def send_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


async def end_descendants(pid: int) -> None:
    """Nobody who comes from this process is left: asked first, then told, then made.

    Who was forked while the others were sent a signal has not had it, and is sent it too.
    """
    family = Family(pid)
    loop = asyncio.get_running_loop()
    for numbers, patience_s in _STEPS:
        told = set[int]()
        deadline = loop.time() + patience_s
        while left := family.living():
            for one in left:
                for number in numbers if one not in told else ():
                    send(one, number)
            told.update(left)
            if loop.time() >= deadline:
                break
            await asyncio.sleep(_LOOK_S)
        if not left:
            return
