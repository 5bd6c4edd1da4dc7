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
    SessionBegun,
    ShellDied,
    ShellStarted,
)
from antiphon.terminal.marks import (
    CommandBegun,
    CommandRefused,
    EditorReady,
    PromptSeen,
    TypedBegun,
)


class Mode(Enum):
    CLOSED = "closed"
    STARTING = "starting"
    IDLE = "idle"
    ASKED = "asked"
    RUNNING = "block_running"
    INTERACTIVE = "interactive"


# fmt: off
MODES = Machine(
    # while             this comes      it becomes        because
    (Mode.CLOSED,       ShellStarted,   Mode.STARTING,    "d2: a shell comes with the first exec"),
    (Mode.STARTING,     PromptSeen,     Mode.IDLE,        "d2: a new shell says its first prompt"),
    (Mode.STARTING,     ShellDied,      Mode.CLOSED,      "D9"),
    (Mode.IDLE,         BlockRequested, Mode.ASKED,       "3.6"),
    (Mode.IDLE,         TypedBegun,     Mode.INTERACTIVE, "D10"),
    (Mode.IDLE,         PromptSeen,     Mode.IDLE,        "3.8: a second prompt is no news"),
    (Mode.IDLE,         EditorReady,    Mode.IDLE,        "D10"),
    (Mode.IDLE,         ShellDied,      Mode.CLOSED,      "D9"),
    (Mode.ASKED,        CommandBegun,   Mode.RUNNING,     "3.5"),
    (Mode.ASKED,        SessionBegun,   Mode.INTERACTIVE, "3.5"),
    (Mode.ASKED,        CommandRefused, Mode.IDLE,        "d2: no such directory"),
    (Mode.ASKED,        PromptSeen,     Mode.ASKED,       "3.5: a prompt from before it began"),
    (Mode.ASKED,        TypedBegun,     Mode.INTERACTIVE, "D10: typed ahead, before it was asked"),
    (Mode.ASKED,        EditorReady,    Mode.ASKED,       "D10"),
    (Mode.ASKED,        ShellDied,      Mode.CLOSED,      "D9"),
    (Mode.RUNNING,      PromptSeen,     Mode.IDLE,        "3.4"),
    (Mode.RUNNING,      EditorReady,    Mode.RUNNING,     "3.4: the prompt follows"),
    (Mode.RUNNING,      ShellDied,      Mode.CLOSED,      "D9"),
    (Mode.RUNNING,      InterruptSent,  Mode.RUNNING,     "d8"),
    (Mode.RUNNING,      EndRequested,   Mode.RUNNING,     "d8"),
    (Mode.RUNNING,      EndGivenUp,     Mode.RUNNING,     "d8"),
    (Mode.INTERACTIVE,  PromptSeen,     Mode.IDLE,        "3.4"),
    (Mode.INTERACTIVE,  EditorReady,    Mode.INTERACTIVE, "3.4: the prompt follows"),
    (Mode.INTERACTIVE,  ShellDied,      Mode.CLOSED,      "D9"),
    (Mode.INTERACTIVE,  InterruptSent,  Mode.INTERACTIVE, "d8"),
    (Mode.INTERACTIVE,  EndRequested,   Mode.INTERACTIVE, "d8"),
    (Mode.INTERACTIVE,  EndGivenUp,     Mode.INTERACTIVE, "d8"),
)
# fmt: on
