"""What comes to a session, with its details, and what the session wants done.

A request is a client's; a response answers an order and carries its `ticket`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from antiphon.dsl.stages import Bound, Compilation, Plan
from antiphon.entity.scoring import Candidate
from antiphon.repl.candidates import Candidates
from antiphon.repl.creation import Codes
from antiphon.repl.intents import Intent, Outcome

# --- requests ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    text: str


@dataclass(frozen=True, slots=True)
class OptionChosen:
    option_id: str


@dataclass(frozen=True, slots=True)
class IntentsProposed:
    intents: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class EntityChosen:
    """An entity for a reference; `found` is what the gateway knows under this id."""

    ref_id: str
    entity_id: str
    found: Candidate | None


@dataclass(frozen=True, slots=True)
class SearchDone:
    """A search for a reference was made: what it found may be chosen from now on."""

    ref_id: str
    text: str
    found: Candidates


@dataclass(frozen=True, slots=True)
class EntityMade:
    """The creation within a resolution came to its end."""

    entity_id: str
    display: str


@dataclass(frozen=True, slots=True)
class RunWanted:
    """`named` is the plan that the client saw; `fresh` what the program compiles to just now."""

    named: str | None
    fresh: Compilation | None


@dataclass(frozen=True, slots=True)
class ProgramWritten:
    source: str


class Wish(Enum):
    """A request that is one word."""

    NONE_OF_THESE = "none_of_these"
    SKIP = "skip"
    CREATE_NEW = "create_new"
    CREATE_CANCEL = "create_cancel"
    DIFFERENT_SEARCH = "different_search"
    RUN = "run"
    CLEAR = "clear"
    UNDO = "undo"
    HELP = "help"
    CANCEL = "cancel"
    BAIL = "bail"
    CLOSE = "close"


Request = (
    Said | OptionChosen | IntentsProposed | EntityChosen | SearchDone | EntityMade | RunWanted
    | ProgramWritten | Wish
)  # fmt: skip

# --- responses --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Extracted:
    ticket: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ExtractionFailed:
    """The model did not answer, or nonsense: as if nothing had been said."""

    ticket: str


@dataclass(frozen=True, slots=True)
class Compiled:
    ticket: str
    compilation: Compilation
    candidates: Mapping[str, Candidates] = field(default_factory=dict)  # by ref_id


class RunOutcome(Enum):
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class RunEnded:
    ticket: str
    outcome: RunOutcome
    bindings: Mapping[str, Bound] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CodesFound:
    """What a creation offers to choose from."""

    ticket: str
    codes: Codes


@dataclass(frozen=True, slots=True)
class CreationFailed:
    """The entity could not be made; the summary is asked again with the reason."""

    ticket: str
    reason: str


Response = Extracted | ExtractionFailed | Compiled | RunEnded | CodesFound | CreationFailed

# --- orders -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExtractIntents:
    ticket: str
    message: str


@dataclass(frozen=True, slots=True)
class Compile:
    ticket: str
    source: str
    skipped: frozenset[str]


@dataclass(frozen=True, slots=True)
class SearchEntities:
    ref_id: str
    text: str


@dataclass(frozen=True, slots=True)
class RunPlan:
    ticket: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class BeginCreation:
    """Say which codes there are for the fields of this entity type's create verb."""

    ticket: str
    entity_type: str
    verb: str


@dataclass(frozen=True, slots=True)
class CreateEntity:
    """In a transaction of its own."""

    ticket: str
    intent: Intent


@dataclass(frozen=True, slots=True)
class StopRun:
    """At the next point where nothing is half done."""


Order = (
    ExtractIntents | Compile | SearchEntities | RunPlan | BeginCreation | CreateEntity | StopRun
)  # fmt: skip
