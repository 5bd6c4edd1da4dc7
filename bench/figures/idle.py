"""What conversations cost that do nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator

import antiphon.sync
from bench import machine
from bench.players import playing
from bench.rows import Row, Stage
from bench.servers import Serving

EACH_MB_MAX = 3
SETTLE_S = 2.0


def measure(stage: Stage) -> Iterator[Row]:
    count = stage.size.pick(3, 200, 200)
    quiet_s = stage.size.pick(0.5, 10.0, 30.0)
    with playing(stage, ["antiphon"]) as players:
        player = players["antiphon"]
        player.ask("open", count=1)
        time.sleep(SETTLE_S if count > 3 else 0)
        one = player.ask("memory")
        opened = player.ask("open", limit_s=120, count=count)["times"]
        time.sleep(SETTLE_S if count > 3 else 0)
        before = player.ask("memory")
        everyone = player.ask("everyone")["pids"]
        time.sleep(SETTLE_S)  # what was asked is done
        cpu_s = machine.cpu_s(everyone)
        time.sleep(quiet_s)
        used_s = machine.cpu_s(everyone) - cpu_s
    each_mb = (before["peer_mb"] - one["peer_mb"]) / count
    shell_mb = (before["shells_mb"] - one["shells_mb"]) / count
    yield Row(
        f"memory of each of {count} idle conversations, server and holder (PSS)",
        f"{each_mb:.2f} MB",
        f"its bash {shell_mb:.2f} MB",
        target=f"≤ {EACH_MB_MAX} MB beside the shell",
        is_reached=each_mb <= EACH_MB_MAX,
    )
    yield Row(
        f"processor that all of them use in {quiet_s:.0f} s, shells included",
        f"{used_s:.2f} s",
        target="none",
        is_reached=used_s <= 0.001 * quiet_s,
    )
    yield _wakes(stage, count, quiet_s)
    yield Row(
        "one more opened, to its first prompt",
        f"{1000 * sum(opened) / len(opened):.1f} ms, mean; {1000 * max(opened):.0f} ms, longest",
    )


def _wakes(stage: Stage, count: int, quiet_s: float) -> Row:
    state = stage.folder / "served"
    with Serving(state) as server, antiphon.sync.open(state) as terminals:
        for number in range(count):
            terminals.pty.open(f"c{number}")
        time.sleep(SETTLE_S)  # the last news is synced, and the entities are read
        before = machine.wakes(server.pid)
        time.sleep(quiet_s)
        woken = machine.wakes(server.pid) - before
        for number in range(count):
            terminals.pty.close(f"c{number}")
        server.stop()
    return Row(
        f"how often the loop of `antiphon serve` woke in {quiet_s:.0f} s, with as many idle",
        f"{woken}",
        target="never",
        is_reached=woken == 0,
    )
