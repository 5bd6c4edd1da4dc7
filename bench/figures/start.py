"""From the start of a server to its first answers, with many old conversations on the disk."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import antiphon.sync
from bench import machine
from bench.rows import Row, Stage, duration, p50
from bench.servers import Serving, end_shells, holders

START_S_MAX = 2.0


def measure(stage: Stage) -> Iterator[Row]:
    count = stage.size.pick(5, 1000, 1000)
    each = stage.size.pick(5_000, 100_000, 1_000_000)
    rounds = stage.size.pick(1, 3, 3)
    empty = [_started(stage.folder / f"empty-{number}")[0] for number in range(rounds)]
    state = stage.folder / "closed"
    _pattern(state, each, closed=True)
    _multiplied(state, count)
    yield _row(state, rounds, count, each, "closed", empty)
    shutil.rmtree(state)
    state = stage.folder / "lost"
    _pattern(state, each, closed=False)
    _multiplied(state, count)
    yield _row(state, 1, count, each, "whose shells a power cut took", empty)


def _row(state: Path, rounds: int, count: int, each: int, kind: str, empty: list[float]) -> Row:
    found = [_started(state) for _ in range(rounds)]
    first, listed = p50([one[0] for one in found]), p50([one[1] for one in found])
    return Row(
        f"{count:,} conversations {kind}, {each / 1e6:.1f} MB each",
        f"listens after {duration(first)}; `pty.list` in {duration(listed)} more",
        f"with none {duration(p50(empty))}",
        target=f"< {START_S_MAX:.0f} s for both",
        is_reached=first + listed < START_S_MAX,
    )


def _started(state: Path) -> tuple[float, float]:
    started = time.perf_counter()
    with Serving(state) as server:
        listens = time.perf_counter() - started
        with antiphon.sync.open(state) as terminals:
            asked = time.perf_counter()
            terminals.pty.list()
            listed = time.perf_counter() - asked
        server.stop()
    return listens, listed


def _pattern(state: Path, each: int, *, closed: bool) -> None:
    """One conversation with some output; the others are copies of it."""
    with antiphon.sync.open(state) as terminals:
        for _ in range(5):
            terminals.pty.run("c0", "true")
        terminals.pty.run("c0", f"cat {machine.lines_file(each)}", timeout_ms=600_000)
        if closed:
            terminals.pty.close("c0")
    if not closed:
        assert holders(state), "its shell lives on"
        end_shells(state)


def _multiplied(state: Path, count: int) -> None:
    first = state / "conversations" / "c0"
    for number in range(1, count):
        copy = state / "conversations" / f"c{number}"
        folder = copy / "agent_pty"
        shutil.copytree(first, copy, symlinks=True, ignore=_special, copy_function=shutil.copyfile)
        if (first / "agent_pty" / "holder.sock").exists():
            (folder / "holder.sock").touch()


def _special(folder: str, names: list[str]) -> list[str]:
    """Sockets and pipes are not copied."""
    paths = {name: Path(folder) / name for name in names}
    return [name for name, path in paths.items() if not (path.is_file() or path.is_dir())]
