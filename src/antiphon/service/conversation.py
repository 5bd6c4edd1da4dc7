"""One conversation at work: a stream, and the shell that is told what to do.

Everything here happens in one thread; only writers to the terminal take turns (`lock`).
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.file import StorageFull
from antiphon.drivers.link import Link, connect
from antiphon.drivers.store import Durability, Store
from antiphon.service.inputs import Inputs
from antiphon.service.orders import exit_of
from antiphon.service.power_cut import clamp
from antiphon.service.stream import DISK_RETRY_S, now_ms
from antiphon.service.telling import Telling
from antiphon.service.waits import Ended
from antiphon.terminal.facts import (
    BeginBlock,
    Block,
    BlockRequested,
    ClearLine,
    EndBlock,
    EndGivenUp,
    NotePrompt,
    OpenEditor,
    Order,
    PressEnter,
    RingAgain,
    ShellDied,
)
from antiphon.terminal.marks import MarkReader
from antiphon.terminal.modes import Mode
from antiphon.wire.terminal import WireMode

_PARTING = "the server is stopping, and what runs here goes on; ask again"


class Conversation(Telling):
    """The running side of one conversation; `lifecycle.py` starts and ends its shells."""

    def __init__(
        self, conversation_id: str, folder: Path, durability: Durability = Durability.PROCESS
    ) -> None:
        clamp(conversation_id, folder)
        super().__init__(conversation_id, Store(folder, durability=durability))
        self.lock = asyncio.Lock()
        self.inputs = Inputs(self.store.inputs)
        self.prompted: asyncio.Future[None] | None = None  # the next prompt, if one waits for it
        self.editing: asyncio.Future[None] | None = None  # the line editor reads
        self.entered: asyncio.Future[None] | None = None  # a typed line runs, or was nothing
        self.endings: dict[str, list[asyncio.Future[Block | None]]] = {}
        self.ended: dict[str, Block] = {}  # the newest block
        self.on_death: Callable[[str], None] = lambda _reason: None
        self.was_typed_to = False  # while the last block ran
        self.is_serving = True  # false while what happened without us is read, and at the end
        self.is_parting = False
        self._deaths: list[asyncio.Future[None]] = []
        self._why_dead: str | None = None  # while its last output is on its way to the files

    def resume(self) -> None:
        """What happened while no server was there: the rest of the stream, then the living."""
        if self.terminal.mode is Mode.CLOSED:
            return
        self.link = connect(self.store.folder)
        why = self._why_not()
        if self.is_sound:
            key = self.link.key if self.link else self.key.encode()
            # Without a key nothing is a mark: what cannot be told apart is text.
            self.replay(key or secrets.token_bytes(16))
        self.messages.skip(self.next_token)
        if self.link is None or why:
            self._forsake(why)
            return
        asyncio.get_running_loop().add_reader(self.link.door.fileno(), self._heard)
        self._tell_again()
        if self.terminal.active is not None:
            self.watch(self.terminal.active.block_id)
        self.pump()

    def _why_not(self) -> str:
        """Why the shell that was here cannot be gone on with; empty when it can."""
        if not self.is_sound:
            return "what was known of the shell was lost: its checkpoint was torn or missing"
        if self.link is None:
            return "the shell ended while no server was running"
        if self.was_moved:
            return "the state directory was moved, and the shell does not know where to"
        return ""

    def _forsake(self, why: str) -> None:
        """Nothing more comes of it; the next who asks gets a fresh one."""
        if self.link is not None:
            self.link.kill_shell()
            self.link.close()
            self.link = None
        if not self.is_sound:
            self.store.drop("exit")  # who knows whose it is
        self.is_serving = False
        self._died(why)
        self.is_serving = True

    def _tell_again(self) -> None:
        """What the last server may not have said to the shell that lives."""
        link, active = self.link, self.terminal.active
        if link is None:
            return
        loop = asyncio.get_running_loop()
        self.next_token = self.messages.next_token
        if not self.save():  # the next server must know what this one may give out
            loop.call_later(DISK_RETRY_S, self._tell_again)
            return
        link.drain_bell()
        self.was_typed_to = True  # for all we know
        try:
            if self.terminal.is_ending:  # those who asked for its end are gone, and it is not
                self.tell(EndGivenUp())
            if active is not None and active.number is not None:
                # The bell may never have been rung; a shell that heard it knows the number.
                self.messages.number = active.number
                self.messages.asked = BlockRequested(active.command, active.number, 0, active.cwd)
                self.send_message("run")
                self.check_soon(active.block_id)
            else:
                self.send_message("more")
        except (StorageFull, Refused):
            loop.call_later(DISK_RETRY_S, self._tell_again)
            return
        if self.terminal.drops_line_end:  # it waits at its own prompt for the Enter of the last
            link.write(b"\r")

    def attach(self, link: Link, reader: MarkReader) -> None:
        self.link = link
        self.why_lost = ""
        self.reader = reader
        asyncio.get_running_loop().add_reader(link.door.fileno(), self._heard)

    def _heard(self) -> None:
        link = self.link
        if link is None:
            return
        news = link.news()
        if b"x" in news or not news:
            self._detach()
            is_noted = bool(self.store.get("exit"))
            self._why_dead = self.why_lost if is_noted else "the shell's holder is gone"
            self.drained()
            return
        self.pump()

    def drained(self) -> None:
        """Only when all that a dead shell printed is in the files, its death is."""
        if self._why_dead is None:
            return
        self.pump_all()
        if not self.is_storage_full:
            why, self._why_dead = self._why_dead, None
            self._died(why)

    # --- orders ----------------------------------------------------------------

    def carry_out(self, order: Order) -> None:
        match order:
            case BeginBlock(block):
                self._taken()
                self.viewing.mode(self.mode_on_the_wire())
                if not self.is_replaying:
                    self.watch(block.block_id)
                    if block.number is None:
                        self.inputs.entered(block.block_id)
            case EndBlock(block):
                self._ended(block)
            case NotePrompt(start, end, _):
                self.waits.prompted(start, end)
                self._prompted()
            case OpenEditor():
                editing, self.editing = self.editing, None
                _resolve(editing)
                if editing is None and self.link is not None and not self.is_replaying:
                    self.press_enter(self.link)
            case RingAgain() | PressEnter() | ClearLine():
                if self.link is not None and not self.is_replaying:
                    self.nudge(order, self.link)

    def _ended(self, block: Block) -> None:
        self.store.outputs.end()
        self.ended = {block.block_id: block}
        for waiting in self.endings.pop(block.block_id, []):
            if not waiting.done():
                waiting.set_result(block)
        self.viewing.mode("idle")

    def _taken(self) -> None:
        entered, self.entered = self.entered, None
        _resolve(entered)

    def _prompted(self) -> None:
        self._taken()
        _resolve(self.prompted)
        link = self.link
        if link is None or self.is_replaying:
            return
        if self.editing is not None and not self.editing.done():
            # A Ctrl-C came between the bell and the line editor.
            self.send_message("line")
        elif self.was_typed_to and link.unread_bytes():
            # What was typed ahead is the shell's now; there may be more lines than one.
            self.editing = asyncio.get_running_loop().create_future()
            self.send_message("line")
            return
        elif self.messages.is_used_up(self.reader.last_number):
            self.send_message("more")
        self.was_typed_to = False
        self.scrub_soon()

    async def settled(self) -> None:
        """A line that was entered at the prompt runs by now, or was nothing.

        In an open quote it is not taken, and nobody waits for it twice; a shell that had no turn
        yet, on a machine that has much to do, is waited for.
        """
        entered = self.entered
        if entered is None:
            return
        loop = asyncio.get_running_loop()
        last_s = loop.time() + limits.BEGIN_MS_MAX / 1000
        while not entered.done() and loop.time() < last_s:
            await asyncio.wait({entered}, timeout=limits.ENTERED_MS_MAX / 1000)
            if self._asks_for_more():
                break
        if self.entered is entered:
            self.entered = None

    def _asks_for_more(self) -> bool:
        """The line editor has read all that was typed, has said what it had to say, and waits."""
        link = self.link
        if link is None:
            return True
        waits = link.is_left_alone() and not link.is_line_mode() and not link.unread_bytes()
        return waits and self.raw_offset >= self.store.raw_size()

    async def end_of(self, block: Block, timeout_s: float) -> Block | None:
        """The block as it ended, or None when time is up."""
        ended = self.ended.get(block.block_id)
        if ended is not None:
            return ended
        loop = asyncio.get_running_loop()
        told: asyncio.Future[Block | None] = loop.create_future()
        self.endings.setdefault(block.block_id, []).append(told)
        timer = loop.call_later(timeout_s, _give_up, told)
        try:
            return await told
        finally:
            timer.cancel()

    # --- the end of a shell ----------------------------------------------------

    def _detach(self) -> None:
        if self.link is not None:
            asyncio.get_running_loop().remove_reader(self.link.door.fileno())
            asyncio.get_running_loop().remove_writer(self.link.master)
            self.link.close()
            self.link = None

    def _died(self, reason: str) -> None:
        """The shell is gone: its block ends, its waits end, its history stays."""
        exit_code, _ = exit_of(self.store.get("exit"))
        active = self.terminal.active
        orders: list[Order] = []
        for arrival in self.reader.flush():
            orders += self.terminal.receive(arrival)
        orders += self.terminal.receive(ShellDied(exit_code, now_ms()))
        self.commit(orders, active)
        why = reason or f"the shell ended with exit code {exit_code}"
        self.waits.end(Ended(Code.SHELL_LOST, f"{why}; what it printed is all there is"))
        for future in (self.prompted, self.editing):
            if future is not None and not future.done():
                future.set_exception(Refused(Code.SHELL_LOST, why))
                future.exception()  # somebody may have stopped waiting
        self.on_death(why)
        self.save()
        deaths, self._deaths = self._deaths, []
        for future in deaths:
            _resolve(future)

    def death(self) -> asyncio.Future[None]:
        """Done when the shell that lives now is gone and its end is recorded."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._deaths.append(future)
        return future

    def give_up(self) -> None:
        """A shell that was to start did not."""
        self._detach()
        self.commit_fact(ShellDied(None, now_ms()))
        self.save()

    def lost(self) -> Ended | None:
        """Whether nothing can come any more."""
        if self.is_parting:
            return Ended(Code.HOST_UNAVAILABLE, _PARTING)
        if self.terminal.mode is Mode.CLOSED:
            return Ended(Code.SHELL_LOST, "no shell is open here; pty.open or an exec opens one")
        return None

    # --- how it stands ---------------------------------------------------------

    def mode_on_the_wire(self) -> WireMode:
        if self.terminal.mode is Mode.RUNNING:
            return "block_running"
        return "interactive" if self.terminal.mode is Mode.INTERACTIVE else "idle"

    def refuse_if_busy(self) -> None:
        mode = self.mode_on_the_wire()
        if mode == "idle":
            return
        active = self.terminal.active
        what = "an interactive session is under way" if mode == "interactive" else "a block runs"
        raise Refused(
            Code.BUSY,
            f"the terminal is in {mode.replace('_', ' ')} mode: {what}; wait for its prompt, "
            "or end it with pty.end_session",
            mode=mode,
            active_block_id=active.block_id if active else None,
        )

    def part(self) -> None:
        """The server stops: nobody is left waiting, and what they wait for goes on."""
        self.is_parting = True
        self.waits.end(Ended(Code.HOST_UNAVAILABLE, _PARTING))
        for block_id, waiting in self.endings.items():
            for told in waiting:
                if not told.done():
                    told.set_exception(
                        Refused(Code.HOST_UNAVAILABLE, _PARTING, active_block_id=block_id)
                    )

    def close(self) -> None:
        """Let go of the files; the shell lives on."""
        self.is_serving = False
        self.part()
        self._detach()
        self.save()
        with contextlib.suppress(StorageFull):
            self.store.sum_up(self.store.events.size)
        self.let_go()


def _give_up(told: asyncio.Future[Block | None]) -> None:
    if not told.done():
        told.set_result(None)


def _resolve(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
