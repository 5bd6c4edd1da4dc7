"""Files as a crash may leave them: cut, zeroed or garbled tails, flipped bits; and what is found.

A real conversation is copied while its server is dead, its copies are damaged, and each is
loaded as the next server would.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import antiphon.sync
from antiphon.service import fsck
from antiphon.service.conversation import Conversation
from bench import record
from bench.rows import Row, Stage, duration
from bench.servers import Serving

# What the server writes; the stream itself is the holder's and was there before.
OURS = ("output.spool", "events.jsonl", "blocks.jsonl", "prompts.idx", "journal", "checkpoint")
Damage = Callable[[random.Random, bytes, int], bytes]


# Each damages what lies behind an offset.


def cut(dice: random.Random, data: bytes, kept: int) -> bytes:
    return data[: dice.randint(kept, len(data))]


def zeroed(dice: random.Random, data: bytes, kept: int) -> bytes:
    at = dice.randint(kept, len(data))
    return data[:at] + bytes(len(data) - at)


def garbled(dice: random.Random, data: bytes, kept: int) -> bytes:
    at = dice.randint(kept, len(data))
    return data[:at] + dice.randbytes(len(data) - at)


def flipped(dice: random.Random, data: bytes, synced: int) -> bytes:
    at = dice.randrange(synced)
    return data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :]


@dataclass(frozen=True, slots=True)
class Trials:
    """A kind of damage: to how many files at once, and whether only since the last sync."""

    count: int
    what: str
    damages: tuple[Damage, ...]
    files: tuple[str, ...] = OURS
    files_max: int = 1
    is_anywhere: bool = False  # not as a crash leaves it, but as a bad disk may


def measure(stage: Stage) -> Iterator[Row]:
    whole = stage.folder / "whole"
    _lived(stage, whole)
    reference = stage.folder / "reference" / "conversations" / "c" / "agent_pty"
    shutil.copytree(whole, reference, ignore=_pipes)
    asyncio.run(_loaded(reference))
    for trials in (
        Trials(stage.size.pick(6, 300, 1500), "a tail since the last sync cut off", (cut,)),
        Trials(
            stage.size.pick(6, 600, 6000),
            "tails since the last sync cut, zeroed or garbled",
            (cut, zeroed, garbled),
            files_max=4,
        ),
        Trials(
            stage.size.pick(6, 600, 10_000),
            "`events.jsonl` with a bit flipped before the last sync, or cut, anywhere",
            (flipped, flipped, cut),
            ("events.jsonl",),
            is_anywhere=True,
        ),
    ):
        yield _row(stage, whole, reference, trials)


def _lived(stage: Stage, whole: Path) -> None:
    """Blocks with and without output, a session, an interrupt; then the server is killed."""
    state = stage.folder / "state"
    folder = state / "conversations" / "c" / "agent_pty"
    with Serving(state) as server, antiphon.sync.open(state) as terminals:
        pty = terminals.pty
        for command in ("true", "printf 'é漢\\r\\nno line end'", "seq 1 40", "(exit 9)"):
            pty.run("c", command)
        begun = pty.exec_interactive("c", "echo started; cat")
        pty.wait_for("c", match="started", from_cursor=begun.resume_cursor)
        pty.send("c", data="said\r")
        time.sleep(1.2)  # a checkpoint is taken in the middle of a session
        pty.send("c", data="more\r")
        pty.wait_for("c", match="more", from_cursor=begun.resume_cursor)
        pty.send("c", data="\x03")
        pty.wait_prompt("c", from_cursor=begun.resume_cursor)
        pty.run("c", "seq 1 20")
        pty.run("c", "printf '\\xff\\xfe'")
        server.kill()
        shutil.copytree(folder, whole, ignore=_pipes)


def _pipes(folder: str, names: list[str]) -> list[str]:
    paths = {name: Path(folder) / name for name in names}
    return [name for name, path in paths.items() if not (path.is_file() or path.is_dir())]


async def _loaded(folder: Path) -> None:
    conversation = Conversation("c", folder)
    conversation.resume()
    conversation.tell_damage()
    conversation.close()


def _synced(whole: Path) -> dict[str, int]:
    """What was on the disk for good when the last checkpoint was taken."""
    checkpoint = json.loads((whole / "checkpoint").read_bytes())
    names = {"events.jsonl": "events_size", "blocks.jsonl": "blocks_size"}
    names["prompts.idx"] = "prompts_size"
    found = {name: int(checkpoint[field]) for name, field in names.items()}
    # A checkpoint takes the place of the older one whole, or not.
    found["checkpoint"] = (whole / "checkpoint").stat().st_size
    return found | {"output.spool": int(checkpoint["spool"]["size"]), "journal": 0}


def _row(stage: Stage, whole: Path, reference: Path, trials: Trials) -> Row:
    dice, synced = random.Random(trials.count), _synced(whole)
    raised = wrong = unstable = same = silent = lost = 0
    blocks = (reference / "blocks.jsonl").read_bytes().count(b"\n")
    spool = (reference / "output.spool").read_bytes()
    started = time.perf_counter()
    for _ in range(trials.count):
        folder = stage.folder / "trial" / "conversations" / "c" / "agent_pty"
        shutil.rmtree(stage.folder / "trial", ignore_errors=True)
        shutil.copytree(whole, folder)
        most = min(trials.files_max, len(trials.files))
        for name in dice.sample(trials.files, dice.randint(1, most)):
            path = folder / name
            kept = 0 if trials.is_anywhere else synced[name]
            if path.exists() and path.stat().st_size > kept:
                damage = dice.choice(trials.damages)
                from_where = synced[name] if damage is flipped else kept
                path.write_bytes(damage(dice, path.read_bytes(), from_where))
        try:
            asyncio.run(_loaded(folder))
            before = _digest(folder)
            asyncio.run(_loaded(folder))
        except Exception as error:  # noqa: BLE001 - each one is counted
            raised += 1
            if raised <= 2:
                stage.say(f"{type(error).__name__}: {error}")
            continue
        found = _violations(folder)
        if found and not (wrong or trials.is_anywhere):
            stage.say(found[0])
        wrong += bool(found)
        if found and not any(fsck.check(folder, again_s=0)):
            stage.say(f"not told: {found[0]}")
            silent += 1
        lost += (folder / "blocks.jsonl").read_bytes().count(b"\n") < blocks
        unstable += _digest(folder) != before
        same += (folder / "output.spool").read_bytes() == spool
    took = time.perf_counter() - started
    if trials.is_anywhere:
        return Row(
            f"{trials.count:,} states: {trials.what}",
            f"{raised} exceptions, {unstable} changed by a second start, {wrong} inconsistent, of "
            f"which {silent} not told by `fsck`; {lost} with a block less in `blocks.since`",
            target="0, 0, told, 0",
            is_reached=not (raised or unstable or silent or lost),
        )
    return Row(
        f"{trials.count:,} states: {trials.what}",
        f"{raised} exceptions, {unstable} changed by a second start, {wrong} inconsistent; the "
        f"whole spool again in {same:,}; {duration(took / trials.count)} each",
        target="0, 0, 0",
        is_reached=not (raised or unstable or wrong),
    )


def _violations(folder: Path) -> list[str]:
    try:
        return record.violations(folder)
    except (ValueError, KeyError, TypeError) as error:  # a line that is none of ours
        return [f"{type(error).__name__}: {error}"]


def _digest(folder: Path) -> str:
    made = hashlib.sha256()
    for name in ("output.spool", "events.jsonl", "blocks.jsonl", "prompts.idx"):
        made.update((folder / name).read_bytes() + b"\0")
    return made.hexdigest()
