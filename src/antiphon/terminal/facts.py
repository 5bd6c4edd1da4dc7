"""What can happen to a terminal, and what it can want done: facts and orders.

What a client asked for and what the shell reports are different facts; only the second
kind moves the modes that a client sees.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from antiphon.terminal.marks import (
    EditorReady,
    PromptSeen,
    TextArrived,
    TypedBegun,
)
from antiphon.terminal.spool import Prompt


class Kind(Enum):
    """What the client asked for; it names the status while the block runs."""

    BLOCK = "running"
    SESSION = "interactive"


class ShellStarted(msgspec.Struct, frozen=True):
    shell_id: str
    cwd: bytes


class ShellDied(msgspec.Struct, frozen=True):
    exit_code: int | None
    ts_ms: int


class BlockRequested(msgspec.Struct, frozen=True):
    """A command for the shell; its number tells its prompt from an older one."""

    command: str
    number: int
    ts_ms: int
    cwd: bytes | None = None  # where to go first; None stays


class SessionRequested(BlockRequested, frozen=True):
    """The same, for a program that will be talked to."""


class OldPromptSeen(msgspec.Struct, frozen=True):
    """`PromptSeen` of an older command, told apart before it reaches the table."""


class InterruptSent(msgspec.Struct, frozen=True):
    """A client's Ctrl-C went to what runs."""


class EndRequested(msgspec.Struct, frozen=True):
    """`pty.end_session`: however it ends, it is cancelled."""


class EndGivenUp(msgspec.Struct, frozen=True):
    """The program lives on after Ctrl-C: it is not cancelled by it [d8]."""


class Block(msgspec.Struct, frozen=True):
    block_id: str
    seq: int
    command: str
    cwd: bytes
    ts_begin: int
    kind: Kind
    begin: int  # where its output begins in the spool
    number: int | None = None  # of the request; a typed line has none
    output_bytes: int = 0
    ts_end: int | None = None
    status: str = ""
    exit_code: int | None = None


class AppendSpool(msgspec.Struct, frozen=True):
    """These bytes are the spool's next; the first `output_bytes` are the running block's."""

    data: bytes
    output_bytes: int


class BeginBlock(msgspec.Struct, frozen=True):
    block: Block


class EndBlock(msgspec.Struct, frozen=True):
    block: Block


class NotePrompt(msgspec.Struct, frozen=True):
    start: int
    end: int
    prompt: Prompt


class RingAgain(msgspec.Struct, frozen=True):
    """An older prompt came though a command was asked for: a Ctrl-C may have taken the bell."""


class PressEnter(msgspec.Struct, frozen=True):
    """The shell fell through to its own prompt: an empty line brings it back."""


class OpenEditor(msgspec.Struct, frozen=True):
    """The line editor reads now: what was typed may go to it."""


class ClearLine(msgspec.Struct, frozen=True):
    """A command was asked for while an unfinished line stands in the editor: it goes."""


Fact = (
    TextArrived
    | PromptSeen
    | TypedBegun
    | EditorReady
    | ShellStarted
    | ShellDied
    | BlockRequested
    | InterruptSent
    | EndRequested
    | EndGivenUp
)
Order = (
    AppendSpool
    | BeginBlock
    | EndBlock
    | NotePrompt
    | RingAgain
    | PressEnter
    | OpenEditor
    | ClearLine
)
