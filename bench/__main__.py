"""`python -m bench [NAME...] [--full | --tiny] [--no-peers]`: measure, and write RESULTS.md."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from bench import machine, report
from bench.figures.registry import FIGURES
from bench.rows import Figure, Row, Size, Stage, Table

RESULTS = Path(__file__).with_name("RESULTS.md")


def main(arguments: list[str]) -> int:
    asked = _parser().parse_args(arguments)
    # A run in the background of a script is started with Ctrl-C ignored, and shells inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    size = Size.FULL if asked.full else Size.TINY if asked.tiny else Size.USUAL
    by_name = {figure.name: figure for figure in FIGURES}
    chosen = [by_name[name] for name in asked.names] or list(FIGURES)
    with_peers = size is not Size.TINY and not asked.no_peers
    written, failed = {}, []
    for figure in chosen:
        before = report.Conditions.now()
        print(f"-- {figure.name} ({size.value}; load {before.load_before:.1f})", flush=True)
        started = time.monotonic()
        try:
            rows = _measured(figure, size, with_peers=with_peers)
        except Exception:  # noqa: BLE001 - the outermost loop: the other figures are still measured
            traceback.print_exc()
            failed.append(figure.name)
            continue
        written[figure.name] = report.section(
            figure, rows, size, before, time.monotonic() - started
        )
        if size is not Size.TINY and not asked.dry:
            report.write(RESULTS, written, list(by_name))
    for name in failed:
        print(f"bench: {name} could not be measured", file=sys.stderr)
    return 1 if failed else 0


def _measured(figure: Figure, size: Size, *, with_peers: bool) -> list[Row | Table]:
    machine.DATA.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=machine.DATA))
    found: list[Row | Table] = []
    try:
        for one in figure.measure(Stage(size, with_peers, folder)):
            found.append(one)
            lines = [report.cells(one)] if isinstance(one, Row) else one.lines
            for line in lines:
                print(f"   {' | '.join(cell for cell in line if cell)}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        choices=[[], *(figure.name for figure in FIGURES)],
        help=f"what to measure; all without: {', '.join(figure.name for figure in FIGURES)}",
    )
    parser.add_argument("--full", action="store_true", help="the sizes that the targets speak of")
    parser.add_argument("--tiny", action="store_true", help="only whether it runs; writes nothing")
    parser.add_argument("--no-peers", action="store_true", help="only the floor and Antiphon")
    parser.add_argument("--dry", action="store_true", help="print, and leave RESULTS.md as it is")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
