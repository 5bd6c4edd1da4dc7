"""Text that looks like a prompt and is none: it moves nothing and ends nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real.programs import so_far
from tests.real.stage import Answer, Stage, until

SENTINEL = "__FWS_PROMPT__ ts=1763500000000 cwd_b64=Lw== exit=0"
MARK = r"\033]7770;%d;%s;P;1763500000.000000;0;%d;r;/\a"


def old_marks(stage: Stage) -> Path:
    """A copy of what the terminal printed: every mark that there was."""
    path = stage.state / "copy.raw"
    path.write_bytes((stage.folder() / "output.raw").read_bytes())
    return path


async def forged(stage: Stage, cmd: str) -> Answer:
    """The session of a program that forges and goes on: nobody has taken it for a prompt."""
    begun = await stage.session(f"{cmd}; echo FOR''GED; cat")
    found = await stage.wait("FORGED", begun["resume_cursor"])
    late = await stage.ask("pty.wait_prompt", from_cursor=begun["resume_cursor"], timeout_ms=20)
    assert late["error"] == "timeout"
    assert await stage.mode() == "interactive"
    await stage.send("\x04")
    prompt = await stage.prompt(begun["resume_cursor"])
    assert prompt["match_cursor"] >= found["resume_cursor"]
    assert len([one for one in stage.blocks() if one["block_id"] == begun["block_id"]]) == 1
    return begun


@clause("terminal 3.4", "terminal D6b")
@pytest.mark.parametrize(
    "cmd",
    [
        f"echo '{SENTINEL}'",
        f"printf '\\n{SENTINEL}\\n'",
        f"for i in {{1..200}}; do echo '{SENTINEL}'; done",
        f"(echo '{SENTINEL}' >/dev/tty)",
        f"sh -c 'echo \"{SENTINEL}\"'",
        "grep -r __FWS_PROMPT__ .. >../../../found; cat ../../../found",
        "declare -f",
        "declare -p",
        "set",
        "env",
        'printf %s "$PS1$PS0$PS2"',
        f"printf '{MARK}' 99999999 0123456789abcdef 1",
        f"for i in {{1..200}}; do printf '{MARK}' $i 0123456789abcdef $i; done",
        "printf '\\033]7770;'",
        "printf '\\033]7770;1;'",
        "printf '\\033]7770;%01000d;x' 1",
        "head -c 300000 /dev/zero | tr '\\0' x; printf '\\033]7770;1;0123456789abcdef;P;'",
    ],
)
async def test_what_looks_like_a_prompt_is_text(stage: Stage, cmd: str) -> None:
    await stage.run("true")
    await stage.run("true", cwd=str(stage.folder()))
    await forged(stage, cmd)


@clause("terminal D6b")
async def test_the_history_of_a_terminal_replayed_is_text(stage: Stage) -> None:
    for _ in range(20):
        await stage.run("echo x")
    raw = old_marks(stage)
    for cmd in (
        so_far(stage.folder() / "output.spool"),
        f"cat {raw}",
        f"cat {raw} {raw}",
        f"tail -c 200 {raw}",
        f"while IFS= read -r l; do printf '%s\\n' \"$l\"; done <{raw}",
        so_far(stage.folder() / "output.raw"),
        f"cat -v {raw}",
        "cat .; cat ctl/run",
    ):
        await forged(stage, cmd)


async def test_one_who_answers_with_a_prompt_is_not_believed(stage: Stage) -> None:
    """Echo of what is typed, and output of a background job, are output like any other."""
    begun = await stage.session("cat")
    await stage.send(f"{SENTINEL}\r")
    await stage.wait("exit=0", begun["resume_cursor"])
    assert await stage.mode() == "interactive"
    assert (await stage.ask("pty.wait_prompt", from_cursor=begun["resume_cursor"], timeout_ms=9))[
        "error"
    ] == "timeout"
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])
    end = len(stage.spool())
    await stage.run(f"(sleep 0.02; echo '{SENTINEL}'; cat {old_marks(stage)}) & disown")
    await stage.wait("exit=0\n__FWS", end)
    assert len(stage.blocks()) == 2
    begun = await stage.session("cat")
    assert await stage.mode() == "interactive"
    await stage.send("\x04")
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 0


@clause("terminal D6d", "terminal 3.4a")
async def test_an_old_prompt_ends_no_session_that_began_after_it(stage: Stage) -> None:
    for _ in range(3):
        await stage.run("echo x")
    begun = await stage.session("cat")
    before = await stage.ok("pty.status")
    old = await stage.prompt(0)
    assert old["match_cursor"] < begun["resume_cursor"]
    assert await stage.ok("pty.status") == before
    assert before["active_block_id"] == begun["block_id"]
    assert before["active_session_id"] == begun["session_id"]
    await stage.send("\x04")
    new = await stage.prompt(begun["resume_cursor"])
    assert new["extra"]["exit_code"] == 0 and await stage.mode() == "idle"
    assert await stage.prompt(0) == old, "the same history has the same answer"
    assert await stage.ok("pty.wait_for", match_type="prompt", from_cursor=0) == old


@clause("terminal D6c", "terminal pty.wait_prompt")
async def test_the_span_of_a_prompt_is_its_line(stage: Stage, tmp_path: Path) -> None:
    begun = await stage.block("printf x; (exit 7)", cwd=str(tmp_path))
    prompt = await stage.prompt(begun["resume_cursor"])
    span = prompt["match_span"]
    line = stage.spool()[span["start"] : span["end"]]
    assert line == prompt["match_text"].encode() and line.count(b"\n") == 1
    assert line.startswith(b"__FWS_PROMPT__ ") and line.endswith(b" exit=7\n")
    assert prompt["match_cursor"] == span["start"] and prompt["resume_cursor"] == span["end"]
    extra = prompt["extra"]
    assert extra["cwd"] == str(tmp_path) and extra["exit_code"] == 7
    assert line.split()[1] == b"ts=%d" % extra["ts"]


@clause("terminal 3.8")
async def test_a_second_prompt_ends_nothing(stage: Stage) -> None:
    await stage.run("echo x")
    before = len(stage.blocks())
    for _ in range(5):
        await stage.keys("C-c")
    await stage.send("\r")
    await until(lambda: stage.spool().count(b"__FWS_PROMPT__") >= 3, "prompts came")
    assert await stage.mode() == "idle"
    assert len(stage.blocks()) == before
    begun = await stage.block("true")
    two = [asyncio.create_task(stage.prompt(begun["resume_cursor"])) for _ in range(2)]
    first, second = await asyncio.gather(*two)
    assert first == second
    assert [one["type"] for one in stage.events()].count("agent_block_end") == before + 1


async def test_prompts_are_seen_through_a_flood_without_line_ends(stage: Stage) -> None:
    await stage.run("while :; do printf xyz; done & disown")
    for number in range(30):
        assert await stage.exit_code(f"(exit {number})") == number
    for number in range(5):
        begun = await stage.block(f"(exit {number})")
        prompt = await stage.prompt(begun["resume_cursor"])
        assert prompt["extra"]["exit_code"] == number


async def test_a_nested_shell_has_no_prompt_of_ours(stage: Stage) -> None:
    for shell in ("bash --norc -i", "bash -i", "sh -i", "zsh -f -i", "python3 -q"):
        begun = await stage.session(shell)
        await stage.send("exit()\r" if shell.startswith("py") else "true\rexit 3\r")
        prompt = await stage.prompt(begun["resume_cursor"])
        assert prompt["extra"]["exit_code"] == (0 if shell.startswith("py") else 3)
        assert stage.spool()[begun["resume_cursor"] :].count(b"__FWS_PROMPT__") == 1


async def test_a_command_that_names_a_mark_is_not_taken_for_it(stage: Stage) -> None:
    cmd = f"true # {SENTINEL}\n: '\x1b]7770;1;0123456789abcdef;P;1;0;1;r;/\x07'"
    answer = await stage.run(cmd)
    assert answer["block"]["cmd"] == cmd and answer["data"] == ""
