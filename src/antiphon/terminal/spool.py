"""What the terminal printed, as the spool has it: line ends made plain, prompts as lines.

The spool is a pure function of the bytes that came and of the marks among them; cutting the
stream elsewhere changes nothing.  Offsets are bytes of the spool [D2, D4, D6].
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass

import msgspec

from antiphon.terminal.marks import PromptSeen

SENTINEL = b"__FWS_PROMPT__"
_LINE = re.compile(rb"__FWS_PROMPT__ ts=(\d+) cwd_b64=([A-Za-z0-9+/=]*) exit=(\d+)\n")


class Prompt(msgspec.Struct, frozen=True):
    """A prompt as its line says it."""

    ts: int
    cwd: bytes
    exit_code: int


def sentinel_line(prompt: Prompt) -> bytes:
    cwd = base64.b64encode(prompt.cwd)
    return b"%s ts=%d cwd_b64=%s exit=%d\n" % (SENTINEL, prompt.ts, cwd, prompt.exit_code)


def is_sentinel(line: bytes) -> bool:
    return _LINE.fullmatch(line) is not None


def prompt_of(line: bytes) -> Prompt:
    """The prompt of a line that this module wrote."""
    match = _LINE.fullmatch(line)
    assert match is not None, line
    return Prompt(int(match[1]), base64.b64decode(match[2]), int(match[3]))


@dataclass(slots=True)
class Spool:
    """The end of the spool: how long it is, and what the next byte must know."""

    size: int = 0
    held_returns: int = 0  # carriage returns at the end, until the next byte says what they are
    is_at_line_start: bool = True
    last_ts: int = 0

    def text(self, data: bytes) -> bytes:
        """What these bytes add to the spool."""
        if self.held_returns:
            data = b"\r" * self.held_returns + data
            self.held_returns = 0
        if b"\r" in data:
            stripped = data.rstrip(b"\r")
            self.held_returns = len(data) - len(stripped)
            data = stripped.replace(b"\r\n", b"\n")
            if b"\r\n" in data:  # several returns before one line end
                *lines, last = data.split(b"\n")
                data = b"\n".join([line.rstrip(b"\r") for line in lines] + [last])
        self._grow(data)
        return data

    def drop_returns(self) -> None:
        """A block begins: a line end that follows is its own, and must not meet a return."""
        self.held_returns = 0

    def prompt(self, seen: PromptSeen) -> tuple[bytes, bytes, Prompt]:
        """The line end that the sentinel needs before it, the sentinel, and what it says.

        A return at the very end of the output merges into that line end [d5].
        """
        before = b"" if self.is_at_line_start and not self.held_returns else b"\n"
        self.held_returns = 0
        ts = self.last_ts if seen.ts_ms is None else seen.ts_ms
        self.last_ts = ts
        prompt = Prompt(ts, seen.cwd, seen.exit_code)
        line = sentinel_line(prompt)
        self._grow(before + line)
        return before, line, prompt

    def _grow(self, data: bytes) -> None:
        if data:
            self.size += len(data)
            self.is_at_line_start = data.endswith(b"\n")
