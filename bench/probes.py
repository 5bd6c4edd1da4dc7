"""Does it do what it says: each probe has a verdict and the evidence it rests on.

A verdict is pass, partial, fail or n/a.  Each probe gets a fresh process and a fresh shell.
"""

from __future__ import annotations

import hashlib
import random
import re
import threading
import time
from collections.abc import Callable
from typing import Any

from bench.peers.peer import Handle, Peer, plain

Verdict = tuple[str, str]
Probe = Callable[[Any, Handle], Verdict]
PYTHON = "python3"


def verdict(is_whole: object, is_half: object, evidence: str) -> Verdict:
    return ("pass" if is_whole else "partial" if is_half else "fail"), evidence


def claim(is_so: object, evidence: str) -> Verdict:
    return ("pass" if is_so else "fail"), evidence


def settle(seconds: float) -> None:
    """A peer says nothing when it is ready for the next: what a caller does is wait."""
    time.sleep(seconds)


def is_back(peer: Peer, shell: Handle, limit_s: float = 8) -> bool:
    """Whether the shell itself answers again."""
    if hasattr(peer, "prompt"):
        try:
            peer.prompt(shell)
        except Exception:  # noqa: BLE001 - it is seen below whether it answers
            pass
    try:
        return "back_2" in peer.run(shell, "echo back_$((1+1))", limit_s).output
    except Exception:  # noqa: BLE001 - whatever it raised, it does not answer
        return False


# --- commands and their ends ---------------------------------------------------------


def exit_code(peer: Peer, shell: Handle) -> Verdict:
    ran = peer.run(shell, "(exit 37)", 15)
    return claim(ran.exit_code == 37, f"exit code {ran.exit_code}")


def quick100(peer: Peer, shell: Handle) -> Verdict:
    lost = wrong = 0
    for number in range(100):
        ran = peer.run(shell, f"echo Q{number}_$(({number}*7)); (exit {number % 5})", 15)
        lost += f"Q{number}_{number * 7}" not in ran.output
        wrong += ran.exit_code != number % 5
    return claim(not lost + wrong, f"of 100: {lost} outputs lost, {wrong} codes wrong")


def no_newline(peer: Peer, shell: Handle) -> Verdict:
    said = plain(peer.run(shell, "printf abc", 15).output)
    after = peer.run(shell, "echo next", 15).output
    is_exact = said.strip("\r\n") == "abc"
    is_clean = "next" in after and "abc" not in after.replace("printf abc", "")
    evidence = f"output {said[-60:]!r}; next one clean: {is_clean}"
    return verdict(is_exact and is_clean, "abc" in said, evidence)


def heredoc(peer: Peer, shell: Handle) -> Verdict:
    ran = peer.run(shell, "cat <<'EOF'\nline1 $X `q`\n  line2 \"x\"\nEOF", 15)
    said = plain(ran.output)
    is_there = "line1 $X `q`" in said and '  line2 "x"' in said
    is_exact = said.strip("\r\n") == 'line1 $X `q`\n  line2 "x"'
    evidence = f"exit code {ran.exit_code}, output {said[-100:]!r}"
    return verdict(is_exact and ran.exit_code == 0, is_there, evidence)


def tabs(peer: Peer, shell: Handle) -> Verdict:
    ran = peer.run(shell, "cat <<'EOF'\na\tb\tc\nEOF", 15)
    said = plain(ran.output)
    is_kept = "a\tb\tc" in said and ran.exit_code == 0
    return verdict(is_kept, re.search(r"a\s+b\s+c", said), f"output {said[-60:]!r}")


def forge(peer: Peer, shell: Handle) -> Verdict:
    """Text that looks like the peer's own mark, a pause, more output, exit code 5."""
    if not peer.forged:
        return "n/a", "it has no fixed mark in its stream"
    ran = peer.run(shell, peer.forged, 15)
    is_after = re.search(r"^AFTER", plain(ran.output), re.MULTILINE)
    second = peer.run(shell, "echo second_cmd", 15)
    is_clean = "second_cmd" in second.output and "AFTER" not in second.output
    is_clean = is_clean and second.exit_code == 0
    is_right = ran.exit_code == 5
    evidence = f"exit code {ran.exit_code}, later output there: {bool(is_after)}, next: {is_clean}"
    return verdict(
        is_right and is_after and is_clean, is_clean and (is_right or is_after), evidence
    )


def state(peer: Peer, shell: Handle) -> Verdict:
    peer.run(shell, "cd /usr && export FOO=bar", 10)
    said = peer.run(shell, "echo $PWD:$FOO:", 10).output
    return claim("/usr:bar:" in said, said[-60:])


def histexpand(peer: Peer, shell: Handle) -> Verdict:
    ran = peer.run(shell, 'echo "hi!there"', 8)
    said = plain(ran.output)
    is_said = re.search(r"^hi!there", said, re.MULTILINE) and ran.exit_code == 0
    return claim(is_said, f"exit code {ran.exit_code}, {said[-60:]!r}")


def ps1(peer: Peer, shell: Handle) -> Verdict:
    """A virtual environment, or anybody, writes over the prompt."""
    peer.run(shell, "PROMPT_COMMAND=; PS1='(venv) user$ '", 6)
    ran = peer.run(shell, "echo still_$((1+1))", 6)
    is_well = "still_2" in ran.output and ran.exit_code == 0
    return claim(is_well, f"exit code {ran.exit_code}, done: {ran.is_done} {ran.note}")


def syntax(peer: Peer, shell: Handle) -> Verdict:
    started = time.monotonic()
    ran = peer.run(shell, 'echo "unterminated', 5)
    took = time.monotonic() - started
    is_well = "alive_2" in peer.run(shell, "echo alive_$((1+1))", 6).output
    is_after = is_well
    if not is_well:
        peer.interrupt(shell)
        is_after = "alive_2" in peer.run(shell, "echo alive_$((1+1))", 6).output
    is_told = took < 3 and ran.exit_code != 0
    evidence = f"exit code {ran.exit_code} after {took:.1f} s; next: {is_well}"
    return verdict(is_told and is_well, is_after, evidence)


def long_command(peer: Peer, shell: Handle) -> Verdict:
    path = peer.folder / "long"
    ran = peer.run(shell, "echo " + "y" * 20_000 + f" > {path}", 15)
    size = path.stat().st_size if path.exists() else None
    is_run = size == 20_001 and ran.exit_code == 0
    return claim(is_run, f"20 KB: the file has {size} bytes, exit code {ran.exit_code}")


def big_heredoc(peer: Peer, shell: Handle) -> Verdict:
    body = "\n".join(f"row {number} " + "z" * 60 for number in range(1000))
    path = peer.folder / "heredoc"
    ran = peer.run(shell, f"cat > {path} <<'EOF'\n{body}\nEOF", 50)
    wanted = hashlib.sha256(f"{body}\n".encode()).digest()
    is_whole = path.exists() and hashlib.sha256(path.read_bytes()).digest() == wanted
    evidence = f"68 KB arrived whole: {is_whole}, exit code {ran.exit_code} {ran.note}"
    return verdict(is_whole and ran.exit_code == 0, is_whole, evidence)


# --- output --------------------------------------------------------------------------


def lines10k(peer: Peer, shell: Handle) -> Verdict:
    said = plain(peer.run(shell, "seq 1 10000", 30).output)
    seen = {int(one) for one in re.findall(r"^\s*(\d+)\s*$", said, re.MULTILINE)}
    count = len(seen & set(range(1, 10_001)))
    return verdict(count == 10_000, count, f"{count} of 10000 lines in the answer")


def longline(peer: Peer, shell: Handle) -> Verdict:
    ran = peer.run(shell, f"{PYTHON} -c 'print(\"x\"*100000)'", 30)
    runs = [len(run) for run in re.findall("x+", plain(ran.output).replace("\r", ""))]
    longest = max(runs, default=0)
    evidence = f"longest run {longest} of 100000, {sum(runs)} in all"
    return verdict(longest == 100_000, sum(runs) >= 100_000, evidence)


def unicode(peer: Peer, shell: Handle) -> Verdict:
    path = peer.folder / "unicode.py"
    path.write_text("for i in range(3000): print(f'{i:04d} €😀漢字 é')\n")
    said = plain(peer.run(shell, f"{PYTHON} {path}", 30).output)
    whole = sum(
        re.fullmatch(r"\d{4} €😀漢字 é", line.strip()) is not None for line in said.splitlines()
    )
    return verdict(whole == 3000, whole, f"{whole} of 3000 lines as printed")


def binary(peer: Peer, shell: Handle) -> Verdict:
    few, many = peer.folder / "few.bin", peer.folder / "many.bin"
    few.write_bytes(b"<\xff\xfe\x80\x01ABC\x00>\n")
    many.write_bytes(random.Random(3).randbytes(65_536))
    said = peer.run(shell, f"cat {few}", 15).output
    raw = peer.raw_output(shell) if hasattr(peer, "raw_output") else None
    peer.run(shell, f"cat {many}", 8)
    is_well = "alive_2" in peer.run(shell, "echo alive_$((1+1))", 10).output
    is_exact = raw == few.read_bytes()
    evidence = f"bytes exact: {is_exact}, as text {said[-40:]!r}; after 64 KiB of noise: {is_well}"
    return verdict(is_exact and is_well, is_well, evidence)


def clear(peer: Peer, shell: Handle) -> Verdict:
    command = "echo BEFORE_$((1+1)); printf '\\033c\\033[2J\\033[3J\\033[H'; echo AFTER_$((1+1))"
    said = peer.run(shell, command, 10).output
    is_kept = "BEFORE_2" in said
    return claim(is_kept and "AFTER_2" in said, f"text before a reset kept: {is_kept}")


# --- programs that talk ----------------------------------------------------------------


def repl(peer: Peer, shell: Handle) -> Verdict:
    peer.begin(shell, f"{PYTHON} -q")
    is_asking = peer.wait_for(shell, ">>>", 8)
    peer.send(shell, "print(6*7*1000)" + peer.enter)
    is_answered = peer.wait_for(shell, "42000", 8)
    peer.send(shell, "exit()" + peer.enter)
    settle(0.4)
    is_well = is_back(peer, shell)
    evidence = f"prompt {is_asking}, result {is_answered}, shell back {is_well}"
    return verdict(is_asking and is_answered and is_well, is_answered, evidence)


def stdin_read(peer: Peer, shell: Handle) -> Verdict:
    peer.begin(shell, "read -p 'name? ' x; echo GOT:$x:")
    is_asking = peer.wait_for(shell, r"name\?", 8)
    peer.send(shell, "bob" + peer.enter)
    is_answered = peer.wait_for(shell, "GOT:bob:", 8)
    return verdict(is_asking and is_answered, is_answered, f"{is_asking}, {is_answered}")


def _interrupted(peer: Peer, shell: Handle, command: str, limit_s: float) -> Verdict:
    peer.begin(shell, command)
    settle(0.8)
    started = time.monotonic()
    peer.interrupt(shell)
    is_well = is_back(peer, shell, limit_s)
    took = time.monotonic() - started
    return claim(is_well, f"shell back: {is_well}, after {took:.2f} s")


def ctrl_c(peer: Peer, shell: Handle) -> Verdict:
    return _interrupted(peer, shell, "sleep 1000", 8)


def ctrl_c_trap(peer: Peer, shell: Handle) -> Verdict:
    """A program that ignores Ctrl-C."""
    code = "import signal,time; signal.signal(2,1); time.sleep(300)"
    return _interrupted(peer, shell, f"{PYTHON} -c '{code}'", 6)


def fullscreen(peer: Peer, shell: Handle) -> Verdict:
    path = peer.folder / "less.txt"
    path.write_text("".join(f"row {number} of the file\n" for number in range(500)))
    peer.begin(shell, f"less {path}")
    settle(0.8)
    is_less = "row 3 of the file" in peer.screen(shell)
    peer.send(shell, "q")
    settle(0.4)
    is_out = is_back(peer, shell)
    peer.begin(shell, f"vim -u NONE {peer.folder / 'vimfile'}")
    settle(1.2)
    screen = peer.screen(shell)
    is_vim = screen.count("~") > 5
    peer.send(shell, "\x1b")
    settle(0.2)
    peer.send(shell, f":q!{peer.enter}")
    settle(0.5)
    is_well = is_back(peer, shell)
    is_raw = "\x1b[" in screen
    evidence = f"less {is_less}/{is_out}, vim {is_vim}/{is_well}, {'raw' if is_raw else 'drawn'}"
    return verdict(
        is_less and is_out and is_vim and is_well and not is_raw, is_out and is_well, evidence
    )


# --- time and order --------------------------------------------------------------------


def async_bg(peer: Peer, shell: Handle) -> Verdict:
    """What a job of an earlier command prints: apart, or within the next answer, or lost."""
    first = peer.run(shell, "(sleep .7; echo LATE_$((40+2))) &", 15)
    settle(1.3)
    second = peer.run(shell, "echo SECOND", 15)
    if "LATE_42" in first.output:
        return "partial", "the first call waited for the job"
    if "LATE_42" in second.output:
        return "partial", "it came within the next command's output"
    everything = peer.everything(shell) if hasattr(peer, "everything") else peer.screen(shell)
    is_kept = "LATE_42" in everything
    return claim(is_kept and "SECOND" in second.output, f"readable elsewhere: {is_kept}")


def timeout_resume(peer: Peer, shell: Handle) -> Verdict:
    command = "for i in 1 2 3 4 5 6; do echo tick$((i+100)); sleep .5; done"
    ran = peer.run(shell, command, 1.4)
    settle(2.6)
    is_begun, is_later = "tick101" in ran.output, "tick106" in peer.later(shell)
    evidence = f"at the timeout {is_begun}, the rest {is_later}, said to be done: {ran.is_done}"
    return verdict(is_begun and is_later and not ran.is_done, is_begun or is_later, evidence)


def stale_match(peer: Peer, shell: Handle) -> Verdict:
    peer.run(shell, "echo READY_$((70+7))", 10)
    settle(0.4)
    is_again = peer.wait_for(shell, "READY_77", 2)
    return claim(not is_again, f"a wait matched old output: {is_again}")


def no_skip(peer: Peer, shell: Handle) -> Verdict:
    """Two marks are printed before anybody waits."""
    peer.begin(shell, "echo AA_$((10+1)); echo BB_$((20+2))")
    settle(0.8)
    first, second = peer.wait_for(shell, "AA_11", 3), peer.wait_for(shell, "BB_22", 3)
    return claim(first and second, f"first {first}, second {second}")


def shell_exit(peer: Peer, shell: Handle) -> Verdict:
    try:
        ran = peer.run(shell, "exit 3", 8)
        is_told, said = ran.exit_code == 3, f"exit code {ran.exit_code} {ran.note}"
    except Exception as error:  # noqa: BLE001 - what it raises is the evidence
        is_told, said = False, f"raised {type(error).__name__}"
    try:
        is_well = "alive_2" in peer.run(shell, "echo alive_$((1+1))", 8).output
    except Exception as error:  # noqa: BLE001
        is_well, said = False, f"{said}; then {type(error).__name__}"
    return verdict(is_told and is_well, is_told or is_well, f"{said}; next works: {is_well}")


def head_of_line(peer: Peer, shell: Handle) -> Verdict:
    """One session's `true` while another's command takes three seconds."""
    if not peer.has_sessions:
        return "n/a", "one caller in a process"
    other = peer.open()
    alone = []
    for _ in range(3):
        started = time.monotonic()
        peer.run(other, "true", 20)
        alone.append(time.monotonic() - started)
    thread = threading.Thread(target=lambda: peer.run(shell, "sleep 3", 20))
    thread.start()
    settle(0.5)
    started = time.monotonic()
    peer.run(other, "true", 20)
    took = time.monotonic() - started
    thread.join(15)
    evidence = f"{took * 1e3:.0f} ms, alone {min(alone) * 1e3:.0f} ms"
    return claim(took < min(alone) + 1, evidence)


PROBES: dict[str, Probe] = {
    probe.__name__: probe
    for probe in (
        exit_code,
        quick100,
        no_newline,
        heredoc,
        tabs,
        forge,
        state,
        histexpand,
        ps1,
        syntax,
        long_command,
        big_heredoc,
        lines10k,
        longline,
        unicode,
        binary,
        clear,
        repl,
        stdin_read,
        ctrl_c,
        ctrl_c_trap,
        fullscreen,
        async_bg,
        timeout_resume,
        stale_match,
        no_skip,
        shell_exit,
        head_of_line,
    )
}
# As under nohup: Ctrl-C is ignored by whoever starts the peer, and must not be by its shells.
PROBES["ctrl_c_nohup"] = ctrl_c
