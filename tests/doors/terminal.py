"""A person at a terminal: a program on a PTY of the test's own, typed to and looked at."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import termios
import time
from types import TracebackType
from typing import Self

PATIENCE_S = 120


class Person:
    def __init__(self, *command: str, environment: dict[str, str], rows: int = 24, cols: int = 80):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, environment)
        self.resize(rows, cols)

    def resize(self, rows: int, cols: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", rows, cols, 0, 0))

    def types(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def insists(self, key: str, wanted: str) -> None:
        """As people do: Python's line editor overlooks a signal at the moment it begins to wait."""
        for _ in range(PATIENCE_S):
            self.types(key)
            try:
                self.sees(wanted, 1)
            except AssertionError:
                continue
            return
        raise AssertionError(f"{key!r} was pressed again and again and {wanted!r} never came")

    def sees(self, wanted: str, patience_s: float = PATIENCE_S) -> str:
        """What is shown up to and with this."""
        seen, deadline = b"", time.monotonic() + patience_s
        while wanted.encode() not in seen:
            ready, _, _ = select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{wanted!r} never came: {seen!r}"
            try:
                seen += os.read(self.fd, 1)
            except OSError:
                raise AssertionError(f"it ended before {wanted!r}: {seen!r}") from None
        return seen.decode(errors="replace")

    def exit_code(self) -> int:
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self.fd)
        if self.pid:
            os.waitpid(self.pid, 0)
