"""What the MCP door adds to a round trip."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.players import playing
from bench.rows import Row, Stage, p50, spread
from bench.servers import Mcp, end_shells

EMPTY = Path(__file__).parent.parent / "mcp_empty.py"
RATIO_MAX = 1.3


def measure(stage: Stage) -> Iterator[Row]:
    rounds, count = stage.size.pick(1, 8, 20), stage.size.pick(3, 100, 200)
    state = stage.folder / "state"
    python = sys.executable
    door: list[list[float]] = []
    library: list[list[float]] = []
    empty: list[list[float]] = []
    lowest: list[list[float]] = []
    with (
        playing(stage, ["antiphon"]) as players,
        Mcp([python, "-m", "antiphon", "mcp", "--state-dir", str(state)]) as ours,
        Mcp([python, str(EMPTY)]) as sdk,
        Mcp([python, str(EMPTY), "lowlevel"]) as low,
    ):
        for _ in range(rounds):
            library.append(players["antiphon"].times("round_trips", count=count))
            for times, client, tool, arguments in (
                (empty, sdk, "nothing", {"text": "true"}),
                (lowest, low, "nothing", {"text": "true"}),
                (door, ours, "pty.run", {"conversation_id": "c", "cmd": "true"}),
            ):
                client.times(3, tool, **arguments)
                times.append(client.times(count, tool, **arguments))
        ours.call("pty.close", conversation_id="c")
    end_shells(state)
    rows = zip(door, library, empty, strict=True)
    ratios = [p50(a) / (p50(b) + p50(c)) for a, b, c in rows]
    all_door, all_library, all_empty, all_low = (
        [time for times in found for time in times] for found in (door, library, empty, lowest)
    )
    ratio = p50(ratios)
    yield Row(
        "`pty.run true` over MCP stdio",
        spread(all_door),
        f"library {spread(all_library)}; empty tool of the SDK {spread(all_empty)}",
        ratio,
        f"≤ {RATIO_MAX} × (library + empty tool)",
        ratio <= RATIO_MAX,
    )
    rows = zip(door, library, lowest, strict=True)
    yield Row(
        "the same, beside an empty tool of the SDK's low level",
        spread(all_door),
        f"empty tool {spread(all_low)}",
        p50([p50(a) / (p50(b) + p50(c)) for a, b, c in rows]),
    )
