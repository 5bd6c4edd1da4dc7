"""The benchmark runs: every figure, at a tiny size, without peers.  What it measures is no test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench import report
from bench.figures.registry import FIGURES
from bench.report import Conditions
from bench.rows import Figure, Row, Size, percentile

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
@pytest.mark.parametrize("name", [figure.name for figure in FIGURES])
def test_a_figure_can_be_measured(name: str) -> None:
    seen = subprocess.run(
        [sys.executable, "-m", "bench", "--tiny", name], cwd=ROOT, capture_output=True, text=True
    )
    assert seen.returncode == 0, seen.stdout + seen.stderr
    assert seen.stdout.count("\n   ") > 0, seen.stdout


def test_a_figure_measured_again_replaces_itself_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    order = ["fast", "slow"]

    def measured(name: str, what: str, *, is_reached: bool) -> None:
        figure = Figure(name, "A sentence.", lambda _: ())
        row = Row(what, "1 | 2", ratio=1.5, target="≤ 2", is_reached=is_reached)
        conditions = Conditions("abc", "a machine", "2026-01-01 00:00", 0.5, 0.0)
        section = report.section(figure, [row], Size.USUAL, conditions, 1.0)
        report.write(page, {name: section}, order)

    measured("slow", "a thing", is_reached=False)
    measured("fast", "another", is_reached=True)
    measured("slow", "a third", is_reached=True)
    text = page.read_text()
    assert "a thing" not in text and "**no**" not in text
    assert text.count("| slow: a third | 1 / 2 |") == 1 and text.count("| a third |") == 1
    assert text.index("## Targets") < text.index("## fast") < text.index("## slow")


def test_a_percentile_lies_between_its_neighbours() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile([1, 2], 0.5) == 1.5
    assert percentile([5], 0.99) == 5
