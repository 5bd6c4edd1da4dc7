"""Starts one program and tells truly how it ended, which a shell's `$?` does not.

    python -I -S launcher.py FILE NAME,NAME -- PROGRAM ARGUMENT...

FILE gets the exit code, or minus the number of the signal; nothing is in it when the program
could not be started.  Variables that tell programs to ask nobody are taken out of the
environment, but for the names given.  It imports nothing of the package.
"""

from __future__ import annotations

# ruff: noqa: S606  # a program without a shell is what is wanted
import os
import signal
import sys

# What makes programs answer their own questions, or not ask at all.
_SILENCING = ("CI", "NODE_ENV", "DEBIAN_FRONTEND", "CONTINUOUS_INTEGRATION")
_SILENCING_PARTS = ("NON_INTERACTIVE", "NONINTERACTIVE")
_CANNOT_START = 127


def main(file: str, kept: str, command: list[str]) -> int:
    for name in list(os.environ):
        silences = name in _SILENCING or any(part in name.upper() for part in _SILENCING_PARTS)
        if silences and name not in kept.split(","):
            del os.environ[name]
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        for number in (
            signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
            signal.SIGPIPE,
        ):  # fmt: skip
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
            os._exit(_CANNOT_START)
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        os.kill(pid, signal.SIGCONT)  # nobody else could: there is no shell that it stops for
    code = os.waitstatus_to_exitcode(status)
    with open(file, "w") as told:
        told.write(str(code))
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    separator = sys.argv.index("--")
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[separator + 1 :]))
