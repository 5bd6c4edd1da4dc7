"""`antiphon dsl plan`, `dsl run` and `antiphon repl`, as processes: on a pipe and on a terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.doors.doorways import COMMAND, Serving, environment, run_cli
from tests.doors.terminal import Person

PROGRAM = """\
(cbu.assign-role :cbu-id @fund :entity-id @ann :role "director")
(cbu.ensure :name "Test Fund" :jurisdiction "lu" :as @fund)
(entity.create-proper-person :first-name "Ann" :last-name "Lee" :as @ann)
"""
SHOW = '(session.set-cbu :cbu-id "allianz")'


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A state directory with a server, which all of these tests may share."""
    serving = Serving.begin(tmp_path_factory.mktemp("sessions"))
    try:
        yield serving.state
    finally:
        serving.end()


def dsl(state: Path, *arguments: str, typed: str = "") -> tuple[int, str, str]:
    done = run_cli(state, "dsl", *arguments, typed=typed)
    return done.returncode, done.stdout, done.stderr


@clause("repl 2f")
def test_a_plan_shows_phases_and_what_is_odd(state: Path) -> None:
    code, said, warned = dsl(state, "plan", "-", typed=PROGRAM)
    lines = said.splitlines()
    assert code == 0 and lines[:6] == [
        "phase 1",
        '  2. write    (cbu.ensure :name "Test Fund" :jurisdiction "lu" :as @fund)',
        '  3. write    (entity.create-proper-person :first-name "Ann" :last-name "Lee" :as @ann)',
        "phase 2",
        '  1. write    (cbu.assign-role :cbu-id @fund :entity-id @ann :role "director")',
        lines[5],
    ]
    assert lines[5].startswith("plan-") and "stdin:1:2: warning[W006]" in warned
    _, answer, _ = dsl(state, "plan", "--json", "-", typed=PROGRAM)
    told = json.loads(answer)
    assert told["plan"]["plan_id"] == lines[5] and told["plan"]["phases"] == [[1, 2], [0]]


@clause("repl 2f")
def test_a_program_that_cannot_run_says_why_and_what_could_be_meant(state: Path) -> None:
    for command in ("plan", "run"):
        code, said, _ = dsl(state, command, "-", typed="(cbu.lst)\n(cbu.list)")
        assert code == 1 and said.startswith("stdin:1:2: error[E010]: there is no verb `cbu.lst`\n")
        code, said, _ = dsl(state, command, "-", typed=f"; é\n  {SHOW}")
        lines = said.splitlines()
        assert code == 1 and lines[0] == "stdin:2:28: open: which cbu «allianz» is"
        assert re.fullmatch(r" {4}[0-9a-f-]{36}  ALLIANZ FUNDS \(.*\)", lines[1])
        assert dsl(state, command, "/no/such/file")[0] == 1
        code, answer, _ = dsl(state, command, "--json", "-", typed="(cbu.lst)")
        assert (code, json.loads(answer)["session_state"]["state"]) == (1, "semantic_error")


@clause("repl 2f")
def test_a_run_tells_each_statement_and_ends_with_how_it_went(state: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.dsl"
    file.write_text(PROGRAM + "(cbu.roles :cbu-id @fund)")
    code, said, _ = dsl(state, "run", str(file))
    lines = said.splitlines()
    assert code == 0, said
    assert [line.split()[:2] for line in lines if not line.startswith(" ")] == [
        ["ok", "1"], ["ok", "2"], ["ok", "3"], ["ok", "4"],
    ]  # fmt: skip
    assert re.search(r"^ok +2 cbu\.ensure  @fund = [0-9a-f-]{36}$", said, re.MULTILINE)
    assert "Ann Lee" in said
    # The same name and jurisdiction is the same fund; a person is another one.
    _, answer, _ = dsl(state, "run", "--json", str(file))
    told = json.loads(answer)
    assert told["session_state"]["success"] is True and told["bindings"]["fund"]["id"] in said
    code, said, warned = dsl(
        state, "run", "-", typed='(terminal.run :cmd "echo hi; (exit 3)")\n(cbu.list)'
    )
    assert code == 1 and "stdin:1:2: warning[W010]" in warned
    assert re.search(r"^failed +1 terminal\.run .*exit 3$", said, re.MULTILINE), said


@clause("repl 2f")
def test_an_interrupted_run_is_stopped_where_nothing_is_half_done(state: Path) -> None:
    running = subprocess.Popen(
        [*COMMAND, "dsl", "run", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment(state),
    )  # fmt: skip
    assert running.stdin is not None and running.stderr is not None
    running.stdin.write(b'(terminal.run :cmd "sleep 600" :conversation "slow")')
    running.stdin.close()
    running.stdin = None
    while not any(
        one["mode"] == "block_running"
        for one in json.loads(run_cli(state, "ls", "--json").stdout)["conversations"]
    ):
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=300)
    assert running.returncode in (1, 130) and b"nothing is half done" in told


# --- the prompt -----------------------------------------------------------------


def repl(state: Path, typed: str, *arguments: str) -> tuple[int, str, str]:
    done = run_cli(state, "repl", *arguments, typed=typed)
    return done.returncode, done.stdout, done.stderr


@clause("repl 2f", "repl D13")
def test_lines_are_said_in_turn_where_there_is_no_terminal(state: Path) -> None:
    typed = 'show allianz cbu\n2\nrun\n\n(cbu.list\n :jurisdiction "MT")\n:dsl\n'
    code, said, told = repl(state, typed)
    assert code == 0, told
    assert (
        f"    {SHOW}\n\nWhich cbu is «allianz»?\n\n1) ALLIANZ FUNDS\n2) Allianz Thematica\n" in said
    )
    assert "; Allianz Thematica\n\nRun this program?\n\n1) Run\n2) Start over\n" in said
    assert "ok      1 session.set-cbu" in said
    assert said.endswith('(cbu.list\n :jurisdiction "MT")\n\n')
    (session_id,) = set(re.findall(r"session ([0-9a-f]+)", told))
    code, said, _ = repl(state, "", "--session", session_id)
    assert code == 0 and "Run this program?" in said
    code, said, told = repl(state, "skip\n:what\nquit\nnever\n", "--session", session_id)
    assert code == 1 and ":edit" in said and "antiphon: skip does not fit" in told
    assert repl(state, "", "--session", "nobody")[0] == 1
    code, said, _ = repl(state, "show allianz cbu\ncancel\n", "--json")
    states = [json.loads(line)["session_state"]["state"] for line in said.splitlines()]
    assert (code, states) == (0, ["unresolved_refs", "cancelled"])


@clause("repl 2f")
@pytest.mark.parametrize("has_server", [True, False])
def test_a_line_that_is_no_text_is_refused_and_the_next_one_is_heard(
    state: Path, tmp_path: Path, *, has_server: bool
) -> None:
    done = subprocess.run(
        [*COMMAND, "repl", "--json"], input=b'show \xff cbu\n(cbu.list :x "\xff")\nlist cbus\n',
        capture_output=True, env=environment(state if has_server else tmp_path), timeout=300,
    )  # fmt: skip
    refused, broken, heard = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1 and refused == broken
    assert (refused["error"], refused["message"]) == (
        "invalid_request", "message has a lone surrogate; text is accepted",
    )  # fmt: skip
    assert heard["session_state"]["state"] == "ready_to_run"


@pytest.fixture
def person(state: Path) -> Iterator[Person]:
    variables = {**environment(state), "TERM": "xterm", "COLUMNS": "100"}
    with Person(*COMMAND, "repl", environment=variables) as found:
        found.sees("new>")
        yield found


@clause("repl 2f")
def test_the_prompt_shows_the_state_and_blocks_are_answered_by_number(person: Person) -> None:
    person.types("show allianz cbu\r")
    person.sees("1) ALLIANZ FUNDS")
    person.sees("unresolved_refs 1/1>")
    person.types("1\r")
    person.sees("ready_to_run>")
    person.types("run\r")
    person.sees("executed>")
    person.types("\x04")
    person.sees("goes on")
    assert person.exit_code() == 0


@clause("repl 2f")
def test_ctrl_c_drops_the_line_and_never_the_session(person: Person) -> None:
    person.types("delete everything")
    person.types("\x03")
    person.sees("`cancel` ends it")
    person.sees("new>")
    person.types("list cbus\r")
    person.sees("ready_to_run>")
    person.types("\x04")
    assert person.exit_code() == 0


@clause("repl 2f")
def test_tab_completes_phrases_verbs_arguments_codes_and_entities(person: Person) -> None:
    person.types("list docum\t")
    person.sees("ents")
    person.types("\r")
    person.sees("    (document.list)")
    person.sees("ready_to_run>")
    person.types("(cbu.ens\t")
    person.sees("ure")
    person.types(' :name "Tabbed" :juris\t')
    person.sees("diction")
    person.types('"lux\t')
    person.sees("LU")
    person.types(")\r")
    person.sees('    (cbu.ensure :name "Tabbed" :jurisdiction "LU")')
    person.sees("ready_to_run>")
    person.types("clear\r")
    person.sees("new>")
    person.types("switch to alianz them\t")
    person.sees("atica")
    person.types("\r")
    person.sees("; Allianz Thematica")
    person.sees("ready_to_run>")


@clause("repl 2f")
def test_a_program_is_typed_over_lines_and_edited_from_what_it_is(person: Person) -> None:
    person.types("(cbu.list\r")
    person.sees("...")
    person.types(':jurisdiction "MT")\r')
    person.sees("ready_to_run>")
    person.types(":edit\r")
    person.sees('"MT")')
    person.types('\x7f\x7f\x7f\x7fIE")\r')
    person.sees('"IE")')
    person.sees("ready_to_run>")


@clause("repl 2f")
def test_ctrl_c_stops_a_run_and_the_session_stays(person: Person) -> None:
    person.types('(terminal.run :cmd "sleep 600" :conversation "halted")\r')
    person.sees("ready_to_run>")
    person.types("run\r")
    person.sees("Ctrl-C stops it")
    os.kill(person.pid, signal.SIGINT)
    person.sees("stopping")
    person.sees(">")
    person.types("\x04")
    assert person.exit_code() == 0


@clause("repl 2f")
def test_a_pack_that_is_named_is_used_or_refused(state: Path, tmp_path: Path) -> None:
    library = str(Path(__file__).parents[2] / "examples" / "library")
    code, said, told = repl(tmp_path / "own", ":verbs\nlist books\n", "--pack", library)
    assert (code, "cbu.list" in said) == (0, False), told
    assert "book.list       All books, or those of one genre." in said and "(book.list)" in said
    code, _, told = repl(state, "", "--pack", library)
    assert code == 1 and "packs of its own" in told


@clause("repl 2f")
def test_a_refused_line_says_what_is_accepted(state: Path) -> None:
    code, _, told = repl(state, "skip\ncancel\nlist cbus\n")
    assert code == 1 and "session that is new; accepted is: message, clear" in told
    assert "cancelled; begin a new one" in told
