"""The states of a session, and what each event and each response makes of them.

What can mean two things is two facts: an undo to a text and one to nothing, a skip with more
to come and the last one, and a message without an intent, which goes back to where it came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from antiphon.base.errors import Code
from antiphon.base.machine import Machine
from antiphon.repl import facts as f


class State(Enum):
    NEW = "new"
    INTENT_CAPTURE = "intent_capture"
    INTENT_CLARIFY = "intent_clarify"
    DSL_ASSEMBLY = "dsl_assembly"
    SYNTAX_VALIDATION = "syntax_validation"
    SYNTAX_ERROR = "syntax_error"
    SEMANTIC_VALIDATION = "semantic_validation"
    SEMANTIC_ERROR = "semantic_error"
    UNRESOLVED_REFS = "unresolved_refs"
    CREATING = "unresolved_refs_creating"  # on the wire it is unresolved_refs too
    DEPENDENCY_RESOLUTION = "dependency_resolution"
    DEPENDENCY_ERROR = "dependency_error"
    READY_TO_RUN = "ready_to_run"
    EXECUTING = "executing"
    EXECUTED = "executed"
    CANCELLED = "cancelled"
    CLOSED = "closed"

    @property
    def wire(self) -> str:
        return State.UNRESOLVED_REFS.value if self is State.CREATING else self.value


S = State
ENDED = (S.CANCELLED, S.CLOSED)
PASSING = (S.DSL_ASSEMBLY, S.SYNTAX_VALIDATION, S.SEMANTIC_VALIDATION, S.DEPENDENCY_RESOLUTION)
BUSY = (*PASSING, S.EXECUTING)
AWAKE = tuple(state for state in State if state not in (S.EXECUTING, *ENDED))
# Where a message is a request, and where one without an intent goes back to.
LISTENING = (
    S.NEW, S.INTENT_CAPTURE, S.INTENT_CLARIFY, S.SYNTAX_ERROR, S.SEMANTIC_ERROR,
    S.DEPENDENCY_ERROR, S.READY_TO_RUN, S.EXECUTED,
)  # fmt: skip
RESTING = tuple(state for state in AWAKE if state not in PASSING)
CANCELLABLE = tuple(state for state in AWAKE if state is not S.CREATING)
REFS = S.UNRESOLVED_REFS


class Event(Enum):
    """What a client can do."""

    MESSAGE = "message"
    SELECT_INTENT = "select_intent"
    NONE_OF_THESE = "none_of_these"
    RESOLVE_REF = "resolve_ref"
    SKIP = "skip"
    CREATE_NEW = "create_new"
    CREATE_OK = "create_ok"
    CREATE_CANCEL = "create_cancel"
    SEARCH = "search"
    RUN = "run"
    CLEAR = "clear"
    UNDO = "undo"
    EDIT = "edit"
    HELP = "help"
    CANCEL = "cancel"
    BAIL = "bail"
    CLOSE = "close"


class Response(Enum):
    """What the compiler, an agent or a run answers."""

    INTENT_CONFIRMED = "intent_confirmed"
    INTENT_AMBIGUOUS = "intent_ambiguous"
    INTENT_NONE = "intent_none"
    DSL_BUILT = "dsl_built"
    PARSE_OK = "parse_ok"
    PARSE_ERR = "parse_err"
    LINT_OK = "lint_ok"
    LINT_ERR = "lint_err"
    LINT_UNRESOLVED = "lint_unresolved"
    PLAN_OK = "plan_ok"
    PLAN_ERR = "plan_err"
    EXEC_OK = "exec_ok"
    EXEC_FAILED = "exec_failed"
    EXEC_CANCELLED = "exec_cancelled"


Fact = f.Fact
NO_INTENT: dict[State, Fact] = {
    S.NEW: f.NoIntentFromNew,
    S.INTENT_CAPTURE: f.NoIntentFromCapture,
    S.INTENT_CLARIFY: f.NoIntentFromClarify,
    S.SYNTAX_ERROR: f.NoIntentFromSyntaxError,
    S.SEMANTIC_ERROR: f.NoIntentFromSemanticError,
    S.DEPENDENCY_ERROR: f.NoIntentFromDependencyError,
    S.READY_TO_RUN: f.NoIntentFromReady,
    S.EXECUTED: f.NoIntentFromExecuted,
}
Row = tuple[State, type, State, str]


def _rows(states: Iterable[State], fact: Fact, become: State, because: str) -> list[Row]:
    return [(state, fact, become, because) for state in states]


def _stays(states: Iterable[State], fact: Fact, because: str) -> list[Row]:
    return [(state, fact, state, because) for state in states]


# fmt: off
SESSIONS = Machine(
    # while                    this comes           it becomes               because
    *_rows(LISTENING,          f.MessageSaid,       S.INTENT_CAPTURE,        "D7b"),
    *_stays([REFS],            f.MessageSaid,                                "D7: a search"),
    *_stays([S.CREATING],      f.MessageSaid,                                "d15: its answer"),
    (S.INTENT_CLARIFY,         f.IntentSelected,    S.DSL_ASSEMBLY,          "D7a"),
    (S.INTENT_CLARIFY,         f.NoneOfTheseSaid,   S.INTENT_CAPTURE,        "part 4"),
    (REFS,                     f.RefResolved,       S.SEMANTIC_VALIDATION,   "part 3"),
    (REFS,                     f.RefSkipped,        REFS,                    "part 4: not last"),
    (REFS,                     f.LastRefSkipped,    S.DEPENDENCY_RESOLUTION, "part 4: the last"),
    (REFS,                     f.CreationAsked,     S.CREATING,              "d15"),
    (REFS,                     f.SearchAsked,       REFS,                    "part 4"),
    (S.CREATING,               f.EntityCreated,     S.SEMANTIC_VALIDATION,   "d15"),
    (S.CREATING,               f.CreationLeft,      REFS,                    "D8a"),
    (S.READY_TO_RUN,           f.RunAsked,          S.EXECUTING,             "1g"),
    *_rows(AWAKE,              f.Cleared,           S.NEW,                   "part 4"),
    *_rows(AWAKE,              f.UndoneToText,      S.SYNTAX_VALIDATION,     "D8"),
    *_rows(AWAKE,              f.UndoneToNothing,   S.NEW,                   "D8: it was empty"),
    *_rows(AWAKE,              f.ProgramEdited,     S.SYNTAX_VALIDATION,     "part 4"),
    *_stays(State,             f.HelpAsked,                                  "part 4"),
    *_rows(CANCELLABLE,        f.CancelAsked,       S.CANCELLED,             "part 4"),
    (S.CREATING,               f.CancelAsked,       REFS,                    "D8a"),
    *_stays([S.EXECUTING],     f.CancelAsked,                                "part 4: when safe"),
    *_rows(AWAKE,              f.BailAsked,         S.CANCELLED,             "part 4"),
    *_stays([S.EXECUTING],     f.BailAsked,                                  "part 4: when safe"),
    *_rows(RESTING,            f.CloseAsked,        S.CLOSED,                "d1"),
    (S.INTENT_CAPTURE,         f.IntentConfirmed,   S.DSL_ASSEMBLY,          "part 3"),
    (S.INTENT_CAPTURE,         f.IntentAmbiguous,   S.INTENT_CLARIFY,        "part 3"),
    *[(S.INTENT_CAPTURE,       fact,                state,                   "D7c")
      for state, fact in NO_INTENT.items()],
    (S.DSL_ASSEMBLY,           f.DslBuilt,          S.SYNTAX_VALIDATION,     "part 3"),
    (S.SYNTAX_VALIDATION,      f.TextRead,          S.SEMANTIC_VALIDATION,   "part 3"),
    (S.SYNTAX_VALIDATION,      f.TextBroken,        S.SYNTAX_ERROR,          "part 3"),
    (S.SYNTAX_VALIDATION,      f.EmptyRead,         S.NEW,                   "3a: nothing to run"),
    (S.SEMANTIC_VALIDATION,    f.MeaningChecked,    S.DEPENDENCY_RESOLUTION, "part 3"),
    (S.SEMANTIC_VALIDATION,    f.MeaningWrong,      S.SEMANTIC_ERROR,        "D2"),
    (S.SEMANTIC_VALIDATION,    f.RefsFound,         REFS,                    "part 3"),
    (S.DEPENDENCY_RESOLUTION,  f.PlanMade,          S.READY_TO_RUN,          "part 3"),
    (S.DEPENDENCY_RESOLUTION,  f.PlanRefused,       S.DEPENDENCY_ERROR,      "part 3"),
    (S.EXECUTING,              f.RunSucceeded,      S.EXECUTED,              "part 3"),
    (S.EXECUTING,              f.RunFailed,         S.EXECUTED,              "D10b"),
    (S.EXECUTING,              f.RunCancelled,      S.CANCELLED,             "part 4"),
)
# fmt: on

# The facts that an event or a response can be; all of one are allowed in the same states.
EVENT_FACTS: dict[Event, tuple[Fact, ...]] = {
    Event.MESSAGE: (f.MessageSaid,),
    Event.SELECT_INTENT: (f.IntentSelected,),
    Event.NONE_OF_THESE: (f.NoneOfTheseSaid,),
    Event.RESOLVE_REF: (f.RefResolved,),
    Event.SKIP: (f.RefSkipped, f.LastRefSkipped),
    Event.CREATE_NEW: (f.CreationAsked,),
    Event.CREATE_OK: (f.EntityCreated,),
    Event.CREATE_CANCEL: (f.CreationLeft,),
    Event.SEARCH: (f.SearchAsked,),
    Event.RUN: (f.RunAsked,),
    Event.CLEAR: (f.Cleared,),
    Event.UNDO: (f.UndoneToText, f.UndoneToNothing),
    Event.EDIT: (f.ProgramEdited,),
    Event.HELP: (f.HelpAsked,),
    Event.CANCEL: (f.CancelAsked,),
    Event.BAIL: (f.BailAsked,),
    Event.CLOSE: (f.CloseAsked,),
}
RESPONSE_FACTS: dict[Response, tuple[Fact, ...]] = {
    Response.INTENT_CONFIRMED: (f.IntentConfirmed,),
    Response.INTENT_AMBIGUOUS: (f.IntentAmbiguous,),
    Response.INTENT_NONE: tuple(NO_INTENT.values()),
    Response.DSL_BUILT: (f.DslBuilt,),
    Response.PARSE_OK: (f.TextRead, f.EmptyRead),
    Response.PARSE_ERR: (f.TextBroken,),
    Response.LINT_OK: (f.MeaningChecked,),
    Response.LINT_ERR: (f.MeaningWrong,),
    Response.LINT_UNRESOLVED: (f.RefsFound,),
    Response.PLAN_OK: (f.PlanMade,),
    Response.PLAN_ERR: (f.PlanRefused,),
    Response.EXEC_OK: (f.RunSucceeded,),
    Response.EXEC_FAILED: (f.RunFailed,),
    Response.EXEC_CANCELLED: (f.RunCancelled,),
}


def takes(state: State, what: Event | Response) -> bool:
    """Is there a row for it?"""
    facts = EVENT_FACTS[what] if isinstance(what, Event) else RESPONSE_FACTS[what]
    return SESSIONS.allows(state, facts[0])


def outcome(state: State, event: Event) -> State | Code:
    """A cell of the table: the state it leads to, of several the first, or why it is refused."""
    if takes(state, event):
        return SESSIONS.step(state, EVENT_FACTS[event][0]())
    return refusal(state, event)


def refusal(state: State, event: Event) -> Code:
    """Why an event without a row is refused."""
    if state in ENDED:
        return Code.SESSION_TERMINAL
    waits = (Event.MESSAGE, Event.RUN, Event.CLOSE)
    still = (*waits, Event.CLEAR, Event.UNDO, Event.EDIT) if state is S.EXECUTING else waits
    if state in BUSY and event in still:
        return Code.BUSY
    if event is Event.RUN:
        return Code.PLAN_CONSUMED if state is S.EXECUTED else Code.NOT_READY
    return Code.INVALID_EVENT
