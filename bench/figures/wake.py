"""From a byte that a program writes to the answer of the wait for it."""

from __future__ import annotations

from collections.abc import Iterator

from bench import machine
from bench.players import in_rounds, names, playing
from bench.rows import Ratio, Row, Stage, spread

RATIO_MAX = 2
# An idle machine sleeps deeper than a busy one, and wakes later.
GAP_S = 0.02
HOT_GAP_S = 0.002


def measure(stage: Stage) -> Iterator[Row]:
    rounds, count = stage.size.pick(1, 6, 12), stage.size.pick(2, 40, 60)
    behind = stage.size.pick(200_000, 50_000_000, 500_000_000)
    asked: dict[str, dict[str, object]] = {
        "*": {"count": 15, "gap_s": 0.1},
        "floor": {"count": count, "gap_s": GAP_S},
        "antiphon": {"count": count, "gap_s": GAP_S},
        "pexpect-bare": {"count": count, "gap_s": GAP_S},
    }
    with playing(stage, ["floor", "antiphon"]) as players:
        found = in_rounds(stage, players, rounds, "wakes", asked)
        yield _row(f"a byte written, the waiter told; {1000 * GAP_S:.0f} ms apart", found)
        hot: dict[str, dict[str, object]] = {"*": {"count": 2 * count, "gap_s": HOT_GAP_S}}
        found = in_rounds(stage, players, rounds, "wakes", hot)
        yield _row(f"the same, {1000 * HOT_GAP_S:.0f} ms apart", found)
        path = machine.lines_file(behind)
        players["antiphon"].ask("ingest", limit_s=600, path=str(path), timeout_s=600)
        found = in_rounds(stage, players, rounds, "wakes", asked)
        yield _row(f"{1000 * GAP_S:.0f} ms apart, behind {behind / 1e6:.0f} MB of spool", found)
    if not stage.with_peers:
        return
    with playing(stage, names(stage)) as players:
        found = in_rounds(stage, players, stage.size.pick(1, 1, 3), "wakes", asked)
    for name, times in found.items():
        if name != "floor":
            yield Row(
                f"in turns with the peers: {name}",
                spread([one for all_times in times for one in all_times]),
                ratio=Ratio.of(times, found["floor"]).middle,
            )


def _row(what: str, found: dict[str, list[list[float]]]) -> Row:
    ratio = Ratio.of(found["antiphon"], found["floor"])
    ours, floor = (
        [time for times in found[name] for time in times] for name in ("antiphon", "floor")
    )
    return Row(
        what,
        spread(ours),
        f"a read of the PTY {spread(floor)}",
        ratio.middle,
        f"≤ {RATIO_MAX} × the read",
        ratio.middle <= RATIO_MAX,
    )
