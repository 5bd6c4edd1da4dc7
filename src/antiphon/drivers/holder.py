"""The process that holds one terminal: it outlives the server and knows almost nothing.

It owns the PTY master, appends every byte to `output.raw` before anybody is told, notes when
bytes came, reaps, and hands a copy of the master to whoever connects with our user id.  It
has no network, no JSON, no patterns, and never reads what it carries.

This file runs by itself (`python -I -S holder.py`), as a zygote on socket 0 that has one holder
forked before it is asked for; a fork of a small single-threaded process costs 3 ms and half a
megabyte [measured].  It imports nothing of the package.
"""

from __future__ import annotations

# ruff: noqa: S606  # pathlib is memory in every holder; a shell is what we start
import array
import ctypes
import errno
import fcntl
import gc
import os
import select
import signal
import socket
import struct
import termios
import time

# A request: folder, working directory, cols, rows, key, count of arguments, arguments, environment.
REQUEST_BYTES_MAX = 1 << 20
READ_BYTES = 1 << 16
# Reads in one turn of the loop before others are looked after.
READS_MAX = 64
# Two notes of time are at least so far apart; what came between them shares the first one's time.
TIME_GRAIN_US = 5_000
# While the disk is full the program waits; this is how often we try again.
DISK_RETRY_MS = 100
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
# One note of time: microseconds, and the size of output.raw.
NOTE_BYTES = 16
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, see prctl(2)


class Holder:
    """One terminal: its master, its shell, its files, and at most one listener."""

    def __init__(self, folder: int, master: int, shell: int, key: bytes) -> None:
        self.folder = folder
        self.master = master
        self.shell = shell
        self.key = key
        self.listener: socket.socket | None = None
        self.exit_status: int | None = None
        self.unwritten = b""
        self.last_note_us = 0
        self.last_noted = -1  # the size that was noted
        self.raw = self.file("output.raw")
        self.times = self.file("output.times")
        self.cut_times()  # one may have ended in the middle of a note
        self.size = os.fstat(self.raw).st_size
        self.poll = select.poll()

    def file(self, name: str) -> int:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(name, flags, 0o600, dir_fd=self.folder)

    def run(self, door: socket.socket, woken: int) -> None:
        poll = self.poll
        poll.register(self.master, select.POLLIN)
        poll.register(door.fileno(), select.POLLIN)
        poll.register(woken, select.POLLIN)
        self.serve(door, woken)
        while self.carry() or self.unwritten:  # what the shell had printed before it died
            self.serve(door, woken)

    def serve(self, door: socket.socket, woken: int) -> None:
        """Until the shell has ended and all that was read is written."""
        poll = self.poll
        while self.exit_status is None or self.unwritten:
            for fd, _ in poll.poll(DISK_RETRY_MS if self.unwritten else None):
                if fd == self.master:
                    self.carry()
                elif fd == door.fileno():
                    self.greet(door)
                elif fd == woken:
                    os.read(woken, 512)
                    self.reap()
                elif self.listener is not None and fd == self.listener.fileno():
                    self.hear(self.listener)
            if self.unwritten:
                self.append(b"")

    def carry(self) -> bool:
        """Bytes from the master into the file; the listener is told early, and at the end."""
        told = start = self.size
        for _ in range(READS_MAX):
            if self.unwritten:
                break
            try:
                data = os.read(self.master, READ_BYTES)
            except BlockingIOError:
                break
            except OSError:  # EIO: every program has closed the terminal
                if self.exit_status is None and not self.shell_ended():
                    self.poll.unregister(self.master)
                break
            self.append(data)
            if told == start:
                self.tell(b"d")
                told = self.size
        if self.size != told:
            self.tell(b"d")
        return self.size != start

    def append(self, data: bytes) -> None:
        data = self.unwritten + data
        now_us = time.time_ns() // 1000
        try:
            if now_us - self.last_note_us >= TIME_GRAIN_US and self.last_noted != self.size:
                self.note(now_us)
            written = os.write(self.raw, data)
        except OSError as error:
            if error.errno not in FULL:
                raise
            written = 0
        self.size += written
        if written == len(data):
            if self.unwritten:
                self.poll.register(self.master, select.POLLIN)
                self.tell(b"d")
            self.unwritten = b""
        else:
            if not self.unwritten:
                self.poll.unregister(self.master)
            self.unwritten = data[written:]
            self.tell(b"f")

    def note(self, now_us: int) -> None:
        """When the bytes from here on came: a whole note, or none."""
        if os.write(self.times, struct.pack("<QQ", now_us, self.size)) < NOTE_BYTES:
            self.cut_times()
            raise OSError(errno.ENOSPC, "no room for a whole note")
        self.last_note_us, self.last_noted = now_us, self.size

    def cut_times(self) -> None:
        size = os.fstat(self.times).st_size
        os.ftruncate(self.times, size - size % NOTE_BYTES)

    def tell(self, news: bytes) -> None:
        if self.listener is None:
            return
        try:
            self.listener.send(news, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except BlockingIOError:
            pass  # news is waiting there already, and it reads the file to its end
        except OSError:
            pass  # it has gone; its last word may be there still, and `hear` reads it

    def greet(self, door: socket.socket) -> None:
        peer, _ = door.accept()
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        _, uid, _ = struct.unpack("3i", credentials)
        if uid != os.getuid():
            peer.close()
            return
        self.deafen()
        words = (str(os.getpid()), str(self.shell), self.key.decode())
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [self.master]))]
        peer.sendmsg([" ".join(words).encode()], rights)
        self.listener = peer
        self.poll.register(peer.fileno(), select.POLLIN)
        self.tell(b"d")

    def hear(self, listener: socket.socket) -> None:
        """The listener says `q` when the shell is to go, and nothing when it is gone itself."""
        try:
            word = listener.recv(16)
        except ConnectionResetError:
            # It hung up on news it had not read; what it said last comes after this error.
            return
        except OSError:
            word = b""
        if word == b"q":
            if self.exit_status is None:  # its pid is its own still
                os.kill(self.shell, signal.SIGKILL)
        elif not word:
            self.deafen()

    def deafen(self) -> None:
        if self.listener is not None:
            self.poll.unregister(self.listener.fileno())
            self.listener.close()
            self.listener = None

    def shell_ended(self) -> bool:
        self.reap()
        return self.exit_status is not None

    def reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.shell and os.WIFSTOPPED(status):
                os.kill(pid, signal.SIGCONT)  # nobody else could: it has no shell above it
            elif pid == self.shell:
                self.exit_status = os.waitstatus_to_exitcode(status)

    def leave(self, here: str, own: os.stat_result) -> None:
        """How the shell ended is on disk before anybody is told, and before the door is gone."""
        while not self.is_exit_written():
            time.sleep(DISK_RETRY_MS / 1000)
        try:
            if os.path.samestat(os.stat(here), own):  # the next shell may have a door here
                os.unlink(here)
        except FileNotFoundError:
            pass
        self.reap()  # who ended with the shell is not left to whoever comes after us
        self.tell(b"x")

    def is_exit_written(self) -> bool:
        # With the key, what is in `output.raw` can still be told from what only looks like it.
        content = str(self.exit_status).encode() + b" " + self.key
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            fd = os.open("exit", flags, 0o600, dir_fd=self.folder)
        except OSError as error:
            return error.errno not in FULL  # what no room helps against is not waited for
        try:
            return os.write(fd, content) == len(content)
        except OSError as error:
            return error.errno not in FULL
        finally:
            os.close(fd)


def start_shell(
    slave: int, cwd: bytes, arguments: list[bytes], environment: dict[bytes, bytes]
) -> int:
    """The shell's pid; it leads its own session on the terminal, with no file but 0, 1, 2."""
    failed, fail = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(slave, fd)
            for number in range(1, signal.NSIG):
                if number not in (signal.SIGKILL, signal.SIGSTOP) and number not in (32, 33):
                    signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.chdir(cwd)
            os.execve(arguments[0], arguments, environment)
        except OSError as error:
            os.write(fail, str(error).encode())
        os._exit(127)
    os.close(fail)
    reason = os.read(failed, 4096)
    os.close(failed)
    if reason:
        os.waitpid(pid, 0)
        raise OSError(reason.decode())
    return pid


def prepare() -> tuple[int, int, int]:
    """All that a holder needs and nobody has to ask for: a terminal, and news of signals."""
    os.setsid()
    os.umask(0o077)
    master, slave = os.openpty()
    attributes = termios.tcgetattr(slave)
    attributes[0] &= ~(termios.IXON | termios.IXOFF)  # C-s must not stop a program for good
    attributes[0] |= 0o40000  # IUTF8: erasing takes whole characters
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    os.set_blocking(master, False)

    reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    return master, slave, reading


def hold(request: bytes, answer: socket.socket, prepared: tuple[int, int, int]) -> None:
    """A holder's whole life, from what it is asked for on."""
    master, slave, reading = prepared
    fields = request.split(b"\0")
    folder_path, cwd, cols, rows, key, count = fields[:6]
    arguments = fields[6 : 6 + int(count)]
    environment = dict(pair.split(b"=", 1) for pair in fields[6 + int(count) :])
    folder = os.open(folder_path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", int(rows), int(cols), 0, 0))

    # A path of a socket has at most 107 bytes; this one is short wherever the folder is.
    here = f"/proc/self/fd/{folder}/holder.sock"
    try:
        os.unlink(here)
    except FileNotFoundError:
        pass
    door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    door.bind(here)
    door.listen(4)
    own = os.stat(here)
    bell = os.open("ctl/bell", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    # Our own end stays open: a shell that has closed all of its own prints again later.
    shell = start_shell(slave, cwd, arguments, environment)
    holder = Holder(folder, master, shell, key)
    answer.send(f"ok {os.getpid()} {shell}".encode())
    answer.close()
    holder.run(door, reading)
    holder.leave(here, own)
    os.close(bell)


def become_holder(server: socket.socket, taken: int) -> None:
    """A holder's whole life; what nobody has to ask for is done before somebody does."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    answer = socket.socket(fileno=os.dup(0))
    answer.set_inheritable(False)
    server.detach()
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    try:
        prepared = prepare()
        request = asked(answer, taken)
        if request:
            hold(request, answer, prepared)
    except OSError as error:
        try:
            answer.send(f"no {error}".encode())
        except OSError:
            pass  # the answer was given, or nobody waits for it


def asked(answer: socket.socket, taken: int) -> bytes:
    """The request, which no other process gets; the zygote is told, and forks the next holder."""
    request = answer.recv(REQUEST_BYTES_MAX)
    if request:
        os.write(taken, b"t")
    os.close(taken)
    return request


def zygote() -> None:
    """Has one holder ready and forks the next when it is taken, until the server is gone.

    So nobody who asks waits for a fork.
    """
    server = socket.socket(fileno=0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps our holders
    gc.collect()
    gc.freeze()  # pages of the zygote stay shared with its children
    is_taken = True
    while is_taken:
        told, taken = os.pipe()
        if os.fork() == 0:
            os.close(told)
            become_holder(server, taken)
            os._exit(0)
        os.close(taken)
        is_taken = os.read(told, 1) == b"t"
        os.close(told)


if __name__ == "__main__":
    zygote()
