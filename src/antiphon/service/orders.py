"""What the shell is told, through the file that it reads at each bell.

A message is fields between NULs: kind, number of the command, number of the message, a
directory, the command, tokens, each with its own number, and the message's number again.  The
first token is for the shell's own prompt.  None is ever given twice, not even after a crash.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from antiphon.terminal.facts import BlockRequested
from antiphon.terminal.marks import token

# The shell's own prompt, a typed line or the prompt, the prompt after it, and one for a Ctrl-C
# there: then the shell gets more.
TOKENS = 4
# More than a lost server can have handed out without our knowing.
_LEAP = 1 << 20


@dataclass(slots=True)
class Messages:
    """Messages to one shell, each with its own number."""

    next_token: int = 0
    number: int = 0  # of the command that was asked for last
    asked: BlockRequested | None = None
    scrubbed: tuple[int, int] = (0, 0)  # where tokens lie in the file

    def interrupt(self) -> None:
        """The command that was asked for is not to begin any more."""
        assert self.asked is not None
        self.asked = replace(self.asked, command="(exit 130)", cwd=None)

    def next_number(self) -> int:
        self.number = self.next_token
        return self.number

    def message(self, kind: str, key: bytes) -> bytes:
        """The bytes of the file; `kind` is run, line or more."""
        first = self.next_token
        self.next_token += TOKENS
        tokens = [
            b"%d;%s" % (number, token(key, number)) for number in range(first, first + TOKENS)
        ]
        where = command = b""
        if kind == "run":
            assert self.asked is not None
            where = self.asked.cwd or b""
            command = self.asked.command.encode()
        head = b"%s\0%d\0%d\0%s\0%s\0" % (kind.encode(), self.number, first, where, command)
        joined = b"\0".join(tokens)
        self.scrubbed = (len(head), len(joined))
        return b"%s%s\0%d\0" % (head, joined, first)

    def is_told(self, last_number: int) -> bool:
        """Whether the shell has used a token of the newest message."""
        return last_number >= self.next_token - TOKENS

    def is_used_up(self, last_number: int) -> bool:
        return self.next_token - 1 <= last_number

    def skip(self, next_token: int) -> None:
        """After a crash: numbers that may have been given are never given again."""
        self.next_token = max(self.next_token, next_token) + _LEAP


def exit_of(content: bytes) -> tuple[int | None, bytes]:
    """What the holder noted: an exit code, a signal as shells say it; and the key of the marks."""
    code, _, key = content.partition(b" ")
    if not key:
        return None, b""
    number = int(code)
    return (128 - number if number < 0 else number), key
