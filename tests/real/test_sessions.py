"""Programs that are talked to: how they are ended, and what they are sent."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
from pathlib import Path

import pytest

from antiphon.base import limits
from tests.clauses import clause
from tests.real.programs import KEYS, SECRET, STUBBORN, SURVIVOR, python
from tests.real.stage import Answer, Stage, until


async def in_front(stage: Stage) -> None:
    """A program reads the terminal, and no copy of the shell any more."""
    link = stage.desk.rooms.loaded["c"].conversation.link
    assert link is not None
    await until(lambda: not link.is_between_programs(), "a program is in front")


async def ready(stage: Stage, cmd: str, word: str = "READY") -> Answer:
    begun = await stage.session(cmd)
    await stage.wait(word, begun["resume_cursor"])
    return begun


# --- modes -------------------------------------------------------------------


@clause("terminal 2.5", "terminal 5.5", "terminal pty.status", "terminal D1c")
async def test_status_says_what_runs_in_every_mode(stage: Stage) -> None:
    opened = await stage.ok("pty.open")
    idle = await stage.ok("pty.status")
    assert idle == {
        "ok": True,
        "mode": "idle",
        "active_session_id": None,
        "active_block_id": None,
        "shell_id": opened["shell_id"],
        "resume_cursor": len(stage.spool()),
    }
    begun = await stage.block("echo x; cat")
    await stage.wait("x", begun["resume_cursor"])
    running = await stage.ok("pty.status")
    assert (running["mode"], running["active_block_id"]) == ("block_running", begun["block_id"])
    assert running["active_session_id"] is None
    assert running["resume_cursor"] == len(stage.spool())
    assert (await stage.get(begun["block_id"]))["status"] == "running"
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])
    session = await stage.session("cat")
    running = await stage.ok("pty.status")
    assert (running["mode"], running["active_block_id"]) == ("interactive", session["block_id"])
    assert running["active_session_id"] == session["session_id"]
    assert (await stage.get(session["block_id"]))["status"] == "interactive"
    await stage.send("\x04")
    await stage.prompt(session["resume_cursor"])
    assert await stage.mode() == "idle"


@clause("terminal 3.6a", "terminal 6.3")
@pytest.mark.parametrize("name", ["pty.exec_block", "pty.exec_interactive", "pty.run"])
async def test_what_is_refused_while_a_block_runs_never_runs(stage: Stage, name: str) -> None:
    begun = await stage.block("cat")
    refused = await stage.refused(name, "busy", cmd="echo SHOULD_FAIL")
    assert refused["mode"] == "block_running"
    assert refused["active_block_id"] == begun["block_id"]
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])
    assert b"SHOULD_FAIL" not in stage.spool()
    assert len(stage.blocks()) == 1


async def test_of_many_commands_at_once_one_runs(stage: Stage) -> None:
    for _ in range(20):
        asked = [stage.ask("pty.exec_block", cmd=f"echo {n}; sleep 0.01") for n in range(50)]
        answers = await asyncio.gather(*asked)
        (begun,) = [one for one in answers if one["ok"]]
        assert [one["error"] for one in answers if not one["ok"]] == ["busy"] * 49
        await stage.prompt(begun["resume_cursor"])
    assert [one["type"] for one in stage.events()].count("agent_block_begin") == 20


# --- the end -----------------------------------------------------------------


@clause("terminal 7.1", "terminal pty.end_session", "terminal D1b")
async def test_a_session_ends_with_ctrl_c(stage: Stage) -> None:
    begun = await ready(stage, "echo READY; sleep 100")
    ended = await stage.ok("pty.end_session", session_id=begun["session_id"])
    assert ended == {"ok": True, "mode": "idle", "block_id": begun["block_id"], "exit_code": 130}
    assert (await stage.get(begun["block_id"]))["status"] == "cancelled"
    assert stage.reasons() == []
    assert await stage.exit_code("(exit 4)") == 4


async def test_a_session_that_ends_well_when_asked_is_cancelled_all_the_same(stage: Stage) -> None:
    quits = "import signal,sys,time; signal.signal(2, lambda *_: sys.exit(0)); print('READY')"
    begun = await ready(stage, python(quits + "\nwhile True: time.sleep(0.01)"))
    ended = await stage.ok("pty.end_session")
    assert ended["exit_code"] == 0
    assert (await stage.get(begun["block_id"]))["status"] == "cancelled"


@clause("terminal d8", "terminal d8b")
async def test_a_program_that_lives_on_is_not_cancelled(stage: Stage) -> None:
    begun = await ready(stage, SURVIVOR)
    late = await stage.refused("pty.end_session", "timeout", grace_ms=100)
    assert late["mode"] == "interactive" and late["message"]
    await stage.wait("NO", begun["resume_cursor"])
    await stage.keys("C-c")
    await stage.send("\r")
    await stage.prompt(begun["resume_cursor"])
    block = await stage.get(begun["block_id"])
    assert (block["status"], block["exit_code"]) == ("completed", 0)


@clause("terminal 7.1a", "terminal d8a")
async def test_force_ends_what_ignores_everything(stage: Stage) -> None:
    shell = (await stage.ok("pty.open"))["shell_id"]
    begun = await ready(stage, STUBBORN)
    await stage.refused("pty.end_session", "timeout", grace_ms=50)
    ended = await stage.ok("pty.end_session", grace_ms=50, force=True)
    # KILL of the foreground group was enough: the shell lives.
    assert (ended["mode"], ended["exit_code"]) == ("idle", 137)
    assert (await stage.get(begun["block_id"]))["status"] == "cancelled"
    assert (await stage.ok("pty.status"))["shell_id"] == shell
    begun = await ready(stage, "trap '' INT TERM; echo READY; while :; do read -t 1; done")
    ended = await stage.ok("pty.end_session", grace_ms=50, force=True)
    assert (ended["mode"], ended["block_id"]) == ("idle", begun["block_id"])
    assert (await stage.ok("pty.status"))["shell_id"] != shell
    assert len(stage.reasons()) == 1
    assert await stage.exit_code("(exit 4)") == 4


async def test_force_first_asks_with_term(stage: Stage) -> None:
    cleans_up = (
        "import signal,sys,time\n"
        "signal.signal(2, signal.SIG_IGN)\n"
        "signal.signal(15, lambda *_: (print('CLEAN'), sys.exit(7)))\n"
        "print('READY')\nwhile True: time.sleep(0.01)"
    )
    begun = await ready(stage, python(cleans_up))
    ended = await stage.ok("pty.end_session", grace_ms=50, force=True)
    assert ended["exit_code"] == 7
    assert b"CLEAN" in stage.output(begun["block_id"])


async def test_the_end_of_nothing_or_of_another_session_is_refused(stage: Stage) -> None:
    await stage.ok("pty.open")
    await stage.refused("pty.end_session", "not_interactive")
    begun = await stage.session("cat")
    await stage.refused("pty.end_session", "session_mismatch", session_id="no")
    assert await stage.mode() == "interactive"
    await stage.ok("pty.end_session", session_id=begun["session_id"])


@clause("terminal D7")
@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x1c", 131)])
async def test_a_key_that_is_a_signal_ends_a_block_with_its_code(
    stage: Stage, key: str, code: int
) -> None:
    begun = await stage.block("echo READY; sleep 100 && echo never")
    await stage.wait("READY", begun["resume_cursor"])
    await in_front(stage)
    await stage.send(key)
    prompt = await stage.prompt(begun["resume_cursor"])
    assert prompt["extra"]["exit_code"] == code
    block = await stage.get(begun["block_id"])
    assert block["status"] == ("cancelled" if code == 130 else "completed")
    assert b"never" not in stage.output(begun["block_id"])
    assert await stage.exit_code("(exit 4)") == 4


@clause("terminal D7")
async def test_a_signal_is_128_more(stage: Stage) -> None:
    for number in (1, 2, 6, 9, 11, 13, 15):
        assert await stage.exit_code(f"sh -c 'kill -{number} $$'") == 128 + number
    assert await stage.exit_code("if") == 2


async def test_a_job_that_is_stopped_gives_the_prompt_back(stage: Stage) -> None:
    begun = await stage.block("echo READY; sleep 100")
    await stage.wait("READY", begun["resume_cursor"])
    await in_front(stage)
    await stage.keys("C-z")
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 148
    assert (await stage.run("jobs"))["data"].startswith("[1]+  Stopped")
    begun = await stage.block("fg")
    await stage.wait("sleep 100", begun["resume_cursor"])
    await in_front(stage)
    await stage.keys("C-c")
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 130
    await stage.run("jobs")  # says that it was interrupted, once
    assert (await stage.run("jobs"))["data"] == ""


async def test_ctrl_c_at_any_moment_leaves_the_shell_usable(stage: Stage) -> None:
    for number in range(60):
        begun = await stage.ask("pty.exec_block", cmd="sleep 0.002")
        if begun["ok"] and number % 3:
            await stage.ok("pty.status")
        await stage.send("\x03")
        if number % 2:
            await stage.send("\x03")
        await stage.prompt(begun["resume_cursor"])
    assert await stage.exit_code("(exit 9)") == 9
    assert stage.reasons() == []
    events = [one["type"] for one in stage.events()]
    assert events.count("agent_block_begin") == events.count("agent_block_end") == 61


async def test_ctrl_c_ends_a_command_that_was_only_just_asked_for(stage: Stage) -> None:
    for number in range(100):
        begun = await stage.block("while :; do :; done; echo never")
        for _ in range(number % 4):
            await asyncio.sleep(0)
        await stage.keys("C-c")
        assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 130
        assert (await stage.get(begun["block_id"]))["status"] == "cancelled"
    assert await stage.exit_code("(exit 9)") == 9


async def test_a_bell_too_many_is_no_sign_of_a_lost_shell(stage: Stage) -> None:
    await stage.run("true")
    link = stage.desk.rooms.loaded["c"].conversation.link
    assert link is not None
    begun = await stage.block("sleep 5.5; (exit 3)")  # longer than a shell may leave its bell alone
    link.ring()
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 3
    assert stage.reasons() == []


# --- input -------------------------------------------------------------------


@clause("terminal pty.send", "terminal 5.6")
async def test_data_goes_as_it_is_and_keys_by_their_names(stage: Stage) -> None:
    begun = await ready(stage, KEYS)
    assert await stage.send("a\\r\x00\x03\x04é") == {"ok": True}
    await stage.keys("Enter", "Tab", "Escape", "Up", "F1", "F12", "C-a", "C-z", "Delete")
    await stage.send("q")
    await stage.prompt(begun["resume_cursor"])
    got = "61 5c 72 00 03 04 c3 a9 0d 09 1b 1b 5b 41 1b 4f 50 1b 5b 32 34 7e 01 1a 1b 5b 33 7e"
    assert got in stage.output(begun["block_id"]).decode()
    for wrong in ({}, {"data": "x", "keys": ["Enter"]}, {"keys": ["C-A"]}, {"keys": ["Return"]}):
        await stage.refused("pty.send", "invalid_request", **wrong)


async def test_arrows_follow_the_cursor_key_mode(stage: Stage) -> None:
    begun = await ready(stage, f"printf '\\033[?1h'; {KEYS}")
    await stage.keys("Up", "Down", "Left", "Right", "Home", "End")
    await stage.send("q")
    await stage.prompt(begun["resume_cursor"])
    got = "1b 4f 41 1b 4f 42 1b 4f 44 1b 4f 43 1b 4f 48 1b 4f 46"
    assert got in stage.output(begun["block_id"]).decode()
    begun = await ready(stage, f"printf '\\033[?1l'; {KEYS}")
    await stage.keys("Up")
    await stage.send("q")
    await stage.prompt(begun["resume_cursor"])
    assert "1b 5b 41" in stage.output(begun["block_id"]).decode()


@clause("terminal D10")
async def test_a_typed_command_is_an_interactive_block(stage: Stage) -> None:
    await stage.run("echo x")
    end = len(stage.spool())
    await stage.send("echo ty''ped; cat\r")
    await stage.wait("typed", end)
    status = await stage.ok("pty.status")
    assert status["mode"] == "interactive"
    await stage.refused("pty.exec_block", "busy", cmd="true")
    block = await stage.get(status["active_block_id"])
    assert (block["cmd"], block["status"]) == ("echo ty''ped; cat", "interactive")
    await stage.send("\x04")
    await stage.prompt(end)
    block = await stage.get(block["block_id"])
    assert (block["status"], block["exit_code"]) == ("completed", 0)
    assert stage.output(block["block_id"]) == b"typed\n"
    assert b"ty''ped" not in stage.spool()


@clause("terminal D10")
@pytest.mark.parametrize(
    ("typed", "cmd", "output"),
    [
        ("echo a\r", "echo a", b"a\n"),
        ("  echo  a \r", "  echo  a ", b"a\n"),
        ("echo 'a\rb'\r", "echo 'a\nb'", b"a\nb\n"),
        ("cat <<E\rx\rE\r", "cat <<E\nx\nE", b"x\n"),
        ("echo wow!bang\r", "echo wow!bang", b"wow!bang\n"),
        ("echo 日本é\r", "echo 日本é", "日本é\n".encode()),
        ("(exit 3)\r", "(exit 3)", b""),
        ("echo xx\x7f\r", "echo x", b"x\n"),
        ("printf x\n", "printf x", b"x"),
    ],
)
async def test_a_typed_line_is_told_as_the_shell_read_it(
    stage: Stage, typed: str, cmd: str, output: bytes
) -> None:
    await stage.run("true")
    end = len(stage.spool())
    await stage.send(typed)
    await until(lambda: len(stage.blocks()) == 2, "the typed line has run")
    block = stage.blocks()[1]
    assert (block["cmd"], block["status"]) == (cmd, "completed")
    assert stage.output(block["block_id"]) == output
    assert block["exit_code"] == (3 if "exit" in cmd else 0)
    assert stage.spool()[end:].startswith(output)


async def test_typed_lines_are_told_whatever_the_shell_was_made(stage: Stage) -> None:
    await stage.run("set -Cux; HISTCONTROL=ignorespace; HISTIGNORE='*'; IFS=0123456789 PATH=")
    lines = ["echo one", "echo two", " echo three"]
    for line in lines:
        await stage.send(line + "\r")
        await stage.prompt(len(stage.spool()))
    assert [one["cmd"] for one in stage.blocks()[1:]] == lines


@clause("terminal D10")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_what_was_typed_runs_for_whoever_asks_next(stage: Stage, shell: str) -> None:
    await stage.ok("pty.open", shell=shell)
    for _ in range(5):
        await stage.send("sleep 100\r")
        assert await stage.mode() == "interactive"
        await stage.ok("pty.end_session")
        await stage.send("sleep 100\r")
        await stage.ok("pty.end_session")
    assert [block["cmd"] for block in stage.blocks()] == ["sleep 100"] * 10


@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_what_was_typed_runs_also_when_nobody_has_a_turn_to_say_so(
    stage: Stage, shell: str
) -> None:
    await stage.ok("pty.open", shell=shell)
    await stage.send("sleep 1000")
    link = stage.desk.rooms.loaded["c"].conversation.link
    assert link is not None
    os.kill(link.holder_pid, signal.SIGSTOP)
    await stage.send("\r")
    mode = asyncio.create_task(stage.mode())
    await asyncio.wait({mode}, timeout=2 * limits.ENTERED_MS_MAX / 1000)
    os.kill(link.holder_pid, signal.SIGCONT)
    assert await mode == "interactive"
    await stage.ok("pty.end_session")


async def test_a_status_waits_for_no_quote_that_is_open(stage: Stage) -> None:
    await stage.run("true")
    await stage.send("echo 'open\r")
    assert [await stage.mode() for _ in range(200)] == ["idle"] * 200


async def test_typed_lines_run_one_after_the_other(stage: Stage) -> None:
    await stage.run("true")
    await stage.send("echo a\recho b\r")
    await stage.send("echo c\r")
    await until(lambda: len(stage.blocks()) == 4, "all three have run")
    assert [one["cmd"] for one in stage.blocks()[1:]] == ["echo a", "echo b", "echo c"]
    assert [stage.output(one["block_id"]) for one in stage.blocks()[1:]] == [
        b"a\n",
        b"b\n",
        b"c\n",
    ]
    assert await stage.exit_code("(exit 9)") == 9


async def test_a_half_typed_line_does_not_get_into_a_command(stage: Stage) -> None:
    await stage.run("true")
    await stage.send("echo half")
    assert (await stage.run("echo whole"))["data"] == "whole\n"
    assert " echo " in (await stage.run("stty -a"))["data"]
    assert await stage.exit_code("(exit 9)") == 9
    await stage.send("echo half")
    await stage.keys("C-c")
    await stage.send("\x15\r")
    assert await stage.exit_code("(exit 9)") == 9
    assert b"half" not in stage.spool()


async def test_an_open_quote_at_the_prompt_does_not_get_into_a_command(stage: Stage) -> None:
    await stage.run("true")
    for typed in ("echo 'half\r", "cat <<E\rhalf\r", "if true\r", "half", "half \\\r"):
        await stage.send(typed)
        assert (await stage.run("echo whole"))["data"] == "whole\n"
    await stage.run("stty -isig")
    await stage.send("half")
    assert (await stage.run("echo whole"))["data"] == "whole\n"
    assert await stage.exit_code("stty isig; (exit 9)") == 9
    assert b"half" not in stage.spool() and stage.reasons() == []


async def test_what_was_typed_for_a_program_that_is_killed_is_not_the_shells(stage: Stage) -> None:
    await ready(stage, "stty raw -echo; echo READY; sleep 100")
    await stage.send("echo never\r" * 5000)
    await stage.ok("pty.end_session", force=True, grace_ms=50)
    assert await stage.exit_code("stty sane; (exit 9)") == 9
    assert b"never" not in stage.spool() and len(stage.blocks()) == 2


async def test_ctrl_d_at_the_prompt_ends_the_shell_and_it_is_said(stage: Stage) -> None:
    await stage.run("true")
    await stage.send("\x04")
    await until(lambda: len(stage.reasons()) == 1, "the shell was replaced")
    assert await stage.exit_code("(exit 9)") == 9


# --- secrets -----------------------------------------------------------------


def inputs(stage: Stage) -> list[Answer]:
    return [one for one in stage.events() if one["type"] == "agent_input"]


def everything(stage: Stage) -> bytes:
    """All files of the conversation."""
    return b"".join(one.read_bytes() for one in stage.folder().rglob("*") if one.is_file())


@clause("terminal 9.3", "terminal events input", "terminal d9")
async def test_input_is_recorded_and_a_secret_by_its_length(stage: Stage) -> None:
    begun = await ready(stage, "read -p 'name? READY ' name; echo")
    await stage.send("bob\r")
    await stage.prompt(begun["resume_cursor"])
    (one,) = inputs(stage)
    assert one == {
        "type": "agent_input",
        "conversation_id": "c",
        "block_id": begun["block_id"],
        "data": "bob\r",
    }
    for cmd in (
        "read -s -p Password: x; echo",
        SECRET,
        "stty -echo; printf Password:; head -n1 | wc -c",
    ):
        begun = await stage.session(cmd)
        await stage.wait("Password:", begun["resume_cursor"])
        await until(lambda: not has_echo(stage), "echo is off")
        await stage.send("hunter2\r")
        await stage.prompt(begun["resume_cursor"])
        await stage.run("stty echo")
        last = inputs(stage)[-1]
        assert (last["data"], last["secret"], last["length"]) == (None, True, 8)
    assert b"hunter2" not in everything(stage)


def has_echo(stage: Stage) -> bool:
    link = stage.desk.rooms.loaded["c"].conversation.link
    return link is not None and link.is_echoing()


@clause("terminal d9a")
async def test_a_secret_waits_for_echo_to_go_off(stage: Stage) -> None:
    begun = await ready(stage, "echo READY; sleep 0.1; read -s x; echo ${#x}")
    await stage.send("hunter2\r", secret=True)
    await stage.prompt(begun["resume_cursor"])
    assert stage.output(begun["block_id"]).endswith(b"7\n")
    assert b"hunter2" not in everything(stage)
    begun = await ready(stage, "echo READY; cat")
    refused = await stage.refused("pty.send", "invalid_request", data="hunter2\r", secret=True)
    assert "nothing was written" in refused["message"]
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])
    assert b"hunter2" not in everything(stage)


# --- limits ------------------------------------------------------------------


@clause("terminal d10")
async def test_a_send_is_taken_whole_or_refused_whole(stage: Stage) -> None:
    await ready(stage, "stty raw -echo; echo READY; sleep 100")
    size = 64 << 10
    refused = await stage.refused("pty.send", "limit_reached", data="x" * (size + 1))
    assert "SEND_BYTES_MAX" in refused["message"]
    await stage.send("x" * size)
    before = len(inputs(stage))
    refused = await stage.refused("pty.send", "backpressure", data="y" * size)
    assert "nothing was written" in refused["message"]
    assert len(inputs(stage)) == before
    await stage.ok("pty.status")
    await stage.ok("pty.end_session", force=True, grace_ms=50)
    assert await stage.exit_code("stty sane; (exit 9)") == 9


def program_in_front(group: int) -> str:
    try:
        return Path(f"/proc/{group}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


@pytest.mark.parametrize("end", ["reset", "died"])
async def test_what_was_typed_for_a_shell_that_is_gone_reaches_no_other(
    stage: Stage, end: str
) -> None:
    await ready(stage, "stty raw -echo; echo READY; sleep 100")
    await stage.send("x" * (64 << 10))
    if end == "reset":
        await stage.ok("pty.reset")
    else:
        link = stage.desk.rooms.known("c").conversation.link
        assert link is not None
        # A child that is forked at that moment is in no group that hears of it, and stays.
        await until(lambda: program_in_front(link.foreground()) == "sleep", "sleep is in front")
        os.kill(link.shell_pid, signal.SIGKILL)
        await until(lambda: len(stage.reasons()) == 1, "another shell starts")
    begun = await ready(stage, "stty raw -echo; echo READY; head -c 3; stty sane")
    await stage.send("new")
    await stage.prompt(begun["resume_cursor"])
    assert stage.output(begun["block_id"]) == b"READY\nnew"


async def test_what_waits_is_read_in_order_when_the_program_reads(stage: Stage) -> None:
    data = "".join(f"{number:07d}\n" for number in range(8000))
    count = f"import sys; d=sys.stdin.buffer.read({len(data)}); print(hash_of(d))"
    code = "import hashlib\nhash_of = lambda d: hashlib.md5(d).hexdigest()\n" + count
    begun = await ready(stage, f"stty raw -echo; echo READY; {python(code)}; stty sane")
    await stage.send(data)
    await stage.prompt(begun["resume_cursor"])
    wanted = hashlib.md5(data.encode()).hexdigest()
    assert wanted in stage.output(begun["block_id"]).decode()


async def test_a_line_that_a_terminal_would_cut_is_refused(stage: Stage) -> None:
    begun = await stage.session("cat")
    refused = await stage.refused("pty.send", "limit_reached", data="x" * 5000 + "\r")
    assert "LINE_BYTES_MAX" in refused["message"]
    await stage.send("\x04")
    await stage.prompt(begun["resume_cursor"])
