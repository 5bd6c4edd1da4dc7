"""Players as the figures see them: started, asked one thing at a time, ended with all below."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench import machine
from bench.peers.registry import PEERS, PLACES, is_there
from bench.rows import Stage

ANSWER_S_MAX = 120.0
STOP_S_MAX = 15.0


class PeerFailed(Exception):
    """The peer raised, ended, or did not answer in time."""


class Playing:
    """A player's process."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        # A path of a socket may have 107 bytes: peers get a short folder of their own.
        self.folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder))
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "PYTHONPATH": machine.python_path(),
            "OPENHANDS_SUPPRESS_BANNER": "1",
        }
        self.log = (self.folder / "player.log").open("wb")
        self.process = subprocess.Popen(
            [str(PLACES[name].python), "-m", "bench.player", name, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            cwd=machine.ROOT,
            env=environment,
            start_new_session=True,
        )
        self.selector = selectors.DefaultSelector()
        assert self.process.stdout is not None
        os.set_blocking(self.process.stdout.fileno(), False)
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def ask(self, verb: str, limit_s: float = ANSWER_S_MAX, **asked: object) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"verb": verb, **asked}).encode() + b"\n")
        self.process.stdin.flush()
        deadline, said = time.monotonic() + limit_s, b""
        while not said.endswith(b"\n"):
            if not self.selector.select(max(0.0, deadline - time.monotonic())):
                raise PeerFailed(f"no answer within {limit_s:.0f} s")
            piece = self.process.stdout.read()
            if not piece:
                raise PeerFailed(f"its process ended: {self.last_words()}")
            said += piece
        answer: dict[str, Any] = json.loads(said)
        if "error" in answer:
            raise PeerFailed(answer["error"])
        return answer

    def times(self, verb: str, **asked: object) -> list[float]:
        times: list[float] = self.ask(verb, ANSWER_S_MAX, **asked)["times"]
        return times

    def last_words(self) -> str:
        words = (self.folder / "player.log").read_text(errors="replace").strip().splitlines()
        return words[-1][:200] if words else "it said nothing"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self.process.stdin is not None
        began = machine.descendants(self.process.pid)
        try:
            self.process.stdin.close()
            self.process.wait(STOP_S_MAX)
        except (OSError, subprocess.TimeoutExpired):
            pass
        end([*began, *machine.descendants(self.process.pid), self.process.pid])
        self.process.wait()
        self.selector.close()
        self.log.close()


def end(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


@contextmanager
def playing(stage: Stage, names: Sequence[str]) -> Iterator[dict[str, Playing]]:
    """The players of these names that can be started."""
    with ExitStack() as stack:
        players = {}
        for name in names:
            if is_there(name):
                players[name] = stack.enter_context(Playing(name, stage.folder))
            else:
                stage.say(f"{name}: its environment is not there (see bench/README.md)")
        yield players


def names(stage: Stage) -> list[str]:
    """In the order of a round: the floor, Antiphon, and the peers if they are wanted."""
    return ["floor", "antiphon", *(PEERS if stage.with_peers else ())]


def in_rounds(
    stage: Stage,
    players: dict[str, Playing],
    rounds: int,
    verb: str,
    asked: dict[str, dict[str, object]],
) -> dict[str, list[list[float]]]:
    """The times of each player in each round, in turns; who fails once is out."""
    found: dict[str, list[list[float]]] = {name: [] for name in players}
    for _ in range(rounds):
        for name, player in players.items():
            if name not in found:
                continue
            try:
                times = player.times(verb, **asked.get(name, asked["*"]))
                if not times:
                    raise PeerFailed("it measured nothing")
                found[name].append(times)
            except PeerFailed as failed:
                stage.say(f"{name}: {failed}")
                del found[name]
    return found
