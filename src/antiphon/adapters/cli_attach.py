"""`antiphon attach`: a person at a conversation, and they may leave and come back.

While nothing runs, a line editor asks for a command; while something runs, every key goes to
it and everything it prints comes here.  C-\\ leaves; what runs goes on.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import os
import select
import signal
import sys
import termios
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

import msgspec

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.cli_exit import REFUSED, WELL, Fields, say, state_dir_of
from antiphon.adapters.front import Reply, outcome
from antiphon.adapters.reach import Nearest
from antiphon.adapters.shown import Shown
from antiphon.base.errors import Code, Refused
from antiphon.wire import terminal as t

DETACH = b"\x1c"  # C-\
KEYS_BYTES = 4096


class Detached(Exception):
    """The person left; nothing else has changed."""


def attach(arguments: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        message = "attach is for a person at a terminal; a program uses exec, tail or call"
        raise Refused(Code.INVALID_REQUEST, message)
    import readline  # the line editor of input(); its import is its effect

    readline.set_auto_history(True)
    with LoopThread() as loop:
        nearest = Nearest(state_dir_of(arguments), shares_after_s=0)
        seat = Seat(loop, nearest, arguments.conversation)
        try:
            seat.sit_down(arguments.from_cursor)
            say(f"at {arguments.conversation}; C-\\ leaves, and what runs goes on")
            seat.stay()
        except (Detached, EOFError):
            print()
            say(f"left; {arguments.conversation} goes on")
        except Refused as refused:
            say(refused.message)
            return REFUSED
        finally:
            loop.result(nearest.close())
    return WELL


@dataclass
class Seat:
    loop: LoopThread
    service: Nearest
    conversation_id: str
    shown: Shown = field(default_factory=Shown)
    # The loop's thread writes a byte when something came; the person's waits for it.
    wake: tuple[int, int] = field(default_factory=os.pipe)
    # A character may arrive in two reads.
    typed: codecs.IncrementalDecoder = field(default_factory=codecs.getincrementaldecoder("utf-8"))
    watching: Future[None] | None = None
    # Up to where the record has been shown.  Only the loop's thread moves it.
    cursor: int = 0

    def sit_down(self, from_cursor: int | None) -> None:
        status = self.ask("pty.status")
        if outcome(status) == "not_found":
            status = self.ask("pty.open")
        if outcome(status) != "ok":
            raise _refusal(status)
        here = int(msgspec.to_builtins(status)["resume_cursor"])
        self.resize()
        self.cursor = here if from_cursor is None else from_cursor
        self.watching = self.loop.start(self._watch())

    def stay(self) -> None:
        signal.signal(signal.SIGWINCH, lambda _, __: self.resize())
        with _detaching():
            while True:
                mode, end = self.standing()
                if mode != "idle":
                    self.busy()
                else:
                    self.see(end)
                    self.idle()

    def idle(self) -> None:
        try:
            line = input(f"{self.conversation_id}$ ")
        except KeyboardInterrupt:
            print()
            return
        if not line.strip():
            return
        reply = self.ask("pty.exec_interactive", cmd=line)
        if outcome(reply) != "ok":
            print(_refusal(reply).message)

    def busy(self) -> None:
        with _raw():
            while self.standing()[0] != "idle":
                ready, _, _ = select.select([0, self.wake[0]], [], [])
                if self.wake[0] in ready:
                    os.read(self.wake[0], KEYS_BYTES)
                if 0 in ready:
                    self._type(os.read(0, KEYS_BYTES))

    def see(self, end: int) -> None:
        """A prompt is drawn below what came before it: a short command has ended when its output
        is still on its way here."""
        while self.cursor < end:
            self._still_watching()
            os.read(self.wake[0], KEYS_BYTES)

    def standing(self) -> tuple[str, int]:
        """Mode and end, asked and not remembered: true whatever the stream has told so far."""
        self._still_watching()
        reply = self.ask("pty.status")
        if outcome(reply) != "ok":
            raise _refusal(reply)
        fields: Fields = msgspec.to_builtins(reply)
        return str(fields["mode"]), int(str(fields["resume_cursor"]))

    def _still_watching(self) -> None:
        if self.watching is not None and self.watching.done():
            self.watching.result()
            raise Detached

    def resize(self) -> None:
        size = os.get_terminal_size()
        self.ask("pty.resize", cols=size.columns, rows=size.lines)

    def ask(self, operation: str, **fields: object) -> Reply:
        asked: Fields = {"conversation_id": self.conversation_id, **fields}
        return self.loop.result(self.service.answer(operation, asked))

    def _type(self, keys: bytes) -> None:
        before, detach, _ = keys.partition(DETACH)
        if before:
            self.ask("pty.send", data=self.typed.decode(before))
        if detach or not keys:
            raise Detached

    async def _watch(self) -> None:
        """Everything the terminal prints, without the marks between commands."""
        try:
            await self._show()
        finally:
            os.write(self.wake[1], b".")

    async def _show(self) -> None:
        async for item in self.service.stream(self.conversation_id, self.cursor):
            if isinstance(item, bytes):
                os.write(1, self.shown.next(item))
                self.cursor += len(item)
            elif item.startswith('{"type":"agent_session_reset"'):
                reset = msgspec.json.decode(item, type=t.SessionReset)
                os.write(2, f"\nantiphon: {reset.reason}; a fresh one is here\n".encode())
            os.write(self.wake[1], b".")


def _refusal(reply: Reply) -> Refused:
    fields: Fields = msgspec.to_builtins(reply)
    return Refused(Code(outcome(reply)), str(fields.get("message", fields["error"])))


@contextlib.contextmanager
def _detaching() -> Iterator[None]:
    """C-\\ in the line editor arrives as a signal."""

    def leave(_: int, __: object) -> None:
        raise Detached

    before = signal.signal(signal.SIGQUIT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGQUIT, before)


@contextlib.contextmanager
def _raw() -> Iterator[None]:
    """Keys as they are typed, unseen and unexplained; output is still put on lines."""
    before = termios.tcgetattr(0)
    raw = termios.tcgetattr(0)
    raw[0] &= ~(termios.ICRNL | termios.INLCR | termios.IXON | termios.ISTRIP)
    raw[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
    termios.tcsetattr(0, termios.TCSADRAIN, raw)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
