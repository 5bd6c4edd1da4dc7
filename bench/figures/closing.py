"""What is left of a conversation that was closed: nothing."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import antiphon
from bench import machine
from bench.rows import Row, Stage, spread

CLOSE_S_MAX = 1.0
MARK = "BENCH_CLOSING"
SLEEP = "sleep 600"
CHILDREN = {
    "in the foreground": SLEEP,
    "in the background": f"{SLEEP} & wait",
    "disowned": f"{SLEEP} & disown; {SLEEP}",
    "with nohup": f"nohup {SLEEP} >/dev/null 2>&1 & {SLEEP}",
    "in its own session": f"setsid {SLEEP} & {SLEEP}",
    "in its own session, its parent gone": f"(setsid sh -c '{SLEEP} & {SLEEP}' &); {SLEEP}",
    "without its environment": f"env -i setsid /bin/{SLEEP} & {SLEEP}",
    "that ignores signals": f"(trap '' HUP INT TERM; {SLEEP}; {SLEEP}) & {SLEEP}",
    "stopped": f"{SLEEP} & kill -STOP $!; {SLEEP}",
    "a shell in a shell": f"bash -c 'bash -c \"{SLEEP}; true\"; true'",
}


def measure(stage: Stage) -> Iterator[Row]:
    yield from asyncio.run(_measured(stage))


async def _measured(stage: Stage) -> list[Row]:
    state = stage.folder / "state"
    async with antiphon.open(state) as terminals:
        times, left = [], []
        for number, (kind, command) in enumerate(CHILDREN.items()):
            name = f"c{number}"
            await terminals.pty.open(name, env={MARK: name})
            begun = await terminals.pty.exec_block(name, f"echo started; {command}")
            await terminals.pty.wait_for(name, match="started", from_cursor=begun.resume_cursor)
            await asyncio.sleep(0.2)  # the children of children are there
            below = [pid for pid in machine.descendants(os.getpid()) if machine.is_alive(pid)]
            started = time.perf_counter()
            await terminals.pty.close(name)
            times.append(time.perf_counter() - started)
            alive = [pid for pid in below if machine.is_alive(pid) and _is_sleep(pid)]
            if alive:
                left.append(kind)
                stage.say(f"left: {kind}: {len(alive)}")
        rows = [
            Row(
                f"{len(CHILDREN)} kinds of children, alive after `pty.close`",
                f"{len(left)}",
                target="0",
                is_reached=not left,
            ),
            Row(
                "how long `pty.close` takes with them",
                spread(times),
                target="each ≤ 1 s",
                is_reached=max(times) <= CLOSE_S_MAX,
            ),
        ]
        rows.append(await _cycles(terminals, stage))
        rows.append(await _descriptors(terminals))
    return rows


def _is_sleep(pid: int) -> bool:
    try:
        return b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _zombies() -> int:
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "stat").read_text(errors="replace")
        except OSError:
            continue
        fields = text[text.rindex(")") + 2 :].split()
        found += fields[0] == "Z" and int(fields[1]) == os.getpid()
    return found


async def _cycles(terminals: antiphon.library.Terminals, stage: Stage) -> Row:
    count = stage.size.pick(3, 100, 1000)
    await terminals.pty.run("cycle", "true")
    await terminals.pty.close("cycle")
    before, times = _open_files(), []
    for _ in range(count):
        started = time.perf_counter()
        await terminals.pty.open("cycle")
        await terminals.pty.close("cycle")
        times.append(time.perf_counter() - started)
    more, zombies = _open_files() - before, _zombies()
    processes = len(machine.descendants(os.getpid())) - 1  # the zygote stays
    return Row(
        f"{count:,} times opened and closed: files, zombies and processes more than before",
        f"{more}, {zombies}, {processes}; {spread(times)} each",
        target="0",
        is_reached=more <= 0 and zombies == 0 and processes <= 0,
    )


async def _descriptors(terminals: antiphon.library.Terminals) -> Row:
    """What a child of the shell holds beside its three."""
    command = "python3 -c 'import os; print(sorted(os.listdir(\"/proc/self/fd\"), key=int)[:-1])'"
    ran = await terminals.pty.run("descriptors", command)
    await terminals.pty.close("descriptors")
    return Row(
        "descriptors that a child of the shell has",
        ran.data.strip(),
        target="0, 1, 2",
        is_reached=ran.data.strip() == "['0', '1', '2']",
    )
