"""The shell's marks in the stream of bytes, in any cut of it.

A mark is `ESC ] 7770 ; number ; token ; kind ; facts BEL`.  The token is known to nobody before
its one use: it is made from a key the shell's programs never see and from the number, and
the number must rise.  Everything else that looks like a mark is text.

This module does not know what a mark leads to.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from hmac import compare_digest

import msgspec

OPENING = b"\x1b]7770;"
CLOSING = b"\x07"
# A directory in hexadecimal is twice PATH_MAX; a typed line comes whole, in base64.
MARK_BYTES_MAX = 1 << 18
_HEAD_BYTES_MAX = 20 + 1 + 16 + 1  # number ; token ;


class TextArrived(msgspec.Struct, frozen=True):
    """Bytes that the terminal printed."""

    data: bytes


class PromptSeen(msgspec.Struct, frozen=True):
    """The shell is ready for a command; the last one ended so."""

    ts_ms: int | None
    exit_code: int
    number: int  # of the last command that the shell was told
    cwd: bytes


class TypedBegun(msgspec.Struct, frozen=True):
    """The shell is about to run a line that somebody typed at its prompt."""

    ts_ms: int | None
    command: str


class EditorReady(msgspec.Struct, frozen=True):
    """The shell's line editor reads the terminal."""


Mark = PromptSeen | TypedBegun | EditorReady
Arrival = TextArrived | Mark


# Tokens are made four at a time: one digest is the larger part of their price.
_AT_ONCE = 4
_TOKEN_LETTERS = 16


@lru_cache(maxsize=64)
def _tokens(key: bytes, group: int) -> bytes:
    size = _AT_ONCE * _TOKEN_LETTERS // 2
    made = hashlib.blake2b(group.to_bytes(8, "big"), digest_size=size, key=key)
    return made.hexdigest().encode()


def make_ready(key: bytes, number: int) -> None:
    """The token of this number is made now, so that it is there when it is needed."""
    _tokens(key, number // _AT_ONCE)


def token(key: bytes, number: int) -> bytes:
    """The one-time token of this number."""
    group, place = divmod(number, _AT_ONCE)
    start = place * _TOKEN_LETTERS
    return _tokens(key, group)[start : start + _TOKEN_LETTERS]


def _milliseconds(text: bytes) -> int | None:
    """`1763500000.123456`; the point is the locale's, and the user may have unset the clock."""
    whole, fraction = text[:-7], text[-6:]
    if text[-7:-6] in (b".", b",") and whole.isdigit() and fraction.isdigit():
        return int(whole) * 1000 + int(fraction[:3])
    return None


def _directory(kind: bytes, text: bytes) -> bytes:
    if kind == b"x":
        try:
            return binascii.unhexlify(text)
        except binascii.Error:
            return b""
    return text


def _typed(text: bytes) -> str:
    """The line as `history 1` prints it, its number taken off."""
    try:
        line = base64.b64decode(text, validate=True).decode(errors="replace")
    except binascii.Error:
        return ""
    number, _, command = line.strip("\n").lstrip(" ").partition(" ")
    return command.removeprefix(" ") if number.rstrip("*").isdigit() else line


def read_body(body: bytes) -> Mark | None:
    """The mark behind a right token."""
    kind, _, rest = body.partition(b";")
    match kind:
        case b"P":
            ts, code, number, how, cwd = (*rest.split(b";", 4), b"", b"", b"", b"")[:5]
            if code.isdigit() and number.isdigit():
                where = _directory(how, cwd)
                return PromptSeen(_milliseconds(ts), int(code), int(number), where)
        case b"T":
            ts, _, line = rest.partition(b";")
            return TypedBegun(_milliseconds(ts), _typed(line))
        case b"R":
            return EditorReady()
    return None


@dataclass(slots=True)
class MarkReader:
    """Bytes in, text and marks out; what may yet become a mark is held back."""

    key: bytes
    last_number: int = -1
    _held: bytes = field(default=b"")

    @property
    def held_bytes(self) -> int:
        return len(self._held)

    def feed(self, data: bytes) -> list[Arrival]:
        if not self._held and b"\x1b" not in data:
            return [TextArrived(data)] if data else []
        data = self._held + data
        self._held = b""
        arrivals: list[Arrival] = []
        text_from = at = 0
        while (at := data.find(b"\x1b", at)) >= 0:
            verdict = self._mark_at(data, at)
            if verdict is None:  # not decided before more bytes come
                self._held = data[at:]
                break
            mark, after = verdict
            if mark is None:
                at = after
                continue
            if at > text_from:
                arrivals.append(TextArrived(data[text_from:at]))
            arrivals.append(mark)
            text_from = at = after
        end = len(data) - len(self._held)
        if end > text_from:
            arrivals.append(TextArrived(data[text_from:end]))
        return arrivals

    def flush(self) -> list[Arrival]:
        """The shell is gone: what was held back is text."""
        held, self._held = self._held, b""
        return [TextArrived(held)] if held else []

    def _mark_at(self, data: bytes, at: int) -> tuple[Mark | None, int] | None:
        """The mark and where it ends; no mark, and where to look on; or None: undecided."""
        head = data[at : at + len(OPENING)]
        if not OPENING.startswith(head):
            return None, at + 1
        if len(head) < len(OPENING):
            return None
        start = at + len(OPENING)
        fields = data[start : start + _HEAD_BYTES_MAX].split(b";", 2)
        if len(fields) < 3:
            undecided = at + len(OPENING) + _HEAD_BYTES_MAX > len(data)
            return None if undecided and self._may_be(fields) else (None, at + 1)
        number, given = fields[:2]
        if not self._is_next(number, given):
            return None, at + 1
        start += len(number) + 1 + len(given) + 1
        end = data.find(CLOSING, start, start + MARK_BYTES_MAX)
        if end < 0:
            return None if len(data) - start < MARK_BYTES_MAX else (None, at + 1)
        mark = read_body(data[start:end])
        if mark is None:
            return None, at + 1
        self.last_number = int(number)
        return mark, end + 1

    def _may_be(self, fields: list[bytes]) -> bool:
        number, given = (*fields, b"")[:2]
        digits = not number or number.isdigit()
        return digits and all(letter in b"0123456789abcdef" for letter in given)

    def _is_next(self, number: bytes, given: bytes) -> bool:
        if not number.isdigit() or len(number) > 18 or len(given) != 16:
            return False
        if int(number) <= self.last_number:
            return False
        return compare_digest(given, token(self.key, int(number)))
