"""The probes, for Antiphon and the peers; each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from bench.peers.registry import PEERS, is_there
from bench.players import PeerFailed, Playing
from bench.probes import PROBES
from bench.rows import Row, Stage, Table

PROBE_S_MAX = 75.0
AT_ONCE = 2
TINY = ("exit_code", "no_newline", "stale_match")


def measure(stage: Stage) -> Iterator[Row | Table]:
    probes = stage.size.pick(list(TINY), list(PROBES), list(PROBES))
    names = ["antiphon", *(name for name in PEERS if stage.with_peers and is_there(name))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = {
            (name, probe): pool.submit(_probed, stage, name, probe)
            for name in names
            for probe in probes
        }
        said = {pair: future.result() for pair, future in asked.items()}
    for name in names:
        verdicts = [said[name, probe][0] for probe in probes]
        passed, spared = verdicts.count("pass"), verdicts.count("n/a")
        rest = [
            f"{probe}: {said[name, probe][0]} ({said[name, probe][1]})"
            for probe in probes
            if said[name, probe][0] not in ("pass", "n/a")
        ]
        for one in rest:
            stage.say(f"{name}, {one}")
        is_ours = name == "antiphon"
        yield Row(
            name,
            f"{passed} pass, {verdicts.count('partial')} partial, "
            f"{len(verdicts) - passed - spared - verdicts.count('partial')} fail",
            f"{spared} do not apply",
            target="all that apply" if is_ours else "",
            is_reached=passed + spared == len(probes) if is_ours else None,
        )
    yield Table(
        ("probe", *names),
        tuple((f"`{probe}`", *(said[name, probe][0] for name in names)) for probe in probes),
    )


def _probed(stage: Stage, name: str, probe: str) -> tuple[str, str]:
    """Verdict and evidence; a peer that does not come back in time hangs."""
    try:
        with Playing(name, stage.folder) as player:
            answer = player.ask("probe", limit_s=PROBE_S_MAX, name=probe)
            return answer["verdict"], answer["evidence"]
    except PeerFailed as failed:
        is_late = "no answer" in str(failed)
        return ("hang" if is_late else "error"), str(failed)
