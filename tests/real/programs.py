"""Small programs that tests talk to, as commands for a shell."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def python(code: str) -> str:
    return f"{sys.executable} -u -c {shlex.quote(code)}"


def so_far(path: Path) -> str:
    """A command that prints a file as it is; `cat` would go on for ever in what grows by it."""
    quoted = shlex.quote(str(path))
    return f"head -c $(stat -c %s {quoted}) {quoted}"


# It says READY and goes on whatever signals come.
STUBBORN = python(
    "import signal,time\n"
    "for n in (1,2,3,15,20): signal.signal(n, signal.SIG_IGN)\n"
    "print('READY', flush=True)\n"
    "while True: time.sleep(100)"
)
# It lives on after Ctrl-C, says so each time, and ends with a line.  Python's `input` may overlook
# a signal at the moment it begins to wait; a descriptor is written to in any case.
SURVIVOR = python(
    "import os,select,signal\n"
    "told,tell = os.pipe()\n"
    "os.set_blocking(tell, False)\n"
    "signal.set_wakeup_fd(tell)\n"
    "signal.signal(2, lambda *_: None)\n"
    "print('READY', flush=True)\n"
    "while 0 not in select.select([0, told], [], [])[0]:\n"
    " print('NO', os.read(told, 1), flush=True)\n"
    "os.read(0, 9)"
)
# What comes from its keyboard, as it comes, each byte in hexadecimal.
KEYS = python(
    "import os,sys,tty\n"
    "tty.setraw(0)\n"
    "print('READY', end='\\r\\n')\n"
    "while (b := os.read(0, 1)) != b'q': print(b.hex(), end=' ')\n"
    "print('END', end='\\r\\n')"
)
# It asks as sudo and getpass do: echo off, lines on.
SECRET = python("import getpass; print(len(getpass.getpass('Password: ')))")
