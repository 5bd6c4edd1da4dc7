"""A list that is told of keys by a signal, and never blocked in a read."""

from __future__ import annotations

import fcntl
import os
import signal
import termios
import tty

COLOURS = ["red", "green", "blue"]
terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NONBLOCK)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
fcntl.fcntl(terminal, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(terminal, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
saved, keys, at = termios.tcgetattr(0), b"", 0
tty.setraw(0)
print("\x1b[?25lPick a colour", end="\r\n")
while b"\r" not in keys:
    rows = [f"{'*' if row == at else ' '} {colour}" for row, colour in enumerate(COLOURS)]
    print("\x1b[2K" + "\r\n\x1b[2K".join(rows), end=f"\r\x1b[{len(rows) - 1}A", flush=True)
    signal.sigwait([signal.SIGIO])
    try:
        keys = os.read(terminal, 64)
    except BlockingIOError:
        continue
    at = min(max(0, at + keys.count(b"\x1b[B") - keys.count(b"\x1b[A")), len(COLOURS) - 1)
termios.tcsetattr(0, termios.TCSADRAIN, saved)
print(f"\x1b[{len(COLOURS)}B\x1b[?25h\nGOT", COLOURS[at])
