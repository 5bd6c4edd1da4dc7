"""The physical limit: programs on a bare PTY, and a loop that reads it."""

from __future__ import annotations

import fcntl
import os
import pty
import shlex
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bench.peers.peer import Handle, Marks, Peer

READ_BYTES = 65_536
COLS, ROWS = 120, 40
# What no echo of a command contains.  The exit code follows, and a semicolon.
MARK = b"\x1eP"
_PROMPT_COMMAND = r"printf '\036P%d;' $?"


@dataclass(frozen=True, slots=True)
class Bare:
    """A program on a PTY of its own, without anybody in between."""

    pid: int
    master: int

    @classmethod
    def start(
        cls, arguments: Sequence[str], environment: Mapping[str, str], *, has_echo: bool = True
    ) -> Self:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))
        if not has_echo:
            modes = termios.tcgetattr(slave)
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(slave, termios.TCSANOW, modes)
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                for number in range(3):
                    os.dup2(slave, number)
                os.closerange(3, 256)
                os.execvpe(arguments[0], list(arguments), dict(environment))
            finally:
                os._exit(127)
        os.close(slave)
        return cls(pid, master)

    def end(self) -> None:
        os.close(self.master)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


class Floor(Peer):
    """A bash with its line editor, which says its exit code in a mark of a few bytes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.opened: list[Bare] = []

    def stop(self) -> None:
        for bare in self.opened:
            bare.end()

    def open(self) -> Handle:
        environment = {
            **os.environ,
            "PS1": "",
            "PS2": "",
            "HISTFILE": "/dev/null",
            "PROMPT_COMMAND": _PROMPT_COMMAND,
        }
        arguments = ["bash", "--norc", "--noprofile", "-i"]
        bare = Bare.start(arguments, environment, has_echo=False)
        self.opened.append(bare)
        _until_mark(bare.master)
        return bare

    def send(self, shell: Handle, text: str) -> None:
        os.write(shell.master, text.encode())

    def round_trips(self, shell: Handle, count: int) -> tuple[list[float], int]:
        master = shell.master
        for _ in range(10):
            os.write(master, b"true\n")
            _until_mark(master)
        times, wrong = [], 0
        for _ in range(count):
            started = time.perf_counter()
            os.write(master, b"true\n")
            code = _until_mark(master)
            times.append(time.perf_counter() - started)
            wrong += code != b"0"
        return times, wrong

    def wakes(self, shell: Handle, count: int, gap_s: float) -> list[float]:  # noqa: ARG002
        marks = Marks.planned(self.folder, count, gap_s)
        bare = Bare.start(shlex.split(marks.command), dict(os.environ))
        try:
            wanted, seen, kept = 0, {}, b""
            while wanted < count:
                kept += os.read(bare.master, READ_BYTES)
                now = time.monotonic_ns()
                while wanted < count and marks.text(wanted).encode() in kept:
                    seen[wanted] = now
                    wanted += 1
                kept = kept[-200:]
            return marks.times(seen)
        finally:
            bare.end()

    def ingest(self, shell: Handle, path: Path, limit_s: float) -> float | None:  # noqa: ARG002
        kept = self.folder / "floor.out"
        file = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        started = time.perf_counter()
        bare = Bare.start(["cat", str(path)], dict(os.environ))
        try:
            while True:
                try:
                    data = os.read(bare.master, READ_BYTES)
                except OSError:  # EIO: the program has closed its end
                    break
                if not data:
                    break
                os.write(file, data)
            return time.perf_counter() - started
        finally:
            os.close(file)
            bare.end()
            kept.unlink()


def _until_mark(master: int) -> bytes:
    """Reads on to the mark, and gives the exit code in it."""
    kept = b""
    while True:
        kept += os.read(master, READ_BYTES)
        place = kept.find(MARK)
        if place >= 0:
            code, separator, _ = kept[place + len(MARK) :].partition(b";")
            if separator:
                return code
