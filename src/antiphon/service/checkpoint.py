"""Where a conversation stands, so that a new server can go on from there.

A checkpoint is written when everything before it is in the files.  Whatever came after it
follows again from `output.raw`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from antiphon.drivers.store import Store
from antiphon.service.recorder import Recorder, Replay
from antiphon.service.tail import sound_lines
from antiphon.terminal.blocks import Terminal
from antiphon.terminal.facts import Block
from antiphon.terminal.modes import Mode
from antiphon.terminal.spool import Spool
from antiphon.wire import terminal as wire

NAME = "checkpoint"


class Place(msgspec.Struct, kw_only=True, frozen=True):
    """Where in the stream, and what must not be given twice."""

    raw_offset: int = 0
    mark_number: int = -1
    next_token: int = 0
    serial: int = 0  # of the journal's next entry
    reset_reason: str | None = None
    folder: str = ""  # where it lies: the shell was told so, and finds its bell there
    key: str = ""  # of the marks; any process of ours can ask the holder for it, too
    boot: str = ""  # of the machine; after the next one, what was not synced may be gone


class Checkpoint(Place, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """All of the state that does not follow from the files behind these offsets."""

    events_size: int = 0
    blocks_size: int = 0
    prompts_size: int = 0
    said_until: int = 0
    spool: Spool = msgspec.field(default_factory=Spool)
    mode: Mode = Mode.CLOSED
    shell_id: str | None = None
    cwd: bytes = b"/"
    seq: int = 0
    active: Block | None = None
    is_interrupted: bool = False
    is_ending: bool = False
    is_in_editor: bool = False
    drops_line_end: bool = False


EMPTY = Checkpoint()


def taken(terminal: Terminal, recorder: Recorder, place: Place) -> bytes:
    store = recorder.store
    checkpoint = Checkpoint(
        raw_offset=place.raw_offset,
        mark_number=place.mark_number,
        next_token=place.next_token,
        serial=place.serial,
        reset_reason=place.reset_reason,
        folder=place.folder,
        key=place.key,
        boot=place.boot,
        events_size=store.events.size,
        blocks_size=store.blocks.size,
        prompts_size=store.prompts.size,
        said_until=recorder.said_until,
        spool=terminal.spool,
        mode=terminal.mode,
        shell_id=terminal.shell_id,
        cwd=terminal.cwd,
        seq=terminal.seq,
        active=terminal.active,
        is_interrupted=terminal.is_interrupted,
        is_ending=terminal.is_ending,
        is_in_editor=terminal.is_in_editor,
        drops_line_end=terminal.drops_line_end,
    )
    return msgspec.json.encode(checkpoint)


def load(store: Store) -> Checkpoint | None:
    """The last one; None when it is torn or missing, or more than the files bear out."""
    content = store.get(NAME)
    if not content and store.is_new():
        return EMPTY
    try:
        found = msgspec.json.decode(content, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    is_borne_out = (
        found.spool.size <= store.spool.size
        and found.events_size <= store.events.size
        and found.blocks_size <= store.blocks.size
        and found.prompts_size <= store.prompts.size
        and found.raw_offset <= store.raw_size()
    )
    return found if is_borne_out else None


class _Mode(msgspec.Struct):
    mode: Mode


def says_closed(folder: Path) -> bool:
    """Whether nothing can have happened here while no server was there."""
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=_Mode).mode is Mode.CLOSED
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return False


class _Boot(msgspec.Struct):
    boot: str = ""


def boot_of(folder: Path) -> str | None:
    """In which life of the machine it was taken; None when there is none that can be read."""
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=_Boot).boot
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def terminal_of(checkpoint: Checkpoint, conversation_id: str) -> Terminal:
    return Terminal(
        conversation_id,
        mode=checkpoint.mode,
        shell_id=checkpoint.shell_id,
        cwd=checkpoint.cwd,
        seq=checkpoint.seq,
        active=checkpoint.active,
        is_interrupted=checkpoint.is_interrupted,
        is_ending=checkpoint.is_ending,
        is_in_editor=checkpoint.is_in_editor,
        drops_line_end=checkpoint.drops_line_end,
        spool=replace(checkpoint.spool),
    )


class Known(msgspec.Struct):
    """As much of an event as a replay needs."""

    type: str
    block: wire.Block | UnsetType = UNSET
    block_id: str = ""
    delta: str = ""
    delta_b64: str = ""
    cursor: int = 0

    def said_bytes(self) -> int:
        """How many bytes a delta tells."""
        padding = self.delta_b64[-2:].count("=")
        return len(self.delta.encode()) + len(self.delta_b64) // 4 * 3 - padding


class _Listed(msgspec.Struct):
    """As much of a line of blocks.jsonl as a replay needs."""

    block_id: str


def replay_of(store: Store, checkpoint: Checkpoint) -> Replay:
    """What the record says beyond the checkpoint."""
    begun, ended, until, was_reset = set(), set(), 0, False
    for event in sound_lines(store, store.events, checkpoint.events_size, Known):
        match event.type, event.block:
            case "agent_block_begin", wire.Block(block_id=block_id):
                begun.add(block_id)
            case "agent_block_end", wire.Block(block_id=block_id):
                ended.add(block_id)
            case "agent_block_delta", _:
                until = event.cursor + event.said_bytes()
            case "agent_session_reset", _:
                was_reset = True
    ended_blocks = sound_lines(store, store.blocks, checkpoint.blocks_size, _Listed)
    listed = {block.block_id for block in ended_blocks}
    return Replay(frozenset(begun), frozenset(ended), frozenset(listed), until, was_reset)
