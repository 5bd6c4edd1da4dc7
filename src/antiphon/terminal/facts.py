"""What can happen to a terminal, and what it can want done: facts and orders.

What a client asked for and what the shell reports are different facts; only the second
kind moves the modes that a client sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

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


@dataclass(frozen=True, slots=True)
class ShellStarted:
    shell_id: str
    cwd: bytes


@dataclass(frozen=True, slots=True)
class ShellDied:
    exit_code: int | None
    ts_ms: int


@dataclass(frozen=True, slots=True)
class BlockRequested:
    """A command for the shell; its number tells its prompt from an older one."""

    command: str
    number: int
    ts_ms: int
    cwd: bytes | None = None  # where to go first; None stays


@dataclass(frozen=True, slots=True)
class SessionRequested(BlockRequested):
    """The same, for a program that will be talked to."""


@dataclass(frozen=True, slots=True)
class OldPromptSeen:
    """`PromptSeen` of an older command, told apart before it reaches the table."""


@dataclass(frozen=True, slots=True)
class InterruptSent:
    """A client's Ctrl-C went to what runs."""


@dataclass(frozen=True, slots=True)
class EndRequested:
    """`pty.end_session`: however it ends, it is cancelled."""


@dataclass(frozen=True, slots=True)
class EndGivenUp:
    """The program lives on after Ctrl-C: it is not cancelled by it [d8]."""


@dataclass(frozen=True, slots=True)
class Block:
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


@dataclass(frozen=True, slots=True)
class AppendSpool:
    """These bytes are the spool's next; the first `output_bytes` are the running block's."""

    data: bytes
    output_bytes: int


@dataclass(frozen=True, slots=True)
class BeginBlock:
    block: Block


@dataclass(frozen=True, slots=True)
class EndBlock:
    block: Block


@dataclass(frozen=True, slots=True)
class NotePrompt:
    start: int
    end: int
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class RingAgain:
    """An older prompt came though a command was asked for: a Ctrl-C may have taken the bell."""


@dataclass(frozen=True, slots=True)
class PressEnter:
    """The shell fell through to its own prompt: an empty line brings it back."""


@dataclass(frozen=True, slots=True)
class OpenEditor:
    """The line editor reads now: what was typed may go to it."""


@dataclass(frozen=True, slots=True)
class ClearLine:
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
