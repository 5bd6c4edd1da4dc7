"""`antiphon explain`, `dsl check`, `dsl fmt` and `pack check`, as processes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from antiphon.drivers.packs import SHIPPED
from antiphon.dsl.diagnostics import Code
from antiphon.dsl.explain import PAGES, explained
from tests.clauses import clause
from tests.doors.doorways import run_cli

GOOD = '(cbu.ensure :name "Ü" :jurisdiction "lu")\n'
WRONG = '; é\n(cbu.list)\n  (cbu.ensur :name "x")\n(cbu.ensure :name "Ü" :jurisdiction 5)\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.dsl"


def dsl(file: Path, *arguments: str, typed: str = "", state: str = "state") -> tuple[int, str, str]:
    done = run_cli(file.parent / state, "dsl", *arguments, typed=typed)
    return done.returncode, done.stdout, done.stderr


@clause("repl 2f1", "repl 1m")
def test_a_code_is_explained_and_all_are_listed(tmp_path: Path) -> None:
    done = run_cli(tmp_path, "explain", "E061")
    assert (done.returncode, done.stdout) == (0, explained(Code.CYCLE))
    assert run_cli(tmp_path, "explain", "e061").stdout == done.stdout
    told = json.loads(run_cli(tmp_path, "explain", "--json", "W010").stdout)
    assert (told["code"], told["title"]) == ("W010", PAGES[Code.NOT_ATOMIC].title)
    listed = run_cli(tmp_path, "explain").stdout.splitlines()
    assert [line.split("  ")[0] for line in listed] == [one.value for one in Code]
    done = run_cli(tmp_path, "explain", "E999")
    assert done.returncode == 1 and done.stdout == "" and "E999" in done.stderr


@clause("repl 2f1", "repl d19")
def test_a_program_that_compiles_ends_with_0_and_needs_no_server(file: Path) -> None:
    file.write_text(GOOD)
    assert dsl(file, "check", str(file)) == (0, "", "")
    assert dsl(file, "check", "-", typed=GOOD) == (0, "", "")
    assert not (file.parent / "state").exists()
    file.write_text("")
    code, said, _ = dsl(file, "check", str(file))
    assert (code, said.splitlines()[0]) == (
        0, f"{file}:1:1: warning[W007]: the program has no statement, so there is nothing to run",
    )  # fmt: skip


@clause("repl 2f1", "repl d19", "repl 1k")
def test_each_fault_has_its_file_line_and_column_and_the_end_is_1(file: Path) -> None:
    file.write_text(WRONG)
    code, said, hint = dsl(file, "check", str(file))
    assert code == 1 and hint == "antiphon: `antiphon explain E010` tells more\n"
    assert (
        said
        == f"""\
{file}:3:4: error[E010]: there is no verb `cbu.ensur`
  |
3 |   (cbu.ensur :name "x")
  |    ^^^^^^^^^
  |
  = help: did you mean `cbu.ensure`?
  = fix (maybe): write `cbu.ensure`

{file}:4:37: error[E022]: `:jurisdiction` takes a jurisdiction, and this is a number
  |
4 | (cbu.ensure :name "Ü" :jurisdiction 5)
  |                                     ^

"""
    )
    code, answer, _ = dsl(file, "check", "--json", str(file))
    told = json.loads(answer)
    assert code == 1 and not told["ok"] and told["statements"] == 3
    assert [one["code"] for one in told["diagnostics"]] == ["E010", "E022"]
    first = told["diagnostics"][0]
    assert set(first) == {
        "code", "severity", "message", "span", "labels", "help", "fixes", "rendered",
    }  # fmt: skip
    start = WRONG.encode().index(b"cbu.ensur ")
    assert first["span"] == {"start": start, "end": start + 9, "line": 3, "column": 4}
    (fix,) = first["fixes"]
    assert (fix["applicability"], fix["edits"][0]["text"]) == ("maybe", "cbu.ensure")


@clause("repl d19", "repl 3c")
def test_what_is_open_is_told_and_many_faults_are_counted(file: Path) -> None:
    file.write_text('(session.set-cbu :cbu-id "allianz")')
    code, said, _ = dsl(file, "check", str(file))
    assert (code, said) == (0, f'{file}:1:26: open: which cbu "allianz" is will be asked\n')
    _, answer, _ = dsl(file, "check", "--json", str(file))
    (ref,) = json.loads(answer)["refs"]
    assert (ref["entity_type"], ref["location"]["arg_name"]) == ("cbu", "cbu-id")
    file.write_text(")" * 2_000)
    code, said, _ = dsl(file, "check", str(file))
    assert code == 1 and said.count("error[E002]") == 20
    assert said.endswith(f"{file}: and 1,980 more\n")


@clause("repl d19")
@pytest.mark.parametrize("command", [("check",), ("fmt",)])
def test_what_is_no_program_is_refused(command: tuple[str, ...], file: Path) -> None:
    code, said, why = dsl(file, *command, str(file))
    assert (code, said) == (1, "") and "No such file" in why
    file.write_bytes(b"; ok\n\xc3\xa9 \xff")
    code, said, why = dsl(file, *command, str(file))
    assert (code, said) == (1, "") and f"{file}:2:3: this is no UTF-8" in why
    file.write_bytes(b" " * ((1 << 20) + 1))
    code, said, why = dsl(file, *command, str(file))
    assert (code, said) == (1, "") and "1048576 bytes" in why


@clause("repl d19")
def test_the_packs_of_a_check_are_named_or_set(file: Path) -> None:
    file.write_text('(part.find :name "NE555")')
    assert dsl(file, "check", str(file))[0] == 1
    assert dsl(file, "check", "--pack", "components", str(file))[0] == 0
    both = ("--pack", "components", "--pack", "onboarding")
    file.write_text('(part.find :name "NE555")(cbu.list)')
    assert dsl(file, "check", *both, str(file))[0] == 0
    (file.parent / "set").mkdir()
    (file.parent / "set" / "antiphon.toml").write_text('packs = ["components", "onboarding"]')
    assert dsl(file, "check", str(file), state="set")[0] == 0
    code, _, why = dsl(file, "check", "--pack", "nowhere", str(file))
    assert code == 1 and "nowhere:1: " in why


@clause("repl 2f1", "repl d19a")
def test_layout_goes_to_stdout_or_into_the_file(file: Path) -> None:
    text = "; head\n(cbu.list   ) ; of it\r\n\n\n(cbu.show :cbu-id\n @x)"
    wanted = "; head\n(cbu.list) ; of it\n\n(cbu.show :cbu-id @x)\n"
    file.write_text(text)
    assert dsl(file, "fmt", str(file)) == (0, wanted, "") and file.read_bytes() == text.encode()
    assert dsl(file, "fmt", "-", typed=text) == (0, wanted, "")
    assert dsl(file, "fmt", "--check", str(file)) == (1, f"{file} would be laid out afresh\n", "")
    assert dsl(file, "fmt", "--check", "-", typed=wanted) == (0, "", "")
    file.chmod(0o640)
    assert dsl(file, "fmt", "--write", str(file)) == (0, "", "")
    assert file.read_text() == wanted and file.stat().st_mode & 0o777 == 0o640
    assert dsl(file, "fmt", "-w", "--check", str(file)) == (0, "", "")
    assert [one.name for one in file.parent.iterdir() if one.name != "state"] == [file.name]


@clause("repl d19a")
def test_a_program_that_cannot_be_read_is_not_laid_out(file: Path) -> None:
    file.write_text("(cbu.list\n")
    code, said, why = dsl(file, "fmt", "-w", str(file))
    assert (code, said) == (1, "") and f"{file}:1:1: error[E003]" in why
    assert file.read_text() == "(cbu.list\n"


@clause("repl d19", "repl 5a")
def test_a_packs_problems_are_printed_with_file_and_line(tmp_path: Path) -> None:
    done = run_cli(tmp_path, "pack", "check", "onboarding", "components")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("onboarding components: 28 verbs, 10 entity types, ")
    mine = tmp_path / "mine"
    shutil.copytree(SHIPPED / "onboarding", mine)
    verbs = mine / "verbs" / "cbu.yaml"
    text = verbs.read_text()
    verbs.write_text(text.replace("effect: write", "efect: write", 1).replace("uuid", "guid", 1))
    (mine / "data" / "roles.csv").write_text("code,name\nA\n")
    done = run_cli(tmp_path, "pack", "check", str(mine))
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and len(lines) == 4
    assert f"{mine}/data/roles.csv:2: 1 values for 2 columns" in lines
    places = [line.split(": ")[0] for line in lines]
    line = text.splitlines().index("  effect: write") + 1
    assert f"{mine}/verbs/cbu.yaml:{line}" in places
    told = json.loads(run_cli(tmp_path, "pack", "check", "--json", str(mine)).stdout)
    assert not told["ok"] and len(told["problems"]) == 4
    assert set(told["problems"][0]) == {"file", "line", "message"}
    assert run_cli(tmp_path, "pack", "check", str(tmp_path / "none")).returncode == 1
