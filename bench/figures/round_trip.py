"""How long `true` takes, with its exit code in hand."""

from __future__ import annotations

from collections.abc import Iterator

from bench.players import in_rounds, names, playing
from bench.rows import Ratio, Row, Stage, merged, spread

FLOOR_RATIO_MAX = 4
BARE_PEXPECT_RATIO_MAX = 2
BARE = "pexpect-bare"
QUICK = ("floor", "antiphon", BARE, "pexpect-replwrap")


def measure(stage: Stage) -> Iterator[Row]:
    rounds, count = stage.size.pick(1, 12, 30), stage.size.pick(3, 100, 200)
    wanted = names(stage)
    quick = [name for name in wanted if name in QUICK]
    asked: dict[str, dict[str, object]] = {"*": {"count": count}}
    with playing(stage, quick) as players:
        found = in_rounds(stage, players, rounds, "round_trips", asked)
    ours, floor = found["antiphon"], found["floor"]
    ratio = Ratio.of(ours, floor)
    yield Row(
        "`pty.run true` in the library, beside bare bash",
        spread(merged(ours)),
        f"{spread(merged(floor))}; rounds {ratio}",
        ratio.middle,
        f"≤ {FLOOR_RATIO_MAX} × bash",
        ratio.middle <= FLOOR_RATIO_MAX,
    )
    for name in quick[2:]:
        if name in found:
            yield _beside(name, ours, found[name])
    slow = [name for name in wanted if name not in QUICK]
    if not slow:
        return
    asked = {"*": {"count": 10}, "antiphon": {"count": count}}
    with playing(stage, ["antiphon", *slow]) as players:
        found = in_rounds(stage, players, stage.size.pick(1, 2, 5), "round_trips", asked)
    for name in slow:
        if name in found:
            yield _beside(name, found["antiphon"], found[name])


def _beside(name: str, ours: list[list[float]], theirs: list[list[float]]) -> Row:
    ratio = Ratio.of(ours, theirs)
    most = BARE_PEXPECT_RATIO_MAX if name == BARE else 1
    return Row(
        f"`pty.run true`, beside {name}",
        spread(merged(ours)),
        spread(merged(theirs)),
        ratio.middle,
        f"≤ {most} × {name}" if name == BARE else f"faster than {name}",
        ratio.middle <= most,
    )
