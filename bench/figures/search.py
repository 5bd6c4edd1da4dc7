"""blocks.search over the output of one block, beside ripgrep on the same file."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import antiphon
from antiphon.library import Terminals
from bench import machine
from bench.rows import Row, Stage, duration, p50

RATIO_MAX = 3


@dataclass(frozen=True, slots=True)
class Sought:
    what: str
    query: str
    match_type: Literal["substring", "regex"] = "substring"
    ignore_case: bool = False

    def ripgrep(self, path: Path, limit: int) -> list[str]:
        flags = ["-F"] if self.match_type == "substring" else []
        flags += ["-i"] if self.ignore_case else ["-s"]
        return ["rg", "-n", "--no-heading", "-m", str(limit), *flags, "--", self.query, str(path)]


def measure(stage: Stage) -> Iterator[Row]:
    size = stage.size.pick(200_000, 100_000_000, 1_000_000_000)
    rounds = stage.size.pick(1, 4, 5)
    yield from asyncio.run(_measured(stage, size, rounds))


def soughts(size: int) -> list[Sought]:
    last = size // machine.LINE_BYTES - 2
    return [
        Sought("a text near the end", f"{last:010d} "),
        Sought("a text that is not there", "needle in the hay"),
        Sought("the same, whatever its case", "needle in the hay", ignore_case=True),
        Sought("a regular expression near the end", f"^0*{last} a+$", "regex"),
        Sought("a regular expression that is not there", "(error|failed): [a-z]+", "regex"),
        Sought("a text in every line, the first 50", "aaaa"),
    ]


async def _measured(stage: Stage, size: int, rounds: int) -> list[Row]:
    async with antiphon.open(stage.folder / "state") as terminals:
        path = machine.lines_file(size)
        ran = await terminals.pty.run("c", f"cat {path}", timeout_ms=600_000, max_bytes=4096)
        output = Path(ran.block.output_path)
        try:
            return [await _row(terminals, sought, output, rounds, size) for sought in soughts(size)]
        finally:
            await terminals.pty.close("c")


async def _row(terminals: Terminals, sought: Sought, output: Path, rounds: int, size: int) -> Row:
    limit, ours, theirs = 50, [], []
    agree = True
    for _ in range(rounds):
        started = time.perf_counter()
        seen = subprocess.run(sought.ripgrep(output, limit), capture_output=True, text=True)
        theirs.append(time.perf_counter() - started)
        started = time.perf_counter()
        found = await terminals.blocks.search(
            "c",
            sought.query,
            match_type=sought.match_type,
            ignore_case=sought.ignore_case,
            limit=limit,
        )
        ours.append(time.perf_counter() - started)
        said = [f"{hit.line}:{hit.text}" for hit in found.hits]
        agree = agree and said == seen.stdout.splitlines()
    ratio = p50([a / b for a, b in zip(ours, theirs, strict=True)])
    return Row(
        f"{sought.what}, in {size / 1e6:,.0f} MB",
        f"{duration(p50(ours))}{'' if agree else '; NOT the same lines'}",
        f"ripgrep {duration(p50(theirs))}",
        ratio,
        f"≤ {RATIO_MAX} × ripgrep, the same lines",
        agree and ratio <= RATIO_MAX,
    )
