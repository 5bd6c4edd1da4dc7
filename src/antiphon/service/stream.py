"""One conversation's stream: bytes of its terminal in, files and news out.

It carries what the core orders and decides nothing about modes.  What happened while no server
was there is read again from the last checkpoint on, to the same bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Iterable

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers import processes, sums
from antiphon.drivers.file import StorageFull
from antiphon.drivers.store import Batch, Store
from antiphon.service import checkpoint
from antiphon.service.journal import Journal
from antiphon.service.mending import derive_outputs, mend
from antiphon.service.rebuilding import rebuilt
from antiphon.service.recorder import Recorder, Replay
from antiphon.service.viewing import Viewing
from antiphon.service.waits import Waits
from antiphon.terminal.facts import BeginBlock, Block, EndBlock, Fact, Order
from antiphon.terminal.marks import Arrival, MarkReader, TextArrived
from antiphon.wire import terminal as wire

# One piece of the stream: large enough to be cheap, small enough for others to get their turn.
PIECE_BYTES = 256 << 10
PIECES_MAX = 4
DISK_RETRY_S = 0.2


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Stream:
    """What came, and where it is kept."""

    def __init__(self, conversation_id: str, store: Store) -> None:
        self.id = conversation_id
        self.store = store
        self.viewing = Viewing(self.store.read_raw, lambda: self.raw_offset)
        self.waits = Waits(self.store.spool.read, lambda: self.store.spool.size)
        self.last_activity = self.store.written_ms()
        self.is_replaying = False
        self.is_closed = False
        self._stalled: tuple[Batch, list[Order]] | None = None
        self._waiting: list[tuple[list[Order], Block | None]] = []
        self._is_pumping = False
        self._retrying: asyncio.TimerHandle | None = None
        self._load()

    def _load(self) -> None:
        found = checkpoint.load(self.store)
        self.is_sound = found is not None
        self._checkpoint = found = found or rebuilt(self.store)
        replay = checkpoint.replay_of(self.store, found)
        self.recorder = Recorder(self.id, self.store, replay)
        self.terminal = checkpoint.terminal_of(found, self.id)
        self.journal = Journal(self.store, found.serial)
        self.raw_offset = found.raw_offset
        self.reset_reason = None if replay.was_reset else found.reset_reason
        self.was_moved = bool(found.folder) and found.folder != str(self.store.folder)
        self.key = found.key
        self._is_same_boot = found.boot == processes.boot()
        self.next_token = found.next_token
        self.reader = MarkReader(secrets.token_bytes(16), found.mark_number)
        self.store.prompts.cut(found.prompts_size)
        ends = self.store.prompt_ends()
        for start, end in zip(ends[::2], ends[1::2], strict=True):
            self.waits.prompted(start, end)
        self.store.spool.size = found.spool.size
        self.recorder.resume(found.active, found.said_until)

    def replay(self, key: bytes) -> None:
        """Everything since the checkpoint, as it was; the record says nothing twice."""
        self.read_again(key)
        if self._stalled is None:
            self.store.trim_spool()
            self.recorder.replay = Replay()
            mend(self.store, self._checkpoint, self.terminal, self.id)
            if not self._is_same_boot:
                derive_outputs(self.store, self.terminal.active)
            if self.store.is_synced_each_time:
                with contextlib.suppress(StorageFull):  # the first end that is to be told says it
                    self.store.sync()

    def read_again(self, key: bytes) -> None:
        self.reader = MarkReader(key, self.reader.last_number)
        self.is_replaying = True
        for entry in self.journal.entries():
            self._read_until(entry.at)
            self.commit_text(self.reader.flush())  # it was decided then, by bytes behind this place
            self.commit_fact(entry.fact())
            self.journal.serial = entry.serial + 1
        self._read_until(self.store.raw_size())
        self.is_replaying = False

    def _read_until(self, offset: int) -> None:
        while self.raw_offset < offset:
            size = min(PIECE_BYTES, offset - self.raw_offset)
            data = self.store.read_raw(self.raw_offset, size)
            if not data:
                return  # the bytes did not survive the machine
            self._digest(data)

    # --- from the terminal -----------------------------------------------------

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
        if not self.is_closed:
            self.pump()

    def _pump_once(self) -> bool:
        """Whether there may be more."""
        data = self.store.read_raw(self.raw_offset, PIECE_BYTES)
        if data:
            self._digest(data)
        return len(data) == PIECE_BYTES

    def pump_all(self) -> None:
        """The rest: nothing more comes."""
        while self._stalled is None and self.raw_offset < self.store.raw_size():
            self._pump_once()

    def _digest(self, data: bytes) -> None:
        active = self.terminal.active
        orders: list[Order] = []
        for arrival in self.reader.feed(data):
            if isinstance(arrival, TextArrived) and not self.is_replaying:
                self.viewing.feed(arrival.data, self.answer_query)
            orders += self.terminal.receive(arrival)
        self.raw_offset += len(data)
        self.commit(orders, active)
        self.viewing.wake()

    # --- facts that are not from the stream --------------------------------------

    def tell(self, fact: Fact) -> None:
        """Journaled, then as if it had come in the stream here."""
        self.write_ahead(fact)
        self.commit_fact(fact)

    def write_ahead(self, fact: Fact) -> None:
        try:
            self.journal.append(self._journal_offset(), fact)
        except StorageFull as error:
            raise Refused(Code.STORAGE_FULL, f"the disk is full: {error}") from None

    def _journal_offset(self) -> int:
        """Bytes held back by the mark reader have not happened yet for the core."""
        return self.raw_offset - self.reader.held_bytes

    def commit_fact(self, fact: Fact) -> None:
        active = self.terminal.active
        self.commit(self.terminal.receive(fact), active)

    def commit_text(self, arrivals: Iterable[Arrival]) -> None:
        active = self.terminal.active
        orders = [order for one in arrivals for order in self.terminal.receive(one)]
        self.commit(orders, active)

    # --- into the files ----------------------------------------------------------

    def commit(self, orders: list[Order], active: Block | None) -> None:
        if self._stalled is not None:
            self._waiting.append((orders, active))
        elif orders:
            self._write(self.recorder.batch(orders, active), orders)

    def _write(self, batch: Batch, orders: list[Order]) -> None:
        try:
            self.store.commit(batch)
            if self.store.is_synced_each_time and not self.is_replaying:
                self._sync_what_is_told(orders)
        except StorageFull:
            # Nothing is lost: the stream is on the disk or still in the terminal, and waits.
            self._stalled = (batch, orders)
            self._retrying = asyncio.get_running_loop().call_later(DISK_RETRY_S, self._retry)
            return
        self._stalled = None
        self.last_activity = now_ms()
        if spool := b"".join(batch.spool):
            self.waits.appended(spool)
        for order in orders:
            self.carry_out(order)
        if self.viewing.viewers:
            self.viewing.changed(batch.events)

    def _sync_what_is_told(self, orders: list[Order]) -> None:
        """A begin before its command is told to run, an end before anybody hears of it."""
        if any(isinstance(order, EndBlock) for order in orders):
            self.store.sync_end()
        elif any(isinstance(order, BeginBlock) for order in orders):
            self.store.sync_begin()

    def _retry(self) -> None:
        if self._stalled is not None:
            self._write(*self._stalled)
        while self._waiting and self._stalled is None:
            orders, active = self._waiting.pop(0)
            self._write(self.recorder.batch(orders, active), orders)
        if self._stalled is None:
            self.pump()
            self.drained()

    @property
    def is_storage_full(self) -> bool:
        return self._stalled is not None

    def record(self, event: msgspec.Struct) -> None:
        """An event that nothing else goes with."""
        encoded = msgspec.json.encode(event) + b"\n"
        try:
            self.store.record(encoded)
        except StorageFull as error:
            raise Refused(Code.STORAGE_FULL, f"the disk is full: {error}") from None
        self.viewing.changed([encoded])

    def tell_damage(self) -> None:
        """Once of each piece of the record that is not what was written, in the record itself."""
        size = self.store.events.size
        if size > limits.RECORD_LOOKED_AT_BYTES_MAX:
            return
        for start, end in sums.damaged(self.store.folder):
            damage = wire.RecordDamaged(
                conversation_id=self.id,
                message=f"events.jsonl is not what was written, from byte {start} to {end}; "
                "antiphon fsck says more",
            )
            if msgspec.json.encode(damage) not in self.store.events.read(0, size):
                with contextlib.suppress(Refused):  # no room: the next start says it
                    self.record(damage)

    def save(self) -> bool:
        """A checkpoint; it is true only while nothing is half written."""
        if self._stalled is not None:
            return False
        content = checkpoint.taken(
            self.terminal,
            self.recorder,
            checkpoint.Place(
                raw_offset=self._journal_offset(),
                mark_number=self.reader.last_number,
                next_token=self.next_token,
                serial=self.journal.serial,
                reset_reason=self.reset_reason,
                folder=str(self.store.folder),
                key=self.key,
                boot=processes.boot(),
            ),
        )
        try:
            if self.store.is_synced_each_time:  # it vouches for what is before it
                self.store.sync()
            self.store.put(checkpoint.NAME, content)
        except StorageFull:
            self.store.soil()  # the next round tries again
            return False
        self.journal.forget()
        return True

    def let_go(self) -> None:
        """Nothing is written any more; what still waits for room is read again by the next."""
        self.is_closed = True
        if self._retrying is not None:
            self._retrying.cancel()
        self.journal.close()
        self.store.close()

    # --- for those who build on it -------------------------------------------------

    def drained(self) -> None:
        """There was no room, and now all is written."""

    def carry_out(self, order: Order) -> None:
        raise NotImplementedError

    def answer_query(self, reply: bytes) -> None:
        raise NotImplementedError
