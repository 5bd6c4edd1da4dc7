"""kill -9 of the server at any moment, while every shell prints: nothing lost, nothing doubled."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import antiphon.sync
from bench import record
from bench.rows import Row, Stage, duration, percentile, spread
from bench.servers import Serving

FLOOD = Path(__file__).parent.parent / "flood.py"
READY_S_P95_MAX = 1.0
SECOND_S_MAX = 1.0
EACH_KILL_S = 0.6  # a start, and the moments before it


def measure(stage: Stage) -> Iterator[Row]:
    kills, shells = stage.size.pick(2, 20, 200), stage.size.pick(2, 4, 8)
    seconds = 2 + kills * EACH_KILL_S
    state, dice = stage.folder / "state", random.Random(kills)
    ready: list[float] = []
    with Serving(state) as server:
        with antiphon.sync.open(state) as terminals:
            command = f"{sys.executable} -I -S {FLOOD} {seconds} 1"
            begun = {
                name: terminals.pty.exec_block(name, command)
                for name in (f"c{number}" for number in range(shells))
            }
        cursors = dict.fromkeys(begun, (0, b""))
        same = 0
        for _ in range(kills):
            time.sleep(dice.uniform(0.02, 0.25))
            started = time.perf_counter()
            server.kill()
            server.start()
            with antiphon.sync.open(state) as terminals:
                terminals.pty.status("c0")
                ready.append(time.perf_counter() - started)
                name = f"c{dice.randrange(shells)}"
                same += _same(state, name, cursors)
        with antiphon.sync.open(state) as terminals:
            for name, answer in begun.items():
                terminals.pty.wait_prompt(
                    name, from_cursor=answer.resume_cursor, timeout_ms=300_000
                )
                terminals.pty.close(name)
        server.stop()
        folders = [state / "conversations" / name / "agent_pty" for name in begun]
        counts = [
            record.numbered(folder / "blocks" / f"{begun[folder.parent.name].block_id}.out")
            for folder in folders
        ]
        wrong = [one for folder in folders for one in record.violations(folder)]
        follow = sum(record.follows_from_raw(folder) for folder in folders)
    for one in wrong[:5]:
        stage.say(one)
    good, bad = sum(good for good, _ in counts), sum(bad for _, bad in counts)
    yield Row(
        f"{kills} times kill -9, {shells} shells printing 1 MB/s each: lines",
        f"{good:,} whole and in order, {bad} missing, doubled or out of order",
        target="0 wrong",
        is_reached=bad == 0,
    )
    yield Row(
        "violations of one BEGIN, deltas that are the output, one END",
        f"{len(wrong)}",
        target="0",
        is_reached=not wrong,
    )
    yield Row(
        "spools that follow from what the terminal printed, byte for byte",
        f"{follow} of {shells}",
        target="all",
        is_reached=follow == shells,
    )
    yield Row(
        "what a cursor named before the kill reads the same after it",
        f"{same} of {kills}",
        target="all",
        is_reached=same == kills,
    )
    yield Row(
        "from the kill to an answer of the next server, under this load",
        spread(ready),
        target=f"p95 < {duration(READY_S_P95_MAX)}",
        is_reached=percentile(ready, 0.95) < READY_S_P95_MAX,
    )
    yield _second(stage)


def _same(state: Path, name: str, cursors: dict[str, tuple[int, bytes]]) -> bool:
    """What was there when this conversation was last looked at is there still."""
    size, before = cursors[name]
    spool = (state / "conversations" / name / "agent_pty" / "output.spool").read_bytes()
    cursors[name] = (len(spool), hashlib.sha256(spool).digest())
    return not size or hashlib.sha256(spool[:size]).digest() == before


def _second(stage: Stage) -> Row:
    state = stage.folder / "second"
    with Serving(state) as server:
        started = time.perf_counter()
        seen = subprocess.run(
            [sys.executable, "-m", "antiphon", "serve", "--port", "0", "--state-dir", str(state)],
            capture_output=True,
            text=True,
        )
        took = time.perf_counter() - started
        is_named = str(server.pid) in seen.stderr
    return Row(
        "a second server on the same directory",
        f"ends after {duration(took)} with {seen.returncode}, naming the first: {is_named}",
        target=f"< {duration(SECOND_S_MAX)}, and names it",
        is_reached=took < SECOND_S_MAX and is_named and seen.returncode != 0,
    )
