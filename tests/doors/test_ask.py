"""`antiphon ask` and `antiphon lint`, as processes: on a terminal, on a pipe, on nothing."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.choice.driving import DEPLOY, ENV, REGION, SUMMARY_OPTIONS, summary
from tests.clauses import clause
from tests.doors.doorways import COMMAND, environment, run_cli
from tests.doors.terminal import Person

FULL = summary("env: staging", "region: eu, ap")


@pytest.fixture
def flow(tmp_path: Path) -> str:
    path = tmp_path / "deploy.yaml"
    path.write_text(DEPLOY)
    return str(path)


def ask(state: Path, *arguments: str, typed: str = "") -> tuple[int, str, str]:
    done = run_cli(state, "ask", *arguments, typed=typed)
    return done.returncode, done.stdout, done.stderr


@clause("interaction 6 ask", "interaction 7.9")
def test_piped_lines_lead_to_the_values_as_json(tmp_path: Path, flow: str) -> None:
    code, values, shown = ask(tmp_path, flow, typed="2\n3,1\n1\n")
    assert (code, json.loads(values)) == (0, {"env": "staging", "region": ["eu", "ap"]})
    assert shown == f"{ENV}\n{REGION}\n{FULL}\n"
    assert ask(tmp_path, flow, typed="env=2 region=1,3\n1")[:2] == (code, values)


@clause("interaction 6 ask", "interaction R55", "interaction R40")
def test_the_exit_code_says_how_the_flow_ended(tmp_path: Path, flow: str) -> None:
    assert ask(tmp_path, flow, typed="cancel\n") == (3, "", f"{ENV}\nFLOW_CANCEL\n")
    code, values, shown = ask(tmp_path, flow, typed="0\n" * 4)
    assert (code, values) == (4, "")
    assert shown.endswith("\nSTEP_ABORT\n")


@clause("interaction 6 ask", "interaction 7.9", "interaction R23")
def test_the_end_of_input_chooses_nothing(tmp_path: Path, flow: str) -> None:
    assert ask(tmp_path, flow) == (5, "", f"{ENV}\n")
    code, values, shown = ask(tmp_path, flow, typed="2\n")
    assert (code, values, shown) == (5, "", f"{ENV}\n{REGION}\n")


@clause("interaction 7.9", "interaction 5")
def test_a_bad_file_is_told_whole_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("flow: x\nsteps:\n  - {key: a}\nmore: 1\n")
    code, values, told = ask(tmp_path, str(path))
    assert (code, values) == (2, "")
    assert [line.split(": ")[0] for line in told.splitlines()] == [
        *[f"{path}:3"] * 3, f"{path}:4",
    ]  # fmt: skip
    code, answer, told_too = ask(tmp_path, "--json", "none")
    assert (code, json.loads(answer)["error"]) == (2, "not_found")
    assert f"none: No such file or directory; nor is it a flow of {tmp_path}/flows" in told_too
    code, answer, again = ask(tmp_path, "--json", str(path))
    assert (code, again) == (2, told)
    refused = json.loads(answer)
    assert (refused["ok"], refused["error"]) == (False, "invalid_request")
    assert [one["line"] for one in refused["problems"]] == [3, 3, 3, 4]
    assert refused["problems"][3]["path"] == "more"


@clause("interaction 7.3", "interaction 7.9")
def test_values_given_beforehand_are_not_asked_for_and_wrong_ones_are_told(
    tmp_path: Path, flow: str
) -> None:
    given = '{"env":"staging","region":["ap","eu"]}'
    code, values, shown = ask(tmp_path, flow, "--values", given, typed="1\n")
    assert (code, json.loads(values)) == (0, {"env": "staging", "region": ["eu", "ap"]})
    assert shown == f"{FULL}\n"
    assert ask(tmp_path, flow, "--values", '{"env":"dev"}') == (5, "", f"{REGION}\n")
    for wrong, said in [
        ('{"env":"test"}', "'env' has no option 'test'"),
        ('{"env":1}', "--values: env is 1; text or a list of texts is accepted"),
        ('{"region":["eu",null]}', "region is ['eu', None]; text or a list of texts is accepted"),
        ("[]", "--values is []; an object like"),
        ("env=prod", "--values: JSON is malformed"),
    ]:
        code, values, shown = ask(tmp_path, flow, "--values", wrong)
        assert (code, values) == (2, "")
        assert said in shown


def test_a_flow_of_the_state_directory_has_a_name(tmp_path: Path) -> None:
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "named.yaml").write_text(DEPLOY)
    assert ask(tmp_path, "named") == (5, "", f"{ENV}\n")


@clause("interaction R27")
def test_the_locale_changes_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "flow.yaml"
    path.write_text(DEPLOY.replace("dev", "тест"), encoding="utf-8")
    told = set()
    for locale in ("C", "C.UTF-8", "POSIX"):
        done = subprocess.run(
            [*COMMAND, "ask", path],
            input=b"1\n1\n1\n",
            capture_output=True,
            env={**environment(tmp_path), "LC_ALL": locale, "PYTHONIOENCODING": "latin-1"},
            timeout=300,
        )
        told.add((done.stdout, done.stderr))
    assert told == {
        (
            '{"env":"тест","region":["eu"]}\n'.encode(),
            f"{ENV}\n{REGION}\n{summary('env: тест', 'region: eu')}\n".replace(
                "dev", "тест"
            ).encode(),
        )
    }


def test_trying_a_flow_says_what_each_input_meant_and_ends_no_step(
    tmp_path: Path, flow: str
) -> None:
    code, values, shown = ask(tmp_path, "--try", flow, typed="hello\n0\n0\n0\n0\n1\n1\n1\n")
    assert (code, json.loads(values)) == (0, {"env": "dev", "region": ["eu"]})
    assert "# FREETEXT env 'hello'\n# INVALID env selection_malformed\n" in shown
    assert f"STEP_ABORT\n{ENV}\n" in shown
    assert '# SELECTED env {"env":"dev"}\n' in shown


@clause("interaction 6 ask", "interaction R9")
def test_on_a_terminal_it_reads_what_is_typed(tmp_path: Path, flow: str) -> None:
    outside, inside = pty.openpty()
    try:
        mode = termios.tcgetattr(inside)
        mode[1] &= ~termios.OPOST
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(inside, termios.TCSANOW, mode)
        process = subprocess.Popen(
            [sys.executable, "-m", "antiphon", "ask", flow],
            stdin=inside,
            stdout=subprocess.PIPE,
            stderr=inside,
            env=environment(tmp_path),
        )
        assert seen(outside) == f"{ENV}\n"
        os.write(outside, b"2\n")
        assert seen(outside) == f"{REGION}\n"
        os.write(outside, b"1,3\n")
        assert seen(outside) == f"{FULL}\n"
        os.write(outside, b"1\n")
        values, _ = process.communicate(timeout=120)
        assert json.loads(values) == {"env": "staging", "region": ["eu", "ap"]}
        assert process.returncode == 0
    finally:
        os.close(outside)
        os.close(inside)


@clause("interaction 6 ask", "interaction R23")
def test_at_a_terminal_the_keyboard_ends_it_without_a_choice(tmp_path: Path, flow: str) -> None:
    with Person(*COMMAND, "ask", flow, environment=environment(tmp_path)) as person:
        person.sees("3) prod\r\n")
        person.types("\x04")
        assert person.exit_code() == 5
    with Person(*COMMAND, "ask", flow, environment=environment(tmp_path)) as person:
        person.sees("3) prod\r\n")
        person.types("2\r")
        person.sees("3) ap\r\n")
        person.types("\x03")
        assert person.sees("^C\r\n") == "^C\r\n"
        assert person.exit_code() == 130
    with Person(*COMMAND, "ask", "--try", flow, environment=environment(tmp_path)) as person:
        person.sees("3) prod\r\n")
        for _ in range(4):
            person.types("0\r")
        person.sees("STEP_ABORT\r\nWhich environment?\r\n")
        person.types("abort\r")
        person.sees("FLOW_CANCEL\r\n")
        assert person.exit_code() == 3


@clause("interaction 7.8", "interaction R47")
def test_whoever_leaves_while_the_command_runs_is_told_where_it_goes_on(tmp_path: Path) -> None:
    began = tmp_path / "began"
    os.mkfifo(began)
    steps = [{"key": "a", "ask": "Go?", "select": "one", "options": ["go"]}]
    action = {"run": f"echo yes > '{began}'; read x", "conversation": "act"}
    path = tmp_path / "flow.json"
    path.write_text(json.dumps({"flow": "f", "steps": steps, "on_confirm": action}))
    with Person(*COMMAND, "ask", str(path), environment=environment(tmp_path)) as person:
        person.sees("1) go\r\n")
        person.types("1\r")
        person.sees("Edit specific step\r\n")
        person.types("1\r")
        assert began.read_text() == "yes\n"
        person.types("\x03")
        assert person.sees("tail -f act\r\n").startswith("1\r\n^C\r\nantiphon: what has begun")
        assert person.exit_code() == 130
    assert run_cli(tmp_path, "ls").stdout.startswith("act\tblock_running\t")
    run_cli(tmp_path, "call", "pty.close", '{"conversation_id": "act"}')


@clause("interaction 6 ask", "interaction 7.9")
def test_a_stream_that_is_closed_or_full_is_told_and_no_traceback(
    tmp_path: Path, flow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def through_shell(redirected: str) -> tuple[int, str]:
        done = subprocess.run(
            ["sh", "-c", f'printf "2\\n1\\n1\\n" | "$@" {redirected}', "sh", *COMMAND, "ask", flow],
            capture_output=True,
            env=environment(tmp_path),
            text=True,
            timeout=300,
        )
        return done.returncode, done.stderr

    blocks = f"{ENV}\n{REGION}\n{summary('env: staging', 'region: eu')}\n"
    assert through_shell("<&-") == (5, f"{ENV}\n")
    assert through_shell(">&-") == (1, f"{blocks}antiphon: Bad file descriptor\n")
    assert through_shell(">/dev/full") == (1, f"{blocks}antiphon: No space left on device\n")
    assert through_shell("2>&-") == (0, "")
    for unbuffered in ("", "1"):
        monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
        assert through_shell("2>/dev/full") == (1, "")


def seen(terminal: int) -> str:
    """One block, whole: it ends with its last option's line."""
    found = b""
    while not found.endswith((b"3) prod\n", b"3) ap\n", SUMMARY_OPTIONS.encode() + b"\n")):
        assert select.select([terminal], [], [], 120)[0], found
        found += os.read(terminal, 4096)
    return found.decode()


@pytest.mark.slow
@clause("interaction 6 ask", "interaction R31", "interaction R49")
def test_a_confirmed_flow_runs_its_command_and_shows_its_output(tmp_path: Path) -> None:
    path = tmp_path / "act.yaml"
    path.write_text(
        DEPLOY + "on_confirm: {run: 'echo \"to $FLOW_ENV $FLOW_REGION\"', conversation: act}\n"
    )
    try:
        code, values, shown = ask(tmp_path, str(path), typed="env=2 region=1,3\n1\n")
        assert (code, json.loads(values)["env"]) == (0, "staging")
        assert shown == f"{ENV}\n{FULL}\nto staging eu,ap\n"
        assert ask(tmp_path, "--try", str(path), typed="env=2 region=1,3\n1\n")[2].count("to ") == 0
    finally:
        run_cli(tmp_path, "call", "pty.close", '{"conversation_id": "act"}')


def test_lint_tells_file_line_column_and_code(tmp_path: Path, flow: str) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(ENV + "\n")
    bad.write_text(f"Sure!\n\n{ENV}\nOther\n".replace("staging", "Other"))
    assert run_cli(tmp_path, "lint", str(good), flow).returncode == 0
    done = run_cli(tmp_path, "lint", str(good), str(bad))
    assert done.returncode == 1
    assert [line.rsplit(": ", 1)[0][: len(f"{bad}:9:9: F99")] for line in done.stdout.splitlines()]
    assert [line.split(": ")[:2] for line in done.stdout.splitlines()] == [
        [f"{bad}:1:1", "F17"], [f"{bad}:6:4", "F13"], [f"{bad}:8:1", "F17"],
    ]  # fmt: skip
    found = json.loads(run_cli(tmp_path, "lint", "--json", str(bad)).stdout)
    assert found["ok"] is False
    assert found["findings"][1]["line"] == 6
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(DEPLOY.replace("Which environment?", "Now? Which?"))
    found = json.loads(run_cli(tmp_path, "lint", "--json", str(wrong)).stdout)
    assert [(one["code"], one["path"]) for one in found["findings"]] == [("F09", "steps[0].ask")]


def test_lint_prints_the_schema_of_flows_as_it_is_published(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "flow.schema.json"
    assert run_cli(tmp_path, "lint", "--schema").stdout == page.read_text(encoding="utf-8")
    done = run_cli(tmp_path, "lint")
    assert (done.returncode, done.stdout) == (2, "")


def test_lint_reads_stdin_and_goes_on_behind_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert run_cli(tmp_path, "lint", "-", typed=ENV + "\n").returncode == 0
    bad = tmp_path / "bad.txt"
    bad.write_bytes("Ответ: какой?\n\n1) a\n".encode())
    done = run_cli(
        tmp_path, "lint", str(tmp_path / "none.txt"), str(bad), PYTHONIOENCODING="latin-1"
    )
    assert done.returncode == 2
    assert done.stderr == f"antiphon: {tmp_path}/none.txt: No such file or directory\n"
    assert done.stdout == f"{bad}:1:1: F11: 'Ответ:' before the instruction; leave it out\n"
    bad.write_bytes(ENV.replace("dev", "d\xff").encode("latin-1"))
    told = run_cli(tmp_path, "lint", str(bad)).stdout
    assert told.startswith(f"{bad}:3:5: F02: U+DCFF (half a character, or a byte that is no UTF-8)")
