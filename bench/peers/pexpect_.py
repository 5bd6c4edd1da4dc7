"""pexpect: as fast as it goes, and by its own wrapper."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pexpect
from pexpect import replwrap

from bench.peers.peer import Handle, Peer, Ran, nonce

READ_BYTES = 65_536
PROMPT_S_MAX = 10
SETTLE_S = 0.3


class Bare(Peer):
    """Bytes, exact texts, no delays, large reads; the prompt is a nonce with the exit code."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.name = f"<<{nonce()}:".encode()

    def open(self) -> Handle:
        prompt = f"printf '{self.name.decode()}%d>>' $?"
        child = pexpect.spawn(
            "bash",
            ["--noprofile", "--norc", "--noediting", "-i"],
            echo=False,
            maxread=READ_BYTES,
            env={**os.environ, "PS1": "", "PS2": "", "PROMPT_COMMAND": prompt},
        )
        child.delaybeforesend = None
        child.kept = b""
        self._code(child, PROMPT_S_MAX)
        return child

    def _code(self, child: Handle, limit_s: float) -> int:
        child.expect_exact(self.name, timeout=limit_s)
        child.kept = child.before
        child.expect_exact(b">>", timeout=PROMPT_S_MAX)
        return int(child.before)

    def run(self, shell: Handle, command: str, limit_s: float = 30) -> Ran:
        shell.sendline(command)
        try:
            code = self._code(shell, limit_s)
        except pexpect.TIMEOUT:
            return Ran(_text(shell.before), None, is_done=False, note="timeout")
        return Ran(_text(shell.kept), code)

    def send(self, shell: Handle, text: str) -> None:
        shell.send(text)

    def wait_for(self, shell: Handle, expression: str, limit_s: float) -> bool:
        try:
            shell.expect(expression.encode(), timeout=limit_s)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        return True

    def prompt(self, shell: Handle) -> None:
        self._code(shell, PROMPT_S_MAX)

    back = prompt

    def screen(self, shell: Handle) -> str:
        return _text(_seen(shell))

    def finds(self, shell: Handle, line: str) -> bool:
        return line.encode() in shell.kept


class Replwrap(Peer):
    """`pexpect.replwrap.bash()`, without the delay before each line."""

    forged = "echo '[PEXPECT_PROMPT>'; sleep 1.6; echo AFTER; (exit 5)"

    def open(self) -> Handle:
        shell = replwrap.bash()
        shell.child.delaybeforesend = None
        shell.kept = ""
        return shell

    def run(self, shell: Handle, command: str, limit_s: float = 30) -> Ran:
        try:
            shell.kept = shell.run_command(command, timeout=limit_s)
            code = re.search(r"(\d+)\s*$", shell.run_command("echo $?", timeout=PROMPT_S_MAX))
        except pexpect.TIMEOUT:
            return Ran(str(shell.child.before), None, is_done=False, note="timeout")
        except ValueError as error:  # a continuation prompt: it says so, and has interrupted
            return Ran("", None, is_done=False, note=str(error)[:100])
        return Ran(shell.kept.replace("\r\n", "\n"), int(code[1]) if code else None)

    def send(self, shell: Handle, text: str) -> None:
        shell.child.send(text)

    def wait_for(self, shell: Handle, expression: str, limit_s: float) -> bool:
        try:
            shell.child.expect(expression, timeout=limit_s)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        return True

    def prompt(self, shell: Handle) -> None:
        shell._expect_prompt(timeout=PROMPT_S_MAX)  # noqa: SLF001 - it has no other word for it

    back = prompt

    def screen(self, shell: Handle) -> str:
        return _text(_seen(shell.child))

    def finds(self, shell: Handle, line: str) -> bool:
        return line in shell.kept


def _seen(child: Handle) -> Handle:
    """All that waits to be matched, and what comes within a moment."""
    child.expect(pexpect.TIMEOUT, timeout=SETTLE_S)
    return child.before


def _text(data: Handle) -> str:
    text = data.decode(errors="replace") if isinstance(data, bytes) else str(data or "")
    return text.replace("\r\n", "\n")
