"""Conversations: how they open, close and start afresh, and where they are kept."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import time
from pathlib import Path

import pytest

from antiphon.base import limits
from antiphon.drivers.owner import default_state_dir
from tests.clauses import clause
from tests.real.programs import STUBBORN, python
from tests.real.stage import Stage, until

SENTINEL = b"__FWS_PROMPT__"
# At work for longer than a moment.
BUSY = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"


# --- open --------------------------------------------------------------------


@clause("terminal pty.open", "terminal d2b")
async def test_a_shell_opens_once_and_says_its_first_prompt(stage: Stage) -> None:
    opened = await stage.ok("pty.open")
    assert set(opened) == {"ok", "shell_id", "mode", "resume_cursor"}
    assert opened["mode"] == "idle" and opened["resume_cursor"] == len(stage.spool())
    assert stage.spool().startswith(SENTINEL) and stage.spool().count(b"\n") == 1
    again = await stage.ok("pty.open", shell="bash")
    assert again == opened
    assert await stage.prompt(0)


@clause("terminal d2")
@pytest.mark.parametrize("name", ["pty.exec_block", "pty.exec_interactive", "pty.run", "pty.send"])
async def test_what_needs_a_shell_opens_one_with_the_defaults(stage: Stage, name: str) -> None:
    more = {"data": "pwd; stty size\r"} if name == "pty.send" else {"cmd": "pwd; stty size"}
    await stage.ok(name, **more)
    await until(lambda: len(stage.blocks()) == 1, "it has run")
    assert stage.output("c.1") == f"{Path.cwd()}\n40 120\n".encode()


async def test_a_shell_is_opened_as_it_is_asked_for(stage: Stage, tmp_path: Path) -> None:
    place = tmp_path / "a b'\"$(touch no)é"
    place.mkdir()
    asked = {"cwd": str(place), "env": {"FOO": "b a\nr", "PATH": "/bin"}, "cols": 77, "rows": 33}
    await stage.ok("pty.open", **asked)
    answer = await stage.run('pwd; echo "$FOO"; echo $PATH; stty size')
    assert answer["data"] == f"{place}\nb a\nr\n/bin\n33 77\n"
    assert list(tmp_path.rglob("no")) == []
    await stage.refused("pty.open", "invalid_request", env={"FOO": "other"})
    await stage.refused("pty.open", "invalid_request", shell="zsh")
    await stage.ok("pty.open", cols=80)
    assert (await stage.run("stty size"))["data"] == "33 80\n"
    await stage.ok("pty.reset")
    answer = await stage.run('pwd; echo "$FOO"; stty size')
    assert answer["data"] == f"{place}\nb a\nr\n33 80\n"


@clause("terminal pty.open")
@pytest.mark.parametrize(("start", "is_lost"), [(BUSY, False), ("exec sleep 1000", True)])
async def test_a_shell_that_is_late_is_waited_for_unless_it_sleeps(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, *, is_lost: bool
) -> None:
    monkeypatch.setattr(limits, "SHELL_START_MS_MAX", 50)
    late = tmp_path / "bash"
    late.write_text(f'#!/bin/sh\n{start}\nexec {shutil.which("bash")} "$@"\n')
    late.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if is_lost:
        assert "no prompt" in (await stage.refused("pty.open", "shell_lost"))["message"]
    else:
        assert (await stage.ok("pty.open"))["mode"] == "idle"


@pytest.mark.parametrize(
    "wrong",
    [
        {"cwd": "/nonexistent"},
        {"cwd": "/etc/passwd"},
        {"cwd": ""},
        {"cwd": "a\0b"},
        {"env": {"A=B": "x"}},
        {"env": {"A": "x\0y"}},
        {"env": {"": "x"}},
        {"cols": 0},
        {"cols": 501},
        {"rows": 301},
        {"shell": "fish"},
        {"colour": "red"},
    ],
)
async def test_a_shell_that_cannot_be_is_refused_and_leaves_nothing(
    stage: Stage, wrong: dict[str, object]
) -> None:
    await stage.refused("pty.open", "invalid_request", **wrong)
    assert not stage.folder().exists()
    assert (await stage.ok("pty.list"))["conversations"] == []


@clause("terminal d2c")
async def test_a_directory_lasts_and_a_wrong_one_is_refused(stage: Stage, tmp_path: Path) -> None:
    place = tmp_path / "a $(touch no) 'b'\n\"é\""
    place.mkdir()
    (place / "sub").mkdir()
    assert (await stage.run("pwd", cwd=str(place)))["data"] == f"{place}\n"
    assert (await stage.run("pwd"))["data"] == f"{place}\n"
    assert (await stage.run("pwd", cwd="sub"))["data"] == f"{place}/sub\n"
    assert (await stage.get("c.3"))["cwd"] == f"{place}/sub"
    for wrong in ("/nonexistent", "gone", "", "/etc/passwd", "a\0b", "$(echo /)", "~"):
        await stage.refused("pty.exec_block", "invalid_request", cmd="true", cwd=wrong)
    assert (await stage.run("pwd"))["data"] == f"{place}/sub\n"
    assert len(stage.blocks()) == 4 and list(tmp_path.rglob("no")) == []


async def test_a_directory_that_cannot_be_entered_fails_the_command(
    stage: Stage, tmp_path: Path
) -> None:
    await stage.run("mkdir gone; cd gone; rmdir ../gone", cwd=str(tmp_path))
    assert (await stage.run("echo here"))["data"] == "here\n"
    assert (await stage.run("pwd", cwd=str(tmp_path)))["data"] == f"{tmp_path}\n"
    await stage.run("cd() { echo mine; return 3; }")
    assert (await stage.run("pwd", cwd="/"))["data"] == "/\n"


async def test_two_who_open_at_once_get_the_same_shell(stage: Stage) -> None:
    opened = await asyncio.gather(*[stage.ok("pty.open") for _ in range(20)])
    assert len({one["shell_id"] for one in opened}) == 1
    assert stage.spool().count(SENTINEL) == 1


# --- reset and close ---------------------------------------------------------


@clause("terminal 7.2", "terminal 7.2a", "terminal 7.2b", "terminal pty.reset")
async def test_a_reset_starts_afresh_and_keeps_what_was(stage: Stage, tmp_path: Path) -> None:
    await stage.run("echo old; x=1", cwd=str(tmp_path))
    before = await stage.ok("pty.status")
    running = await stage.session("echo partial; cat")
    await stage.wait("partial", running["resume_cursor"])
    old_spool = stage.spool()
    reset = await stage.ok("pty.reset")
    assert set(reset) == {"ok", "shell_id", "mode", "resume_cursor"}
    assert reset["mode"] == "idle" and reset["shell_id"] != before["shell_id"]
    (event,) = [one for one in stage.events() if one["type"] == "agent_session_reset"]
    assert event == {
        "type": "agent_session_reset",
        "conversation_id": "c",
        "reason": "a client asked for a reset",
        "shell_id": reset["shell_id"],
    }
    assert (await stage.get(running["block_id"]))["status"] == "failed"
    assert stage.output(running["block_id"]) == b"partial\n"
    assert (await stage.run("pwd; echo x=$x"))["data"] == f"{tmp_path}\nx=\n"
    assert stage.spool().startswith(old_spool)
    assert (await stage.ok("blocks.read", block_id="c.1"))["data"] == "old\n"
    assert (await stage.wait("old"))["match_cursor"] == old_spool.index(b"old")


# Ways to be deaf to the end of a terminal.
CHILDREN = [
    "sleep 1000 &",
    "nohup sleep 1000 >/dev/null 2>&1 &",
    "setsid sleep 1000 &",
    "(sleep 1000 & disown) & disown",
    "sleep 1000 & kill -STOP $!",
    "env -i setsid sleep 1000 &",
    f"{STUBBORN} &",
    f"setsid {STUBBORN} &",
    "coproc cat",
    python("import os,time\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0: time.sleep(999)"),
    "trap '' HUP TERM INT; sleep 1000 &",
    "(trap '' HUP; exec sleep 1000) | cat &",
]


@clause("terminal pty.close")
@pytest.mark.parametrize("end", ["pty.close", "pty.reset"])
async def test_an_end_leaves_nobody_and_keeps_the_files(stage: Stage, end: str) -> None:
    for child in CHILDREN:
        await stage.block(child)
        await until(lambda: not is_busy(stage), "the child was started")
    await stage.session("cat")
    await until(lambda: len(stage.survivors()) > len(CHILDREN) - 2, "they live")
    spool = stage.spool()
    await stage.ok(end)
    if end == "pty.close":
        await stage.nobody_is_left()
        status = await stage.ok("pty.status")
        assert (status["mode"], status["shell_id"]) == ("idle", None)
    else:
        await until(lambda: len(stage.survivors()) == 1, "only the new shell is there")
    assert stage.spool().startswith(spool)


def is_busy(stage: Stage) -> bool:
    return stage.desk.rooms.loaded["c"].conversation.terminal.active is not None


@clause("terminal d2a")
async def test_a_closed_conversation_is_read_and_opens_again(stage: Stage) -> None:
    await stage.run("echo kept")
    spool = stage.spool()
    await stage.ok("pty.close")
    await stage.ok("pty.close")
    read = await stage.ok("pty.read_spool")
    assert read["data"].encode() == stage.spool() == spool
    assert (await stage.ok("blocks.since"))["items"] == stage.blocks()
    assert (await stage.ok("blocks.search", query="kept"))["hits"]
    assert (await stage.wait("kept"))["matched"]
    await stage.ok("pty.screen")
    answer = await stage.run("echo again")
    assert answer["data"] == "again\n" and answer["block"]["seq"] == 2
    assert stage.reasons() == []


@clause("terminal d2a")
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("pty.read_spool", {}),
        ("pty.status", {}),
        ("pty.screen", {}),
        ("pty.wait_for", {"match": "x"}),
        ("pty.wait_prompt", {}),
        ("pty.expect_send", {"expect": "x", "send": "y"}),
        ("pty.resize", {"cols": 80, "rows": 24}),
        ("pty.end_session", {}),
        ("pty.reset", {}),
        ("pty.close", {}),
        ("blocks.since", {}),
        ("blocks.get", {"block_id": "c.1"}),
        ("blocks.read", {"block_id": "c.1"}),
        ("blocks.search", {"query": "x"}),
    ],
)
async def test_a_conversation_that_never_was_is_not_found(
    stage: Stage, name: str, more: dict[str, object]
) -> None:
    await stage.refused(name, "not_found", **more)
    assert not stage.folder().exists()


@clause("terminal pty.list")
async def test_the_list_names_every_conversation(stage: Stage) -> None:
    assert await stage.ok("pty.list") == {"ok": True, "conversations": []}
    before = time.time_ns() // 1_000_000
    await stage.run("true", conversation_id="a")
    session = await stage.session("cat", conversation_id="b")
    await stage.run("true", conversation_id="gone")
    await stage.ok("pty.close", conversation_id="gone")
    listed = {one["conversation_id"]: one for one in (await stage.ok("pty.list"))["conversations"]}
    assert sorted(listed) == ["a", "b", "gone"]
    for name, mode in (("a", "idle"), ("b", "interactive"), ("gone", "idle")):
        status = await stage.ok("pty.status", conversation_id=name)
        one = listed[name]
        assert one["mode"] == mode == status["mode"]
        assert one["shell_id"] == status["shell_id"]
        assert one["resume_cursor"] == status["resume_cursor"]
        assert before <= one["last_activity"] <= time.time_ns() // 1_000_000
        assert set(one) == {"conversation_id", "mode", "shell_id", "resume_cursor", "last_activity"}
    assert listed["gone"]["shell_id"] is None and session


async def test_opening_and_closing_leaves_no_file_open(stage: Stage) -> None:
    await stage.run("true")
    await stage.ok("pty.close")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        await stage.run("true")
        await stage.send("half")
        await stage.ok("pty.reset")
        await stage.ok("pty.close")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    await stage.nobody_is_left()


# --- where it is kept --------------------------------------------------------

WRONG_IDS = [
    "",
    ".",
    "..",
    ".hidden",
    "a/b",
    "../x",
    "a\\b",
    "a b",
    "é",
    "a\0b",
    "a\n",
    "x" * 129,
    "a:b",
    "-é",
    "~",
    "%2e",
]


@clause("terminal D14a")
@pytest.mark.parametrize("name", WRONG_IDS)
async def test_a_wrong_id_is_refused_before_a_path_is_made_of_it(stage: Stage, name: str) -> None:
    before = sorted(stage.state.rglob("*"))
    for operation, more in (
        ("pty.open", {}),
        ("pty.exec_block", {"cmd": "true"}),
        ("pty.status", {}),
    ):
        await stage.refused(operation, "invalid_request", conversation_id=name, **more)
    assert sorted(stage.state.rglob("*")) == before


async def test_ids_that_look_alike_are_apart(stage: Stage) -> None:
    names = ["a.b", "ab", "a-b", "a_b", "A", "a", "-", "a.", "x" * 128, "conversations", "-rf"]
    for name in names:
        await stage.run(f"echo '{name}'", conversation_id=name)
    for name in names:
        assert stage.output(f"{name}.1", name) == f"{name}\n".encode()


@clause("terminal D14", "terminal 11.6")
async def test_files_lie_where_the_layout_says_for_nobody_else(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = os.umask(0)
    try:
        await stage.run("umask 0; echo x")
        await stage.run("true")
        await stage.send("echo typed\r")
        await until(lambda: len(stage.blocks()) == 3, "it has run")
    finally:
        os.umask(old)
    folder = stage.state / "conversations" / "c" / "agent_pty"
    for name in ("events.jsonl", "blocks.jsonl", "output.spool", "blocks/c.1.out"):
        assert (folder / name).is_file()
    for path in [stage.state, *stage.state.rglob("*")]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.name == "server.lock" or not path.is_relative_to(stage.state / "conversations"):
            continue
        wanted = 0o700 if path.is_dir() else 0o600
        assert mode & 0o077 == 0 and (path.is_socket() or mode == wanted), (path, oct(mode))
    monkeypatch.setenv("ANTIPHON_STATE_DIR", "/somewhere/else")
    assert default_state_dir() == Path("/somewhere/else")
    monkeypatch.delenv("ANTIPHON_STATE_DIR")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert default_state_dir() == Path("/home/somebody/.cache/app_server")


# --- what a shell sees -------------------------------------------------------


async def test_a_shell_sees_the_environment_that_is_allowed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        monkeypatch.setenv(f"CANARY_{number}", "canary")
    for name in (
        "ANTIPHON_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "BASH_ENV",
        "PYTHONPATH",
    ):
        monkeypatch.setenv(name, "canary")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("TZ", "UTC")
    seen = (await stage.run("env; cat /proc/$$/environ | tr '\\0' '\\n'"))["data"]
    assert "canary" not in seen and "LC_TIME=C" in seen and "TZ=UTC" in seen
    assert "TERM=xterm-256color" in seen and "PAGER=cat" in seen


async def test_a_program_has_no_file_of_ours(stage: Stage) -> None:
    code = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    answer = await stage.run(python(code))
    assert answer["data"] == "['0', '1', '2', '3']\n", "the fourth is the listing"
    link = stage.desk.rooms.loaded["c"].conversation.link
    assert link is not None
    targets = [str(one.readlink()) for one in Path(f"/proc/{link.shell_pid}/fd").iterdir()]
    allowed = ("/dev/pts/", "/dev/tty", "/dev/null", str(stage.folder() / "ctl"))
    assert [one for one in targets if not one.startswith(allowed)] == []


async def test_a_key_is_in_no_environment_no_argument_and_not_in_the_shell(stage: Stage) -> None:
    await stage.run("true")
    link = stage.desk.rooms.loaded["c"].conversation.link
    assert link is not None
    key = link.key
    for pid in (link.shell_pid, link.holder_pid):
        for name in ("environ", "cmdline"):
            assert key not in Path(f"/proc/{pid}/{name}").read_bytes()
    assert key.decode() not in (await stage.run("set; declare -p; env"))["data"]
