"""Ten thousand who wait on one conversation, and what 4 KiB that they do not want cost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import antiphon
from antiphon.library import Terminals
from antiphon.wire.terminal import Matched
from bench.rows import Row, Stage, duration, p50, spread

CHUNK_BYTES = 4096
# No line ends, and less than a terminal holds: it comes in one read.
LAST = "the end of it"
CHUNK_S_MAX = 0.05
PATTERNS = ("needle-{}-x", "value of {} is [0-9]+ms", "(?i)error {}: .*", "^done {}$")


def measure(stage: Stage) -> Iterator[Row]:
    count = stage.size.pick(50, 10_000, 10_000)
    rounds = stage.size.pick(2, 15, 40)
    flood = stage.size.pick(50_000, 1_000_000, 10_000_000)
    yield from asyncio.run(_measured(stage, count, rounds, flood))


async def _measured(stage: Stage, count: int, rounds: int, flood: int) -> list[Row]:
    chunk = stage.folder / "chunk"
    text = "".join(f"{number:06d} nothing to see here; " for number in range(999))
    chunk.write_text(text[: CHUNK_BYTES - 1 - len(LAST)] + LAST)
    rows = []
    async with antiphon.open(stage.folder / "state") as terminals:
        try:
            rows += [
                await _chunks(terminals, kind, chunk.name, stage, count, rounds)
                for kind in ("substring", "regex")
            ]
            rows += await _flood(terminals, stage, count, flood)
        finally:
            for listed in (await terminals.pty.list()).conversations:
                await terminals.pty.close(listed.conversation_id)
    return rows


def _waits(
    terminals: Terminals, name: str, kind: str, count: int, cursor: int
) -> list[asyncio.Task[Matched]]:
    made = []
    for number in range(count):
        text = PATTERNS[0] if kind == "substring" else PATTERNS[1 + number % 3]
        match = text.format(number)
        wait = terminals.pty.wait_for(
            name,
            match=match,
            match_type="substring" if kind == "substring" else "regex",
            from_cursor=cursor,
            timeout_ms=600_000,
        )
        made.append(asyncio.ensure_future(wait))
    return made


async def _chunks(
    terminals: Terminals, kind: str, chunk: str, stage: Stage, count: int, rounds: int
) -> Row:
    pty, name = terminals.pty, kind
    opened = await pty.open(name, cwd=str(stage.folder))

    async def printed() -> tuple[float, float]:
        """To the answer of one more wait, the last of them all: time, and processor time."""
        cursor = (await pty.status(name)).resume_cursor
        wait = pty.wait_for(name, match=LAST, from_cursor=cursor)
        waiting = asyncio.ensure_future(wait)
        await asyncio.sleep(0)
        started, busy = time.perf_counter(), time.process_time()
        await pty.exec_block(name, f"cat {chunk}")
        await waiting
        took = time.perf_counter() - started, time.process_time() - busy
        await pty.wait_prompt(name, from_cursor=waiting.result().resume_cursor)
        return took

    alone = [await printed() for _ in range(rounds)]
    waits = _waits(terminals, name, kind, count, opened.resume_cursor)
    await asyncio.sleep(0)
    await printed()  # those who wait have caught up
    beside = [await printed() for _ in range(rounds)]
    for wait in waits:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    cost = p50([busy for _, busy in beside]) - p50([busy for _, busy in alone])
    return Row(
        f"4 KiB printed while {count:,} wait for other {_named(kind)}",
        f"{duration(cost)} of processor more, p50; {spread([took for took, _ in beside])} from "
        "the command to the last wait's answer",
        f"{spread([took for took, _ in alone])} with nobody waiting",
        target=f"≤ {duration(CHUNK_S_MAX)} a chunk",
        is_reached=cost <= CHUNK_S_MAX,
    )


def _named(kind: str) -> str:
    return "texts" if kind == "substring" else "regular expressions"


async def _flood(terminals: Terminals, stage: Stage, count: int, flood: int) -> list[Row]:
    """Everybody's text is in the flood, spread over it; each is told, and told the right place."""
    pty, name = terminals.pty, "flood"
    path = stage.folder / "flood"
    every = max(1, flood // 30 // count)
    numbers = range(flood // 30)
    texts = [
        f"needle-{number // every}-x" if number % every == 0 and number // every < count else "-"
        for number in numbers
    ]
    path.write_text("".join(f"{text:<29.29}\n" for text in texts))
    opened = await pty.open(name, cwd=str(stage.folder))
    waits = _waits(terminals, name, "substring", count, opened.resume_cursor)
    await asyncio.sleep(0)
    started = time.perf_counter()
    ran = await pty.run(name, "cat flood", timeout_ms=600_000, max_bytes=4096)
    took = time.perf_counter() - started
    told = await asyncio.gather(*waits)
    begin = ran.resume_cursor
    begin = min(one.match_cursor for one in told)
    right = sum(one.match_cursor - begin == number * every * 30 for number, one in enumerate(told))
    chunks = path.stat().st_size / CHUNK_BYTES
    return [
        Row(
            f"{path.stat().st_size / 1e6:.1f} MB with what {count:,} wait for",
            f"{right:,} of {count:,} told the right place; {duration(took / chunks)} a chunk",
            target="all",
            is_reached=right == count,
        )
    ]
