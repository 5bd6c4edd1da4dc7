"""Orders of the terminal's core as bytes for the files: spool, outputs, blocks, events.

After a crash the same stream is read again from the last checkpoint; what the record says
already is not said twice (`Replay`).
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

import msgspec

from antiphon.drivers.store import Batch, Store
from antiphon.terminal import text
from antiphon.terminal.facts import AppendSpool, BeginBlock, Block, EndBlock, NotePrompt, Order
from antiphon.wire import terminal as wire

_encode = msgspec.json.Encoder().encode


def block_on_the_wire(block: Block, conversation_id: str, output_path: str) -> wire.Block:
    return wire.Block(
        block_id=block.block_id,
        conversation_id=conversation_id,
        seq=block.seq,
        cmd=block.command,
        cwd=text.readable(block.cwd),
        ts_begin=block.ts_begin,
        ts_end=block.ts_end,
        status=cast(wire.Status, block.status or block.kind.value),
        exit_code=block.exit_code,
        output_path=output_path,
        output_bytes=block.output_bytes,
    )


def line(event: msgspec.Struct) -> bytes:
    return _encode(event) + b"\n"


@dataclass(frozen=True, slots=True)
class Replay:
    """What the record had beyond the checkpoint."""

    begun: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()  # in blocks.jsonl
    deltas_until: int = 0  # the spool offset up to which deltas were said
    was_reset: bool = False  # that a shell replaced another was said


@dataclass(slots=True)
class Recorder:
    """The record of one conversation, up to what was committed."""

    conversation_id: str
    store: Store
    replay: Replay = field(default_factory=Replay)
    said_until: int = 0  # the spool offset up to which deltas are said
    _unsaid: list[bytes] = field(default_factory=list)
    _spool_at: int = 0
    _active: Block | None = None

    def batch(self, orders: Iterable[Order], active: Block | None) -> Batch:
        """What these orders add; `active` is the block that ran before them."""
        batch = Batch()
        self._spool_at = self.store.spool.size
        self._active = active
        for order in orders:
            match order:
                case AppendSpool(data, output_bytes):
                    self._append(batch, data, is_output=output_bytes > 0)
                case BeginBlock(block):
                    self._begin(batch, block)
                case EndBlock(block):
                    self._end(batch, block)
                case NotePrompt(start, end, _):
                    batch.prompts.extend((start, end))
        self._say(batch, is_last=False)
        return batch

    def _append(self, batch: Batch, data: bytes, *, is_output: bool) -> None:
        batch.spool.append(data)
        if is_output:
            assert self._active is not None
            offset = self._spool_at - self._active.begin
            batch.outputs.append((self._active.block_id, offset, data))
            self._unsaid.append(data)
        self._spool_at += len(data)

    def _begin(self, batch: Batch, block: Block) -> None:
        self._active = block
        batch.begun.append(block.block_id)
        self.said_until = block.begin
        self._unsaid = []
        if block.block_id not in self.replay.begun:
            shown = self.shown(block)
            batch.events.append(
                line(wire.BlockBegan(conversation_id=self.conversation_id, block=shown))
            )

    def _end(self, batch: Batch, block: Block) -> None:
        self._say(batch, is_last=True)
        shown = self.shown(block)
        if block.block_id not in self.replay.ended:
            event = wire.BlockEnded(conversation_id=self.conversation_id, block=shown)
            batch.events.append(line(event))
        if block.block_id not in self.replay.listed:
            batch.blocks.append(line(shown))
        self._active = None

    def _say(self, batch: Batch, *, is_last: bool) -> None:
        """The output not said yet, as one delta; an unfinished character waits."""
        if self._active is None or not self._unsaid:
            return
        data = b"".join(self._unsaid)
        waits = 0 if is_last else text.unfinished_bytes(data)
        said, waiting = data[: len(data) - waits], data[len(data) - waits :]
        self._unsaid = [waiting] if waiting else []
        cursor, self.said_until = self.said_until, self.said_until + len(said)
        known = self.replay.deltas_until - cursor
        if known > 0:
            said, cursor = said[known:], cursor + known
        if said:
            batch.events.append(self._delta(self._active.block_id, said, cursor))

    def _delta(self, block_id: str, said: bytes, cursor: int) -> bytes:
        try:
            delta = wire.BlockDelta(
                conversation_id=self.conversation_id,
                block_id=block_id,
                delta=said.decode(),
                cursor=cursor,
            )
        except UnicodeDecodeError:
            delta = wire.BlockDelta(
                conversation_id=self.conversation_id,
                block_id=block_id,
                delta_b64=base64.b64encode(said).decode(),
                cursor=cursor,
            )
        return line(delta)

    def shown(self, block: Block) -> wire.Block:
        path = self.store.outputs.path(block.block_id)
        return block_on_the_wire(block, self.conversation_id, path)

    def resume(self, active: Block | None, said_until: int) -> None:
        """Go on from a checkpoint: what was not said of the running block is read again."""
        self.said_until = said_until
        self._unsaid = []
        if active is not None and said_until < self.store.spool.size:
            self._unsaid = [self.store.spool.read(said_until, self.store.spool.size)]
