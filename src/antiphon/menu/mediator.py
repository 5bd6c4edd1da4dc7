"""What becomes of a program that is driven: the table of its states.

It does not know what is asked or answered, nor how keys reach the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from antiphon.base.machine import Machine


class State(Enum):
    IDLE = "idle"
    RUNNING = "running"
    SELECTION_REQUIRED = "selection_required"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ProgramStarted:
    """It runs, or is about to."""


@dataclass(frozen=True, slots=True)
class InputAwaited:
    """It waits, and what it asks is known."""


@dataclass(frozen=True, slots=True)
class OptionChosen:
    """Somebody has answered what is asked now."""


@dataclass(frozen=True, slots=True)
class NothingMatched:
    """Somebody has answered something that is no option."""


@dataclass(frozen=True, slots=True)
class AnswerWithdrawn:
    """What was asked is gone: somebody else typed, or the program went on by itself."""


@dataclass(frozen=True, slots=True)
class ProgramSucceeded:
    """It ended with exit code 0."""


@dataclass(frozen=True, slots=True)
class ProgramFailed:
    """It ended with another exit code, and nothing had been chosen."""


@dataclass(frozen=True, slots=True)
class ChoiceFailed:
    """It ended with another exit code after a choice."""


@dataclass(frozen=True, slots=True)
class ProgramCrashed:
    """A signal ended it, or its shell is gone, or it asks nothing that can be seen."""


# fmt: off
MEDIATOR = Machine(
    # while                    this comes        it becomes                because
    (State.IDLE,               ProgramStarted,   State.RUNNING,            "11: start"),
    (State.IDLE,               ProgramCrashed,   State.FAILED,             "11: no recovery"),
    (State.RUNNING,            InputAwaited,     State.SELECTION_REQUIRED, "11: presented"),
    (State.RUNNING,            ProgramSucceeded, State.COMPLETED,          "11: exit code 0"),
    (State.RUNNING,            ProgramFailed,    State.FAILED,             "11: another code"),
    (State.RUNNING,            ChoiceFailed,     State.SELECTION_REQUIRED, "11, D9: same options"),
    (State.RUNNING,            ProgramCrashed,   State.FAILED,             "11: no recovery"),
    (State.SELECTION_REQUIRED, OptionChosen,     State.RUNNING,            "11: keys, D9: anew"),
    (State.SELECTION_REQUIRED, NothingMatched,   State.SELECTION_REQUIRED, "11: told so"),
    (State.SELECTION_REQUIRED, AnswerWithdrawn,  State.RUNNING,            "D2: the last frame"),
    (State.SELECTION_REQUIRED, ProgramSucceeded, State.COMPLETED,          "11: exit code 0"),
    (State.SELECTION_REQUIRED, ProgramFailed,    State.FAILED,             "11: another code"),
    (State.SELECTION_REQUIRED, ChoiceFailed,     State.SELECTION_REQUIRED, "11, D9: same options"),
    (State.SELECTION_REQUIRED, ProgramCrashed,   State.FAILED,             "11: no recovery"),
)
# fmt: on


def ending(exit_code: int | None, *, was_answered: bool) -> object:
    """Which fact the end of a program is; a negative code is a signal's number."""
    if exit_code is None or exit_code < 0:
        return ProgramCrashed()
    if exit_code == 0:
        return ProgramSucceeded()
    return ChoiceFailed() if was_answered else ProgramFailed()
