"""Sessions on the wire: what is asked of one, and the one object that it answers with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from antiphon.base import limits
from antiphon.wire.dsl import Location, Statement
from antiphon.wire.entities import DiscriminatorField, Match, SearchKey
from antiphon.wire.language import Diagnostic
from antiphon.wire.terminal import Answer, Request

SessionId = Annotated[str, Meta(description="The session, as session.start named it.")]
Rev = Annotated[
    int | None,
    Meta(description="The rev you saw: when the session has moved on, it is refused."),
]
ActionName = Literal[
    "clear", "undo", "cancel", "bail", "skip", "create_new", "different_search", "none_of_these",
    "help",
]  # fmt: skip
STATES = (
    "new", "intent_capture", "intent_clarify", "dsl_assembly", "syntax_validation", "syntax_error",
    "semantic_validation", "semantic_error", "unresolved_refs", "dependency_resolution",
    "dependency_error", "ready_to_run", "executing", "executed", "cancelled", "closed",
)  # fmt: skip
StateName = Annotated[str, Meta(extra_json_schema={"enum": list(STATES)})]
StageName = Literal[
    "parsing", "semantic_validation", "ref_resolution", "dependency_resolution", "ready"
]

# --- what is asked ------------------------------------------------------------


class Start(Request, kw_only=True, frozen=True):
    pass


class OfSession(Request, kw_only=True, frozen=True):
    session_id: SessionId


class Change(OfSession, kw_only=True, frozen=True):
    rev: Rev = None


class Get(OfSession, kw_only=True, frozen=True):
    pass


class Close(Change, kw_only=True, frozen=True):
    pass


class Chat(Change, kw_only=True, frozen=True):
    message: Annotated[
        str,
        Meta(
            description="What somebody says: a wish, a number or label of the open callout, a "
            "control phrase (run, undo, skip, cancel, …), or a program that starts with a bracket."
        ),
    ]


class EditProgram(Change, kw_only=True, frozen=True):
    source: Annotated[str, Meta(description="The whole program, at most 1 MiB.")]


class Resolve(Change, kw_only=True, frozen=True):
    ref_id: str
    entity_id: Annotated[str, Meta(description="An id that was offered or found by a search.")]


class Search(Change, kw_only=True, frozen=True):
    ref_id: str
    query: Annotated[str | None, Meta(description="Else the words of the program.")] = None
    search_key: Annotated[str | None, Meta(description="Else the type's default one.")] = None
    filters: Annotated[
        dict[str, str], Meta(description="Search keys that must have these values.")
    ] = field(default_factory=dict)
    discriminators: Annotated[
        dict[str, str], Meta(description="What else is known; it counts in the score.")
    ] = field(default_factory=dict)
    offset: Annotated[int, Meta(ge=0, le=limits.ENTITY_OFFSET_MAX)] = 0
    limit: Annotated[int, Meta(ge=1, le=limits.ENTITIES_MAX)] = limits.ENTITIES_DEFAULT


class Act(Change, kw_only=True, frozen=True):
    action: ActionName


Json = bool | int | float | str | list[Any] | dict[str, Any] | None


class ProposedIntent(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A verb with its values; a name for what it makes."""

    verb: str
    params: dict[str, Json] = field(default_factory=dict)
    refs: Annotated[
        dict[str, str], Meta(description='Arguments that are symbols: {"cbu-id": "@fund"}.')
    ] = field(default_factory=dict)
    bind: Annotated[str | None, Meta(description="A name for what the verb makes.")] = None


class Propose(Change, kw_only=True, frozen=True):
    option_id: Annotated[str | UnsetType, Meta(description="One of intent_options.")] = UNSET
    intents: Annotated[
        list[ProposedIntent] | UnsetType,
        Meta(description="What is wanted, as structured intents; no program text."),
    ] = UNSET


class Execute(Change, kw_only=True, frozen=True):
    plan_id: Annotated[str | None, Meta(description="The plan you saw; another is refused.")] = None


class Runs(OfSession, kw_only=True, frozen=True):
    pass


class Talk(OfSession, kw_only=True, frozen=True):
    limit: Annotated[int, Meta(ge=1, le=limits.TALK_ITEMS_MAX)] = 200


class List(Request, kw_only=True, frozen=True):
    limit: Annotated[int, Meta(ge=1, le=limits.ITEMS_MAX)] = 50


# --- what it answers ----------------------------------------------------------


class EntityConfig(Struct, kw_only=True, frozen=True):
    """How an entity of a type is searched and chosen."""

    search_keys: list[SearchKey]
    discriminators: list[DiscriminatorField]
    resolution_mode: Literal["search_modal", "autocomplete"]
    return_key_type: Literal["uuid", "code"]


class RefStatus(Struct, kw_only=True, frozen=True):
    state: Literal["pending", "resolved", "skipped", "created_new"]
    entity_id: str | UnsetType = UNSET
    display: str | UnsetType = UNSET


class UnresolvedRef(Struct, kw_only=True, frozen=True):
    """A reference that somebody must resolve, with what was found for it."""

    ref_id: str
    location: Location
    search_value: str
    entity_type: str
    entity_types: list[str]
    config: EntityConfig
    initial_matches: list[Match]
    total: int
    status: RefStatus


class IntentOption(Struct, kw_only=True, frozen=True):
    id: str
    verb: str
    label: str
    description: str


class PlanStatement(Struct, kw_only=True, frozen=True):
    statement_index: int
    verb: str
    effect: Literal["read", "write", "external"]
    text: str


class Plan(Struct, kw_only=True, frozen=True):
    plan_id: str
    phases: list[list[int]]
    statements: list[PlanStatement]


class Bound(Struct, kw_only=True, frozen=True):
    id: str
    entity_type: str | None


class BoundAs(Struct, kw_only=True, frozen=True):
    name: str
    id: str
    entity_type: str | None


class Result(Struct, kw_only=True, frozen=True):
    """What became of one statement of a run."""

    statement_index: int
    verb: str
    status: Literal["ok", "failed", "skipped"]
    error: Annotated[str | UnsetType, Meta(description="A code, of a failed one.")] = UNSET
    message: str | UnsetType = UNSET
    blocked_by: Annotated[
        int | UnsetType, Meta(description="The statement whose failure kept it from running.")
    ] = UNSET
    rolled_back: Annotated[
        bool | UnsetType, Meta(description="It was done, and undone with its transaction.")
    ] = UNSET
    bound: BoundAs | UnsetType = UNSET
    value: Json | UnsetType = UNSET
    exit_code: int | UnsetType = UNSET


class FieldAsked(Struct, kw_only=True, frozen=True):
    """A required field of what is created."""

    name: str
    type: str
    value: str | None
    offered: str | None


class CreatingEntity(Struct, kw_only=True, frozen=True):
    entity_type: str
    step: Annotated[int, Meta(description="Which field is asked, from 1; one more: the summary.")]
    fields: list[FieldAsked]
    block: Annotated[str, Meta(description="The question, as it is shown.")]


class StatementProgress(Struct, kw_only=True, frozen=True):
    statement_index: int
    status: Literal["running", "ok", "failed", "skipped"]


class SessionState(Struct, kw_only=True, frozen=True):
    """The state by its name, and what belongs to it."""

    state: StateName
    options: list[IntentOption] | UnsetType = UNSET
    original_message: str | UnsetType = UNSET
    errors: list[Diagnostic] | UnsetType = UNSET
    errors_count: int | UnsetType = UNSET
    partial_ast: list[Statement] | UnsetType = UNSET
    refs: list[UnresolvedRef] | UnsetType = UNSET
    current_index: int | UnsetType = UNSET
    creating: CreatingEntity | UnsetType = UNSET
    plan_id: str | UnsetType = UNSET
    cancel_requested: bool | UnsetType = UNSET
    plan: Annotated[Plan | UnsetType, Meta(description="Of executing: the plan that runs.")] = UNSET
    progress: list[StatementProgress] | UnsetType = UNSET  # of what has begun
    success: bool | UnsetType = UNSET
    results: list[Result] | UnsetType = UNSET


class Progress(Struct, kw_only=True, frozen=True):
    current: int
    total: int


class DslStatus(Struct, kw_only=True, frozen=True):
    stage: StageName
    progress: Progress | None
    warnings: list[Diagnostic]


class AutoResolved(Struct, kw_only=True, frozen=True):
    """A reference that needed no question."""

    ref_id: str
    entity_id: str
    display: str
    method: str
    score: int


class CalloutOption(Struct, kw_only=True, frozen=True):
    n: int
    id: str
    label: str


class Callout(Struct, kw_only=True, frozen=True):
    """The question that is open, as a block for people."""

    callout_id: str
    name: str
    block: str
    options: list[CalloutOption]


class WordsAsked(Struct, kw_only=True, frozen=True):
    """A question that is open and has no options: words answer it."""

    callout_id: str
    name: Annotated[str, Meta(description="resolve: words to search for. create: a field.")]
    question: str
    offered: Annotated[str | None, Meta(description="Words that may do.")]


class Command(Struct, kw_only=True, frozen=True):
    """What a page may do with the answer besides showing it."""

    action: Literal["set_scope", "clear_scope"]
    entity_type: str | None
    entity_id: str | None
    display: str | None


class ChatResponse(Answer, kw_only=True, frozen=True):
    """A session as it stands; what does not belong to its state is null."""

    session_id: str
    rev: int
    message: Annotated[str, Meta(description="What the user is told.")]
    session_state: SessionState
    dsl_source: str | None
    dsl_status: DslStatus | None
    intent_options: list[IntentOption] | None
    unresolved_refs: list[UnresolvedRef] | None
    errors: list[Diagnostic] | None
    plan: Plan | None
    results: list[Result] | None
    commands: list[Command] | None
    can_execute: bool
    available_actions: list[str]
    auto_resolved: list[AutoResolved]
    dsl_user_edited: bool
    bindings: dict[str, Bound]
    trace: Annotated[list[StateName], Meta(description="Every state since the request.")]
    callout: Callout | None


class SearchResponse(ChatResponse, kw_only=True, frozen=True):
    """The session, unchanged, and a page of what was found."""

    matches: list[Match]
    total: int
    offset: int
    fallback_matches: Annotated[
        list[Match] | UnsetType,
        Meta(description="Where the filters left nothing: what there is without them."),
    ] = UNSET


class Run(Struct, kw_only=True, frozen=True):
    """One run of a program; it stays whatever becomes of the session."""

    run: int
    plan_id: str
    dsl_source: str
    success: bool
    cancelled: bool
    ts_begin: int
    ts_end: int
    results: list[Result]


class RunsAnswer(Answer, kw_only=True, frozen=True):
    runs: list[Run]


class Line(Struct, kw_only=True, frozen=True):
    ts: int
    who: Annotated[str, Meta(description="user or antiphon.")]
    text: str


class TalkAnswer(Answer, kw_only=True, frozen=True):
    """What was said in the session, oldest first."""

    lines: list[Line]


class Listed(Struct, kw_only=True, frozen=True):
    session_id: str
    rev: int
    state: StateName
    dsl_source: str | None
    callout: Callout | None
    words_asked: WordsAsked | None = None
    ts_created: int
    ts_changed: int


class ListAnswer(Answer, kw_only=True, frozen=True):
    sessions: list[Listed]
