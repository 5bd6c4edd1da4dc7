"""After a crash of the machine: what the record says beyond the checkpoint, made to agree.

While a process dies, the journal and the stream lead to the same record again.  When the machine
dies, the journal's end may be lost and the record's end not: then nothing follows any more, and
`events.jsonl` is what holds.  A block that it begins and nobody will end is ended as failed;
`blocks.jsonl` has what it ends, in its order; no number of a block is given twice.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

import msgspec

from antiphon.drivers.file import StorageFull
from antiphon.drivers.store import Store
from antiphon.service.checkpoint import Checkpoint, Known
from antiphon.service.recorder import line
from antiphon.service.tail import readable_lines, sound_lines
from antiphon.terminal.blocks import Terminal
from antiphon.terminal.facts import Block
from antiphon.wire import terminal as wire

TORN = "blocks.jsonl.torn"


@dataclass(slots=True)
class _Lives:
    """The blocks of these events, as far as they were told."""

    ended: list[wire.Block] = field(default_factory=list)
    running: wire.Block | None = None
    said: list[bytes] = field(default_factory=list)  # of the one that runs
    seq: int = 0

    def follow(self, event: Known) -> None:
        block = event.block if isinstance(event.block, wire.Block) else None
        if block is not None:
            self.seq = max(self.seq, block.seq)
        match event.type, block:
            case "agent_block_begin", wire.Block():
                self.running, self.said = block, []
            case "agent_block_end", wire.Block() as ended:
                self.ended.append(ended)
                self.running, self.said = None, []
            case "agent_block_delta", _:
                self.said.append(event.delta.encode() or base64.b64decode(event.delta_b64))


def mend(store: Store, found: Checkpoint, terminal: Terminal, conversation_id: str) -> None:
    """Nothing, unless the machine died: the events were sound and read already."""
    lives = _Lives()
    for event in sound_lines(store, store.events, found.events_size, Known):
        lives.follow(event)
    active, running = terminal.active, lives.running
    if running is not None and (active is None or active.block_id != running.block_id):
        output = b"".join(lives.said)
        ended = msgspec.structs.replace(
            running,
            status="failed",
            ts_end=max(running.ts_begin, terminal.spool.last_ts),
            output_bytes=len(output),
        )
        store.outputs.put(running.block_id, output)
        store.record(line(wire.BlockEnded(conversation_id=conversation_id, block=ended)))
        lives.ended.append(ended)
    listed = store.blocks.read(found.blocks_size, store.blocks.size)
    expected = b"".join(line(block) for block in lives.ended)
    if listed != expected:
        if not expected.startswith(listed):
            _keep(store, listed)
        store.blocks.cut(found.blocks_size)
        store.blocks.append(expected)
    terminal.seq = max(terminal.seq, lives.seq)


def derive_outputs(store: Store, active: Block | None) -> None:
    """After the machine's end: outputs of blocks are never synced, they follow from the spool."""
    begins: dict[str, int] = {}
    for event in readable_lines(store, store.events, Known):
        if event.type == "agent_block_delta":
            begins.setdefault(event.block_id, event.cursor)
    printed = {
        block.block_id: (begins.get(block.block_id, 0), block.output_bytes)
        for block in readable_lines(store, store.blocks, wire.Block)
    }
    if active is not None:
        printed[active.block_id] = (active.begin, active.output_bytes)
    for block_id, (begin, size) in printed.items():
        output = store.spool.read(begin, begin + size) if size else b""
        if store.outputs.read(block_id, 0, size + 1) != output:
            store.outputs.put(block_id, output)


def _keep(store: Store, lost: bytes) -> None:
    """What is taken off was told to somebody, perhaps; people may want to know of it."""
    try:
        store.put(TORN, lost)
    except StorageFull:
        pass  # it is evidence, not record
