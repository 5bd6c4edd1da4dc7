"""What the programs on a terminal do with it, as the kernel tells: blocked in a read of it or not.

Where the kernel does not tell which call a process is in (another user's, a hardened machine),
the channel it sleeps in is looked at, and less is claimed.
"""

from __future__ import annotations

import fcntl
import os
import platform
import struct
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass

from antiphon.drivers import processes
from antiphon.drivers.link import TIOCGPTN, Link
from antiphon.menu.waiting import Reading

_CALLS = {
    "x86_64": {
        0: "read", 19: "read", 7: "poll", 271: "poll", 23: "select", 270: "select",
        232: "epoll", 281: "epoll", 441: "epoll", 35: "sleep", 230: "sleep",
    },
    "aarch64": {
        63: "read", 65: "read", 73: "poll", 72: "select", 22: "epoll", 441: "epoll", 101: "sleep",
        115: "sleep",
    },
}.get(platform.machine(), {})  # fmt: skip
_READ_CHANNELS = frozenset(("n_tty_read", "wait_woken"))
_POLL_CHANNELS = frozenset(
    ("do_poll", "do_select", "ep_poll", "do_epoll_wait", "poll_schedule_timeout")
)
_TTY = os.makedev(5, 0)  # /dev/tty, whichever terminal is meant
_POLLED_MAX = 64
_TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Listening:
    """What is known of the terminal at one moment."""

    is_line_mode: bool
    unread: int
    reading: Reading
    cpu_ms: float
    has_children: bool
    wakes: int  # how often the process that listens has slept and woken; 0 when nobody tells


def look(link: Link) -> Listening:
    """All programs below the shell; the shell itself is not one of them."""
    device = _device(link)
    front = link.foreground()
    found, reader, cpu_ms = Reading.NOT, 0, 0.0
    listed = [pid for pid in _below(link.holder_pid) if pid != link.shell_pid]
    parents = []
    for pid in listed:
        stat = _stat(pid)
        if stat is None:
            continue
        parents.append(stat.parent)
        cpu_ms += stat.cpu_ms
        if found is Reading.READS or stat.group != front or stat.state not in b"SD":
            continue
        reading = _reading(pid, device)
        if _RANK[reading] > _RANK[found]:
            found, reader = reading, pid
    return Listening(
        is_line_mode=link.is_line_mode(),
        unread=link.unread_bytes(),
        reading=found,
        cpu_ms=cpu_ms,
        has_children=reader in parents,
        wakes=_wakes(reader) if reader else 0,
    )


_RANK = {
    Reading.NOT: 0, Reading.SLEEPS: 1, Reading.UNKNOWN: 2, Reading.READS_BESIDE: 3,
    Reading.POLLS: 4, Reading.READS: 5,
}  # fmt: skip


def is_fetched(link: Link) -> bool:
    """Nothing that was printed is on its way to the file: none unread, and the holder rests."""
    waiting = fcntl.ioctl(link.master, termios.FIONREAD, b"\0\0\0\0")
    if int.from_bytes(waiting, sys.byteorder):
        return False
    words = _content(f"/proc/{link.holder_pid}/syscall").split()
    if not words or not _CALLS or words[0] == b"-1":
        return True  # the kernel does not tell
    return words[0] != b"running" and _CALLS.get(int(words[0])) == "poll"


def _device(link: Link) -> int:
    number = fcntl.ioctl(link.master, TIOCGPTN, b"\0\0\0\0")
    return os.makedev(136, int.from_bytes(number, sys.byteorder))


def _below(pid: int) -> list[int]:
    """All that come from this process."""
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        try:
            threads = os.listdir(f"/proc/{one}/task")
        except OSError:
            continue  # it ended while we looked
        for thread in threads:
            path = f"/proc/{one}/task/{thread}/children"
            if not os.path.exists(path):  # a kernel without these lists
                return processes.descendants(pid)
            children = [int(child) for child in _content(path).split()]
            found += children
            waiting += children
    return found


# --- a process --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stat:
    state: bytes
    parent: int
    group: int
    cpu_ms: float


def _stat(pid: int) -> _Stat | None:
    text = _content(f"/proc/{pid}/stat")
    if not text:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    cpu = (int(fields[11]) + int(fields[12])) * _TICK_MS
    return _Stat(fields[0], int(fields[1]), int(fields[2]), cpu)


def _wakes(pid: int) -> int:
    for line in _content(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"voluntary_ctxt_switches:"):
            return int(line.split()[1])
    return 0


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _reading(pid: int, device: int) -> Reading:
    try:
        threads = sorted(os.listdir(f"/proc/{pid}/task"), key=int)
    except OSError:
        return Reading.NOT
    best = Reading.NOT
    for thread in threads:
        reading = _call(pid, thread, device)
        if reading is Reading.READS and thread != str(pid):
            reading = Reading.READS_BESIDE
        if _RANK[reading] > _RANK[best]:
            best = reading
    if best in (Reading.NOT, Reading.SLEEPS) and _is_signalled(pid, device):
        return Reading.POLLS
    return best


def _is_signalled(pid: int, device: int) -> bool:
    """It sleeps until the terminal sends it SIGIO, as some programs in Go do [peco]."""
    try:
        opened = sorted(map(int, os.listdir(f"/proc/{pid}/fdinfo")))[:_POLLED_MAX]
    except OSError:
        return False
    return any(_is_terminal(pid, fd, device) and _flags(pid, fd) & os.O_ASYNC for fd in opened)


def _flags(pid: int, fd: int) -> int:
    for line in _content(f"/proc/{pid}/fdinfo/{fd}").splitlines():
        if line.startswith(b"flags:"):
            return int(line.split()[1], 8)
    return 0


def _call(pid: int, thread: str, device: int) -> Reading:
    words = _content(f"/proc/{pid}/task/{thread}/syscall").split()
    if not words or not _CALLS:
        return _channel(pid, thread, device)
    if words[0] == b"running" or words[0] == b"-1":
        return Reading.NOT
    kind = _CALLS.get(int(words[0]))
    if kind is None:
        return Reading.NOT
    arguments = [int(word, 16) for word in words[1:7]]
    if kind == "sleep":
        return _sleeping(pid, thread, device)
    if kind == "read":
        return Reading.READS if _is_terminal(pid, arguments[0], device) else Reading.NOT
    try:
        listened = list(_LISTENED[kind](pid, arguments))
    except OSError:
        return _channel(pid, thread, device)
    if not listened and kind != "epoll":
        return _sleeping(pid, thread, device)  # a wait for no file is a sleep
    return Reading.POLLS if any(_is_terminal(pid, fd, device) for fd in listened) else Reading.NOT


def _sleeping(pid: int, thread: str, device: int) -> Reading:
    is_main = thread == str(pid) and _is_terminal(pid, 0, device)
    return Reading.SLEEPS if is_main else Reading.NOT


def _is_terminal(pid: int, fd: int, device: int) -> bool:
    try:
        return os.stat(f"/proc/{pid}/fd/{fd}").st_rdev in (device, _TTY)
    except OSError:
        return False


def _polled(pid: int, arguments: list[int]) -> Iterator[int]:
    count = min(arguments[1], _POLLED_MAX)
    for fd, events, _ in struct.iter_unpack("ihh", _memory(pid, arguments[0], 8 * count)):
        if events & 1:
            yield fd


def _selected(pid: int, arguments: list[int]) -> Iterator[int]:
    count, address = min(arguments[0], 1024), arguments[1]
    if address:
        bits = int.from_bytes(_memory(pid, address, (count + 7) // 8), sys.byteorder)
        yield from (fd for fd in range(count) if bits >> fd & 1)


def _epolled(pid: int, arguments: list[int]) -> Iterator[int]:
    for line in _content(f"/proc/{pid}/fdinfo/{arguments[0]}").splitlines():
        words = line.split()
        if words[:1] == [b"tfd:"] and int(words[3], 16) & 1:
            yield int(words[1])


_LISTENED = {"poll": _polled, "select": _selected, "epoll": _epolled}


def _memory(pid: int, address: int, size: int) -> bytes:
    if not size:
        return b""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, size, address)
    finally:
        os.close(memory)


def _channel(pid: int, thread: str, device: int) -> Reading:
    """Where it sleeps, and whether its standard input is the terminal."""
    if not _is_terminal(pid, 0, device):
        return Reading.NOT
    channel = _content(f"/proc/{pid}/task/{thread}/wchan").decode()
    if channel in _READ_CHANNELS:
        return Reading.READS
    return Reading.UNKNOWN if channel in _POLL_CHANNELS else Reading.NOT
