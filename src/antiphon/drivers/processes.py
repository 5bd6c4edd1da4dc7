"""Processes as the kernel shows them: who descends from whom, and how all of them are ended."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

# How long each step of the ladder waits for everybody to go.
_STEPS = (
    ((signal.SIGHUP, signal.SIGCONT), 0.15),
    ((signal.SIGTERM,), 0.15),
    ((signal.SIGKILL,), 0.5),
)
_LOOK_S = 0.01


def parents() -> dict[int, int]:
    """Each living process and its parent; the dead that nobody has reaped do not count."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_bytes()
        except OSError:
            continue  # it ended while we looked
        state, parent = stat[stat.rindex(b")") + 2 :].split(None, 2)[:2]
        if state not in (b"Z", b"X"):
            found[int(entry)] = int(parent)
    return found


def descendants(pid: int) -> list[int]:
    """All that come from this process, nearest first; a subreaper keeps the orphans."""
    children: dict[int, list[int]] = {}
    for child, parent in parents().items():
        children.setdefault(parent, []).append(child)
    found, waiting = [], [pid]
    while waiting:
        here = children.get(waiting.pop(0), [])
        found += here
        waiting += here
    return found


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
    for numbers, patience_s in _STEPS:
        left = descendants(pid)
        for one in left:
            for number in numbers:
                send(one, number)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience_s
        while left and loop.time() < deadline:
            await asyncio.sleep(_LOOK_S)
            left = descendants(pid)
        if not left:
            return
