"""One conversation at work: bytes of its terminal in, files and answers out.

It carries what the core orders and decides nothing about modes.  Everything here happens in
one thread; only writers to the terminal take turns (`lock`).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.link import Link, connect
from antiphon.drivers.store import Batch, StorageFull, Store
from antiphon.service import checkpoint
from antiphon.service.orders import Messages, exit_of
from antiphon.service.recorder import Recorder, Replay
from antiphon.service.viewing import Viewing
from antiphon.service.waits import Ended, Waits
from antiphon.terminal.blocks import Terminal
from antiphon.terminal.facts import (
    BeginBlock,
    Block,
    BlockRequested,
    ClearLine,
    EndBlock,
    Fact,
    Kind,
    NotePrompt,
    OpenEditor,
    Order,
    PressEnter,
    RefuseCommand,
    RingAgain,
    ShellDied,
    Why,
)
from antiphon.terminal.marks import CommandBegun, MarkReader, TextArrived
from antiphon.terminal.modes import Mode
from antiphon.wire.terminal import WireMode

# One piece of the stream: large enough to be cheap, small enough for others to get their turn.
PIECE_BYTES = 256 << 10
PIECES_MAX = 4
DISK_RETRY_S = 0.2
# Whatever stands in the line editor goes, and the shell comes back to its prompt.
_LINE_KILL_ENTER = b"\x15\r"


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Conversation:
    """The running side of one conversation; `shell.py` starts and ends its shells."""

    def __init__(self, conversation_id: str, folder: Path) -> None:
        self.id = conversation_id
        self.store = Store(folder)
        self.lock = asyncio.Lock()
        self.link: Link | None = None
        self.reader = MarkReader(b"")
        self.viewing = Viewing(self.store.read_raw, lambda: self.raw_offset)
        self.waits = Waits(self.store.spool.read, lambda: self.store.spool.size)
        self.messages = Messages()
        self.begun: asyncio.Future[Block] | None = None  # of the command that was asked for
        self.prompted: asyncio.Future[None] | None = None  # the first prompt of a new shell
        self.editing: asyncio.Future[None] | None = None  # the line editor reads
        self.endings: dict[str, list[asyncio.Future[Block | None]]] = {}
        self.ended: dict[str, Block] = {}  # the newest block, while somebody may ask at once
        self.on_death: Callable[[int | None, str], None] = lambda _code, _reason: None
        self.reset_reason: str | None = None
        self.last_activity = now_ms()
        self.is_replaying = False
        self.is_serving = True  # false while what happened without us is read, and at the end
        self._deaths: list[asyncio.Future[None]] = []
        self._stalled: tuple[Batch, list[Order]] | None = None
        self._waiting: list[tuple[list[Order], Block | None]] = []
        self._is_pumping = False
        self._load()

    # --- from the files --------------------------------------------------------

    def _load(self) -> None:
        found = checkpoint.load(self.store)
        replay = checkpoint.replay_of(self.store, found)
        self.recorder = Recorder(self.id, self.store, replay)
        if found is None:
            self.terminal = Terminal(self.id)
            self.raw_offset = 0
            return
        self.terminal = checkpoint.terminal_of(found, self.id)
        self.raw_offset = found.raw_offset
        self.reset_reason = found.reset_reason
        self.messages.next_token = found.next_token
        self.reader.last_number = found.mark_number
        self.store.prompts.cut(found.prompts_size)
        ends = self.store.prompt_ends()
        for start, end in zip(ends[::2], ends[1::2], strict=True):
            self.waits.prompted(start, end)
        self.store.spool.size = found.spool.size
        self.recorder.resume(found.active, found.said_until)

    def resume(self) -> None:
        """What happened while no server was there: the rest of the stream, then the living."""
        if self.terminal.mode is Mode.CLOSED:
            return
        self.link = connect(self.store.folder)
        key = self.link.key if self.link else exit_of(self.store.get("exit"))[1]
        # Without a key nothing is a mark: what cannot be told apart is text.
        self.reader = MarkReader(key or secrets.token_bytes(16), self.reader.last_number)
        self.messages.skip()
        self.is_replaying = True
        while data := self.store.read_raw(self.raw_offset, PIECE_BYTES):
            self._digest(data)
        self.is_replaying = False
        self.recorder.replay = Replay()
        if self.link is None:
            self.is_serving = False
            self._died("the shell ended while no server was running")
            self.is_serving = True
            return
        self.link.drain_bell()
        asyncio.get_running_loop().add_reader(self.link.door.fileno(), self._heard)

    # --- from the terminal -----------------------------------------------------

    def attach(self, link: Link, reader: MarkReader) -> None:
        self.link = link
        self.reader = reader
        asyncio.get_running_loop().add_reader(link.door.fileno(), self._heard)

    def _heard(self) -> None:
        link = self.link
        if link is None:
            return
        news = link.news()
        if b"x" in news or not news:
            self._detach()
            while self._stalled is None and self._pump_once():
                pass
            self._died("the shell's holder is gone" if not news else "")
            return
        self.pump()

    def pump(self) -> None:
        """What came, in pieces; after a few of them others have their turn."""
        for _ in range(PIECES_MAX):
            if self._stalled is not None or not self._pump_once():
                return
        if not self._is_pumping:
            self._is_pumping = True
            asyncio.get_running_loop().call_soon(self._pump_on)

    def _pump_on(self) -> None:
        self._is_pumping = False
        self.pump()

    def _pump_once(self) -> bool:
        data = self.store.read_raw(self.raw_offset, PIECE_BYTES)
        if not data:
            return False
        self._digest(data)
        return len(data) == PIECE_BYTES or self.link is None

    def _digest(self, data: bytes) -> None:
        active = self.terminal.active
        orders: list[Order] = []
        for arrival in self.reader.feed(data):
            if isinstance(arrival, CommandBegun) and self.terminal.asked is None:
                self._remember(arrival.seq)
            if isinstance(arrival, TextArrived) and not self.is_replaying:
                self.viewing.feed(arrival.data, self._answer_query)
            orders += self.terminal.receive(arrival)
        self.raw_offset += len(data)
        self.commit(orders, active)

    def _remember(self, seq: int) -> None:
        """A command that was asked for before a crash begins now: the file still has it."""
        asked = self.messages.asked_in(self.store.read_run())
        if asked is not None and asked[0] == seq:
            self.terminal.receive(asked[1])

    def tell(self, fact: Fact) -> None:
        """A fact that is not from the stream."""
        active = self.terminal.active
        self.commit(self.terminal.receive(fact), active)

    def commit(self, orders: list[Order], active: Block | None) -> None:
        if self._stalled is not None:
            self._waiting.append((orders, active))
        else:
            self._write(self.recorder.batch(orders, active), orders)

    def _write(self, batch: Batch, orders: list[Order]) -> None:
        before = self.store.spool.size
        try:
            self.store.commit(batch)
        except StorageFull:
            # Nothing is lost: the stream is on the disk or still in the terminal, and waits.
            self._stalled = (batch, orders)
            asyncio.get_running_loop().call_later(DISK_RETRY_S, self._retry)
            return
        self._stalled = None
        self.last_activity = now_ms()
        if self.store.spool.size > before:
            self.waits.appended(b"".join(batch.spool))
        for order in orders:
            self._carry_out(order)
        if batch.spool or batch.events:
            self.viewing.changed(batch.events)

    def _retry(self) -> None:
        if self._stalled is not None:
            self._write(*self._stalled)
        while self._waiting and self._stalled is None:
            orders, active = self._waiting.pop(0)
            self._write(self.recorder.batch(orders, active), orders)
        self.pump()

    @property
    def is_storage_full(self) -> bool:
        return self._stalled is not None

    # --- orders ----------------------------------------------------------------

    def _carry_out(self, order: Order) -> None:
        match order:
            case BeginBlock(block):
                self._begun(block)
            case EndBlock(block):
                self._ended(block)
            case NotePrompt(start, end, _):
                self.waits.prompted(start, end)
                self._prompted()
            case RefuseCommand(why):
                self._refused(why)
            case OpenEditor():
                _resolve(self.editing)
            case RingAgain() if self.link and not self.is_replaying and self.link.is_bell_heard():
                self.ask_again()
            case PressEnter() if self.link and not self.is_replaying:
                self.link.write(b"\r")
            case ClearLine() if self.link and not self.is_replaying:
                self.link.write(_LINE_KILL_ENTER)

    def _begun(self, block: Block) -> None:
        self.store.scrub_run(self.messages.scrubbed)
        self.viewing.mode(self.mode_on_the_wire())
        if self.begun is not None and not self.begun.done():
            self.begun.set_result(block)
        self.begun = None

    def _ended(self, block: Block) -> None:
        self.store.end_output()
        self.ended = {block.block_id: block}
        for waiting in self.endings.pop(block.block_id, []):
            if not waiting.done():
                waiting.set_result(block)
        self.viewing.mode("idle")

    def _prompted(self) -> None:
        if self.prompted is not None:
            _resolve(self.prompted)
        link = self.link
        if link is None or self.is_replaying:
            return
        if self.editing is not None and not self.editing.done():
            # A Ctrl-C came between the bell and the line editor.
            self.send_message("line")
        elif self.messages.is_low(self.reader.last_number) and self.terminal.asked is None:
            self.send_message("more")

    def _refused(self, why: Why) -> None:
        begun, self.begun = self.begun, None
        if why is Why.TYPED_FIRST:
            self.send_message("more")  # the command that was asked for is not in the file now
        if begun is not None and not begun.done():
            begun.set_exception(refusal_of(why, self.mode_on_the_wire()))

    # --- to the shell ----------------------------------------------------------

    def ask(self, asked: BlockRequested) -> asyncio.Future[Block]:
        """Tell the shell to run this; the future has the block once it begins."""
        self.tell(asked)
        self.begun = asyncio.get_running_loop().create_future()
        self.messages.ask(asked)
        self.send_message("run")
        return self.begun

    async def beginning(self, begun: asyncio.Future[Block]) -> Block:
        """The block, once the shell has begun it."""
        if begun.done():
            return begun.result()
        try:
            return await asyncio.wait_for(asyncio.shield(begun), limits.BEGIN_MS_MAX / 1000)
        except TimeoutError:
            raise Refused(
                Code.SHELL_LOST,
                f"the shell has not begun the command within {limits.BEGIN_MS_MAX} ms; it may "
                "yet; pty.reset starts a fresh shell",
                mode=self.mode_on_the_wire(),
            ) from None

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

    def ask_again(self) -> None:
        self.send_message("run")

    def send_message(self, kind: str) -> None:
        assert self.link is not None
        self.store.write_run(self.messages.message(kind, self.link.key))
        self.link.ring()

    def _answer_query(self, reply: bytes) -> None:
        if self.link is not None:
            self.link.write(reply)

    # --- the end of a shell ----------------------------------------------------

    def _detach(self) -> None:
        if self.link is not None:
            asyncio.get_running_loop().remove_reader(self.link.door.fileno())
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
        self.save()
        self.on_death(exit_code, why)
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
        self.tell(ShellDied(None, now_ms()))

    def lost(self) -> Ended | None:
        """Whether nothing can come any more."""
        if self.terminal.mode is Mode.CLOSED:
            return Ended(Code.SHELL_LOST, "no shell is open here; pty.open or an exec opens one")
        return None

    # --- how it stands ---------------------------------------------------------

    def mode_on_the_wire(self) -> WireMode:
        mode = self.terminal.mode
        if mode is Mode.ASKED:
            asked = self.terminal.asked
            assert asked is not None
            return "interactive" if asked.kind is Kind.SESSION else "block_running"
        if mode is Mode.RUNNING:
            return "block_running"
        return "interactive" if mode is Mode.INTERACTIVE else "idle"

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

    def record(self, event: msgspec.Struct) -> None:
        """An event that is not from the stream."""
        encoded = msgspec.json.encode(event) + b"\n"
        try:
            self.store.record(encoded)
        except StorageFull as error:
            raise Refused(Code.STORAGE_FULL, f"the disk is full: {error}") from None
        self.viewing.changed([encoded])

    def save(self) -> None:
        """A checkpoint; it is true only while nothing is half written."""
        if self._stalled is not None:
            return
        self.store.put(
            checkpoint.NAME,
            checkpoint.taken(
                self.terminal,
                self.recorder,
                self.raw_offset - self.reader.held_bytes,
                self.reader.last_number,
                self.messages.next_token,
                self.reset_reason,
            ),
        )

    def close(self) -> None:
        """Let go of the files; the shell lives on."""
        self.is_serving = False
        self.waits.end(Ended(Code.HOST_UNAVAILABLE, "the server is stopping; ask again"))
        self._detach()
        self.save()
        self.store.close()


def refusal_of(why: Why, mode: str) -> Refused:
    match why:
        case Why.NO_DIRECTORY:
            return Refused(
                Code.INVALID_REQUEST,
                "the shell cannot enter that directory; the command did not run",
            )
        case Why.TYPED_FIRST:
            return Refused(
                Code.BUSY, "a line typed at the prompt runs; the command did not", mode=mode
            )
        case Why.SHELL_DIED:
            return Refused(Code.SHELL_LOST, "the shell ended before the command began")


def _give_up(told: asyncio.Future[Block | None]) -> None:
    if not told.done():
        told.set_result(None)


def _resolve(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
