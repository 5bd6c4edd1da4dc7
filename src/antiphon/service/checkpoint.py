"""Where a conversation stands, so that a new server can go on from there.

A checkpoint is written when everything before it is in the files.  Whatever came after it
follows again from `output.raw`.
"""

from __future__ import annotations

import msgspec

from antiphon.drivers.store import Store
from antiphon.service.recorder import Recorder, Replay
from antiphon.terminal.blocks import Terminal
from antiphon.terminal.facts import Block, BlockRequested
from antiphon.terminal.modes import Mode
from antiphon.terminal.spool import Spool

NAME = "checkpoint"


class Checkpoint(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """All of the state that does not follow from the files behind these offsets."""

    raw_offset: int
    mark_number: int
    next_token: int
    events_size: int
    blocks_size: int
    prompts_size: int
    said_until: int
    spool: Spool
    mode: Mode
    shell_id: str | None
    cwd: bytes
    seq: int
    asked: BlockRequested | None
    active: Block | None
    is_interrupted: bool
    is_ending: bool
    is_in_editor: bool
    reset_reason: str | None = None


def taken(
    terminal: Terminal,
    recorder: Recorder,
    raw_offset: int,
    mark_number: int,
    next_token: int,
    reset_reason: str | None,
) -> bytes:
    store = recorder.store
    checkpoint = Checkpoint(
        raw_offset=raw_offset,
        mark_number=mark_number,
        next_token=next_token,
        events_size=store.events.size,
        blocks_size=store.blocks.size,
        prompts_size=store.prompts.size,
        said_until=recorder.said_until,
        spool=terminal.spool,
        mode=terminal.mode,
        shell_id=terminal.shell_id,
        cwd=terminal.cwd,
        seq=terminal.seq,
        asked=terminal.asked,
        active=terminal.active,
        is_interrupted=terminal.is_interrupted,
        is_ending=terminal.is_ending,
        is_in_editor=terminal.is_in_editor,
        reset_reason=reset_reason,
    )
    return msgspec.json.encode(checkpoint)


def load(store: Store) -> Checkpoint | None:
    content = store.get(NAME)
    return msgspec.json.decode(content, type=Checkpoint) if content else None


def terminal_of(checkpoint: Checkpoint, conversation_id: str) -> Terminal:
    return Terminal(
        conversation_id,
        mode=checkpoint.mode,
        shell_id=checkpoint.shell_id,
        cwd=checkpoint.cwd,
        seq=checkpoint.seq,
        asked=checkpoint.asked,
        active=checkpoint.active,
        is_interrupted=checkpoint.is_interrupted,
        is_ending=checkpoint.is_ending,
        is_in_editor=checkpoint.is_in_editor,
        spool=checkpoint.spool,
    )


class _Known(msgspec.Struct):
    """As much of an event as a replay needs."""

    type: str
    block: dict[str, object] = {}
    delta: str = ""
    delta_b64: str = ""
    cursor: int = 0


def replay_of(store: Store, checkpoint: Checkpoint | None) -> Replay:
    """What the record says beyond the checkpoint; a torn last line is cut off, and kept apart."""
    events_from = checkpoint.events_size if checkpoint else 0
    blocks_from = checkpoint.blocks_size if checkpoint else 0
    begun, ended, until = set(), set(), 0
    for whole in _lines(store, "events", events_from):
        event = msgspec.json.decode(whole, type=_Known)
        block_id = str(event.block.get("block_id", ""))
        match event.type:
            case "agent_block_begin":
                begun.add(block_id)
            case "agent_block_end":
                ended.add(block_id)
            case "agent_block_delta":
                size = len(event.delta.encode()) or _base64_bytes(event.delta_b64)
                until = event.cursor + size
    listed = set()
    for whole in _lines(store, "blocks", blocks_from):
        listed.add(str(msgspec.json.decode(whole, type=dict[str, object])["block_id"]))
    return Replay(frozenset(begun), frozenset(ended), frozenset(listed), until)


def _base64_bytes(encoded: str) -> int:
    return len(encoded) // 4 * 3 - encoded[-2:].count("=")


def _lines(store: Store, which: str, start: int) -> list[bytes]:
    """The whole lines from an offset on."""
    file = store.events if which == "events" else store.blocks
    tail = file.read(start, file.size)
    whole, newline, torn = tail.rpartition(b"\n")
    if torn:
        store.put(f"{file.path.name}.torn", torn)
        file.cut(file.size - len(torn))
    return [one for one in (whole + newline).split(b"\n") if one]
