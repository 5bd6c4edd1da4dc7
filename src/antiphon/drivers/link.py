"""The server's side of a holder: how one is started, found again, rung and listened to.

A holder is reached by the socket in its conversation's folder; it hands over a copy of the
PTY master, so writing, resizing and looking at modes need no detour.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass, field
from pathlib import Path

from antiphon.base.errors import Broken
from antiphon.drivers import processes

HOLDER = Path(__file__).with_name("holder.py")
# These the terminal itself turns into signals.
SIGNALS = (b"\x03", b"\x1c", b"\x1a")
_HELLO_BYTES_MAX = 256
TIOCGPTN = 0x80045430  # the number of the terminal, see ioctl_tty(2)


@dataclass(frozen=True, slots=True)
class ShellRequest:
    """What a holder needs to start a shell."""

    folder: Path
    cwd: str
    cols: int
    rows: int
    key: str
    arguments: list[str]
    environment: dict[str, str]

    def packed(self) -> bytes:
        pairs = [f"{name}={value}" for name, value in self.environment.items()]
        fields = [
            str(self.folder),
            self.cwd,
            str(self.cols),
            str(self.rows),
            self.key,
            str(len(self.arguments)),
            *self.arguments,
            *pairs,
        ]
        return b"\0".join(os.fsencode(text) for text in fields)


@dataclass(slots=True)
class Zygote:
    """The small process that forks holders; started at the first shell, gone with the server."""

    process: subprocess.Popen[bytes] | None = None
    door: socket.socket | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def fork(self, request: ShellRequest) -> None:
        """A holder with a running shell, or `Broken` with the reason."""
        async with self.turn:
            answer = await self._ask(request.packed())
        if not answer.startswith(b"ok"):
            raise Broken(answer.removeprefix(b"no ").decode(errors="replace") or "no holder")

    async def _ask(self, packed: bytes) -> bytes:
        loop = asyncio.get_running_loop()
        if self.process is None or self.process.poll() is not None:
            self._start()
        assert self.door is not None
        try:
            await loop.sock_sendall(self.door, packed)
            return await loop.sock_recv(self.door, 4096)
        except OSError as error:
            return f"no {error}".encode()

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        ours.setblocking(False)
        self.process = subprocess.Popen(  # our own interpreter, our own file
            [sys.executable, "-I", "-S", str(HOLDER)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
        )
        theirs.close()
        self.door = ours

    def close(self) -> None:
        if self.door is not None:
            self.door.close()
        if self.process is not None:
            self.process.wait()


@dataclass(slots=True)
class Link:
    """A living holder."""

    door: socket.socket
    master: int
    holder_pid: int
    shell_pid: int
    key: bytes
    bell: int
    rung: int = 0  # less those that were taken back
    has_signalled: bool = False  # a key that is a signal was written since `hand_on`

    def news(self) -> bytes:
        """What the holder has said since; empty when it is gone."""
        try:
            return self.door.recv(16)
        except BlockingIOError:
            return b"-"
        except OSError:
            return b""

    def ring(self) -> None:
        self.rung += os.write(self.bell, b"\n")

    def bells_heard(self) -> int:
        """How many the shell has heard, as a number to compare with a later one."""
        waiting = fcntl.ioctl(self.bell, termios.FIONREAD, b"\0\0\0\0")
        return self.rung - int.from_bytes(waiting, sys.byteorder)

    def is_bell_heard(self) -> bool:
        return self.bells_heard() == self.rung

    def is_at_bell(self) -> bool:
        """The shell waits for the bell, or is in a trap that came while it did."""
        return self._input().endswith("/ctl/bell")

    def is_listening(self) -> bool:
        """The shell's own side reads: the bell, or the line by which zsh runs a command."""
        return self._input().endswith(("/ctl/bell", "/hooks/zsh/next"))

    def is_resting(self) -> bool:
        """The shell sleeps where it waits for a command."""
        return self.is_listening() and processes.is_asleep(self.shell_pid)

    def is_left_alone(self) -> bool:
        """The shell is in front and sleeps, and not at the bell."""
        is_in_front = self.foreground() == self.shell_pid
        return is_in_front and not self.is_at_bell() and processes.is_asleep(self.shell_pid)

    def _input(self) -> str:
        """What the shell's standard input is at this moment."""
        try:
            return os.readlink(f"/proc/{self.shell_pid}/fd/0")
        except OSError:
            return ""

    def drain_bell(self) -> None:
        """Take back bells that nobody has heard."""
        try:
            self.rung -= len(os.read(self.bell, 4096))
        except BlockingIOError:
            pass  # all were heard

    def write(self, data: bytes) -> int:
        """How many bytes the terminal took; it takes none while its program does not read."""
        if any(signal in data for signal in SIGNALS):
            self.has_signalled = True
        try:
            return os.write(self.master, data)
        except BlockingIOError:
            return 0

    def _slave(self) -> str:
        number = fcntl.ioctl(self.master, TIOCGPTN, b"\0\0\0\0")
        return f"/dev/pts/{int.from_bytes(number, sys.byteorder)}"

    def unread_bytes(self) -> int:
        """What was typed and no program has read."""
        try:
            slave = os.open(self._slave(), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return 0
        try:
            waiting = fcntl.ioctl(slave, termios.FIONREAD, b"\0\0\0\0")
            return int.from_bytes(waiting, sys.byteorder)
        finally:
            os.close(slave)

    def hand_on(self) -> None:
        """What was written has come to the programs, and a key that is a signal has been one.

        The kernel hands it on when it has time for it [half a millisecond later, under load];
        who asks the other side whether there is something to read waits for that.
        """
        self.has_signalled = False
        with contextlib.suppress(OSError):  # the terminal has closed
            slave = os.open(self._slave(), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                asked = select.poll()
                asked.register(slave, select.POLLIN)
                asked.poll(0)
            finally:
                os.close(slave)

    def drop_input(self) -> None:
        """What was typed and no program has read is gone."""
        with contextlib.suppress(OSError):  # the terminal has closed
            slave = os.open(self._slave(), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
            termios.tcflush(slave, termios.TCIFLUSH)
            os.close(slave)

    def is_echoing(self) -> bool:
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def is_line_mode(self) -> bool:
        return bool(termios.tcgetattr(self.master)[3] & termios.ICANON)

    def foreground(self) -> int:
        """The process group in front, or 0."""
        try:
            return os.tcgetpgrp(self.master)
        except OSError:
            return 0

    def is_between_programs(self) -> bool:
        """In front is the shell, or a copy of it that has yet to become a program."""
        try:
            front, shell = (
                Path(f"/proc/{pid}/cmdline").read_bytes()
                for pid in (self.foreground(), self.shell_pid)
            )
        except OSError:
            return False
        return front == shell

    def size(self) -> tuple[int, int]:
        packed = fcntl.ioctl(self.master, termios.TIOCGWINSZ, b"\0" * 8)
        rows, cols, _, _ = struct.unpack("4H", packed)
        return int(cols), int(rows)

    def resize(self, cols: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("4H", rows, cols, 0, 0))

    def kill_shell(self) -> None:
        """Ask the holder to end the shell; it is the parent, so no pid is mistaken."""
        try:
            self.door.send(b"q")
        except OSError:
            pass  # it is gone already, and `news` says so

    def close(self) -> None:
        self.door.close()
        os.close(self.master)
        os.close(self.bell)


def connect(folder: Path) -> Link | None:
    """The holder of this folder, if one lives."""
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        door.connect(f"/proc/self/fd/{here}/holder.sock")
        space = socket.CMSG_SPACE(array.array("i", [0]).itemsize)
        door.settimeout(5)
        hello, rights, _, _ = door.recvmsg(_HELLO_BYTES_MAX, space, socket.MSG_CMSG_CLOEXEC)
        bell = os.open(
            "ctl/bell", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=here
        )
    except OSError:
        door.close()
        return None
    finally:
        os.close(here)
    if not hello:  # it was on its way out
        door.close()
        os.close(bell)
        return None
    holder_pid, shell_pid, key = hello.split(b" ")
    (master,) = array.array("i", rights[0][2])
    door.setblocking(False)
    return Link(door, master, int(holder_pid), int(shell_pid), key, bell)
