"""Waits against an oracle, and patterns made to hurt."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Iterator

import antiphon
from antiphon.terminal import pattern
from antiphon.terminal.pattern import Scanner
from bench.rows import Row, Stage, duration, percentile

PATTERN_S_MAX = 0.1
STALL_S_MAX = 0.02
LETTERS = (b"a", b"b", b"c", "é".encode(), b"\n", b"\xff", b"ab")
PATTERNS = ("a+b", "ab|ba", "(?:a|b)c", "a.c", "[^a]b", "é", "^a", "c$", "a{2,3}", "b(?:c|é)+a")
HURTFUL = (
    "(a+)+$",
    "(a*)*b",
    "(a|a)*b",
    "(a|aa)+$",
    "(.*)*x",
    "(.*a){12}",
    "(a?){30}a{30}",
    "([a-z]+)*[0-9]",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(a+){10}y",
    "((a+)+)+b",
    ".*.*.*.*=.*",
    "(.+)+;",
    "(\\w+\\s?)*!",
    "(a|b|ab)*c",
    "[a-z]*[a-z]*[a-z]*[0-9]",
    "(?i)(a+)+b",
    "(aa|aab?)*c",
    "a{0,500}b",
    "(a.?){20}z",
    "(\\d+)+a?z",
    "(a*a*)*b",
    "(?:a+)+\\b!",
    "\\Ba+\\B[b]",
)


def measure(stage: Stage) -> Iterator[Row]:
    yield _oracle(stage)
    yield _invariant(stage)
    yield _far(stage)
    yield from asyncio.run(_hurtful(stage))


def _told(scanner: Scanner, data: bytes, cuts: list[int]) -> tuple[int, int] | None:
    """What a scanner says of a stream that comes in these pieces."""
    ends = [*cuts, len(data)]
    for end in ends:
        start = scanner.position
        if end > start:
            span = scanner.feed(data[start:end], lambda a, b: data[a:b])
            if span is not None:
                return span.start, span.end
    return None


def _stream(dice: random.Random, count: int) -> bytes:
    return b"".join(dice.choice(LETTERS) for _ in range(count))


def _first(needle: bytes, data: bytes, cursor: int) -> tuple[int, int] | None:
    at = data.find(needle, cursor)
    return None if at < 0 else (at, at + len(needle))


def _shortest(text: str, data: bytes, cursor: int) -> tuple[int, int] | None:
    """By the law itself: the shortest prefix with a match, in it the leftmost, then the longest.

    Only for streams of whole characters of one byte.
    """
    sought = re.compile(text.encode(), re.MULTILINE)
    for end in range(cursor, len(data) + 1):
        for start in range(cursor, end + 1):
            if any(sought.fullmatch(data, start, stop) for stop in range(end, start, -1)):
                longest = max(
                    stop for stop in range(start, end + 1) if sought.fullmatch(data, start, stop)
                )
                return start, longest
    return None


def _oracle(stage: Stage) -> Row:
    count, wrong = stage.size.pick(200, 20_000, 100_000), 0
    dice = random.Random(17)
    for number in range(count):
        data = _stream(dice, dice.randrange(1, 60))
        cursor = dice.randrange(len(data))
        cuts = sorted(dice.randrange(len(data)) for _ in range(dice.randrange(5)))
        if number % 10:
            needle = _stream(dice, dice.randrange(1, 4))
            told = _told(pattern.substring(needle, cursor), data, cuts)
            wrong += told != _first(needle, data, cursor)
        else:
            plain = bytes(dice.choice(b"abc") for _ in range(dice.randrange(1, 14)))
            cursor = dice.randrange(len(plain))
            text = dice.choice([one for one in PATTERNS[:5] if "é" not in one])
            told = _told(pattern.compile_regex(text).scanner(cursor), plain, cuts)
            wrong += told != _shortest(text, plain, cursor)
    return Row(
        f"{count:,} random streams, cuts, patterns and cursors: other than the oracle says",
        f"{wrong}",
        target="0",
        is_reached=wrong == 0,
    )


def _invariant(stage: Stage) -> Row:
    count, wrong = stage.size.pick(50, 1000, 1000), 0
    dice = random.Random(18)
    for text in PATTERNS:
        data = _stream(dice, 200)
        whole = _told(pattern.compile_regex(text).scanner(0), data, [])
        for _ in range(count):
            cuts = sorted(dice.randrange(len(data)) for _ in range(dice.randrange(1, 40)))
            wrong += _told(pattern.compile_regex(text).scanner(0), data, cuts) != whole
    return Row(
        f"{len(PATTERNS)} patterns, one stream in {count:,} kinds of pieces: another answer",
        f"{wrong}",
        target="0",
        is_reached=wrong == 0,
    )


def _far(stage: Stage) -> Row:
    size = stage.size.pick(100_000, 3 << 20, 64 << 20)
    data = b"-" * size + b"needle 42"
    pieces = list(range(0, size, 65_536))
    found = [
        _told(pattern.substring(b"needle", 0), data, pieces),
        _told(pattern.compile_regex("needle [0-9]+").scanner(0), data, pieces),
    ]
    right = found == [(size, size + 6), (size, size + 8)]
    return Row(
        f"a match {size / 2**20:.0f} MiB behind the cursor", "found" if right else f"{found}",
        target="found", is_reached=right,
    )  # fmt: skip


async def _hurtful(stage: Stage) -> list[Row]:
    """Through the service, with a clock beside it that says how long nobody got a turn."""
    size = stage.size.pick(20_000, 1 << 20, 1 << 20)
    path = stage.folder / "hurtful"
    times, refused, stalls = {}, 0, [0.0]
    async with antiphon.open(stage.folder / "state") as terminals:
        pieces = {"a": "a" * size, "mixed": "ab ba aab xyz=1 foo! bar; " * (size // 26)}
        for name, text in pieces.items():
            path.write_text(text)
            await terminals.pty.run(name, f"cat {path}", timeout_ms=60_000)
        clock = asyncio.ensure_future(_clock(stalls))
        for name in pieces:
            for text in HURTFUL:
                started = time.perf_counter()
                try:
                    await terminals.pty.wait_for(
                        name, match=f"(?:{text})never", match_type="regex", timeout_ms=0
                    )
                except antiphon.library.Refused as error:
                    refused += error.code.value == "invalid_pattern"
                times[name, text] = time.perf_counter() - started
        clock.cancel()
        for name in pieces:
            await terminals.pty.close(name)
    slow = [f"{text} on {name}" for (name, text), took in times.items() if took > PATTERN_S_MAX]
    for one in slow:
        stage.say(f"slower than wanted: {one}")
    worst = max(times.values())
    stall = percentile(stalls, 0.99)
    return [
        Row(
            f"{len(times)} patterns made to hurt, over {size / 2**20:.2f} MiB each",
            f"longest {duration(worst)}, {len(slow)} over {duration(PATTERN_S_MAX)}; "
            f"{refused} refused",
            target=f"each < {duration(PATTERN_S_MAX)}",
            is_reached=worst < PATTERN_S_MAX,
        ),
        Row(
            "how long others got no turn meanwhile",
            f"p99 {duration(stall)}, longest {duration(max(stalls))}",
            target=f"p99 < {duration(STALL_S_MAX)}",
            is_reached=stall < STALL_S_MAX,
        ),
    ]


async def _clock(stalls: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await asyncio.sleep(0)
        stalls.append(time.perf_counter() - started)
