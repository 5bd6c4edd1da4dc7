"""The process that holds a terminal: what it weighs, how fast it starts, what its detour costs."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import antiphon
from antiphon.drivers.link import Link, ShellRequest, Zygote, connect
from bench import machine
from bench.peers.floor import READ_BYTES, Bare
from bench.rows import Row, Stage, duration, p50, spread
from bench.servers import holders

PSS_MB_MAX = 2
SPAWN_S_MAX = 0.02
HOP_S_MAX = 100e-6
HOP_MB_S_MIN = 40


def measure(stage: Stage) -> Iterator[Row]:
    yield from asyncio.run(_size(stage))
    yield from asyncio.run(_hop(stage))


async def _size(stage: Stage) -> list[Row]:
    count = stage.size.pick(2, 20, 50)
    state, opened = stage.folder / "state", []
    async with antiphon.open(state) as terminals:
        await terminals.pty.open("first")
        for number in range(count):
            started = time.perf_counter()
            await terminals.pty.open(f"c{number}")
            opened.append(time.perf_counter() - started)
        pids = holders(state)
        each = machine.pss_mb(pids.values()) / len(pids)
        private = machine.private_mb(pids.values()) / len(pids)
        for name in pids:
            await terminals.pty.close(name)
    bare = []
    for _ in range(count):
        started = time.perf_counter()
        shell = Bare.start(["bash", "--norc", "-i"], {**os.environ, "PS1": "@"})
        while b"@" not in os.read(shell.master, READ_BYTES):
            pass
        bare.append(time.perf_counter() - started)
        shell.end()
    return [
        Row(
            f"memory of a holder, one of {len(pids)} (PSS)",
            f"{each:.2f} MB, {private:.2f} MB of it anonymous",
            target=f"≤ {PSS_MB_MAX} MB",
            is_reached=each <= PSS_MB_MAX,
        ),
        Row(
            "a conversation opened, to its first prompt",
            spread(opened),
            f"a bare bash {spread(bare)}",
            p50(opened) / p50(bare),
            f"≤ {duration(SPAWN_S_MAX)}",
            p50(opened) <= SPAWN_S_MAX,
        ),
    ]


async def _hop(stage: Stage) -> list[Row]:
    """An echo through a holder and its file, beside an echo from the PTY itself."""
    rounds, count = stage.size.pick(1, 8, 20), stage.size.pick(5, 200, 500)
    zygote = Zygote()
    bare = Bare.start(["sh", "-c", "stty raw -echo; echo @; exec cat"], dict(os.environ))
    while b"@" not in os.read(bare.master, READ_BYTES):
        pass
    folder = stage.folder / "echo"
    link = await _held(zygote, folder, ["sh", "-c", "stty raw -echo; echo @; exec cat"])
    raw = os.open(folder / "output.raw", os.O_RDONLY)
    while not os.pread(raw, 10, 0):
        await asyncio.sleep(0.01)
    here, there, more = [], [], []
    link.door.settimeout(5)
    size = os.fstat(raw).st_size
    for _ in range(rounds):
        direct, held = [], []
        for _ in range(count):
            started = time.perf_counter()
            os.write(bare.master, b"x")
            os.read(bare.master, READ_BYTES)
            direct.append(time.perf_counter() - started)
        for _ in range(count):
            started = time.perf_counter()
            link.write(b"x")
            while not os.pread(raw, READ_BYTES, size):
                link.news()
            held.append(time.perf_counter() - started)
            size += 1
        here += direct
        there += held
        more.append(p50(held) - p50(direct))
    link.kill_shell()
    link.close()
    os.close(raw)
    bare.end()
    added = p50(more)
    rows = [
        Row(
            "an echo through the holder and its file",
            f"{spread(there)}; {duration(added)} added",
            f"from the PTY {spread(here)}",
            p50(there) / p50(here),
            f"≤ {duration(HOP_S_MAX)} added",
            added <= HOP_S_MAX,
        ),
        await _speed(stage, zygote),
    ]
    zygote.close()
    return rows


async def _held(zygote: Zygote, folder: Path, arguments: list[str]) -> Link:
    (folder / "ctl").mkdir(parents=True)
    os.mkfifo(folder / "ctl" / "bell", 0o600)
    program = [shutil.which(arguments[0]) or arguments[0], *arguments[1:]]
    request = ShellRequest(folder, "/", 120, 40, "0" * 32, program, dict(os.environ))
    await zygote.fork(request)
    link = connect(folder)
    assert link is not None, "the holder ended while it started"
    return link


async def _speed(stage: Stage, zygote: Zygote) -> Row:
    size = stage.size.pick(200_000, 100_000_000, 500_000_000)
    path = machine.lines_file(size)
    folder = stage.folder / "speed"
    started = time.perf_counter()
    # It waits until we listen: a holder leaves when its program does.
    link = await _held(zygote, folder, ["sh", "-c", f"read go; cat {path}; read end"])
    printed = size + size // machine.LINE_BYTES  # each line end is two bytes on a terminal
    started = time.perf_counter()
    link.write(b"\n")
    while (folder / "output.raw").stat().st_size < printed:
        await asyncio.sleep(0.001)
    took = time.perf_counter() - started
    link.kill_shell()
    link.close()
    speed = size / took / 1e6
    return Row(
        f"`cat` of {size / 1e6:.0f} MB through the holder into its file",
        f"{speed:.0f} MB/s",
        target=f"≥ {HOP_MB_S_MIN} MB/s",
        is_reached=speed >= HOP_MB_S_MIN if size > 1_000_000 else None,
    )
