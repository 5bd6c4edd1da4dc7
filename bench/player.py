"""A peer's own process: `python -m bench.player NAME FOLDER`, asked and answering in JSON lines."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import machine
from bench.peers.peer import Peer
from bench.peers.registry import PLACES

Said = dict[str, Any]


class Player:
    """Carries out what is asked; its shell is opened at the first need."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._shell: object = None

    @property
    def shell(self) -> object:
        if self._shell is None:
            self._shell = self.peer.open()
        return self._shell

    def open(self, asked: Said) -> Said:
        times = []
        for _ in range(asked["count"]):
            started = time.perf_counter()
            self.peer.open()
            times.append(time.perf_counter() - started)
        return {"times": times}

    def round_trips(self, asked: Said) -> Said:
        times, wrong = self.peer.round_trips(self.shell, asked["count"])
        return {"times": times, "wrong": wrong}

    def wakes(self, asked: Said) -> Said:
        return {"times": self.peer.wakes(self.shell, asked["count"], asked["gap_s"])}

    def ingest(self, asked: Said) -> Said:
        shell, pids = self.shell, self.peer.pids()
        machine.reset_peak(pids)
        before = machine.peak_mb(pids)
        cpu = machine.cpu_s(pids)
        took = self.peer.ingest(shell, Path(asked["path"]), asked["timeout_s"])
        return {
            "took": took,
            "cpu_s": machine.cpu_s(pids) - cpu,
            "grown_mb": machine.peak_mb(pids) - before,
        }

    def finds(self, asked: Said) -> Said:
        return {"found": [self.peer.finds(self.shell, line) for line in asked["lines"]]}

    def memory(self, asked: Said) -> Said:  # noqa: ARG002
        pids = self.peer.pids()
        mine = set(machine.descendants(os.getpid())) - set(pids)
        return {
            "peer_mb": machine.pss_mb(pids),
            "shells_mb": machine.pss_mb(mine),
            "shells": len(mine),
        }

    def everyone(self, asked: Said) -> Said:  # noqa: ARG002
        return {"pids": [os.getpid(), *machine.descendants(os.getpid())]}

    def probe(self, asked: Said) -> Said:
        from bench import probes

        if asked["name"] == "ctrl_c_nohup":  # as under nohup: shells must not inherit it
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        verdict, evidence = probes.PROBES[asked["name"]](self.peer, self.peer.open())
        return {"verdict": verdict, "evidence": evidence}


def main(name: str, folder: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints is no answer
    place = PLACES[name]
    peer: Peer = getattr(importlib.import_module(place.module), place.class_name)(Path(folder))
    peer.start()
    player = Player(peer)
    verbs: dict[str, Callable[[Said], Said]] = {
        verb: getattr(player, verb)
        for verb in (
            "open",
            "round_trips",
            "wakes",
            "ingest",
            "finds",
            "memory",
            "everyone",
            "probe",
        )
    }
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = verbs[asked["verb"]](asked)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    peer.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
