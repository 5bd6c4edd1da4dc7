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
# It lives on after Ctrl-C, once, and says so.
SURVIVOR = python(
    "import signal,time\n"
    "signal.signal(2, lambda *_: print('NO', flush=True))\n"
    "print('READY', flush=True)\n"
    "input()"
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
