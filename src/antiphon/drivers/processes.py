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

# How long each step of the ladder waits for everybody to go.
_STEPS = (
    ((signal.SIGHUP, signal.SIGCONT), 0.15),
    ((signal.SIGTERM,), 0.15),
    ((signal.SIGKILL,), 0.5),
)
_LOOK_S = 0.01


@functools.cache
def boot() -> str:
    """Which life of the machine this is; empty where the kernel does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def born() -> dict[int, tuple[int, int]]:
    """Each living process: its parent and when it started; the dead do not count."""
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
            found[int(entry)] = (int(fields[1]), int(fields[19]))
    return found


def began_ms(pid: int) -> int | None:
    """When a process started, by the clock on the wall; to a hundredth of a second."""
    found = born().get(pid)
    if found is None:
        return None
    ago_s = time.clock_gettime(time.CLOCK_BOOTTIME) - found[1] / os.sysconf("SC_CLK_TCK")
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


def _below(roots: Iterable[int], living: Mapping[int, tuple[int, int]]) -> dict[int, int]:
    """All that come from these processes, nearest first, and when each started."""
    children: dict[int, list[int]] = {}
    for child, (parent, _) in living.items():
        children.setdefault(parent, []).append(child)
    found: dict[int, int] = {}
    waiting = list(roots)
    while waiting:
        here = [pid for pid in children.get(waiting.pop(0), []) if pid not in found]
        found |= {pid: living[pid][1] for pid in here}
        waiting += here
    return found


@dataclass(slots=True)
class Family:
    """All that came from a process, as long as they live.

    Who was seen once is not forgotten: the process may end before them, and then nobody says
    any more whose they were.
    """

    root: int
    _started: int | None = None  # with its pid one process for ever
    _known: dict[int, int] = field(default_factory=dict)

    def living(self) -> list[int]:
        living = born()
        if self._started is None and self.root in living:
            self._started = living[self.root][1]
        roots = [self.root] if living.get(self.root, (0, None))[1] == self._started else []
        known = {
            pid: started
            for pid, started in self._known.items()
            if living.get(pid, (0, None))[1] == started
        }
        self._known = known | _below([*roots, *known], living)
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
    """Nobody who comes from this process is left: asked first, then told, then made."""
    family = Family(pid)
    for numbers, patience_s in _STEPS:
        left = family.living()
        for one in left:
            for number in numbers:
                send(one, number)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience_s
        while left and loop.time() < deadline:
            await asyncio.sleep(_LOOK_S)
            left = family.living()
        if not left:
            return
