"""After kill -9 of the server: how long until the next one answers, and a client has its stream."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import antiphon
import antiphon.sync
from bench.rows import Row, Stage, duration, percentile, spread
from bench.servers import Serving, holders

READY_S_P95_MAX = 1.0


def measure(stage: Stage) -> Iterator[Row]:
    kills = stage.size.pick(2, 15, 60)
    shells = stage.size.pick(2, 8, 8)
    state = stage.folder / "state"
    ready, spans, right = [], [], 0
    with Serving(state) as server:
        with antiphon.sync.open(state) as terminals:
            for number in range(shells):
                terminals.pty.open(f"c{number}")
        for kill in range(kills):
            name = f"c{kill % shells}"
            with antiphon.sync.open(state) as terminals:
                begun = terminals.pty.exec_block(name, f"sleep 0.2; (exit {kill % 200})")
            started = time.perf_counter()
            server.kill()
            spans.append(server.start())
            with antiphon.sync.open(state) as terminals:
                terminals.pty.status(name)
                ready.append(time.perf_counter() - started)
                told = terminals.pty.wait_prompt(name, from_cursor=begun.resume_cursor)
                assert told.extra, "a prompt says how it ended"
                right += told.extra.exit_code == kill % 200
        yield Row(
            f"from kill -9 to an answer of the next server, {shells} shells living",
            f"{spread(ready)}; it listens after {spread(spans)}",
            target=f"p95 < {duration(READY_S_P95_MAX)}",
            is_reached=percentile(ready, 0.95) < READY_S_P95_MAX,
        )
        yield Row(
            "the command that ran through the kill says its exit code",
            f"{right} of {kills}",
            target="all",
            is_reached=right == kills,
        )
        assert len(holders(state)) == shells, "every shell lives"
        yield from asyncio.run(_reconnected(stage, state_dir=str(state)))


async def _reconnected(stage: Stage, state_dir: str) -> list[Row]:
    rounds = stage.size.pick(2, 30, 100)
    connects, streams = [], []
    async with antiphon.open(state_dir) as terminals:
        answer = await terminals.pty.run("c0", "seq 1 1000")
    cursor = answer.resume_cursor - 2000
    for _ in range(rounds):
        started = time.perf_counter()
        async with antiphon.open(state_dir) as terminals:
            await terminals.pty.read_spool("c0", from_cursor=cursor)
            connects.append(time.perf_counter() - started)
            started = time.perf_counter()
            frames = terminals.stream("c0", cursor)
            async for frame in frames:
                if isinstance(frame, bytes):
                    break
            streams.append(time.perf_counter() - started)
            await frames.aclose()  # type: ignore[attr-defined]
    return [
        Row("a client finds the server and reads on from its cursor", spread(connects)),
        Row("a stream is opened again, to its first bytes", spread(streams)),
    ]
