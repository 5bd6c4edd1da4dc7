"""Marks and commands: what is no prompt is taken for none, and no prompt is missed."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections.abc import Iterator
from pathlib import Path

import antiphon
from antiphon.library import Terminals
from bench import record
from bench.rows import Row, Stage, duration, p50, spread

ENTER_S_MAX = 1e-3
HOOK_S_MAX = 0.3e-3
STUCK_MAX = 10  # then the rest would say the same
# Each prints what a prompt looks like, COUNT times; FOLDER is the conversation's own.
FORGERIES = {
    "its own terminal's bytes, replayed": "for i in {1..COUNT}; do cat FOLDER/output.raw; done",
    "its last mark, replayed": "m=$(grep -a -o $'\\e]7770;[^\\a]*\\a' FOLDER/output.raw | tail -1);"
    " for i in {1..COUNT}; do printf '%s' \"$m\"; done",
    "its spool": "for i in {1..COUNT}; do cat FOLDER/output.spool; done",
    "a sentinel that it made": "for i in {1..COUNT}; do"
    " printf '__FWS_PROMPT__ ts=%s cwd_b64=Lw== exit=0\\n' $i; done",
    "a sentinel at a line's end": "for i in {1..COUNT}; do"
    " printf 'x__FWS_PROMPT__ ts=1 cwd_b64=Lw== exit=0\\n'; done",
    "marks with guessed tokens": "for i in {1..COUNT}; do"
    " printf '\\e]7770;%d;%016x;P;1.0;0;1;r;/\\a' $i $RANDOM; done",
    "marks cut in two": "for i in {1..COUNT}; do printf '\\e]7770;%d;%016x;P' $i $RANDOM;"
    " printf ';1.0;0;1;r;/\\a'; done",
    "marks by echo": "for i in {1..COUNT}; do"
    " echo -ne '\\e]7770;'$i';0123456789abcdef;P;1;0;1;r;/\\a'; done",
    "marks of typed lines": "for i in {1..COUNT}; do"
    " printf '\\e]7770;%d;%016x;T;1.0;bHM=\\a' $i $RANDOM; done",
    "marks of the line editor": "for i in {1..COUNT}; do"
    " printf '\\e]7770;%d;%016x;R\\a' $i $RANDOM; done",
    "what the shell was told, as far as it is still there": "for i in {1..COUNT}; do"
    " tr '\\0' '\\n' <FOLDER/ctl/run; done",
    "its record": "for i in {1..COUNT}; do cat FOLDER/events.jsonl; done",
}
# What may stand before a command without changing its exit code.
TROUBLE = {
    "set -e": 5,
    "set -u": 5,
    "set -o posix": 5,
    "set -o noclobber": 5,
    "set -f": 5,
    "PS1='$ '": 5,
    "PS1='\\e]7770;'": 5,
    "PROMPT_COMMAND=": 5,
    "unset PROMPT_COMMAND": 5,
    "PROMPT_COMMAND='true; :'": 5,
    "IFS=0123456789": 5,
    "PATH=/nonexistent": 5,
    "LC_ALL=C": 5,
    "unset EPOCHREALTIME": 5,
    "exec >/dev/null": 5,
    "exec 2>&-": 5,
    "exec 3>&-": 5,
    "stty raw -echo": 5,
    "stty -opost": 5,
    "printf '\\e[?1049h'": 5,
    "printf 'no line end'": 5,
    "trap 'echo trapped' EXIT": 5,
    "trap : DEBUG": 5,
    "trap : ERR": 5,
    "shopt -s extglob nullglob dotglob": 5,
    "alias printf=false read=false": 5,
    "printf() { :; }; read() { :; }": 5,
    "mkdir -p 'a\nb' && cd 'a\nb'": 5,
    "mkdir -p gone && cd gone && rmdir ../gone": 5,
    "readonly x=1; x=2": 5,
    "umask 777": 5,
    "ulimit -n 16": 5,
    "set -x": 5,
    "unset -f __fws_hook": 5,
    "export BASH_ENV=/nonexistent ENV=/nonexistent": 5,
    "TMOUT=1": 5,
    "set -T -E": 5,
    "POSIXLY_CORRECT=1": 5,
    "cd /": 5,
    "CDPATH=/usr": 5,
}


def measure(stage: Stage) -> Iterator[Row]:
    yield from asyncio.run(_measured(stage))


async def _measured(stage: Stage) -> list[Row]:
    rows = []
    async with antiphon.open(stage.folder / "state") as terminals:
        try:
            rows.append(await _forged(terminals, stage))
            rows += await _genuine(terminals, stage)
            rows.append(await _trouble(terminals, stage))
            rows += [
                await _interrupts(terminals, stage, is_begun=True),
                await _interrupts(terminals, stage, is_begun=False),
            ]
            rows.append(await _commands(terminals, stage))
            rows.append(await _echoes(terminals, stage))
        finally:
            for listed in (await terminals.pty.list()).conversations:
                await terminals.pty.close(listed.conversation_id)
    return rows


def _prompts(stage: Stage, name: str) -> int:
    return len(record.prompts(stage.folder / "state" / "conversations" / name / "agent_pty"))


async def _forged(terminals: Terminals, stage: Stage) -> Row:
    count, accepted = stage.size.pick(3, 50, 200), 0
    name = "forged"
    folder = stage.folder / "state" / "conversations" / name / "agent_pty"
    await terminals.pty.open(name)
    for forgery, command in FORGERIES.items():
        before = _prompts(stage, name)
        text = command.replace("COUNT", str(count)).replace("FOLDER", str(folder))
        # What grows while it is replayed would never end: it is replayed as it was.
        if "FOLDER" in command and "for" in command:
            text = f"cp -r {folder} copy; {text.replace(str(folder), 'copy')}; rm -r copy"
        ran = await terminals.pty.run(name, f"{text}; (exit 7)", timeout_ms=60_000)
        is_fooled = ran.block.exit_code != 7 or _prompts(stage, name) != before + 1
        accepted += is_fooled
        if is_fooled:
            stage.say(f"accepted: {forgery}: {ran.block.exit_code}")
    # And from behind: a job prints them while the shell is idle.
    before = _prompts(stage, name)
    job = FORGERIES["its last mark, replayed"].replace("COUNT", str(count))
    job = job.replace("FOLDER", str(folder))
    await terminals.pty.run(name, f"( sleep 0.3; {job}; printf 'job %s\\n' done ) &")
    await terminals.pty.wait_for(name, match="job done")
    accepted += _prompts(stage, name) != before + 1
    kinds = len(FORGERIES) + 1
    return Row(
        f"{kinds} kinds of forged prompts, {count} of each",
        f"{accepted} kinds accepted",
        target="0",
        is_reached=accepted == 0,
    )


async def _genuine(terminals: Terminals, stage: Stage) -> list[Row]:
    count = stage.size.pick(5, 500, 10_000)
    name, times, wrong = "genuine", [], 0
    flood = "while :; do printf 'background without line ends '; sleep 0.001; done & job=$!"
    await terminals.pty.run(name, flood)
    for number in range(count):
        started = time.perf_counter()
        ran = await terminals.pty.run(name, f"(exit {number % 256})")
        times.append(time.perf_counter() - started)
        wrong += ran.block.exit_code != number % 256
    await terminals.pty.run(name, "kill $job")
    typed = stage.size.pick(2, 50, 1000)
    cursor = (await terminals.pty.status(name)).resume_cursor
    before = _prompts(stage, name)
    for start in range(0, typed, 10):
        lines = "".join(f"true {start + number}\r" for number in range(10))
        await terminals.pty.send(name, data=lines + f"echo typed-$(({start}+10))\r")
        typed_last = await terminals.pty.wait_for(
            name, match=f"typed-{start + 10}\n", from_cursor=cursor
        )
        # The text is there before the prompt of its line.
        await terminals.pty.wait_prompt(name, from_cursor=typed_last.resume_cursor)
    entered = typed + len(range(0, typed, 10))
    seen = _prompts(stage, name) - before
    shell = int((await terminals.pty.run("other", "echo $$")).data)
    quiet = stage.size.pick(3, 100, 1000)
    busy_s, enter = _on_processor_s(shell), []
    for _ in range(quiet):
        started = time.perf_counter()
        await terminals.pty.run("other", ":")
        enter.append(time.perf_counter() - started)
    hook_s = (_on_processor_s(shell) - busy_s) / quiet
    return [
        Row(
            f"{count:,} prompts while a job prints without line ends: missed or with a wrong code",
            f"{wrong}; {spread(times)} each",
            target="0",
            is_reached=wrong == 0,
        ),
        Row(
            f"{entered:,} lines typed ahead, eleven at a time: prompts seen",
            f"{seen:,}",
            target="one for each",
            is_reached=seen >= entered,
        ),
        Row(
            "from the command to idle again",
            spread(enter),
            target="p50 ≤ 1 ms",
            is_reached=p50(enter) <= ENTER_S_MAX,
        ),
        Row(
            "processor that the shell uses to hear a command, run nothing and say its prompt",
            duration(hook_s),
            target=f"≤ {duration(HOOK_S_MAX)}",
            is_reached=hook_s <= HOOK_S_MAX,
        ),
    ]


def _on_processor_s(pid: int) -> float:
    """What a process has run so far, to the nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


async def _trouble(terminals: Terminals, stage: Stage) -> Row:
    chosen = list(TROUBLE.items())[:: stage.size.pick(8, 1, 1)]
    wrong = []
    for number, (before, code) in enumerate(chosen):
        name = f"trouble-{number}"
        folder = stage.folder / name
        folder.mkdir()
        await terminals.pty.open(name, cwd=str(folder))
        try:
            await terminals.pty.run(name, before, timeout_ms=8000)
            ran = await terminals.pty.run(name, f"(exit {code})", timeout_ms=8000)
            said = ran.block.exit_code
            again = await terminals.pty.run(name, "true", timeout_ms=8000)
            is_well = said == code and again.block.exit_code == 0
        except antiphon.library.Refused as refused:
            is_well, said = False, None
            stage.say(f"{before}: {refused.code.value}")
        if not is_well:
            wrong.append(f"{before}: {said}")
        await terminals.pty.close(name)
    for one in wrong:
        stage.say(f"not as stated: {one}")
    return Row(
        f"{len(chosen)} things that commands do to their shell: the next exit codes are right",
        f"{len(chosen) - len(wrong)}",
        target="all",
        is_reached=not wrong,
    )


async def _interrupts(terminals: Terminals, stage: Stage, *, is_begun: bool) -> Row:
    """Ctrl-C twice, once the program runs or as soon as it was asked for."""
    count, stuck = stage.size.pick(2, 50, 1000), 0
    for number in range(count):
        begun = await terminals.pty.exec_interactive(
            "interrupted", "sh -c 'echo started; exec sleep 100'"
        )
        cursor = begun.resume_cursor
        if is_begun:
            await terminals.pty.wait_for("interrupted", match="started", from_cursor=cursor)
        await terminals.pty.send("interrupted", data="\x03")
        await terminals.pty.send("interrupted", data="\x03")
        try:
            await terminals.pty.wait_prompt("interrupted", from_cursor=cursor, timeout_ms=2000)
            ran = await terminals.pty.run("interrupted", f"(exit {number % 100})")
            stuck += ran.block.exit_code != number % 100
        except antiphon.library.Refused:
            stuck += 1
            await terminals.pty.reset("interrupted")
            if stuck > STUCK_MAX:
                break
    when = "while a program runs" if is_begun else "as soon as a program is asked for"
    return Row(
        f"{number + 1} times Ctrl-C twice, {when}, then a command",
        f"{stuck} stuck",
        target="0",
        is_reached=stuck == 0,
    )


async def _commands(terminals: Terminals, stage: Stage) -> Row:
    """Every byte but NUL and of any size arrives as it was sent."""
    dice, wrong = random.Random(5), 0
    sizes = stage.size.pick([1, 100], [1, 100, 4095, 5000, 65_536, 1_000_000], [])
    if not sizes:
        sizes = [1, 2, 10, 100, 1000, 4094, 4095, 4096, 5000, 20_000, 65_536, 200_000, 1_000_000]
    hard = "\t\n'\"!#$`\\(){}[]*?~&|;<> é漢😀\u2028\x01\x7f\x1b\r"
    for size in sizes:
        letters = [dice.choice(hard + "abc") for _ in range(size)]
        text = "".join(letters).encode()[:size].decode(errors="ignore")
        quoted = "'" + text.replace("'", "'\\''") + "'"
        if len(quoted.encode()) > 1_040_000:
            continue
        ran = await terminals.pty.run("bytes", f"printf %s {quoted} | sha256sum", timeout_ms=60_000)
        wrong += hashlib.sha256(text.encode()).hexdigest() not in ran.data
    return Row(
        f"commands of 1 byte to {max(sizes):,} bytes of anything but NUL, changed on the way",
        f"{wrong}",
        target="0",
        is_reached=wrong == 0,
    )


async def _echoes(terminals: Terminals, stage: Stage) -> Row:
    """A command that has the needle, or a mark, in its own text."""
    count, wrong = stage.size.pick(2, 50, 200), 0
    for number in range(count):
        needle = f"needle-{number}-$((1+1))"
        begun = await terminals.pty.exec_block(
            "echoes", f": {needle} __FWS_PROMPT__ needle-{number}-2; sleep 0.01; echo {needle}"
        )
        found = await terminals.pty.wait_for(
            "echoes", match=f"needle-{number}-2", from_cursor=begun.resume_cursor
        )
        wrong += found.match_cursor != begun.resume_cursor
        await terminals.pty.wait_prompt("echoes", from_cursor=begun.resume_cursor)
    return Row(
        f"{count} waits for a text that the command's own text has too",
        f"{wrong} matched the echo",
        target="0",
        is_reached=wrong == 0,
    )
