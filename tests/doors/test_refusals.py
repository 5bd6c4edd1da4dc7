from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from antiphon.base import limits
from antiphon.base.errors import Code
from tests.clauses import clause
from tests.doors.doorways import (
    DOORS,
    Answer,
    CliDoor,
    Door,
    HttpDoor,
    LibraryDoor,
    McpStdioDoor,
    Places,
    SyncDoor,
    run_cli,
)

pytestmark = pytest.mark.slow
each_door = pytest.mark.parametrize("name", DOORS)

# Written without any request: a checkpoint and a sum each second, tokens that were read.
OF_THEIR_OWN = {"checkpoint", "checkpoint.new", "journal", "run", "empty", "events.sums"}
BAD_CURSORS = [-1, 10**9, 2**63, 1.5, "0", True, [0], None]
FROM_CURSOR: list[tuple[str, dict[str, object]]] = [
    ("pty.wait_for", {"match": "x"}),
    ("pty.wait_prompt", {}),
    ("pty.expect_send", {"expect": "x", "send": "y"}),
    ("pty.read_spool", {}),
    ("pty.read_inputs", {}),
    ("blocks.since", {}),
    ("blocks.read", {"block_id": "r.1"}),
]
BAD_PATTERNS: list[dict[str, object]] = [
    {"match": ""},
    {"match": "", "match_type": "regex"},
    {"match": "(", "match_type": "regex"},
    {"match": "a*", "match_type": "regex"},
    {"match": r"(a)\1", "match_type": "regex"},
    {"match": "x" * (limits.PATTERN_BYTES_MAX + 1)},
]
INVALID: list[tuple[str, dict[str, object]]] = [
    ("pty.run", {"cmd": 7}),
    ("pty.run", {"cmd": "true", "timeout_ms": -1}),
    ("pty.run", {"cmd": "true", "timeout_ms": 1.5}),
    ("pty.run", {"cmd": "true", "max_bytes": 3}),
    ("pty.run", {"cmd": "true", "cwd": "/it/is/nowhere"}),
    ("pty.run", {"cmd": "true", "cwd": "$(touch it)"}),
    ("pty.run", {"cmd": "true", "cwd": ""}),
    ("pty.run", {"cmd": "nul\0nul"}),
    ("pty.exec_block", {"cmd": ["true"]}),
    ("pty.exec_block", {"cmd": "true", "cwd": "a\0b"}),
    ("pty.open", {"shell": "fish"}),
    ("pty.open", {"cols": 0}),
    ("pty.open", {"cols": limits.COLS_MAX + 1}),
    ("pty.open", {"env": {"A": 1}}),
    ("pty.open", {"env": {"A B": "x"}}),
    ("pty.resize", {"cols": 80, "rows": limits.ROWS_MAX + 1}),
    ("pty.resize", {"cols": "80", "rows": 24}),
    ("pty.send", {}),
    ("pty.send", {"data": "x", "keys": ["Enter"]}),
    ("pty.send", {"keys": ["Enter", "Hyper"]}),
    ("pty.send", {"keys": "Enter"}),
    ("pty.wait_for", {"match_type": "prompt", "match": "x"}),
    ("pty.wait_for", {}),
    ("pty.wait_for", {"match": "x", "match_type": "glob"}),
    ("pty.read_spool", {"encoding": "latin-1"}),
    ("pty.read_inputs", {"limit": 0}),
    ("pty.end_session", {"grace_ms": limits.GRACE_MS_MAX + 1}),
    ("blocks.since", {"limit": 0}),
    ("blocks.search", {"query": "x", "limit": limits.ITEMS_MAX + 1}),
]
NO_CONVERSATION: list[tuple[str, dict[str, object]]] = [
    *FROM_CURSOR,
    ("pty.status", {}),
    ("pty.screen", {}),
    ("pty.reset", {}),
    ("pty.close", {}),
    ("pty.end_session", {}),
    ("pty.resize", {"cols": 80, "rows": 24}),
    ("blocks.search", {"query": "x"}),
]
NO_BLOCK: list[tuple[str, dict[str, object]]] = [
    ("blocks.get", {}),
    ("blocks.read", {}),
    ("blocks.search", {"query": "x"}),
]
HOSTILE_IDS = [
    "",
    ".",
    "..",
    ".hidden",
    "a/b",
    "../c",
    "a\0b",
    "a\nb",
    "é",
    "x" * 129,
    "a b",
    "%2e",
]


class Room:
    """One conversation at a door, and what a refusal must leave as it was."""

    def __init__(self, door: Door) -> None:
        self.door = door

    def ask(self, name: str, /, **fields: object) -> Answer:
        fields.setdefault("conversation_id", "r")
        return self.door.ask(name, **fields)

    def ok(self, name: str, /, **fields: object) -> Answer:
        answer = self.ask(name, **fields)
        assert answer["ok"] is True, (name, fields, answer)
        return answer

    def status(self) -> Answer:
        """At the command line by another door: there each call is a process."""
        if isinstance(self.door, CliDoor):
            return self.door.serving.post("/api/pty/r/status", b"{}")[1]
        return self.ok("pty.status")

    def files(self) -> dict[str, tuple[int, bytes]]:
        found = {}
        for path in (self.door.state / "conversations").rglob("*"):
            if path.is_file() and path.name not in OF_THEIR_OWN:
                found[str(path)] = (path.stat().st_size, path.read_bytes())
        return found

    def refused(self, code: Code, name: str, /, **fields: object) -> Answer:
        """The refusal, with its message, and nothing changed."""
        files = self.files()
        status = self.status()
        answer = self.ask(name, **fields)
        assert answer["ok"] is False and answer["error"] == code.value, (name, fields, answer)
        if code is not Code.TIMEOUT:
            assert len(answer["message"]) > 10 and "Traceback" not in answer["message"]
        assert self.status() == status
        assert self.files() == files, (name, fields)
        return answer


@pytest.fixture
def room(name: str, places: Places) -> Iterator[Room]:
    room = Room(places.door(name))
    room.ok("pty.open", cwd=str(places.work))
    room.ok("pty.run", cmd="echo x")
    yield room
    room.ok("pty.close")


@clause("terminal refusals", "terminal d1", "terminal D13", "terminal d6a")
@each_door
def test_what_is_wrong_is_refused_and_nothing_has_changed(name: str, room: Room) -> None:
    for operation, fields in INVALID:
        room.refused(Code.INVALID_REQUEST, operation, **fields)
    for fields in BAD_PATTERNS:
        room.refused(Code.INVALID_PATTERN, "pty.wait_for", **fields)
    room.refused(Code.INVALID_PATTERN, "pty.expect_send", expect="", send="x")
    room.refused(Code.INVALID_PATTERN, "blocks.search", query="(", match_type="regex")
    for operation, fields in FROM_CURSOR:
        # At the command line each call is a process; the first operation stands for all.
        is_slow = isinstance(room.door, CliDoor) and operation != "pty.wait_for"
        for cursor in BAD_CURSORS[:2] if is_slow else BAD_CURSORS:
            if cursor is None and isinstance(room.door, LibraryDoor | SyncDoor):
                continue  # None is how the library says that a field is left out
            answer = room.refused(Code.CURSOR_OUT_OF_RANGE, operation, **fields, from_cursor=cursor)
            assert type(answer["resume_cursor"]) is int


@clause("terminal d2a", "terminal D14a")
@each_door
def test_what_is_not_there_is_not_found_and_not_made(name: str, room: Room) -> None:
    for operation, fields in NO_CONVERSATION:
        room.refused(Code.NOT_FOUND, operation, **fields, conversation_id="nobody")
    for operation, fields in NO_BLOCK:
        for block_id in ("r.99", "../r.1", "", "r.1\0"):
            room.refused(Code.NOT_FOUND, operation, **fields, block_id=block_id)
    room.refused(Code.INVALID_REQUEST, "pty.send", conversation_id="nobody", keys=["Hyper"])
    room.refused(Code.INVALID_REQUEST, "pty.run", conversation_id="nobody", cmd="true", cwd="/nope")
    for conversation_id in HOSTILE_IDS:
        if isinstance(room.door, HttpDoor):
            continue  # such a path is another route; test_nonsense.py has it
        room.refused(Code.INVALID_REQUEST, "pty.open", conversation_id=conversation_id)
        room.refused(Code.INVALID_REQUEST, "pty.status", conversation_id=conversation_id)
    assert sorted(path.name for path in (room.door.state / "conversations").iterdir()) == ["r"]


@clause("terminal busy", "terminal 6.3", "doors 16")
@each_door
def test_what_cannot_be_now_is_refused_with_what_is(name: str, room: Room) -> None:
    room.refused(Code.NOT_INTERACTIVE, "pty.end_session")
    begun = room.ok("pty.exec_interactive", cmd="printf 'in cat'; cat")
    room.ok("pty.wait_for", match="in cat", from_cursor=begun["resume_cursor"])
    for operation in ("pty.exec_block", "pty.exec_interactive", "pty.run"):
        answer = room.refused(Code.BUSY, operation, cmd="echo NO")
        assert answer["mode"] == "interactive" and "interactive" in answer["message"]
    room.refused(Code.SESSION_MISMATCH, "pty.end_session", session_id="interactive:r.99")
    room.refused(Code.TIMEOUT, "pty.wait_for", match="never", timeout_ms=1)
    room.refused(Code.TIMEOUT, "pty.expect_send", expect="never", send="x", timeout_ms=1)
    room.refused(Code.INVALID_REQUEST, "pty.send", data="secret\r", secret=True)
    too_long = "x\r" * (limits.SEND_BYTES_MAX // 2) + "x"
    assert (
        "SEND_BYTES_MAX" in room.refused(Code.LIMIT_REACHED, "pty.send", data=too_long)["message"]
    )
    room.ok("pty.end_session")
    too_long = "#" * (limits.COMMAND_BYTES_MAX + 1)
    for operation in ("pty.exec_block", "pty.exec_interactive", "pty.run"):
        answer = room.refused(Code.LIMIT_REACHED, operation, cmd=too_long)
        assert "COMMAND_BYTES_MAX" in answer["message"]
    room.ok("pty.close")
    large = {"A": "x" * limits.ENV_BYTES_MAX}
    assert "ENV_BYTES_MAX" in room.refused(Code.LIMIT_REACHED, "pty.open", env=large)["message"]
    room.refused(Code.SPAWN_FAILED, "pty.open", shell="zsh", conversation_id="no-zsh")
    room.ok("pty.open")
    answer = room.ok("blocks.search", query="NO")
    assert answer["hits"] == [], "what was refused is not run later"


@clause("terminal d10")
@each_door
def test_a_program_that_does_not_read_is_not_written_to(name: str, room: Room) -> None:
    begun = room.ok("pty.exec_interactive", cmd="stty raw -echo; echo deaf; exec sleep 1000")
    room.ok("pty.wait_for", match="deaf", from_cursor=begun["resume_cursor"])
    room.ok("pty.send", data="x" * limits.SEND_BYTES_MAX)
    room.refused(Code.BACKPRESSURE, "pty.send", data="y" * limits.SEND_BYTES_MAX)
    room.ok("pty.close")


def ended_while_waiting(room: Room, operation: str, ends: Callable[[], object]) -> Answer:
    """The answer of a wait that was under way when it was ended."""
    more: dict[str, object] = {"match": "never"}
    if operation == "pty.expect_send":
        more = {"expect": "never", "send": "x"}
    begun = room.ok("pty.exec_interactive", cmd="printf here; read x; kill -9 $$")
    cursor = begun["resume_cursor"]
    room.ok("pty.wait_for", match="here", from_cursor=cursor)
    waiting = room.door.start(operation, conversation_id="r", **more, from_cursor=cursor)
    while not room.door.waits():
        assert not waiting.done(), waiting.result()
    ends()
    answer = waiting.result()
    assert answer["message"] and answer["resume_cursor"] > cursor
    return answer


@clause("terminal d7", "terminal d7a")
@each_door
def test_a_wait_is_told_that_what_it_waits_for_cannot_come(name: str, room: Room) -> None:
    lost = ended_while_waiting(room, "pty.wait_for", lambda: room.ok("pty.send", data="\r"))
    assert (lost["error"], lost["matched"]) == ("shell_lost", False)
    for operation in ("pty.end_session", "pty.reset", "pty.close"):
        ended = ended_while_waiting(room, "pty.expect_send", lambda: room.ok(operation))  # noqa: B023
        assert (ended["error"], ended["sent"]) == ("cancelled", False)


@contextmanager
def full_disk(pid: int) -> Iterator[None]:
    """No file of this process can grow."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@each_door
def test_a_full_disk_refuses_and_loses_nothing(name: str, room: Room) -> None:
    pid = room.door.pid
    with full_disk(pid):
        for operation in ("pty.exec_block", "pty.exec_interactive", "pty.run"):
            room.refused(Code.STORAGE_FULL, operation, cmd="echo NO")
        room.ok("pty.read_spool")
    assert room.ok("pty.run", cmd="echo yes")["data"] == "yes\n"
    assert room.ok("blocks.search", query="NO")["hits"] == []


OWNER = """
import sys
from pathlib import Path
from antiphon.drivers import owner
state = Path(sys.argv[1])
kept = owner.take(state)
owner.make_token(state)
owner.publish(state, "http://127.0.0.1:1")
print("owned", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("made", [LibraryDoor, SyncDoor, McpStdioDoor, None], ids=str)
def test_an_owner_that_does_not_answer_is_said(made: type[Door] | None, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(state)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"owned\n"
        if made is None:
            done = run_cli(state, "call", "pty.list", "--json")
            assert done.returncode == 1 and '"error":"host_unavailable"' in done.stdout
        else:
            with made(state) as door:
                for fields in ({}, {"conversation_id": "r"}):
                    answer = door.ask("pty.open" if fields else "pty.list", **fields)
                    assert answer["error"] == "host_unavailable" and answer["message"]
        assert process.stdin is not None
        process.stdin.close()


def test_the_command_lines_refusals_are_on_stderr(tmp_path: Path) -> None:
    with CliDoor(tmp_path / "state") as door:
        done = run_cli(door.state, "blocks", "nobody")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("antiphon: there is no conversation 'nobody'")
