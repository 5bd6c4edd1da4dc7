"""What the shell is told, through the file that it reads at each bell.

A message has a kind, the number of the command, fresh tokens, a directory and the command; its
number stands at the end again.  Tokens are never used twice, not even after a crash.
"""

from __future__ import annotations

from dataclasses import dataclass

from antiphon.terminal.facts import BlockRequested, Kind
from antiphon.terminal.marks import token

TOKENS = 8
# A prompt, a ready line editor and a typed line take one each; fewer than this are few.
TOKENS_LOW = 4
# More than a lost server can have handed out without our knowing.
_LEAP = 1 << 20
_TOKEN_BYTES = 16


@dataclass(slots=True)
class Messages:
    """Messages to one shell, each with its own number."""

    next_token: int = 0
    number: int = 0  # of the command that was asked for last
    asked: BlockRequested | None = None
    scrubbed: tuple[int, int] = (0, 0)  # where tokens lie in the file

    def ask(self, asked: BlockRequested) -> None:
        self.number = self.next_token
        self.asked = asked

    def message(self, kind: str, key: bytes) -> bytes:
        """The bytes of the file; `kind` is run, line or more."""
        first = self.next_token
        self.next_token += TOKENS
        tokens = b" ".join([token(key, first + index) for index in range(TOKENS)])
        word = b"%s" % kind.encode()
        where = command = b""
        if kind == "run":
            assert self.asked is not None
            word = b"run" if self.asked.kind is Kind.BLOCK else b"session"
            where = self.asked.cwd or b""
            command = self.asked.command.encode()
        head = b"%s %d %d " % (word, self.number, first)
        self.scrubbed = (len(head), len(tokens))
        return b"%s%s\0%s\0%s\0%d\0" % (head, tokens, where, command, self.number)

    def is_low(self, last_number: int) -> bool:
        return self.next_token - 1 - last_number < TOKENS_LOW

    def skip(self) -> None:
        """After a crash: numbers that may have been given are never given again."""
        self.next_token += _LEAP
        self.number = self.next_token

    def asked_in(self, message: bytes) -> tuple[int, BlockRequested] | None:
        """The command that stands in the file."""
        head, *rest = message.split(b"\0")
        word, _, numbers = head.partition(b" ")
        if word not in (b"run", b"session") or len(rest) < 3:
            return None
        kind = Kind.BLOCK if word == b"run" else Kind.SESSION
        where, command = rest[:2]
        seq = int(numbers.split(b" ")[0])
        return seq, BlockRequested(kind, command.decode(), where or None)


def exit_of(content: bytes) -> tuple[int | None, bytes]:
    """What the holder noted: an exit code, a signal as shells say it; and the key of the marks."""
    code, _, key = content.partition(b" ")
    if not key:
        return None, b""
    number = int(code)
    return (128 - number if number < 0 else number), key
