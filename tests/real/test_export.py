"""What a conversation exports: a recording that players take, and text for readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.adapters.cli import main
from antiphon.base.errors import Refused
from antiphon.service import export
from tests.clauses import clause
from tests.real.programs import so_far
from tests.real.stage import Answer, Stage

SHELLS = ("bash", "zsh")


class Cast:
    """A strict reader of asciicast 3, written from the format's description."""

    def __init__(self, text: str) -> None:
        assert text.endswith("\n") and "\r" not in text
        lines = text.split("\n")[:-1]
        self.header: dict[str, Any] = json.loads(lines[0])
        assert self.header["version"] == 3
        term = self.header["term"]
        assert set(self.header) <= {
            "version", "term", "timestamp", "idle_time_limit", "command", "title", "env", "tags"
        }  # fmt: skip
        assert type(term["cols"]) is type(term["rows"]) is int and term["cols"] > 0 < term["rows"]
        assert isinstance(self.header["timestamp"], int)
        self.events: list[tuple[float, str, str]] = []
        at = 0.0
        for line in lines[1:]:
            interval, code, data = json.loads(line)
            assert isinstance(interval, float) and interval >= 0 and isinstance(data, str)
            assert code in "oirmx" and len(code) == 1
            if code == "r":
                cols, _, rows = data.partition("x")
                assert cols.isdigit() and rows.isdigit()
            if code == "x":
                assert data.isdigit() and line == lines[-1]
            data.encode()
            at += interval
            self.events.append((at, code, data))

    def of(self, code: str) -> list[str]:
        return [data for _, one, data in self.events if one == code]

    @property
    def output(self) -> str:
        return "".join(self.of("o"))

    def shape(self) -> list[str]:
        """Markers and output in turn, pieces of output joined."""
        found: list[str] = []
        for _, code, data in self.events:
            if code == "o" and found and found[-1].startswith("o:"):
                found[-1] += data
            elif code in "omrx":
                found.append(f"{code}:{data}")
        return found


def cast(stage: Stage, block: Answer | None = None) -> Cast:
    block_id = None if block is None else str(block["block_id"])
    return Cast("".join(export.asciicast(stage.folder(), block_id)))


def text(stage: Stage, block: Answer | None = None) -> str:
    block_id = None if block is None else str(block["block_id"])
    return "".join(export.text(stage.folder(), block_id))


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_recording_has_output_in_turn_with_the_commands(stage: Stage, shell: str) -> None:
    await stage.ok("pty.open", shell=shell, cols=90, rows=30)
    for cmd in ("echo one", "true", "printf 'two'", "cd /", "echo drei; printf 'é\\n'"):
        await stage.run(cmd)
    found = cast(stage)
    assert (found.header["term"]["cols"], found.header["term"]["rows"]) == (90, 30)
    assert found.shape() == [
        "m:echo one", "o:one\r\n", "m:true", "m:printf 'two'", "o:two", "m:cd /",
        "m:echo drei; printf 'é\\n'", "o:drei\r\né\r\n",
    ]  # fmt: skip
    assert "7770" not in found.output and "__FWS" not in found.output


async def test_a_recording_has_the_time_at_which_bytes_came(stage: Stage) -> None:
    answer = await stage.run("echo a; sleep 0.3; echo b; sleep 0.1; echo c")
    found = cast(stage, answer["block"])
    assert found.of("o") == ["a\r\n", "b\r\n", "c\r\n"]
    (_, a, b, c) = [at for at, code, _ in found.events if code in "mo"]
    assert 0.1 < b - a < 10 and 0.02 < c - b < 10
    assert found.header["timestamp"] == answer["block"]["ts_begin"] // 1000
    assert found.header["command"] == answer["block"]["cmd"]


async def test_a_block_exports_its_own_output_and_its_exit_code(stage: Stage) -> None:
    await stage.run("echo before")
    block = (await stage.run("echo mine; printf 'x\\ry\\033[1mz'; (exit 3)"))["block"]
    quiet = (await stage.run("(exit 4)"))["block"]
    await stage.run("echo after")
    assert cast(stage, block).shape() == [
        f"m:{block['cmd']}",
        "o:mine\r\nx\ry\x1b[1mz",
        "x:3",
    ]
    assert cast(stage, quiet).shape() == ["m:(exit 4)", "x:4"]
    assert text(stage, block) == "mine\nyz"
    assert text(stage, quiet) == ""
    with pytest.raises(Refused):
        cast(stage, {"block_id": "c.99"})


async def test_each_block_of_many_exports_exactly_its_output(stage: Stage) -> None:
    blocks = []
    for number in range(12):
        cmd = f"printf 'n{number}\\r\\n\\r'; echo é{number}" if number % 3 else "true"
        blocks.append((await stage.run(cmd))["block"])
    for block in blocks:
        printed = cast(stage, block).output.replace("\r\n", "\n").replace("\r", "")
        assert printed == stage.output(block["block_id"]).decode().replace("\r", "")


async def test_what_was_typed_at_the_prompt_hinders_no_export(stage: Stage) -> None:
    """It belongs to no block, and its event says so."""
    await stage.run("echo before")
    await stage.send("\x03")
    await stage.send("echo typed\r")
    typed = await stage.wait("typed\n")
    await stage.prompt(typed["resume_cursor"])
    await stage.run("echo after")
    assert any(one.get("block_id", "") is None for one in stage.events())
    assert cast(stage).output.count("typed\r\n") == 1
    assert text(stage).splitlines()[-1] == "after"


async def test_what_came_between_blocks_is_in_none_of_them(stage: Stage) -> None:
    first = await stage.run("(read x < <(sleep 0.2); echo la''te) & echo now")
    await stage.wait("late", first["resume_cursor"])
    second = await stage.run("echo next")
    assert cast(stage, first["block"]).output == "now\r\n"
    assert cast(stage, second["block"]).output == "next\r\n"
    whole = cast(stage).shape()
    assert whole[1:] == ["o:now\r\nlate\r\n", "m:echo next", "o:next\r\n"]


async def test_a_recording_has_each_size_in_its_place(stage: Stage) -> None:
    await stage.ok("pty.open", cols=80, rows=24)
    await stage.run("echo one")
    await stage.ok("pty.resize", cols=100, rows=40)
    last = await stage.run("echo two")
    assert cast(stage).shape() == [
        "m:echo one", "o:one\r\n", "r:100x40", "m:echo two", "o:two\r\n"
    ]  # fmt: skip
    assert cast(stage, last["block"]).header["term"]["cols"] == 100


async def test_a_character_is_never_split_and_no_byte_hurts(stage: Stage) -> None:
    code = (
        "import os,time\n"
        "for p in (b'\\xe6\\x97', b'\\xa5|', b'\\xff|', b'\\xf0\\x9d', b'x|\\xc3'):\n"
        " os.write(1, p); time.sleep(0.02)"
    )
    answer = await stage.run(f'python3 -c "{code}"')
    found = cast(stage, answer["block"])
    assert found.output == "日|\ufffd|\ufffdx|\ufffd"
    assert all("日" in one for one in found.of("o") if one[0] == "日")


async def test_marks_are_never_in_it_not_even_those_that_a_program_prints(stage: Stage) -> None:
    await stage.run("echo start")
    await stage.run(f"{so_far(stage.folder() / 'output.raw')}; echo end")
    after = await stage.run("echo after")
    found = cast(stage)
    assert "\x1b]7770" not in found.output and found.output.endswith("end\r\nafter\r\n")
    assert cast(stage, after["block"]).output == "after\r\n"


@clause("terminal D9a")
async def test_the_past_of_shells_that_died_is_exported_too(stage: Stage) -> None:
    await stage.run("echo one")
    died = await stage.run("echo last words; exit 7")
    after = await stage.run("echo new")
    assert cast(stage, died["block"]).shape() == [
        f"m:{died['block']['cmd']}", "o:last words\r\n", "x:7"
    ]  # fmt: skip
    assert cast(stage, after["block"]).output == "new\r\n"
    await stage.ok("pty.close")
    assert cast(stage).shape()[-1].startswith("x:")


async def test_a_running_block_exports_what_it_printed_so_far(stage: Stage) -> None:
    begun = await stage.session("printf 'Name: '; read x")
    await stage.wait("Name: ", begun["resume_cursor"])
    found = cast(stage, begun)
    assert found.output == "Name: " and found.of("x") == []
    await stage.send("bob\r")
    await stage.prompt(begun["resume_cursor"])
    assert cast(stage, begun).of("x") == ["0"]


async def test_text_reads_without_a_terminal(stage: Stage) -> None:
    await stage.run("printf '\\033[31mred\\033[0m\\033]0;title\\007 10%%\\r100%%\\n'")
    await stage.run("true")
    await stage.run("printf 'no end'")
    await stage.run("echo last")
    assert text(stage) == (
        "$ printf '\\033[31mred\\033[0m\\033]0;title\\007 10%%\\r100%%\\n'\n100%10%\n"
        "$ true\n$ printf 'no end'\nno end\n$ echo last\nlast\n"
    )


async def test_the_command_line_exports(
    stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    block = (await stage.run("echo hi"))["block"]
    given = ["export", "--state-dir", str(stage.state), "c"]
    assert main([*given, "--asciicast"]) == 0
    assert Cast(capsys.readouterr().out).output == "hi\r\n"
    assert main([*given, "--text", "--block", block["block_id"]]) == 0
    assert capsys.readouterr().out == "hi\n"
    file = tmp_path / "c.cast"
    assert main([*given, "--asciicast", "-o", str(file)]) == 0
    assert Cast(file.read_text()).output == "hi\r\n"
    assert main([*given, "--asciicast", "--block", "nothing"]) == 1
    assert "no block" in capsys.readouterr().err
