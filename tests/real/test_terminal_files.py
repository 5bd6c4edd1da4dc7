"""docs/TERMINAL-FILES.md, sentence by sentence, against a real folder."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from antiphon.drivers import owner
from tests.clauses import clause
from tests.real.stage import Stage, until

PAGE = (Path(__file__).parents[2] / "docs" / "TERMINAL-FILES.md").read_text(encoding="utf-8")
TABLE = [line for line in PAGE.splitlines() if line.startswith("| `")]
NAMES = [name for line in TABLE for name in re.findall(r"`([^`]+)`", line.split("|")[1])]


async def lived(stage: Stage) -> None:
    """A conversation that has every kind of file."""
    await stage.run("echo one")
    await stage.run("true")
    await stage.ok("pty.resize", cols=90, rows=30)
    await stage.run("exit 3")
    await stage.run("echo two")


@clause("terminal 11.6")
async def test_each_file_stands_on_the_page_and_each_of_the_page_is_there(stage: Stage) -> None:
    await lived(stage)
    there = {str(path.relative_to(stage.folder())) for path in stage.folder().rglob("*")}
    files = {name for name in there if not (stage.folder() / name).is_dir()}
    outputs = {name for name in files if name.startswith("blocks/")}
    known = set(NAMES) - {"blocks/<block id>.out", ".transcript_offset"}
    await stage.leave()
    assert outputs == {f"blocks/{block['block_id']}.out" for block in stage.blocks()}
    await stage.open()
    await stage.ok("pty.close")
    files |= {path.name for path in stage.folder().iterdir() if not path.is_dir()}
    assert files - outputs == known


@clause("terminal D14")
async def test_folders_are_0700_and_files_0600_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        async with Stage(tmp_path / "state") as stage:
            await lived(stage)
            await stage.run("umask 0; echo three")
            wrong = [
                path
                for path in (stage.state, *stage.state.rglob("*"))
                if stat.S_IMODE(path.lstat().st_mode) & 0o077
                or (path.is_dir() and stat.S_IMODE(path.lstat().st_mode) != 0o700)
                or (path.is_file() and stat.S_IMODE(path.lstat().st_mode) != 0o600)
            ]
            assert wrong == []
    finally:
        os.umask(before)


@clause("terminal D14")
def test_the_state_directory_is_the_variables_else_below_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ANTIPHON_STATE_DIR", raising=False)
    assert owner.default_state_dir() == tmp_path / ".cache" / "app_server"
    monkeypatch.setenv("ANTIPHON_STATE_DIR", str(tmp_path / "mine"))
    assert owner.default_state_dir() == tmp_path / "mine"


async def test_the_holder_and_its_socket_outlive_the_server(stage: Stage) -> None:
    await stage.run("true")
    begun = await stage.block("sleep 0.2; echo later")
    await stage.leave()
    raw = stage.folder() / "output.raw"
    assert stat.S_ISSOCK((stage.folder() / "holder.sock").stat().st_mode)
    await until(lambda: b"later" in raw.read_bytes(), "the output came without a server")
    assert b"later" not in stage.spool()
    await stage.open()
    await stage.wait("later", begun["resume_cursor"])
    await stage.ok("pty.close")
    assert not (stage.folder() / "holder.sock").exists()


async def test_a_torn_line_is_kept_beside_its_file(stage: Stage) -> None:
    await stage.run("echo one")
    await stage.leave()
    for name in ("events.jsonl", "blocks.jsonl"):
        with (stage.folder() / name).open("ab") as file:
            file.write(b'{"torn')
    await stage.open()
    await stage.run("echo two")
    for name in ("events.jsonl", "blocks.jsonl"):
        assert (stage.folder() / f"{name}.torn").read_bytes() == b'{"torn'


async def test_a_lost_checkpoint_is_made_again(stage: Stage) -> None:
    await stage.run("echo one")
    await stage.leave()
    (stage.folder() / "checkpoint").unlink()
    await stage.open()
    assert (await stage.run("echo two"))["data"] == "two\n"
    assert [block["cmd"] for block in stage.blocks()] == ["echo one", "echo two"]
