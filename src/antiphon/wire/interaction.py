"""Requests and answers of choice blocks and flows, field by field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from antiphon.base import limits
from antiphon.wire.terminal import Answer, Request

FlowGiven = Annotated[
    str | dict[str, Any],
    Meta(
        description="The flow: as an object {flow, steps, on_confirm?}, or the name of a file of "
        "the state directory, flows/NAME.yaml."
    ),
]
FlowState = Annotated[
    str, Meta(description="The state of the last answer, unchanged; it is opaque and signed.")
]
Values = Annotated[
    dict[str, str | list[str]],
    Meta(description="Labels by field: one label, or a list where many are taken."),
]
EventName = Literal[
    "SELECTED", "INVALID", "FREETEXT", "FIELD_REJECTED", "RESTARTED", "EDITING", "CONFIRMED",
    "STEP_ABORT", "FLOW_CANCEL",
]  # fmt: skip
Output = Annotated[
    str | None,
    Meta(description="All that the user may see, byte for byte; null: show nothing."),
]


Said = Annotated[str, Meta(max_length=limits.INPUT_CHARS_MAX)]
Judged = Annotated[str, Meta(max_length=limits.JUDGED_CHARS_MAX)]
Labels = Annotated[list[Judged], Meta(max_length=limits.STEP_OPTIONS_MAX)]


class TypedInput(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """An input by a program: `choice`, or `kind` and `text`."""

    choice: Annotated[list[int], Meta(max_length=limits.STEP_OPTIONS_MAX)] | UnsetType = UNSET
    kind: Literal["freetext"] | UnsetType = UNSET
    text: str | UnsetType = UNSET


WantsForm = Annotated[
    bool, Meta(description="The answer has the question as a JSON Schema too, to draw a form from.")
]
Form = Annotated[
    dict[str, Any] | UnsetType,
    Meta(description="The question as a form; what is chosen are the numbers to answer with."),
]


class FlowStart(Request, kw_only=True, frozen=True):
    flow: FlowGiven
    values: Values | None = None
    ttl_s: Annotated[int, Meta(ge=1, le=limits.STATE_TTL_S_MAX)] = limits.STATE_TTL_S_DEFAULT
    form: WantsForm = False


class FlowStarted(Answer, kw_only=True, frozen=True):
    output: Output
    state: str
    done: bool = False
    form: Form = UNSET


class FlowAnswer(Request, kw_only=True, frozen=True):
    state: FlowState
    input: Annotated[
        Said | TypedInput, Meta(description="What the user typed, byte for byte; or typed input.")
    ]
    flow: FlowGiven | None = None
    form: WantsForm = False


class FlowEvent(Struct, kw_only=True, frozen=True):
    type: EventName
    step: str | None = None
    reason: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    values: Values | UnsetType = UNSET


class FlowAnswered(Answer, kw_only=True, frozen=True):
    output: Output
    events: list[FlowEvent]
    state: str
    done: bool
    values: Values | None = None
    form: Form = UNSET


class Problem(Struct, kw_only=True, frozen=True):
    """What is wrong with a flow, and where; a flow that a request brings along has no lines."""

    file: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    path: str | UnsetType = UNSET
    code: Annotated[str | UnsetType, Meta(description="F01 to F18, where it is one.")] = UNSET
    message: str


class NoFlow(Struct, kw_only=True, frozen=True):
    """A refusal that may tell of a flow."""

    ok: bool = False
    error: str
    message: str
    problems: list[Problem] | UnsetType = UNSET


class FlowReopen(Request, kw_only=True, frozen=True):
    state: FlowState
    form: WantsForm = False


class FlowReopened(Answer, kw_only=True, frozen=True):
    output: Output
    state: str
    form: Form = UNSET


class Render(Request, kw_only=True, frozen=True):
    instruction: Judged
    options: Labels


class Rendered(Answer, kw_only=True, frozen=True):
    text: str


class Violation(Struct, kw_only=True, frozen=True):
    code: Annotated[str, Meta(description="F01 to F18.")]
    at: Annotated[int, Meta(description="An offset in characters.")]
    message: str


class NotRendered(Struct, kw_only=True, frozen=True):
    """The parts make no block."""

    ok: bool = False
    error: str = "contract_violation"
    message: str
    violations: list[Violation]


class Validate(Request, kw_only=True, frozen=True):
    text: Judged
    domain: Labels | None = None
    pinned: Judged | None = None
    summary_of: Values | None = None


class Validated(Answer, kw_only=True, frozen=True):
    violations: list[Violation]
