"""How fast a flood of output is taken in, all of it kept and searchable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench import machine
from bench.peers.registry import PEERS
from bench.players import PeerFailed, playing
from bench.rows import Row, Stage, p50

RATIO_MIN = 0.6
GROWN_MB_MAX = 32
PEER_S_MAX = 60.0


def measure(stage: Stage) -> Iterator[Row]:
    rounds = stage.size.pick(1, 3, 3)
    size = stage.size.pick(200_000, 100_000_000, 1_000_000_000)
    path = machine.lines_file(size)
    ratios, grown, kept, speeds, floors, cpu = [], [], [], [], [], []
    for _ in range(rounds):
        floor, _, _, _ = _once(stage, "floor", path)
        ours, more_mb, cpu_s, found = _once(stage, "antiphon", path)
        again, _, _, _ = _once(stage, "floor", path)
        assert floor is not None and again is not None and ours is not None
        beside = (floor + again) / 2
        ratios.append(beside / ours)
        speeds.append(size / ours / 1e6)
        floors.append(size / beside / 1e6)
        grown.append(more_mb)
        cpu.append(cpu_s)
        kept.append(found)
    ratio, most = p50(ratios), max(grown)
    yield Row(
        f"`cat` of {size / 1e6:,.0f} MB to its end in the answer",
        f"{p50(speeds):.0f} MB/s; {p50(cpu):.1f} s of processor in server and holder",
        f"a loop from PTY to file {p50(floors):.0f} MB/s",
        ratio,
        f"≥ {RATIO_MIN} × the loop",
        ratio >= RATIO_MIN,
    )
    yield Row(
        "of it kept and found by search: first, middle and last line",
        ", ".join("yes" if all(found) else "no" for found in kept),
        target="all",
        is_reached=all(all(found) for found in kept),
    )
    yield Row(
        "memory of server and holder, peak above before",
        f"{most:.1f} MB",
        target=f"< {GROWN_MB_MAX} MB",
        is_reached=most < GROWN_MB_MAX,
    )
    if stage.with_peers:
        yield from _peers(stage)


def _once(
    stage: Stage, name: str, path: Path, limit_s: float = 600
) -> tuple[float | None, float, float, list[bool]]:
    """Seconds, memory grown, processor used, and which of three lines are found after it."""
    with playing(stage, [name]) as players:
        if name not in players:
            raise PeerFailed("not installed")
        player = players[name]
        asked: dict[str, object] = {"path": str(path), "timeout_s": limit_s}
        answer = player.ask("ingest", limit_s=limit_s + 30, **asked)
        found: list[bool] = []
        if name != "floor" and answer["took"] is not None:
            last = path.stat().st_size // machine.LINE_BYTES - 1
            lines = [machine.line(number) for number in (0, last // 2, last)]
            found = player.ask("finds", lines=lines)["found"]
        return answer["took"], answer["grown_mb"], answer["cpu_s"], found


def _peers(stage: Stage) -> Iterator[Row]:
    size = stage.size.pick(0, 5_000_000, 100_000_000)
    path = machine.lines_file(size)
    for name in ("antiphon", *PEERS):
        try:
            floor, _, _, _ = _once(stage, "floor", path)
            took, more_mb, cpu_s, found = _once(stage, name, path, PEER_S_MAX)
        except PeerFailed as failed:
            yield Row(f"{size / 1e6:.0f} MB, {name}", f"failed: {failed}")
            continue
        assert floor is not None
        if took is None:
            yield Row(f"{size / 1e6:.0f} MB, {name}", f"not within {PEER_S_MAX:.0f} s")
            continue
        lines = "/".join("yes" if one else "no" for one in found)
        yield Row(
            f"{size / 1e6:.0f} MB, {name}",
            f"{size / took / 1e6:.1f} MB/s; {cpu_s:.1f} s of processor, {more_mb:.0f} MB more "
            f"memory; first/middle/last line found: {lines}",
            f"loop {size / floor / 1e6:.0f} MB/s",
            floor / took,
        )
