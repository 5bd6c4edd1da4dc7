"""Input for what reads the terminal: taken whole or refused whole, and written in order.

At the prompt the shell does not read the terminal; it is told to open its line editor first.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence

from msgspec import UNSET

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.link import SIGNALS, Link
from antiphon.service.conversation import Conversation
from antiphon.terminal.facts import InterruptSent
from antiphon.terminal.keys import key_bytes
from antiphon.terminal.modes import Mode
from antiphon.wire import terminal as wire

INTERRUPT = b"\x03"
# A terminal in line mode drops the rest of a longer line, silently [measured].
LINE_BYTES_MAX = 4095
_CURSOR_KEYS = frozenset(("Up", "Down", "Left", "Right", "Home", "End"))
_LOOK_S = 0.01
# How long a key that is a signal waits for the shell to have started the program it is meant for.
_START_S_MAX = 0.1
_START_LOOK_S = 0.002
_HEARD_S_MAX = 0.5
# A Ctrl-C that comes while the editor gets ready waits in it for the next one [one in fifty].
_CLEAR_S = 0.05
_CLEAR_COUNT_MAX = 10
# The line editor takes the line, and the shell will run it or say a prompt.
_ENTERED = re.compile(rb"[\r\n\x04\x0f]")


class Keyboard:
    """The writing side of one conversation's terminal."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._unwritten = b""
        self._link: Link | None = None  # whose it is

    def bytes_of(self, keys: Sequence[str]) -> bytes:
        application = False
        if _CURSOR_KEYS.intersection(keys):
            application = self._conversation.viewing.screen().is_application_cursor()
        return keys_bytes(keys, application_cursor=application)

    async def send(self, data: bytes, *, is_secret: bool, is_private: bool = False) -> None:
        """Written, or on its way with nothing before it; the caller holds the lock.

        A secret waits until the program hides its input; what is private is only not recorded.
        """
        conversation = self._conversation
        terminal = conversation.terminal
        if is_secret and terminal.mode is Mode.IDLE:
            raise Refused(
                Code.INVALID_REQUEST,
                "the shell is at its prompt and would run it as a command; a secret is sent to a "
                "program that hides what is typed; nothing was written",
            )
        if any(signal in data for signal in SIGNALS):
            await self._started()
        if terminal.mode is Mode.IDLE and not terminal.is_in_editor and data not in SIGNALS:
            await self._open_editor()
        link = conversation.link
        if link is None:
            raise Refused(Code.SHELL_LOST, "the shell is gone; nothing was written")
        if is_secret:
            await self._echo_off()
        self._refuse_if_it_would_be_lost(data)
        is_hidden = link.is_line_mode() and not link.is_echoing() and not terminal.is_in_editor
        hides = is_secret or is_private or is_hidden
        active = conversation.terminal.active
        block_id = active.block_id if active else None
        conversation.inputs.typed(block_id, data, is_hidden=hides)
        conversation.record(
            wire.InputSent(
                conversation_id=conversation.id,
                block_id=block_id,
                data=None if hides else data.decode("utf-8", "replace"),
                secret=True if hides else UNSET,
                length=len(data) if hides else UNSET,
            )
        )
        if INTERRUPT in data and active is not None:
            conversation.tell(InterruptSent())
        conversation.was_typed_to = True
        if terminal.mode is Mode.IDLE and data == INTERRUPT:
            await self._interrupt_prompt(limits.ECHO_OFF_MS_MAX / 1000)
            return
        if terminal.is_in_editor and _ENTERED.search(data):
            conversation.entered = asyncio.get_running_loop().create_future()
        self._write(data)

    async def _started(self) -> None:
        """A shell that is about to start a program drops a Ctrl-C [one in four, right after BEGIN].

        It comes when the program is there.  A builtin that runs for long gets it after a moment.
        """
        conversation = self._conversation
        active, loop = conversation.terminal.active, asyncio.get_running_loop()
        deadline = loop.time() + _START_S_MAX
        while active is not None and loop.time() < deadline:
            link, now = conversation.link, conversation.terminal.active
            if now is None or now.block_id != active.block_id:
                return
            if link is None or not link.is_between_programs():
                return
            await asyncio.sleep(_START_LOOK_S)

    async def heard(self) -> None:
        """The shell has had a Ctrl-C that was sent for what has ended since.

        On a machine that has much to do it may be told of the next command first, and would take
        the Ctrl-C for that one's.  Asleep at its bell, it has had all that was handed on to it.
        """
        if self._conversation.link is not None:
            self._conversation.link.hand_on()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _HEARD_S_MAX
        while (link := self._conversation.link) is not None and loop.time() < deadline:
            if link.is_resting():
                return
            await asyncio.sleep(_START_LOOK_S)

    async def _interrupt_prompt(self, patience_s: float) -> None:
        """Ctrl-C at the prompt: the shell says a new one, and what comes next comes after it."""
        conversation = self._conversation
        prompted = conversation.prompted = asyncio.get_running_loop().create_future()
        self._write(INTERRUPT)
        await asyncio.wait({prompted}, timeout=patience_s)

    def _refuse_if_it_would_be_lost(self, data: bytes) -> None:
        link = self._conversation.link
        assert link is not None
        if link is not self._link:  # what was typed for a shell that is gone is for nobody else
            self._link, self._unwritten = link, b""
        if len(self._unwritten) + len(data) > limits.SEND_BYTES_MAX:
            raise Refused(
                Code.BACKPRESSURE,
                f"{len(self._unwritten)} bytes wait for a program that does not read; "
                "nothing was written, send again when it does",
            )
        longest = max(len(line) for line in data.replace(b"\r", b"\n").split(b"\n"))
        if longest > LINE_BYTES_MAX and link.is_line_mode():
            raise Refused(
                Code.LIMIT_REACHED,
                f"a line of {longest} bytes for a program that reads lines: a terminal takes "
                f"{LINE_BYTES_MAX} and drops the rest (LINE_BYTES_MAX); nothing was written",
            )

    def drop(self) -> None:
        """What was typed for one who is gone, or not finished, is for nobody else."""
        self._unwritten = b""
        link = self._conversation.link
        if link is not None:
            asyncio.get_running_loop().remove_writer(link.master)
            link.drop_input()

    async def clear(self) -> None:
        """No line stands in the editor; out of an open quote leads only Ctrl-C."""
        self.drop()
        conversation = self._conversation
        for _ in range(_CLEAR_COUNT_MAX):
            if conversation.link is None or not conversation.terminal.is_in_editor:
                return
            await self._interrupt_prompt(_CLEAR_S)

    def _write(self, data: bytes) -> None:
        self._unwritten += data
        self._flush()

    def _flush(self) -> None:
        link = self._conversation.link
        if link is None:
            self._unwritten = b""
            return
        loop = asyncio.get_running_loop()
        try:
            self._unwritten = self._unwritten[link.write(self._unwritten) :]
        except OSError:  # the terminal has closed; that it died is told elsewhere
            self._unwritten = b""
        if self._unwritten:
            loop.add_writer(link.master, self._flush)
        else:
            loop.remove_writer(link.master)

    async def _open_editor(self) -> None:
        conversation = self._conversation
        editing = conversation.editing
        if editing is None or editing.done():
            editing = conversation.editing = asyncio.get_running_loop().create_future()
            conversation.send_message("line")
        await asyncio.wait({editing}, timeout=limits.BEGIN_MS_MAX / 1000)
        if not editing.done():
            conversation.editing = None
            raise Refused(
                Code.SHELL_LOST, "the shell does not open its line editor; pty.reset helps"
            )
        editing.result()

    async def _echo_off(self) -> None:
        """A secret waits until the program hides what is typed [d9]."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limits.ECHO_OFF_MS_MAX / 1000
        while loop.time() < deadline:
            link = self._conversation.link
            if link is not None and not link.is_echoing():
                return
            await asyncio.sleep(_LOOK_S)
        raise Refused(
            Code.INVALID_REQUEST,
            f"the program shows what is typed, after {limits.ECHO_OFF_MS_MAX} ms still; a secret "
            "is sent only while it does not; nothing was written",
        )


def keys_bytes(keys: Sequence[str], *, application_cursor: bool = False) -> bytes:
    return b"".join(key_bytes(key, application_cursor=application_cursor) for key in keys)


def refuse_if_too_long(data: bytes) -> None:
    if len(data) > limits.SEND_BYTES_MAX:
        raise Refused(
            Code.LIMIT_REACHED,
            f"data has {len(data)} bytes; one send takes {limits.SEND_BYTES_MAX} (SEND_BYTES_MAX)",
        )


def input_bytes(text: str) -> bytes:
    """Text as it is; a lone surrogate is no text."""
    try:
        return os.fsencode(text) if text.isascii() else text.encode()
    except UnicodeEncodeError:
        raise Refused(Code.INVALID_REQUEST, "data has a lone surrogate; text is accepted") from None
