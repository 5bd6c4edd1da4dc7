from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from antiphon.drivers import owner, processes
from antiphon.drivers.link import connect
from antiphon.drivers.owner import Owned
from antiphon.service.desk import Desk
from tests.clauses import clause
from tests.real.stage import Answer, Stage, until
from tests.real.victim import Gone, Victim

SHELLS = ["bash", *(["zsh"] if shutil.which("zsh") else [])]


@asynccontextmanager
async def server(stage: Stage) -> AsyncIterator[Victim]:
    """A server on the stage's directory, killed at the end if it still lives."""
    victim = await Victim.start(stage.state)
    try:
        yield victim
    finally:
        await victim.kill()


def pids(stage: Stage, name: str = "c") -> tuple[int, int]:
    """The holder's and the shell's, as the holder says them."""
    link = connect(stage.folder(name))
    assert link is not None
    link.close()
    return link.holder_pid, link.shell_pid


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except OSError:
        return True


async def gone(*which: int) -> None:
    await until(lambda: all(map(is_gone, which)), "the killed are dead")


def raw_bytes(stage: Stage) -> int:
    return (stage.folder() / "output.raw").stat().st_size


async def ended(stage: Stage, cursor: int = 0) -> Answer:
    """The newest block, when it has ended."""
    await until(lambda: stage_is_idle(stage), "nothing runs")
    return stage.blocks()[-1]


def stage_is_idle(stage: Stage) -> bool:
    room = stage.desk.rooms.known("c")
    return room.conversation.terminal.active is None


# --- killed at any moment ---------------------------------------------------------


async def play_until_killed(
    stage: Stage, victim: Victim, dice: random.Random, number: int, witness: Path
) -> None:
    """One command, and a kill at some moment of its life."""
    lines, code = dice.randrange(400), dice.randrange(1, 100)
    command = (
        f"echo {number} >> {witness}; for i in $(seq {lines}); do echo {number}:$i; done; "
        f"(exit {code})"
    )
    kind = dice.choice(["pty.exec_block", "pty.exec_interactive", "pty.run"])
    before = raw_bytes(stage) if (stage.folder() / "output.raw").exists() else 0
    answer = victim.asked(kind, cmd=command)
    wait = victim.asked("pty.wait_for", match="never", timeout_ms=60_000)
    match dice.randrange(4):
        case 0:  # at once
            pass
        case 1:  # when it is answered
            await asyncio.wait({answer})
        case 2:  # somewhere in its output
            until_bytes = before + dice.randrange(lines * 8 + 1)
            await until(lambda: answer.done() or raw_bytes(stage) >= until_bytes, "it prints")
        case _:  # after so many turns of our own loop
            for _ in range(dice.randrange(200)):
                await asyncio.sleep(0)
    await victim.kill()
    assert not wait.done() or wait.exception() or not wait.result()["matched"]


async def idle(victim: Victim) -> None:
    """Nothing runs, or the prompt of what runs has come."""
    status = await victim.ok("pty.status")
    if status["mode"] != "idle":
        await victim.asked("pty.wait_prompt", from_cursor=status["resume_cursor"])
        assert (await victim.ok("pty.status"))["mode"] == "idle"


@clause("terminal D15", "terminal D15a", "terminal D8a", "terminal 9.5")
@pytest.mark.parametrize("seed", range(6))
async def test_a_server_killed_at_any_moment_loses_and_doubles_nothing(
    stage: Stage, tmp_path: Path, seed: int
) -> None:
    await stage.ok("pty.open", shell=SHELLS[seed % len(SHELLS)])
    await stage.leave()
    dice, witness = random.Random(seed), tmp_path / "witness"
    spool = b""
    for number in range(6):
        async with server(stage) as victim:
            await idle(victim)  # what the last one left running goes on first
            assert stage.spool().startswith(spool), "what a cursor read once it reads again"
            await play_until_killed(stage, victim, dice, number, witness)
        spool = stage.spool()
    await stage.open()
    await ended(stage)
    assert stage.spool().startswith(spool)
    ran = witness.read_text().split()
    assert len(ran) == len(set(ran)), "no command ran twice"
    blocks = stage.blocks()
    told = [re.match(r"echo (\d+) ", block["cmd"]) for block in blocks]
    assert [match[1] for match in told if match] == ran, "what ran is recorded, once and in order"
    for block in blocks:
        match = re.fullmatch(r"echo (\d+) >> .* in \$\(seq (\d+)\).*\(exit (\d+)\)", block["cmd"])
        assert match is not None
        number, lines, code = map(int, match.groups())
        assert (block["status"], block["exit_code"]) == ("completed", code)
        wanted = "".join(f"{number}:{line}\n" for line in range(1, lines + 1))
        assert stage.output(block["block_id"]).decode() == wanted
    assert await stage.exit_code("(exit 7)") == 7
    assert stage.reasons() == [], "it is the same shell still"


@clause("terminal D8", "terminal D15")
async def test_output_that_pours_through_many_kills_is_whole_and_in_order(stage: Stage) -> None:
    await stage.leave()
    names, count, dice = ["a", "b", "c"], 150_000, random.Random(3)
    for number in range(8):
        async with server(stage) as victim:
            if not number:
                for name in names:
                    await victim.ok(
                        "pty.exec_block", conversation_id=name, cmd=f"seq {count}; (exit 9)"
                    )
            raw = stage.folder(dice.choice(names)) / "output.raw"
            enough = raw.stat().st_size + dice.randrange(200_000)
            cursor = (await victim.ok("pty.status", conversation_id="a"))["resume_cursor"]
            await until(partial(has_poured, raw, enough), "it pours")
        assert len(stage.spool("a")) >= cursor
    await stage.open()
    for name in names:
        await stage.ok("pty.wait_prompt", conversation_id=name, from_cursor=60)
        (block,) = stage.blocks(name)
        assert (block["status"], block["exit_code"]) == ("completed", 9)
        wanted = "".join(f"{line}\n" for line in range(1, count + 1))
        assert stage.output(block["block_id"], name).decode() == wanted


def has_poured(raw: Path, size: int) -> bool:
    """So much, or all of it."""
    return raw.stat().st_size >= size or b";9;" in raw.read_bytes()[-90:]


@pytest.mark.parametrize("seed", range(4))
async def test_a_server_killed_while_a_shell_starts_leaves_one_that_can_be_used(
    stage: Stage, seed: int
) -> None:
    await stage.leave()
    dice = random.Random(seed)
    for _ in range(3):
        async with server(stage) as victim:
            victim.asked("pty.open")
            for _ in range(dice.randrange(2, 400)):
                await asyncio.sleep(0)
    await stage.open()
    assert await stage.exit_code("(exit 3)") == 3
    assert len(stage.blocks()) == 1


async def test_a_wait_that_was_cut_off_is_asked_again_with_its_cursor(stage: Stage) -> None:
    await stage.leave()
    async with server(stage) as victim:
        begun = await victim.ok("pty.exec_interactive", cmd="read -r x; echo got $x")
        wait = victim.asked("pty.wait_for", match="got it", from_cursor=begun["resume_cursor"])
        await victim.ok("pty.status")
    with pytest.raises(Gone):
        await wait
    await stage.open()
    assert (await stage.ok("pty.status"))["active_session_id"] == begun["session_id"]
    await stage.send("it\n")
    matched = await stage.wait("got it", begun["resume_cursor"])
    await stage.prompt(matched["resume_cursor"])
    assert stage.blocks()[-1]["block_id"] == begun["block_id"]


@clause("terminal 9.5")
@pytest.mark.parametrize("shell", SHELLS)
async def test_an_upgrade_loses_no_shell(stage: Stage, shell: str) -> None:
    await stage.ok("pty.open", shell=shell)
    first = await stage.run("x=kept; cd /tmp; echo $$")
    begun = await stage.session("cat")
    for line in ("one", "two"):
        await stage.leave()
        await stage.open()
        await stage.send(f"{line}\n")
        await stage.wait(f"{line}\n", begun["resume_cursor"])
    await stage.keys("C-d")
    await stage.prompt(begun["resume_cursor"])
    assert stage.output(begun["block_id"]).endswith(b"two\n")
    again = await stage.run("echo $$ $x $PWD")
    assert again["data"] == f"{first['data'].strip()} kept /tmp\n"
    assert stage.reasons() == []


async def test_a_line_typed_ahead_is_run_by_the_next_server(stage: Stage) -> None:
    await stage.leave()
    async with server(stage) as victim:
        await victim.ok("pty.open")
        fifo = stage.state / "go"
        os.mkfifo(fifo)
        await victim.ok("pty.exec_block", cmd=f"read -r x < {fifo}")
        await victim.ok("pty.send", data="echo typed ahead\n")
    await stage.open()
    fifo.write_text("go\n")
    await stage.wait("typed ahead")
    await until(lambda: len(stage.blocks()) == 2, "the typed line has ended")
    assert [block["cmd"] for block in stage.blocks()][1] == "echo typed ahead"


# --- the other side dies meanwhile --------------------------------------------------


async def test_a_block_that_ended_while_no_server_lived_has_its_true_exit_code(
    stage: Stage,
) -> None:
    await stage.leave()
    fifo = stage.state / "go"
    async with server(stage) as victim:
        await victim.ok("pty.open")
        os.mkfifo(fifo)
        begun = await victim.ok("pty.exec_block", cmd=f"cat < {fifo}; (exit 41)")
    before = raw_bytes(stage)
    fifo.write_text("while nobody looked\n")
    await until(lambda: raw_bytes(stage) > before + 60, "the prompt has come")
    await stage.open()
    assert (await stage.mode()) == "idle"
    (block,) = stage.blocks()
    assert (block["block_id"], block["status"], block["exit_code"]) == (
        begun["block_id"], "completed", 41,
    )  # fmt: skip
    assert stage.output(block["block_id"]) == b"while nobody looked\n"
    prompt = await stage.prompt(begun["resume_cursor"])
    assert prompt["extra"]["exit_code"] == 41


@clause("terminal D9")
async def test_a_shell_that_died_while_no_server_lived_is_told_at_the_start(stage: Stage) -> None:
    await stage.leave()
    async with server(stage) as victim:
        begun = await victim.ok("pty.exec_block", cmd="cd /tmp; sh -c 'echo here; sleep 1000'")
        await victim.ok("pty.wait_for", match="here")
    victims = pids(stage)
    os.kill(victims[1], signal.SIGKILL)
    await gone(*victims)
    await stage.open()
    (block,) = stage.blocks()  # before anybody has asked
    assert (block["status"], block["exit_code"]) == ("failed", 128 + 9)
    await stage.refused("pty.wait_for", "shell_lost", match="never")
    assert await stage.exit_code("true") == 0
    assert [reason for reason in stage.reasons() if "no server" in reason] == stage.reasons()
    assert len(stage.reasons()) == 1
    assert stage.output(begun["block_id"]) == b"here\n"


async def test_after_everything_was_killed_what_was_said_before_is_still_understood(
    stage: Stage,
) -> None:
    await stage.leave()
    fifo = stage.state / "go"
    async with server(stage) as victim:
        await victim.ok("pty.open")
        os.mkfifo(fifo)
        await victim.ok("pty.exec_block", cmd=f"cat < {fifo}; (exit 42)")
    before = raw_bytes(stage)
    fifo.write_text("x\n")
    await until(lambda: raw_bytes(stage) > before + 60, "the prompt has come")
    victims = pids(stage)
    os.kill(victims[0], signal.SIGKILL)
    await gone(*victims)
    await stage.open()
    (block,) = stage.blocks()
    assert (block["status"], block["exit_code"]) == ("completed", 42)
    assert b"\x1b]7770" not in stage.spool()
    assert await stage.exit_code("(exit 1)") == 1


@clause("terminal d7", "terminal 2.1b")
async def test_a_holder_that_is_killed_is_a_shell_lost(stage: Stage) -> None:
    begun = await stage.block("sh -c 'echo begun; sleep 1000'")
    await stage.wait("begun", begun["resume_cursor"])
    wait = asyncio.create_task(stage.refused("pty.wait_for", "shell_lost", match="never"))
    await asyncio.sleep(0)
    os.kill(pids_of(stage)[0], signal.SIGKILL)
    await wait
    (block,) = stage.blocks()
    assert (block["status"], block["exit_code"]) == ("failed", None)
    assert await stage.exit_code("(exit 5)") == 5
    (reason,) = stage.reasons()
    assert "holder" in reason


def pids_of(stage: Stage) -> tuple[int, int]:
    """As `pids`, while our own desk is the holder's only listener."""
    link = stage.desk.rooms.known("c").conversation.link
    assert link is not None
    return link.holder_pid, link.shell_pid


# --- asked for, and cut short ---------------------------------------------------------


@pytest.mark.parametrize("turns", [0, 5, 50, 500])
@pytest.mark.parametrize("operation", ["pty.end_session", "pty.reset", "pty.close"])
async def test_an_end_that_was_cut_short_leaves_one_end_and_a_usable_terminal(
    stage: Stage, operation: str, turns: int
) -> None:
    await stage.leave()
    async with server(stage) as victim:
        begun = await victim.ok("pty.exec_interactive", cmd="trap '' INT; echo on; cat; (exit 6)")
        await victim.ok("pty.wait_for", match="on\n", from_cursor=begun["resume_cursor"])
        victim.asked(operation)
        for _ in range(turns):
            await asyncio.sleep(0)
    await stage.open()
    if not stage_is_idle(stage):  # it lives on, or has a hangup that it will die of
        await stage.ask("pty.send", keys=["C-d"])
        await ended(stage)
    (block,) = stage.blocks()
    if operation == "pty.end_session" or block["status"] == "completed":
        # It lives on after Ctrl-C, so it was not cancelled by it.
        assert (block["status"], block["exit_code"]) == ("completed", 6)
    else:
        assert block["status"] in {"failed", "cancelled"}
    assert await stage.exit_code("(exit 4)") == 4
    assert len([one for one in stage.events() if one["type"] == "agent_session_reset"]) <= 1


# --- one owner, one place -------------------------------------------------------------


@clause("terminal D15b")
async def test_a_second_server_says_who_owns_the_directory_and_stops(stage: Stage) -> None:
    with pytest.raises(Owned) as refused:
        await Desk.open(stage.state)
    assert refused.value.pid == os.getpid()
    await stage.leave()
    async with server(stage) as victim:
        with pytest.raises(Owned) as refused:
            await Desk.open(stage.state)
        assert refused.value.pid == victim.pid
        await victim.ok("pty.open")
    assert owner.owner_of(stage.state) is None
    await stage.open()  # with the holder of the killed one alive


async def test_a_directory_that_was_moved_keeps_its_history_and_says_what_became_of_its_shell(
    stage: Stage,
) -> None:
    first = await stage.run("echo before")
    await stage.block("sh -c 'echo begun; sleep 1000'")
    await stage.wait("begun", first["resume_cursor"])
    old = pids_of(stage)
    await stage.leave()
    spool = stage.spool()
    stage.state = stage.state.rename(stage.state.with_name("moved"))
    await stage.open()
    assert stage.spool().startswith(spool)
    assert [block["status"] for block in stage.blocks()] == ["completed", "failed"]
    read = await stage.ok("blocks.read", block_id=first["block"]["block_id"])
    assert read["data"] == "before\n"
    assert await stage.exit_code("(exit 8)") == 8
    (reason,) = stage.reasons()
    assert "moved" in reason
    await gone(*old)


async def test_a_copy_of_a_directory_is_no_second_owner_of_its_shells(
    stage: Stage, tmp_path: Path
) -> None:
    begun = await stage.session("cat")
    await stage.send("one\n")
    await stage.wait("one\n", begun["resume_cursor"])
    await stage.leave()
    copy = Stage(tmp_path / "copy")
    shutil.copytree(stage.state, copy.state, symlinks=True, ignore=_sockets)
    async with copy:
        assert [block["status"] for block in copy.blocks()] == ["failed"]
        assert await copy.exit_code("(exit 2)") == 2
    await stage.open()
    await stage.send("two\n")
    await stage.wait("two\n", begun["resume_cursor"])
    await stage.keys("C-d")
    await stage.prompt(begun["resume_cursor"])
    assert stage.blocks()[-1]["status"] == "completed"


def _sockets(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in {"holder.sock", "bell"}]


# --- kept and looked after ------------------------------------------------------------


async def test_a_checkpoint_follows_what_happened_within_moments(stage: Stage) -> None:
    await stage.run("seq 100")
    folder = stage.folder()

    def is_kept() -> bool:
        taken = json.loads((folder / "checkpoint").read_bytes())
        return bool(
            taken["raw_offset"] == raw_bytes(stage)
            and taken["spool"]["size"] == len(stage.spool())
            and taken["events_size"] == (folder / "events.jsonl").stat().st_size
        )

    await until(is_kept, "the checkpoint knows all of it")
    assert (folder / "journal").read_bytes() == b"", "a checkpoint knows the journal too"


async def deafened(shell: int) -> None:
    """The shell is in its trap, and does not listen.

    A signal that comes just before the shell listens waits for its next bell: so it comes again.
    """

    def is_in_trap() -> bool:
        if not processes.descendants(shell):
            os.kill(shell, signal.SIGUSR1)
        return bool(processes.descendants(shell))

    await until(is_in_trap, "the trap runs")


@clause("terminal D9", "terminal D9a")
async def test_a_shell_that_does_not_hear_its_bell_is_lost_and_followed_by_another(
    stage: Stage,
) -> None:
    await stage.run("cd /tmp; trap 'sleep 1000' USR1")
    await deafened(pids_of(stage)[1])
    begun = await stage.block("echo never")
    block = await block_of(stage, begun)
    assert (block["status"], block["exit_code"]) == ("failed", 128 + 9)
    assert (await stage.run("pwd"))["data"] == "/tmp\n"
    (reason,) = stage.reasons()
    assert "no longer hears" in reason


async def test_so_it_is_when_the_server_that_rang_was_killed(stage: Stage) -> None:
    await stage.leave()
    async with server(stage) as victim:
        await victim.ok("pty.run", cmd="trap 'sleep 1000' USR1")
    await deafened(pids(stage)[1])
    async with server(stage) as victim:
        begun = await victim.ok("pty.exec_block", cmd="echo never")
    await stage.open()
    assert await stage.mode() == "block_running"
    assert (await block_of(stage, begun))["status"] == "failed"


async def test_a_command_that_runs_on_under_the_next_server_is_no_lost_shell(stage: Stage) -> None:
    await stage.leave()
    async with server(stage) as victim:
        begun = await victim.ok("pty.exec_block", cmd="sleep 5.5; (exit 3)")
    await stage.open()
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 3
    assert stage.reasons() == []


async def block_of(stage: Stage, begun: Answer) -> Answer:
    await until(
        lambda: any(block["block_id"] == begun["block_id"] for block in stage.blocks()),
        "the block has ended",
    )
    return await stage.get(begun["block_id"])


@clause("terminal events torn")
async def test_a_consumer_that_keeps_its_place_sees_every_event_once(
    stage: Stage, tmp_path: Path
) -> None:
    """Whole lines from an offset on, over kills; what a crash tore was never a line."""
    await stage.ok("pty.open")
    await stage.leave()
    place, seen = 0, list[Answer]()

    def consume() -> int:
        data = (stage.folder() / "events.jsonl").read_bytes()[place:]
        whole = data[: data.rfind(b"\n") + 1]
        seen.extend(json.loads(line) for line in whole.splitlines())
        return place + len(whole)

    dice = random.Random(7)
    for number in range(8):
        async with server(stage) as victim:
            await idle(victim)
            place = consume()
            await play_until_killed(stage, victim, dice, number, tmp_path / "witness")
        place = consume()
    await stage.open()
    await ended(stage)
    place = consume()
    assert stage.blocks()
    assert seen == stage.events()
