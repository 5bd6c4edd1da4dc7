"""What one shell is told, and whether it heard.

It is told through a file and a bell, never through its terminal; a shell that hears nothing, or
never comes back to its prompt, is lost, and that is said.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from antiphon.base import limits
from antiphon.drivers import processes
from antiphon.drivers.link import Link
from antiphon.drivers.store import Store
from antiphon.service.orders import Messages
from antiphon.service.stream import DISK_RETRY_S, Stream, now_ms
from antiphon.terminal.facts import (
    Block,
    BlockRequested,
    ClearLine,
    Order,
    PressEnter,
    SessionRequested,
)
from antiphon.terminal.marks import make_ready

# Whatever stands in the line editor goes, and the shell comes back to its prompt.
_LINE_KILL_ENTER = b"\x15\r"
# Until tokens that the shell has read are taken off the disk; it is looked for less and less
# often whether it has, and for the last time at its prompt.
_SCRUB_S = 0.02
_SCRUB_S_MAX = 1.0
# Until it shows whether a command that was interrupted before it began has begun.
_AGAIN_S = 0.05
# A process's beginning is known to a tick of the kernel.
_CLOCK_MS = 50
# How often it is looked whether a shell that is to run a command listens for one instead.
_LOOK_S = 1.0
_LOOKS_MAX = int(limits.BEGIN_MS_MAX / 1000 / _LOOK_S)


@dataclass(frozen=True, slots=True)
class Idling:
    """A shell that listens though it was told: how often it was seen so, and its bytes by then."""

    looks: int = 0
    printed: int = 0


class Telling(Stream):
    """A stream, and the way back to its shell."""

    def __init__(self, conversation_id: str, store: Store) -> None:
        super().__init__(conversation_id, store)
        self.link: Link | None = None
        self.messages = Messages()
        self.why_lost = ""  # said when the shell that we ended ourselves is gone
        self._is_scrubbing = False
        self._heard_before: int | None = None  # bells, as we asked; another server may have asked

    def ask(self, command: str, cwd: bytes | None, *, is_session: bool) -> Block:
        """The block, begun; its shell is told to run it."""
        assert self.link is not None
        number = self.messages.next_number()
        made = SessionRequested if is_session else BlockRequested
        asked = made(command, number, now_ms(), cwd)
        self.messages.asked = asked
        message = self.messages.message("run", self.link.key)
        self.next_token = self.messages.next_token
        self._heard_before = self.link.bells_heard()
        self.store.write_run(message)
        self.write_ahead(asked)
        if not self.store.is_synced_each_time:
            self.link.ring()
        self.commit_fact(asked)  # while the shell is at it
        make_ready(self.link.key, self.next_token)
        block = self.terminal.active
        assert block is not None
        if self.store.is_synced_each_time:
            self._ring_when_kept(block.block_id)
        else:
            self.check_soon(block.block_id)
        self.scrub_soon()
        return block

    def _ring_when_kept(self, block_id: str) -> None:
        """No command runs before its begin is on the disk; a disk that is full is waited for."""
        active, link = self.terminal.active, self.link
        if active is None or active.block_id != block_id or link is None:
            return
        if self.is_storage_full:
            asyncio.get_running_loop().call_later(DISK_RETRY_S, self._ring_when_kept, block_id)
        else:
            self._heard_before = link.bells_heard()
            link.ring()
            self.check_soon(block_id)

    def check_soon(self, block_id: str) -> None:
        heard_s = limits.BEGIN_MS_MAX / 1000
        asyncio.get_running_loop().call_later(heard_s, self._check_heard, block_id)

    def send_message(self, kind: str) -> None:
        assert self.link is not None
        self.store.write_run(self.messages.message(kind, self.link.key))
        self.next_token = self.messages.next_token
        self.link.ring()
        self.scrub_soon()

    def scrub_soon(self, after_s: float = _SCRUB_S) -> None:
        if not self._is_scrubbing:
            self._is_scrubbing = True
            asyncio.get_running_loop().call_later(after_s, self._scrub, after_s)

    def _scrub(self, after_s: float) -> None:
        """Tokens do not stay on the disk once the shell has them.

        A bell that was heard is no sign: the file may be read a moment later.
        """
        self._is_scrubbing = False
        if self.link is None:
            return
        is_told = self.messages.is_told(self.reader.last_number)
        if is_told or self.link.foreground() != self.link.shell_pid:
            self.store.scrub_run(self.messages.scrubbed)
        elif after_s < _SCRUB_S_MAX:
            self.scrub_soon(after_s * 2)

    def _check_heard(self, block_id: str) -> None:
        """A shell that does not hear its bell is lost; it is said, and a fresh one started."""
        active = self.terminal.active
        if active is None or active.block_id != block_id or self.link is None:
            return
        if self._heard_before is not None:
            is_deaf = self.link.bells_heard() == self._heard_before
        else:  # our bell is one too many for a shell that runs the command already
            is_away = self.link.is_at_bell() or _is_elsewhere(self.link, active)
            is_deaf = is_away and not self.link.is_bell_heard()
        if is_deaf and processes.is_asleep(self.link.shell_pid):
            self._lose(self.link, "the shell no longer hears that a command is there")
        elif is_deaf:  # it had no turn yet, on a machine that has much to do
            asyncio.get_running_loop().call_later(_LOOK_S, self._check_heard, block_id)

    def press_enter(self, link: Link) -> None:
        """The shell is at its own prompt unasked: an empty line brings it back."""
        link.write(b"\r")
        asyncio.get_running_loop().call_later(
            limits.RETURN_MS_MAX / 1000, self._check_returned, link, self.reader.last_number
        )

    def _check_returned(self, link: Link, mark: int) -> None:
        """A shell that stays at its own prompt has lost its hooks."""
        if self.link is not link or self.reader.last_number != mark:
            return
        if link.is_left_alone():
            self._lose(link, "the shell no longer says when a command has ended")
        elif not link.is_at_bell():  # it is at work, on a machine that has much of it
            asyncio.get_running_loop().call_later(_LOOK_S, self._check_returned, link, mark)

    def watch(self, block_id: str, idling: Idling = Idling()) -> None:
        """Look from time to time whether the block can still end."""
        asyncio.get_running_loop().call_later(_LOOK_S, self._look, block_id, idling)

    def _look(self, block_id: str, idling: Idling) -> None:
        """A shell that has heard, and listens on, will never say a prompt of this command."""
        active, link = self.terminal.active, self.link
        if active is None or active.block_id != block_id or link is None:
            return
        if link.is_listening():
            if not idling.looks:
                idling = Idling(1, self.store.raw_size())
            elif self.raw_offset >= idling.printed:  # or its prompt may be in what is yet unread
                idling = Idling(idling.looks + 1, idling.printed)
        if idling.looks > _LOOKS_MAX:
            self._lose(link, "the shell no longer runs what it is told")
        else:
            self.watch(block_id, idling)

    def _lose(self, link: Link, why: str) -> None:
        self.why_lost = f"{why}, so it was replaced"
        link.kill_shell()

    def answer_query(self, reply: bytes) -> None:
        if self.link is not None:
            self.link.write(reply)

    # --- what the core orders ---------------------------------------------------

    def nudge(self, order: Order, link: Link) -> None:
        if isinstance(order, PressEnter):
            self.press_enter(link)
        elif isinstance(order, ClearLine):
            link.write(_LINE_KILL_ENTER)
        elif self.terminal.active is not None:
            self._ring_again(link, self.terminal.active.block_id)

    def _ring_again(self, link: Link, block_id: str) -> None:
        """An older prompt came: the command has yet to begin, or has begun since and hears nothing.

        A Ctrl-C that a client sent for it and that led to this prompt is still meant for it.
        """
        if self.terminal.is_interrupted:
            self.messages.interrupt()
            asyncio.get_running_loop().call_later(_AGAIN_S, self._interrupt_again, block_id)
        elif not link.is_bell_heard():
            return
        else:  # it heard and said a prompt: it may do no more this time
            asyncio.get_running_loop().call_later(
                limits.RETURN_MS_MAX / 1000, self._check_taken, link, block_id
            )
        self.send_message("run")

    def _check_taken(self, link: Link, block_id: str) -> None:
        """A shell that was told twice and reads keys has not taken the command."""
        active = self.terminal.active
        if active is None or active.block_id != block_id or self.link is not link:
            return
        if link.is_bell_heard() and link.is_left_alone() and _is_at_own_prompt(link):
            self._lose(link, "the shell no longer runs what it is told")

    def _interrupt_again(self, block_id: str) -> None:
        active = self.terminal.active
        if active is None or active.block_id != block_id or self.link is None:
            return
        if not self.link.is_bell_heard():
            self.link.write(b"\x03")


def _is_elsewhere(link: Link, block: Block) -> bool:
    """What it is at cannot be this block's command: its line editor, or what began before."""
    began_ms = processes.began_ms(link.foreground())
    is_older = began_ms is not None and began_ms < block.ts_begin - _CLOCK_MS
    return is_older if link.foreground() != link.shell_pid else _is_at_own_prompt(link)


def _is_at_own_prompt(link: Link) -> bool:
    """The shell is in front and reads keys: its line editor does, and hardly a command."""
    return link.foreground() == link.shell_pid and not link.is_line_mode()
