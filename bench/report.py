"""RESULTS.md: one section for each figure, replaced when the figure is measured again.

The summary is read back from the sections, so that a partial run leaves the rest as it was.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from bench import machine
from bench.rows import Figure, Row, Size, Table

HEAD = """# Results

Written by `scripts/bench`; [README.md](README.md) says what each figure is and how it is measured.
Read the ratios: both sides of one were measured in the same run, in turns. Times are of one
machine, which was not always quiet.
"""
COLUMNS = (
    "| what | measured | beside | ratio | target | reached |\n| --- | --- | --- | --- | --- | --- |"
)
SUMMARY = "Targets"
CELLS = 6


@dataclass(frozen=True, slots=True)
class Conditions:
    """When and on what a figure was measured."""

    commit: str
    machine: str
    date: str
    load_before: float
    others_busy: float

    @classmethod
    def now(cls) -> Conditions:
        return cls(
            commit=machine.commit(),
            machine=machine.described(),
            date=time.strftime("%Y-%m-%d %H:%M"),
            load_before=machine.load(),
            others_busy=machine.busy_cores(),
        )


def cells(row: Row) -> list[str]:
    reached = {True: "yes", False: "**no**", None: ""}[row.is_reached]
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return [row.what, row.measured, row.beside, ratio, row.target, reached]


def table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(_flat(cell) for cell in row)} |" for row in rows]
    return "\n".join([COLUMNS, *lines])


def _flat(cell: str) -> str:
    """Nothing in it ends a cell or a line."""
    return " ".join(cell.replace("|", "/").split())


def wide(one: Table) -> str:
    lines = [one.head, ("---",) * len(one.head), *one.lines]
    return "\n".join(f"| {' | '.join(_flat(cell) for cell in line)} |" for line in lines)


def section(
    figure: Figure, found: list[Row | Table], size: Size, before: Conditions, took_s: float
) -> str:
    rows = table([cells(one) for one in found if isinstance(one, Row)])
    tables = "".join(f"{wide(one)}\n\n" for one in found if isinstance(one, Table))
    return (
        f"## {figure.name}\n\n{figure.sentence}\n\n{rows}\n\n{tables}"
        f"{size.value} size, commit {before.commit}, {before.date}, {took_s:.0f} s; load "
        f"{before.load_before:.1f} before and {machine.load():.1f} after, other work on "
        f"{before.others_busy:.1f} cores before. {before.machine}.\n"
    )


def sections(text: str) -> dict[str, str]:
    """The sections of a page, by name, in order."""
    found = {}
    for part in text.split("\n## ")[1:]:
        name, _, _ = part.partition("\n")
        found[name] = f"## {part.strip()}\n"
    return found


def rows_of(one: str) -> list[list[str]]:
    """Those of the first table of a section."""
    rows = []
    _, _, first = one.partition("| what |")
    for line in first.partition("\n\n")[0].splitlines():
        parts = [part.strip() for part in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(parts) == CELLS and parts[0] not in ("what", "---"):
            rows.append(parts)
    return rows


def page(kept: dict[str, str], order: list[str]) -> str:
    names = [name for name in order if name in kept]
    aims = [
        [f"{name}: {row[0]}", *row[1:]] for name in names for row in rows_of(kept[name]) if row[4]
    ]
    summary = f"## {SUMMARY}\n\n{table(aims)}\n"
    return "\n".join([HEAD, summary, *(kept[name] for name in names)])


def write(path: Path, written: dict[str, str], order: list[str]) -> None:
    kept = sections(path.read_text()) if path.exists() else {}
    kept.pop(SUMMARY, None)
    path.write_text(page(kept | written, order))
