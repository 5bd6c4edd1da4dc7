"""Where a conversation stands when its checkpoint is torn or missing: as far as its files show.

All that is in the files stays as it is, and a cursor into it reads the same.  What the terminal
printed after that is in `output.raw`, but which of it were marks cannot be known any more: the
conversation goes on behind it, with a fresh shell.
"""

from __future__ import annotations

import os

import msgspec

from antiphon.drivers.store import PROMPT_ITEM_BYTES, Store
from antiphon.service.checkpoint import Checkpoint, Known
from antiphon.service.tail import readable_lines
from antiphon.terminal.facts import Block, Kind
from antiphon.terminal.modes import Mode
from antiphon.terminal.spool import Spool
from antiphon.wire import terminal as wire


def rebuilt(store: Store) -> Checkpoint:
    """As if the last server had gone just after the last write."""
    active: wire.Block | None = None
    said_until = last_ts = seq = 0
    begin: int | None = None
    ended: dict[str, wire.Block] = {}
    for event in readable_lines(store, store.events, Known):
        if isinstance(event.block, wire.Block):
            seq = max(seq, event.block.seq)
            last_ts = max(last_ts, event.block.ts_end or event.block.ts_begin)
        match event.type, event.block:
            case "agent_block_begin", wire.Block() as block:
                active, begin = block, None
            case "agent_block_end", wire.Block() as block:
                active, ended[block.block_id] = None, block
            case "agent_block_delta", _:
                begin = event.cursor if begin is None else begin
                said_until = event.cursor + event.said_bytes()
    for line in readable_lines(store, store.blocks, wire.Block):
        seq = max(seq, line.seq)
        ended.pop(line.block_id, None)
        if active is not None and active.block_id == line.block_id:
            active = None  # its end is gone from the events, and it is known from here
    for block in ended.values():
        store.blocks.append(msgspec.json.encode(block) + b"\n")
    size = store.spool.size
    spool = Spool(size, 0, not size or store.spool.read(size - 1, size) == b"\n", last_ts)
    running = None if active is None else _running(store, active, size if begin is None else begin)
    mode = Mode.IDLE
    if running is not None:
        mode = Mode.RUNNING if running.kind is Kind.BLOCK else Mode.INTERACTIVE
    return Checkpoint(
        raw_offset=store.raw_size(),
        events_size=store.events.size,
        blocks_size=store.blocks.size,
        prompts_size=_prompts_size(store),
        said_until=max(said_until, running.begin) if running else said_until,
        spool=spool,
        mode=mode,
        seq=seq,
        active=running,
    )


def _running(store: Store, block: wire.Block, begin: int) -> Block:
    """The block that had not ended; its output is what the spool has from its beginning on."""
    begin = min(begin, store.spool.size)
    output = store.spool.read(begin, store.spool.size)
    store.outputs.put(block.block_id, output)
    kind = Kind.SESSION if block.status == Kind.SESSION.value else Kind.BLOCK
    return Block(
        block.block_id,
        block.seq,
        block.cmd,
        os.fsencode(block.cwd),
        block.ts_begin,
        kind,
        begin,
        output_bytes=len(output),
    )


def _prompts_size(store: Store) -> int:
    """Sentinels that are whole in the spool; the list of them ends where the spool does."""
    ends = store.prompt_ends()[1::2]
    while ends and ends[-1] > store.spool.size:
        ends.pop()
    return len(ends) * PROMPT_ITEM_BYTES
