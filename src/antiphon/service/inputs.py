"""Who typed what: a line of inputs.jsonl for each command and each input of a conversation.

`events.jsonl` says what was sent, and its form is fixed; here stands who sent it, and when.
"""

from __future__ import annotations

import time

import msgspec
from msgspec import UNSET

from antiphon.drivers.file import File, StorageFull
from antiphon.service.principal import hand
from antiphon.wire.inputs import By, Input

TAIL_BYTES = 1 << 16


class Inputs:
    """The writing side of one conversation's inputs."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._typist: By | None = None  # who typed last at the prompt, as far as is known
        _cut_torn(file)

    def typed(self, block_id: str | None, data: bytes, *, is_hidden: bool) -> None:
        """Before it is sent; or `StorageFull`, and it is not sent."""
        if block_id is None:
            self._typist = hand.get()
        self._append(
            Input(
                ts=_now_ms(),
                by=hand.get(),
                kind="input",
                block_id=block_id,
                data=None if is_hidden else data.decode("utf-8", "replace"),
                secret=True if is_hidden else UNSET,
                length=len(data) if is_hidden else UNSET,
            )
        )

    def asked(self, block_id: str) -> None:
        """The caller's command has begun."""
        self._command(block_id, hand.get())

    def entered(self, block_id: str) -> None:
        """What was typed at the prompt has begun; whose it is may have gone with another server."""
        if self._typist is not None:
            self._command(block_id, self._typist)

    def _command(self, block_id: str, by: By) -> None:
        try:
            self._append(Input(ts=_now_ms(), by=by, kind="command", block_id=block_id))
        except StorageFull:
            pass  # it runs, and its block says all but this

    def _append(self, one: Input) -> None:
        self._file.append(msgspec.json.encode(one) + b"\n")


def _cut_torn(file: File) -> None:
    """A line that a crash has torn was never told to anybody."""
    end = file.size
    while end:
        start = max(0, end - TAIL_BYTES)
        newline = file.read(start, end).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < file.size:
        file.cut(end)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
