"""fsck: silent on sound files, and a sentence for each way in which they can disagree."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from antiphon.adapters.cli import main
from antiphon.service import fsck
from antiphon.service.desk import Desk
from tests.real.programs import so_far
from tests.real.stage import Stage, until

SHELLS = ("bash", "zsh")


def found(folder: Path) -> list[str]:
    return list(fsck.check(folder))


def picture(folder: Path) -> dict[str, tuple[int, str]]:
    """Every file's mode and content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("shell", SHELLS)
async def test_files_of_a_full_life_agree_at_every_step(stage: Stage, shell: str) -> None:
    await stage.ok("pty.open", shell=shell)
    assert found(stage.folder()) == []
    for cmd in (
        "echo one", "true", "printf 'no end'", "printf 'a\\r\\n\\r'", "cd /; false",
        so_far(stage.folder() / "output.raw"), "printf '\\033]7770;1;0123456789abcdef;R\\007'",
        "printf '\\377\\303'", "(sleep 0.05; echo late) & echo now", "exit 3", "echo again",
    ):  # fmt: skip
        await stage.run(cmd)
        assert found(stage.folder()) == [], cmd
    known = len(stage.blocks())
    await stage.send("echo typed\r")
    await until(lambda: len(stage.blocks()) > known, "the typed line ran")
    await stage.keys("C-c")
    await stage.ok("pty.resize", cols=100, rows=30)
    begun = await stage.session("printf 'Name: '; read x")
    await stage.wait("Name: ", begun["resume_cursor"])
    assert found(stage.folder()) == []
    await stage.leave()
    assert found(stage.folder()) == []
    await stage.open()
    await stage.send("bob\r")
    await stage.prompt(begun["resume_cursor"])
    await stage.ok("pty.reset")
    await stage.ok("pty.close")
    assert found(stage.folder()) == []


async def test_it_may_run_beside_a_server_that_writes(stage: Stage) -> None:
    begun = await stage.block("seq 1 60000")
    for _ in range(5):
        assert found(stage.folder()) == []
    await stage.prompt(begun["resume_cursor"], timeout_ms=60_000)
    assert found(stage.folder()) == []


# --- each file, damaged in each way -------------------------------------------------------------

Damage = Callable[[Path], None]


def cut(name: str, size: int) -> Damage:
    return lambda folder: os.truncate(folder / name, (folder / name).stat().st_size - size)


def add(name: str, data: bytes) -> Damage:
    def damage(folder: Path) -> None:
        with (folder / name).open("ab") as file:
            file.write(data)

    return damage


def swap(name: str, old: bytes, new: bytes) -> Damage:
    def damage(folder: Path) -> None:
        content = (folder / name).read_bytes()
        assert old in content, (name, old)
        (folder / name).write_bytes(content.replace(old, new, 1))

    return damage


def line(name: str, number: int, *, twice: bool = False) -> Damage:
    """One line away, or there twice."""

    def damage(folder: Path) -> None:
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        lines[number : number + 1] = [lines[number]] * (2 if twice else 0)
        (folder / name).write_bytes(b"".join(lines))

    return damage


def item(name: str, form: str, number: int, *fields: int) -> Damage:
    def damage(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        struct.pack_into(form, content, number * struct.calcsize(form), *fields)
        (folder / name).write_bytes(content)

    return damage


def state(**fields: object) -> Damage:
    def damage(folder: Path) -> None:
        known = json.loads((folder / "checkpoint").read_bytes())
        (folder / "checkpoint").write_text(json.dumps(known | fields))

    return damage


def remove(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def mode(name: str, bits: int) -> Damage:
    return lambda folder: (folder / name).chmod(bits)


def link(name: str) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).rename(folder.parent / "elsewhere")
        (folder / name).symlink_to(folder.parent / "elsewhere")

    return damage


DAMAGES: list[tuple[Damage, str]] = [
    (cut("events.jsonl", 5), "events.jsonl ends in a torn line"),
    (add("events.jsonl", b'{"type"'), "events.jsonl ends in a torn line of 7 bytes"),
    (add("events.jsonl", b'{"type":"x"}\n'), "is no event: Invalid value 'x'"),
    (swap("events.jsonl", b"agent_block_begin", b"agent_block_begi"), "line 1 is no event"),
    (line("events.jsonl", 0), "c.1 ends, and nothing runs"),
    (line("events.jsonl", 0, twice=True), "c.1 begins a second time"),
    (line("events.jsonl", 1), "ends with 4 bytes of output, and its deltas have 0"),
    (line("events.jsonl", 1, twice=True), "of the spool, and"),
    (line("events.jsonl", 2), "c.2 begins, and c.1 has not ended"),
    (line("events.jsonl", 2, twice=True), "c.1 ends, and nothing runs"),
    (swap("events.jsonl", b'"delta":"one\\n"', b'"delta":"onE\\n"'), "the delta is not what"),
    (swap("events.jsonl", b'"output_bytes":4', b'"output_bytes":5'), "ends with 5 bytes"),
    (add("blocks.jsonl", b"{"), "blocks.jsonl ends in a torn line of 1 bytes"),
    (add("inputs.jsonl", b"{"), "inputs.jsonl ends in a torn line of 1 bytes"),
    (add("inputs.jsonl", b"{}\n"), "is no input: "),
    (add("blocks.jsonl", b"{}\n"), "blocks.jsonl line 4 is no block"),
    (line("blocks.jsonl", 1), "blocks.jsonl line 2 says another thing of c.3"),
    (line("blocks.jsonl", 2), "blocks.jsonl has 2 blocks, and in events.jsonl 3 have ended"),
    (line("blocks.jsonl", 2, twice=True), "blocks.jsonl has 4 blocks"),
    (swap("blocks.jsonl", b'"exit_code":0', b'"exit_code":9'), "says another thing of c.1"),
    (remove("blocks/c.1.out"), "blocks/c.1.out is missing"),
    (cut("blocks/c.1.out", 1), "blocks/c.1.out has 3 bytes, and c.1 printed 4"),
    (add("blocks/c.1.out", b"x"), "blocks/c.1.out has 5 bytes"),
    (swap("blocks/c.1.out", b"one", b"two"), "blocks/c.1.out is not what output.spool has"),
    (add("blocks/c.77.out", b"x"), "blocks/c.77.out belongs to no block"),
    (cut("prompts.idx", 3), "prompts.idx ends in 13 bytes"),
    (cut("prompts.idx", 16), "output.raw"),
    (add("prompts.idx", struct.pack("<QQ", 1 << 40, 1 << 41)), "within output.spool"),
    (item("prompts.idx", "<QQ", 1, 0, 4), "is not behind the last one"),
    (item("prompts.idx", "<QQ", 0, 0, 5), "is no prompt's line"),
    (cut("output.spool", 4), "checkpoint knows output.spool up to"),
    (add("output.spool", b"more"), "output.spool has 4 bytes from"),
    (swap("output.spool", b"one", b"own"), "the delta is not what output.spool has"),
    (swap("output.spool", b"exit=3", b"exit=4"), "output.raw"),
    (swap("output.spool", b"__FWS", b"__fws"), "is no prompt's line in output.spool"),
    (swap("output.spool", b"between", b"betwixt"), "does not follow from output.raw"),
    (swap("output.spool", b"between\n", b"between\r\n"), "carriage return before the line end"),
    (swap("output.raw", b"between", b"betwixt"), "does not follow from output.raw"),
    (cut("output.raw", 40), "output.raw"),
    (swap("output.raw", b";P;", b";Q;"), "output.raw"),
    (cut("output.times", 1), "output.times ends in 15 bytes"),
    (item("output.times", "<QQ", 0, 1, 1 << 40), "output.times item 1 is at"),
    (cut("output.sizes", 1), "output.sizes ends in 23 bytes"),
    (item("output.sizes", "<QQII", 0, 1, 0, 0, 40), "is no size of a terminal: 0 x 40"),
    (state(raw_offset=1 << 40), "checkpoint knows output.raw up to"),
    (state(events_size=1 << 40), "checkpoint knows events.jsonl up to"),
    (state(events_size=7), "events.jsonl up to 7, which is inside a line"),
    (state(blocks_size=7), "blocks.jsonl up to 7, which is inside a line"),
    (state(prompts_size=1 << 40), "checkpoint knows prompts.idx up to"),
    (state(raw_offset=-1), "checkpoint has a negative raw_offset"),
    (state(said_until=1 << 40), "checkpoint says deltas up to"),
    (state(spool={"size": 1 << 40}), "checkpoint knows output.spool up to"),
    (state(unknown=1), "checkpoint cannot be read"),
    (cut("checkpoint", 9), "checkpoint cannot be read"),
    (add("journal", b"{"), "journal ends in a torn line"),
    (add("journal", b"{}\n"), "is no entry"),
    (add("journal", b'{"serial":1,"at":99999,"kind":"end"}\n'), "is at 99999, and output.raw has"),
    (add("journal", b'{"serial":1,"at":0,"kind":"end"}\n' * 2), "has the serial 1 after 1"),
    (add("shell", b"x"), "shell is not the shell that is wanted"),
    (swap("exit", b" ", b"-"), "exit is not an exit status and a key"),
    (add(".transcript_offset", b"999999"), ".transcript_offset is not an offset within"),
    (add(".transcript_offset", b"x"), ".transcript_offset is not an offset within"),
    (mode("output.spool", 0o644), "output.spool is open to others: its mode is 0644"),
    (mode("blocks", 0o755), "blocks is open to others: its mode is 0755"),
    (link("output.raw"), "output.raw is a symbolic link"),
    *((remove(name), f"{name} is missing") for name in fsck.ALWAYS),
]


async def test_each_damage_is_named_and_nothing_is_changed(tmp_path: Path) -> None:
    state_dir = tmp_path / "state"
    async with Stage(state_dir) as stage:
        await stage.run("echo one")
        await stage.run("true")
        first = await stage.run("(read x < <(sleep 0.1); echo bet''ween) & (exit 3)")
        await stage.wait("between\n", first["resume_cursor"])
        await stage.ok("pty.close")
        sound = stage.folder()
    assert found(sound) == []
    missed = []
    for number, (damage, sentence) in enumerate(DAMAGES):
        folder = tmp_path / str(number) / "agent_pty"
        shutil.copytree(sound, folder, symlinks=True, ignore=shutil.ignore_patterns("bell"))
        damage(folder)
        before = picture(folder)
        said = list(fsck.check(folder, again_s=0))
        if not any(sentence in one for one in said):
            missed.append((number, sentence, said))
        assert picture(folder) == before
    assert missed == []


async def test_what_a_crash_leaves_is_mended_by_the_next_start(stage: Stage) -> None:
    await stage.run("echo one")
    await stage.leave()
    for name in ("events.jsonl", "blocks.jsonl"):
        with (stage.folder() / name).open("ab") as file:
            file.write(b'{"torn')
    assert len(found(stage.folder())) == 2
    await stage.open()
    assert (await stage.run("echo two"))["data"] == "two\n"
    assert found(stage.folder()) == []


async def test_the_command_names_the_conversation_and_exits_1(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        await stage.run("echo x", conversation_id=name)
    given = ["fsck", "--state-dir", str(stage.state)]
    assert main(given) == 0
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "found": {"a": [], "b": []}}
    (output,) = (stage.folder("b") / "blocks").iterdir()
    output.write_bytes(b"y\n")
    assert main(given) == 1
    assert re.fullmatch(r"(antiphon: )?b: blocks/b\.1\.out is not .*\n", capsys.readouterr().err)
    assert main([*given, "a"]) == 0
    assert main([*given, "b", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False and len(answer["found"]["b"]) == 1
    assert main([*given, "nothing"]) == 1
    output.write_bytes(b"x\n")
    assert isinstance(stage.desk, Desk)
