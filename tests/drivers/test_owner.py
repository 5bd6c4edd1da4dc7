from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from antiphon.base.errors import Broken
from antiphon.drivers import owner
from antiphon.drivers.owner import Note, Owned
from tests.clauses import clause

HOLD = """
import sys
from pathlib import Path
from antiphon.drivers import owner
held = owner.take(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def other_process(state: Path) -> subprocess.Popen[str]:
    """Another process that owns the directory until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@clause("terminal D15b")
def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path) -> None:
    state = tmp_path / "state"
    process = other_process(state)
    with pytest.raises(Owned, match=f"process {process.pid}, which listens nowhere") as refused:
        owner.take(state)
    assert (refused.value.pid, refused.value.address) == (process.pid, None)
    end(process)
    owner.take(state).release()


def test_the_same_process_is_no_second_owner(tmp_path: Path) -> None:
    first = owner.take(tmp_path / "state")
    first.publish("http://127.0.0.1:1")
    with pytest.raises(Owned, match=r"at http://127\.0\.0\.1:1"):
        owner.take(tmp_path / "state")
    first.release()
    owner.take(tmp_path / "state").release()


def test_an_owner_that_was_killed_owns_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    process = other_process(state)
    assert owner.owner_of(state) is not None
    end(process)
    assert owner.owner_of(state) is None, "its note is there still"
    held = owner.take(state)
    assert owner.owner_of(state) == Note(pid=os.getpid(), started=_started())
    held.release()
    assert not (state / owner.NOTE_FILE).exists()


def _started() -> int:
    stat_line = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    return int(stat_line[19])


def test_a_pid_that_is_somebody_elses_now_is_no_owner(tmp_path: Path) -> None:
    held = owner.take(tmp_path / "state")
    note = owner.owner_of(tmp_path / "state")
    assert note is not None
    held.release()
    path = tmp_path / "state" / owner.NOTE_FILE
    path.write_text(f'{{"pid":{note.pid},"started":{note.started + 1}}}')
    assert owner.owner_of(tmp_path / "state") is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid":"x"}', "\0" * 9])
def test_a_torn_note_is_none_and_the_lock_decides(tmp_path: Path, content: str) -> None:
    state = owner.prepared(tmp_path / "state")
    (state / owner.NOTE_FILE).write_text(content)
    assert owner.owner_of(state) is None
    owner.take(state).release()


@clause("terminal D14")
def test_the_directory_and_what_is_in_it_are_ours_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        state = tmp_path / "a" / "state"
        held = owner.take(state)
        owner.make_token(state)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (state.parent, state)}
    assert modes == {"a": 0o700, "state": 0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()} == {0o600}
    held.release()
    state.chmod(0o755)
    owner.take(state).release()
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_the_directory_is_where_the_environment_says_or_below_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTIPHON_STATE_DIR", str(tmp_path))
    assert owner.default_state_dir() == tmp_path
    monkeypatch.delenv("ANTIPHON_STATE_DIR")
    assert owner.default_state_dir() == Path.home() / ".cache" / "app_server"


@pytest.mark.parametrize("name", [owner.LOCK_FILE, owner.NOTE_FILE, owner.TOKEN_FILE])
@pytest.mark.parametrize("plant", ["symlink", "hardlink", "fifo", "folder"])
def test_what_somebody_planted_is_refused_or_replaced_and_never_written_to(
    tmp_path: Path, name: str, plant: str
) -> None:
    state = owner.prepared(tmp_path / "state")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    path = state / name
    match plant:
        case "symlink":
            path.symlink_to(elsewhere)
        case "hardlink":
            path.hardlink_to(elsewhere)
        case "fifo":
            os.mkfifo(path)
        case _:
            path.mkdir()
    try:
        held = owner.take(state)
    except Broken:
        assert elsewhere.read_text() == "theirs"
        path.rmdir() if plant == "folder" else path.unlink()
        held = owner.take(state)
    if name == owner.TOKEN_FILE and plant != "folder":
        token = owner.make_token(state)
        assert owner.kept_token(state) == token
    assert elsewhere.read_text() == "theirs"
    held.release()


def test_a_link_to_a_directory_or_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").write_text("")
    for name, said in (("link", "symbolic link"), ("file", "no directory")):
        with pytest.raises(Broken, match=said):
            owner.take(tmp_path / name)


def test_a_token_is_new_at_every_start_and_gone_when_forgotten(tmp_path: Path) -> None:
    state = owner.prepared(tmp_path / "state")
    assert owner.kept_token(state) is None
    tokens = {owner.make_token(state) for _ in range(5)}
    assert len(tokens) == 5 and owner.kept_token(state) in tokens
    owner.forget_token(state)
    owner.forget_token(state)
    assert owner.kept_token(state) is None
