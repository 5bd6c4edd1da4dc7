"""Power cuts under `durability = power`: what was told and is not there afterwards; its price.

The server lives in this process, and what it syncs is noted.  After each end that is told the files
are copied as they are, and each trial takes from a copy what no sync had put beyond reach.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import antiphon.sync
from antiphon.drivers.store import Store
from antiphon.library import Durability
from antiphon.service.conversation import Conversation
from antiphon.wire.terminal import Block
from bench import record
from bench.rows import Row, Stage, duration, p50, spread

COMMANDS = (
    "true",
    "printf 'é漢\\r\\nno line end'",
    "seq 1 2000",
    "(exit 9)",
    "printf '\\xff\\xfe'",
    "sleep 0.3; echo late",
    "sh -c 'kill -9 $$'",
)
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Moment:
    """Just after an end was told, or while a command runs."""

    folder: Path  # a copy of the state directory
    safe: dict[str, int]  # how much of a file no power cut takes
    told: tuple[record.Json, ...]  # blocks as they ended
    begun: int


def measure(stage: Stage) -> Iterator[Row]:
    moments = _lived(stage)
    count = stage.size.pick(20, 1000, 6000)
    dice = random.Random(count)
    lost_ends = lost_begins = inconsistent = raised = 0
    for number in range(count):
        moment = moments[number % len(moments)]
        folder = stage.folder / "trial"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(moment.folder, folder)
        conversation = folder / "conversations" / "c" / "agent_pty"
        _cut(dice, conversation, moment.safe)
        try:
            asyncio.run(_loaded(conversation))
        except Exception as error:  # noqa: BLE001 - each one is counted
            raised += 1
            stage.say(f"{type(error).__name__}: {error}")
            continue
        found = record.violations(conversation)
        if found:
            stage.say(found[0])
        inconsistent += bool(found)
        ended = {one["block_id"]: one for one in record.lines(conversation / "blocks.jsonl")}
        lost_ends += sum(_what(one) != _what(ended.get(one["block_id"])) for one in moment.told)
        lost_begins += moment.begun - len(ended)
    yield Row(
        f"{count:,} power cuts, after each of {len(moments)} moments: ends that were told, lost",
        f"{lost_ends}",
        target="0",
        is_reached=not lost_ends and not raised,
    )
    yield Row(
        "begins of commands that ran, lost; states that contradict themselves; exceptions",
        f"{lost_begins}, {inconsistent}, {raised}",
        target="0, 0, 0",
        is_reached=not (lost_begins or inconsistent or raised),
    )
    yield _price(stage)


def _lived(stage: Stage) -> list[Moment]:
    """A conversation in which everything is noted that reaches the disk."""
    safe: dict[str, int] = {}

    def noted(_: Store, fd: int) -> None:
        os.fdatasync(fd)
        safe[Path(f"/proc/self/fd/{fd}").readlink().name] = os.fstat(fd).st_size

    moments: list[Moment] = []
    state = stage.folder / "lived"

    def moment(told: list[record.Json], begun: int) -> None:
        copied = dict(safe)  # what is synced from here on is safer than is said
        folder = stage.folder / f"moment-{len(moments)}"
        shutil.copytree(state / "conversations", folder / "conversations", ignore=_pipes)
        moments.append(Moment(folder, copied, tuple(told), begun))

    # The disk itself cannot be asked.
    with (
        patch.object(Store, "to_disk", noted),
        antiphon.sync.open(state, durability="power") as terminals,
    ):
        told: list[record.Json] = []
        for command in COMMANDS:
            terminals.pty.run("c", command)
            told = [_plain(one) for one in terminals.blocks.since("c").items]
            moment(told, len(told))
        terminals.pty.exec_block("c", "echo begun; cat")
        moment(told, len(told) + 1)
        terminals.pty.close("c")
    return moments


def _plain(block: Block) -> record.Json:
    return {"block_id": block.block_id, "status": block.status, "exit_code": block.exit_code}


def _what(block: record.Json | None) -> object:
    return block and (block["block_id"], block["status"], block["exit_code"])


def _pipes(folder: str, names: list[str]) -> list[str]:
    paths = {name: Path(folder) / name for name in names}
    return [name for name, path in paths.items() if not (path.is_file() or path.is_dir())]


def _cut(dice: random.Random, folder: Path, safe: dict[str, int]) -> None:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        if path.name == "checkpoint":  # whole; and the machine is another one afterwards
            head, _, tail = whole.partition(b'"boot":"')
            path.write_bytes(head + b'"boot":"' + tail[tail.index(b'"') :])
            continue
        at = dice.randint(min(safe.get(path.name, 0), len(whole)), len(whole))
        rest = len(whole) - at
        path.write_bytes(whole[:at] + dice.choice((b"", bytes(rest), dice.randbytes(rest))))


async def _loaded(folder: Path) -> None:
    conversation = Conversation("c", folder)
    conversation.resume()
    conversation.close()


# --- what it costs ----------------------------------------------------------------


def _price(stage: Stage) -> Row:
    count = stage.size.pick(5, 200, 500)
    took: dict[Durability, list[float]] = {"process": [], "power": []}
    for number in range(ROUNDS):
        for durability, times in took.items():
            state = stage.folder / f"{durability}-{number}"
            with antiphon.sync.open(state, durability=durability) as terminals:
                terminals.pty.run("c", "true")
                for _ in range(count):
                    started = time.perf_counter()
                    terminals.pty.run("c", "true")
                    times.append(time.perf_counter() - started)
                terminals.pty.close("c")
    synced = _syncs(stage.folder, count)
    return Row(
        "`pty.run true` under `durability = power`",
        spread(took["power"]),
        f"under `process` {spread(took['process'])}; an append and a sync {duration(p50(synced))}",
        ratio=p50(took["power"]) / p50(took["process"]),
    )


def _syncs(folder: Path, count: int) -> list[float]:
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        taken = []
        for _ in range(count):
            started = time.perf_counter()
            file.write(b"x" * 300)
            file.flush()
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - started)
    return taken
