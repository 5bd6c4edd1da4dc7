from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.doorways import COMMAND, CliDoor, Door, HttpDoor, environment, run_cli
from tests.doors.terminal import Person

pytestmark = pytest.mark.slow


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with HttpDoor(tmp_path / "state") as door:
        yield door
        door.ask("pty.close", conversation_id="c")


def attached(door: Door, rows: int = 24, cols: int = 80) -> Person:
    person = Person(
        *COMMAND, "attach", "c", environment=environment(door.state), rows=rows, cols=cols
    )
    assert "C-\\ leaves" in person.sees("c$ ")
    return person


def test_a_line_is_edited_here_and_run_there(door: Door) -> None:
    with attached(door) as person:
        person.types("echo herex\x7f; cd /usr\r")
        assert "\r\nhere\r\n" in person.sees("c$ ")
        person.types("pwd\r")
        assert "\r\n/usr\r\n" in person.sees("c$ ")
        person.types("\r")
        person.sees("c$ ")
        person.types("half a line")
        person.sees("half a line")
        person.insists("\x03", "c$ ")
        person.types("\x04")
        person.sees("c goes on")
        assert person.exit_code() == 0
    blocks = door.ask("blocks.since", conversation_id="c")["items"]
    assert [block["cmd"] for block in blocks] == ["echo here; cd /usr", "pwd"]


def test_keys_go_to_what_runs_and_it_goes_on_without_us(door: Door) -> None:
    with attached(door) as person:
        person.types("printf 'who? '; read n; echo \"hello $n\"; cat\r")
        person.sees("\r\nwho? ")
        person.types("bébé\r")
        person.sees("hello bébé\r\n")
        person.types("again\r")
        person.sees("again\r\nagain\r\n")
        person.types("\x1c")
        person.sees("c goes on")
        assert person.exit_code() == 0
    assert door.ask("pty.status", conversation_id="c")["mode"] == "interactive"
    with Person(*COMMAND, "attach", "c", environment=environment(door.state)) as person:
        person.sees("C-\\ leaves")
        person.types("back\r")
        person.sees("back\r\nback\r\n")
        person.types("\x03")
        person.sees("c$ ")
        person.insists("\x1c", "c goes on")


def test_programs_see_the_size_of_the_persons_terminal(door: Door) -> None:
    with attached(door, rows=30, cols=90) as person:
        loop = "trap 'stty size; exit 4' WINCH; stty size; while :; do sleep 0.05; done"
        person.types(f'sh -c "{loop}"\r')
        person.sees("\r\n30 90\r\n")
        person.resize(17, 66)
        assert "17 66" in person.sees("c$ ")
        person.types("\x04")


def test_a_line_while_somebody_elses_block_runs_is_refused_and_shown(door: Door) -> None:
    with attached(door) as person:
        begun = door.ask("pty.exec_block", conversation_id="c", cmd="echo theirs; read x")
        person.sees("theirs\r\n")
        person.types("echo mine\r")
        person.sees("a block runs")
        # From now on keys go there.
        person.types("\r")
        person.sees("c$ ")
        found = door.ask("blocks.get", conversation_id="c", block_id=begun["block_id"])
        assert found["block"]["status"] == "completed"
        assert len(door.ask("blocks.since", conversation_id="c")["items"]) == 1
        person.types("\x04")


def test_a_shell_that_ends_is_said_and_another_is_there(door: Door) -> None:
    with attached(door) as person:
        person.types("exit 3\r")
        person.sees("ended with exit code 3; a fresh one is here")
        person.types("echo and on\r")
        person.sees("\r\nand on\r\n")
        person.types("\x04")


def test_attach_is_for_a_person(tmp_path: Path) -> None:
    done = run_cli(tmp_path / "state", "attach", "c")
    assert done.returncode == 1 and "exec, tail or call" in done.stderr
    assert not (tmp_path / "state").exists()


def test_a_name_that_is_none_is_refused_and_the_terminal_is_left_as_it_was(
    tmp_path: Path,
) -> None:
    with (
        CliDoor(tmp_path / "state") as door,
        Person(*COMMAND, "attach", "../c", environment=environment(door.state)) as person,
    ):
        person.sees("is not allowed")
        assert person.exit_code() == 1
