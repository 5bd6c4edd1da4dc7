"""What becomes of one search for a component: the table of its seven states.

It does not know files, programs or how somebody is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from antiphon.base.machine import Machine


class State(Enum):
    IDLE = "idle"
    CHECKING_LOCAL = "checking_local"
    CHECKING_GLOBAL = "checking_global"
    SELECTION_REQUIRED = "selection_required"
    TRYING_IMPORT = "trying_import"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ResolveRequested:
    """Somebody wants a component."""


@dataclass(frozen=True, slots=True)
class FoundLocally:
    """The library has one file of that name."""


@dataclass(frozen=True, slots=True)
class SeveralFoundLocally:
    """The library has more than one, and which is meant is asked."""


@dataclass(frozen=True, slots=True)
class NotFoundLocally:
    """The library has none."""


@dataclass(frozen=True, slots=True)
class LocalFileChosen:
    """Somebody said which of the library's files is meant."""


@dataclass(frozen=True, slots=True)
class NothingListed:
    """The search found nothing, or could not be made."""


@dataclass(frozen=True, slots=True)
class MatchesListed:
    """The search found something: the import begins."""


@dataclass(frozen=True, slots=True)
class InputAwaited:
    """The tool asks, and what it asks is known."""


@dataclass(frozen=True, slots=True)
class OptionChosen:
    """Somebody answered what the tool asks."""


@dataclass(frozen=True, slots=True)
class SearchWentOn:
    """What the search asked is gone without an answer of ours."""


@dataclass(frozen=True, slots=True)
class ImportWentOn:
    """What the import asked is gone without an answer of ours."""


@dataclass(frozen=True, slots=True)
class ArtefactAppeared:
    """The tool ended with exit code 0, and there is a new file or package."""


@dataclass(frozen=True, slots=True)
class ImportFailed:
    """The tool ended with another code, or with nothing to show for it."""


@dataclass(frozen=True, slots=True)
class LibraryUnreadable:
    """The library cannot be looked into, or the tool cannot be started in it."""


# fmt: off
RESOLVING = Machine(
    # while                    this comes           it becomes                because
    (State.IDLE,               ResolveRequested,    State.CHECKING_LOCAL,     "5: one task only"),
    (State.CHECKING_LOCAL,     FoundLocally,        State.FINISHED,           "5: local path"),
    (State.CHECKING_LOCAL,     SeveralFoundLocally, State.SELECTION_REQUIRED, "D11: which of them"),
    (State.CHECKING_LOCAL,     NotFoundLocally,     State.CHECKING_GLOBAL,    "5"),
    (State.CHECKING_LOCAL,     LibraryUnreadable,   State.FAILED,             "5: honest failure"),
    (State.CHECKING_GLOBAL,    NothingListed,       State.FAILED,             "5: honest failure"),
    (State.CHECKING_GLOBAL,    MatchesListed,       State.TRYING_IMPORT,      "D12: the import"),
    (State.CHECKING_GLOBAL,    InputAwaited,        State.SELECTION_REQUIRED, "5: generic"),
    (State.CHECKING_GLOBAL,    ArtefactAppeared,    State.FINISHED,           "D12: there it is"),
    (State.CHECKING_GLOBAL,    LibraryUnreadable,   State.FAILED,             "5: honest failure"),
    (State.SELECTION_REQUIRED, LocalFileChosen,     State.FINISHED,           "D11: local path"),
    (State.SELECTION_REQUIRED, OptionChosen,        State.TRYING_IMPORT,      "5: agent responds"),
    (State.SELECTION_REQUIRED, InputAwaited,        State.SELECTION_REQUIRED, "9.3, D9: again"),
    (State.SELECTION_REQUIRED, SearchWentOn,        State.CHECKING_GLOBAL,    "D2: the last frame"),
    (State.SELECTION_REQUIRED, ImportWentOn,        State.TRYING_IMPORT,      "D2: the last frame"),
    (State.SELECTION_REQUIRED, ArtefactAppeared,    State.FINISHED,           "D12: it went on"),
    (State.SELECTION_REQUIRED, ImportFailed,        State.FAILED,             "5: exit code"),
    (State.SELECTION_REQUIRED, NothingListed,       State.FAILED,             "5: exit code"),
    (State.TRYING_IMPORT,      ArtefactAppeared,    State.FINISHED,           "5: success, D12"),
    (State.TRYING_IMPORT,      InputAwaited,        State.SELECTION_REQUIRED, "5: generic, 9.3"),
    (State.TRYING_IMPORT,      ImportFailed,        State.FAILED,             "5: exit code, D12"),
    (State.TRYING_IMPORT,      MatchesListed,       State.TRYING_IMPORT,      "D12: it asked"),
    (State.TRYING_IMPORT,      NothingListed,       State.FAILED,             "5: honest failure"),
    (State.TRYING_IMPORT,      LibraryUnreadable,   State.FAILED,             "5: honest failure"),
)
# fmt: on
