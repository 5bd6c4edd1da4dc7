"""Menus and components at every door, and at the command line by a person and by a script."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clauses import clause
from tests.doors.doorways import COMMAND, DOORS, Answer, Door, environment, run_cli
from tests.doors.terminal import Person

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parent.parent / "fixtures"
TSCI = f"{sys.executable} {FIXTURES / 'tsci.py'}"
MENU = ["[jlcpcb] MANY-A (C1) - first", "[jlcpcb] MANY-B (C2) - second", "[jlcpcb] MANY-FAIL (C3)"]
BLOCK = "Select a part to import › - Return to submit.\n\n" + "\n".join(
    f"{number}) {option}" for number, option in enumerate(MENU, 1)
)
PATIENCE_S = 120


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANTIPHON_TSCI", TSCI)
    monkeypatch.setenv("ANTIPHON_LIBRARY_DIR", str(tmp_path / "lib"))
    return tmp_path / "lib"


def rested(door: Door, kind: str, task_id: str) -> Answer:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        task = door.ask(f"{kind}.status", task_id=task_id)
        if task["state"] in ("selection_required", "completed", "finished", "failed"):
            return task
        assert time.monotonic() < deadline, task
        time.sleep(0.02)


@clause("components 1", "components 1a")
@pytest.mark.parametrize("name", DOORS)
def test_a_component_is_resolved_at_every_door(name: str, tmp_path: Path, library: Path) -> None:
    with DOORS[name](tmp_path / "state") as door:
        begun = door.ask("component.start", component_name="MANY")
        assert begun == {"ok": True, "task_id": "rc-001", "state": "checking_local"}
        task = rested(door, "component", "rc-001")
        assert task["selection"]["options"] == MENU
        busy = door.ask("component.start", component_name="ONE")
        assert (busy["ok"], busy["error"], busy["task_id"]) == (False, "busy", "rc-001")
        chosen = {"task_id": "rc-001", "selection_id": "sel-001"}
        wrong = door.ask("component.select", **chosen, selected_option="MANY-Z")
        assert (wrong["ok"], wrong["error"]) == (False, "no_match")
        (listed,) = door.ask("menu.list")["tasks"]
        assert (listed["task_id"], listed["block"]["text"]) == ("rc-001", BLOCK)
        assert door.ask("menu.block", task_id="rc-001")["block"] == listed["block"]
        picked = door.ask("component.select", **chosen, selected_option="MANY-B", index=1)
        assert picked["state"] == "trying_import"
        done = rested(door, "component", "rc-001")
        location = str(library / "imports" / "MANY_B.tsx")
        assert (done["state"], done["location"], done["source"]) == ("finished", location, "global")
        assert door.ask("component.close", task_id="rc-001") == {"ok": True}
        gone = door.ask("component.status", task_id="rc-001")
        assert (gone["ok"], gone["error"]) == (False, "not_found")
        refused = door.ask("component.start", component_name="a/b")
        assert (refused["ok"], refused["error"]) == (False, "invalid_request")


@clause("components 1", "components 2.7")
@pytest.mark.parametrize("name", DOORS)
def test_a_program_is_driven_at_every_door(name: str, tmp_path: Path) -> None:
    command = ["bash", "-c", 'read -p "Your name? " name; echo "hello $name"']
    with DOORS[name](tmp_path / "state") as door:
        begun = door.ask("menu.start", command=command, cwd=str(tmp_path), term="dumb")
        assert begun == {"ok": True, "task_id": "menu-001", "state": "running"}
        task = rested(door, "menu", "menu-001")
        asked = {"selection_id": "sel-001", "prompt": "Your name?", "options": [], "input": "text"}
        assert task["selection"] == asked
        screen = door.ask("menu.screen", task_id="menu-001")
        assert any("Your name?" in row for row in screen["rows"])
        door.ask(
            "menu.select", task_id="menu-001", selection_id="sel-001", selected_option="Ann Lee"
        )
        done = rested(door, "menu", "menu-001")
        assert (done["state"], done["exit_code"]) == ("completed", 0)
        said = door.ask("pty.read_spool", conversation_id="menu-001")
        assert "hello Ann Lee" in said["data"]
        assert door.ask("menu.close", task_id="menu-001") == {"ok": True}
        missing = door.ask("menu.start", command=["/nowhere/at-all"])
        assert (missing["ok"], missing["error"]) == (False, "spawn_failed")


def until(is_so: Callable[[], bool], claim: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"it never came that {claim}"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def living(folder: Path) -> list[int]:
    """The programs of tasks whose files are there."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            found += [int(entry.name)] * (os.fsencode(folder) in (entry / "cmdline").read_bytes())
        except OSError:
            continue
    return found


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@clause("components cli")
def test_a_script_answers_by_lines_and_the_end_of_input_leaves_the_task_open(
    tmp_path: Path, library: Path
) -> None:
    state = tmp_path / "state"
    done = run_cli(state, "resolve", "MANY", typed="MANY-B\n")
    asked, ended = lines(done.stdout)
    assert (asked["selection"]["options"], ended["state"]) == (MENU, "finished")
    assert done.returncode == 0
    left = run_cli(state, "resolve", "MANY")
    (asked,) = lines(left.stdout)
    assert left.returncode == 5
    assert f'antiphon call component.select \'{{"task_id": "{asked["task_id"]}"' in left.stderr
    fields = {"task_id": asked["task_id"], "selection_id": "sel-001", "selected_option": "MANY-A"}
    answered = run_cli(state, "call", "component.select", json.dumps(fields))
    assert answered.returncode == 0, answered.stderr
    busy = run_cli(state, "resolve", "ONE")
    assert (busy.returncode, "not closed" in busy.stderr) == (1, True)
    closing = json.dumps({"task_id": asked["task_id"]})
    assert run_cli(state, "call", "component.close", closing).returncode == 0


@clause("components cli")
def test_a_command_ends_with_the_programs_own_code(tmp_path: Path, library: Path) -> None:
    state = tmp_path / "state"
    failed = run_cli(state, "resolve", "NOPE")
    assert (failed.returncode, lines(failed.stdout)[-1]["state"]) == (1, "failed")
    assert run_cli(state, "menu", "--", "bash", "-c", "exit 7").returncode == 7
    assert run_cli(state, "menu", "--", "bash", "-c", "kill -9 $$").returncode == 137
    assert run_cli(state, "menu", "--", "true").returncode == 0
    assert run_cli(state, "menu").returncode == 2
    assert run_cli(state, "resolve", "-x").returncode == 2
    assert run_cli(state, "resolve", "a/b").returncode == 1


@clause("components cli")
def test_a_person_picks_by_number(tmp_path: Path, library: Path) -> None:
    with Person(*COMMAND, "resolve", "MANY", environment=environment(tmp_path / "state")) as person:
        person.sees("3) [jlcpcb] MANY-FAIL (C3)")
        person.types("9\n")
        person.sees("Invalid input: Select a part")
        person.sees("3) [jlcpcb] MANY-FAIL (C3)")
        person.types("2\n")
        person.sees(str(library / "imports" / "MANY_B.tsx"))
        assert person.exit_code() == 0


PICKS = """\
import curses
def pick(screen, options=("apple", "pear", "plum"), at=0):
    while True:
        screen.addstr(0, 0, "Which fruit?")
        for row, option in enumerate(options):
            screen.addstr(row + 2, 0, f"{'>' if row == at else ' '} {option}")
        key = screen.getch()
        if key == 10:
            return options[at]
        at = min(max(at + {curses.KEY_DOWN: 1, curses.KEY_UP: -1}.get(key, 0), 0), 2)
print("taken:", curses.wrapper(pick))
"""


@clause("components cli")
@pytest.mark.parametrize(
    ("command", "asked", "typed", "said"),
    [
        (["bash", "-c", 'read -p "Name? " n; printf "\\e[1mhello %s\\e[0m\\n" "$n"'],
         "Name?", "Ann", "hello Ann"),
        (["bash", "-c", 'select x in apple pear; do echo "you took $x"; break; done'],
         "#?", "2", "you took pear"),
        ([sys.executable, "-c", PICKS], "2) pear", "2", "taken: pear"),
        (["echo", "nothing to ask"], "", "", "nothing to ask"),
    ],
)  # fmt: skip
def test_a_person_sees_what_the_program_says_at_its_end(
    tmp_path: Path, command: list[str], asked: str, typed: str, said: str
) -> None:
    with Person(
        *COMMAND, "menu", "--", *command, environment=environment(tmp_path / "state")
    ) as person:
        if asked:
            person.sees(asked)
            person.types(f"{typed}\n")
            person.sees(f"{typed}\r\n")
        assert person.sees(said).strip() == said
        assert person.exit_code() == 0


@clause("components cli")
@pytest.mark.parametrize(("typed", "code"), [("cancel\n", 3), ("0\n0\n0\n0\n", 4), ("\x04", 5)])
def test_a_person_may_leave(tmp_path: Path, library: Path, typed: str, code: int) -> None:
    with Person(*COMMAND, "resolve", "MANY", environment=environment(tmp_path / "state")) as person:
        person.sees("3) [jlcpcb] MANY-FAIL (C3)")
        person.types(typed)
        assert person.exit_code() == code
    until(lambda: not living(tmp_path), "nobody is left whom nobody could answer")


@clause("components cli")
def test_ctrl_c_ends_the_program_too(tmp_path: Path) -> None:
    program = ["bash", "-c", f'echo $$ > {tmp_path}/pid; read -p "Name? " x']
    with Person(
        *COMMAND, "menu", "--", *program, environment=environment(tmp_path / "s")
    ) as person:
        person.sees("Name? ")
        pid = int((tmp_path / "pid").read_text())
        person.types("\x03")
        assert person.exit_code() == 128 + signal.SIGINT
    until(lambda: is_gone(pid), "the program has ended")
