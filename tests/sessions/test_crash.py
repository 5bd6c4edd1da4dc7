"""A server killed at every write of a run: nothing half written, nothing that runs for ever."""

from __future__ import annotations

import http.client
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.doors.doorways import STOP_S_MAX, Serving, environment, run_cli
from tests.sessions.talking import Talk
from tests.sessions.victim import ARMED

WRITES_MAX = 100  # of a run; each is a crash


@contextmanager
def victim(state: Path) -> Iterator[Serving]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.sessions.victim", "serve", "--json", "--port", "0"],
        stdout=subprocess.PIPE,
        env=environment(state),
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    with process.stdout as stdout:
        said = json.loads(stdout.readline())
    try:
        yield Serving(process, said["address"], said["browser"], state)
    finally:
        process.terminate()
        process.wait(STOP_S_MAX)


def names(talk: Talk) -> set[str]:
    """The client business units that there are."""
    other = Talk.begin(talk.serving)
    rows = other.run("(cbu.list)")["results"][0]["value"]
    return {row["name"] for row in rows}


def killed_everywhere(
    state: Path, program: Callable[[int], str], check: Callable[[Talk, int, set[str]], None]
) -> int:
    """A run cut at its first, second, … write to the database, until one is not cut."""
    session_id = ""
    for number in itertools.count(1):
        assert number < WRITES_MAX
        with victim(state) as serving:
            if session_id:
                talk = Talk(serving, session_id)
                talk.get()
                check(talk, number - 1, names(talk))
            talk = Talk.begin(serving)
            session_id = talk.session_id
            talk.edit(program(number))
            assert talk.state == "ready_to_run", talk.answer
            (state / ARMED).write_text(str(number))
            with suppress(OSError, http.client.HTTPException):
                talk.executed()
            if (
                serving.process.poll() is None
                and talk.answer["session_state"]["state"] == "executed"
            ):
                (state / ARMED).unlink()
                check(talk, number, names(talk))
                return number
            serving.process.wait(STOP_S_MAX)
            (state / ARMED).unlink()
    raise AssertionError


@pytest.mark.slow
@clause("repl D10c", "repl D10")
def test_a_run_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    ends: list[str] = []

    def program(number: int) -> str:
        return "\n".join(
            f'(cbu.ensure :name "Crash {number} {letter}" :jurisdiction "LU" :as @f{letter})'
            for letter in "abc"
        )

    def check(talk: Talk, number: int, there: set[str]) -> None:
        mine = {f"Crash {number} {letter}" for letter in "abc"}
        ends.append(talk.state)
        if talk.state == "executed":
            assert talk.answer["session_state"]["success"] is True
            assert mine <= there
            assert set(talk.answer["bindings"]) == {"fa", "fb", "fc"}
        else:
            assert talk.state == "ready_to_run" and not mine & there
            assert talk.answer["can_execute"] is True and talk.answer["callout"]["name"] == "run"
            talk.execute(rev=talk.rev)
            assert talk.state == "executed" and mine <= names(talk)

    assert killed_everywhere(tmp_path, program, check) > 10
    assert {"ready_to_run", "executed"} <= set(ends)


@pytest.mark.slow
@clause("repl D10c", "repl d16")
def test_a_run_that_acts_outside_says_how_far_it_came(tmp_path: Path) -> None:
    seen: set[tuple[str, ...]] = set()

    def program(number: int) -> str:
        return (
            f'(cbu.ensure :name "Split {number} a" :jurisdiction "LU" :as @a)\n'
            f'(terminal.run :cmd "echo {number} >> ran" :cwd "{tmp_path}" :conversation "c")\n'
            f'(cbu.rename :cbu-id @a :name "Split {number} b")'
        )

    def check(talk: Talk, number: int, there: set[str]) -> None:
        first, last = f"Split {number} a", f"Split {number} b"
        ran = (tmp_path / "ran").read_text().split() if (tmp_path / "ran").exists() else []
        if talk.state == "ready_to_run":
            assert not {first, last} & there and str(number) not in ran
            seen.add(("ready",))
            return
        assert talk.state == "executed"
        statuses = tuple(one["status"] for one in talk.answer["results"])
        seen.add(statuses)
        is_well = talk.answer["session_state"]["success"]
        assert is_well is (statuses == ("ok", "ok", "ok"))
        assert (last in there) is is_well
        if statuses[0] == "ok" and not is_well:
            assert first in there and talk.answer["bindings"] == {}
        if statuses[1] == "ok":
            assert ran.count(str(number)) == 1
        assert talk.to("POST", "/execute")["error"] == "plan_consumed"

    killed_everywhere(tmp_path, program, check)
    run_cli(tmp_path, "call", "pty.close", '{"conversation_id": "c"}')
    assert {("ready",), ("ok", "failed", "skipped"), ("ok", "ok", "ok")} <= seen, seen
