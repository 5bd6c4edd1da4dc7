"""The modes of a terminal, as a table.

A mark of the shell that no row expects changes nothing; a request that no row expects is
refused by who asked for it.
"""

from __future__ import annotations

from enum import Enum

from antiphon.base.machine import Machine
from antiphon.terminal.facts import (
    BlockRequested,
    EndGivenUp,
    EndRequested,
    InterruptSent,
    OldPromptSeen,
    SessionRequested,
    ShellDied,
    ShellStarted,
)
from antiphon.terminal.marks import (
    EditorReady,
    PromptSeen,
    TypedBegun,
)


class Mode(Enum):
    CLOSED = "closed"
    STARTING = "starting"
    IDLE = "idle"
    RUNNING = "block_running"
    INTERACTIVE = "interactive"


# fmt: off
MODES = Machine(
    # while            this comes        it becomes        because
    (Mode.CLOSED,      ShellStarted,     Mode.STARTING,    "d2: the first exec opens a shell"),
    (Mode.STARTING,    PromptSeen,       Mode.IDLE,        "d2: a new shell says a prompt"),
    (Mode.STARTING,    ShellDied,        Mode.CLOSED,      "D9"),
    (Mode.IDLE,        BlockRequested,   Mode.RUNNING,     "3.5, 3.6"),
    (Mode.IDLE,        SessionRequested, Mode.INTERACTIVE, "3.5, 3.6"),
    (Mode.IDLE,        TypedBegun,       Mode.INTERACTIVE, "D10"),
    (Mode.IDLE,        PromptSeen,       Mode.IDLE,        "3.8: a second prompt is no news"),
    (Mode.IDLE,        EditorReady,      Mode.IDLE,        "D10"),
    (Mode.IDLE,        ShellDied,        Mode.CLOSED,      "D9"),
    (Mode.RUNNING,     PromptSeen,       Mode.IDLE,        "3.4"),
    (Mode.RUNNING,     OldPromptSeen,    Mode.RUNNING,     "3.5: from before it was asked for"),
    (Mode.RUNNING,     EditorReady,      Mode.RUNNING,     "3.4: the prompt follows"),
    (Mode.RUNNING,     ShellDied,        Mode.CLOSED,      "D9"),
    (Mode.RUNNING,     InterruptSent,    Mode.RUNNING,     "d8"),
    (Mode.RUNNING,     EndRequested,     Mode.RUNNING,     "d8"),
    (Mode.RUNNING,     EndGivenUp,       Mode.RUNNING,     "d8"),
    (Mode.INTERACTIVE, PromptSeen,       Mode.IDLE,        "3.4"),
    (Mode.INTERACTIVE, OldPromptSeen,    Mode.INTERACTIVE, "3.5: from before it was asked for"),
    (Mode.INTERACTIVE, EditorReady,      Mode.INTERACTIVE, "3.4: the prompt follows"),
    (Mode.INTERACTIVE, ShellDied,        Mode.CLOSED,      "D9"),
    (Mode.INTERACTIVE, InterruptSent,    Mode.INTERACTIVE, "d8"),
    (Mode.INTERACTIVE, EndRequested,     Mode.INTERACTIVE, "d8"),
    (Mode.INTERACTIVE, EndGivenUp,       Mode.INTERACTIVE, "d8"),
)
# fmt: on
