"""The W3C reconciliation API (1.0 draft), field by field, in its own spelling."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from antiphon.base import limits
from antiphon.wire.terminal import Answer, Request


class ThingNamed(Struct, frozen=True, kw_only=True):
    """An entity as a value, as it was reconciled before."""

    id: str
    name: str | None = None


Value = str | bool | int | float | ThingNamed
Values = Annotated[list[Value], Meta(max_length=limits.RECONCILE_VALUES_MAX)]


class Condition(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True, rename="camel"):
    """What a candidate must be like; older drafts say pid and v."""

    match_type: Literal["name", "property", "id"]
    property_id: str | None = None
    pid: str | None = None
    property_value: Value | Values | UnsetType = UNSET
    v: Value | Values | UnsetType = UNSET
    required: bool = False
    match_quantifier: Literal["any", "all", "none"] = "any"
    match_qualifier: str | None = None
    lang: str | None = None
    dir: str | None = None


class Query(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    conditions: Annotated[
        list[Condition], Meta(min_length=1, max_length=limits.RECONCILE_VALUES_MAX)
    ]
    type: str | None = None
    limit: Annotated[int, Meta(ge=1)] = limits.ENTITIES_DEFAULT
    lang: str | None = None
    dir: str | None = None


class Match(Request, kw_only=True, frozen=True):
    queries: list[Query]


class Suggest(Request, kw_only=True, frozen=True):
    prefix: str = ""
    cursor: Annotated[int, Meta(ge=0, le=limits.ENTITY_OFFSET_MAX)] = 0
    type: str | None = None


class PropertyWanted(Struct, frozen=True, kw_only=True):
    id: str
    settings: dict[str, Any] = field(default_factory=dict)


class Extend(Request, kw_only=True, frozen=True):
    ids: Annotated[list[str], Meta(max_length=limits.RECONCILE_IDS_MAX)]
    properties: Annotated[list[PropertyWanted], Meta(max_length=limits.RECONCILE_VALUES_MAX)]


class Propose(Request, kw_only=True, frozen=True):
    type: str
    limit: Annotated[int, Meta(ge=1)] = limits.ITEMS_MAX


# --- what it answers ----------------------------------------------------------


class Named(Struct, kw_only=True, frozen=True):
    id: str
    name: str


class Feature(Struct, kw_only=True, frozen=True):
    id: str
    name: str
    value: int


class Candidate(Struct, kw_only=True, frozen=True):
    id: str
    name: str
    description: str
    type: list[Named]
    score: int
    features: list[Feature]
    match: bool


class Result(Struct, kw_only=True, frozen=True):
    candidates: list[Candidate]


class Matched(Answer, kw_only=True, frozen=True):
    results: list[Result]


class Suggestion(Struct, kw_only=True, frozen=True):
    id: str
    name: str
    description: str | UnsetType = UNSET
    notable: list[Named] | UnsetType = UNSET


class Suggested(Answer, kw_only=True, frozen=True):
    result: list[Suggestion]


class Text(Struct, kw_only=True, frozen=True, rename={"text": "str"}):
    text: str


class PropertyValues(Struct, kw_only=True, frozen=True):
    id: str
    values: list[Text]


class ExtendedRow(Struct, kw_only=True, frozen=True):
    id: str
    properties: list[PropertyValues]


class Extended(Answer, kw_only=True, frozen=True):
    meta: list[Named]
    rows: list[ExtendedRow]


class Proposed(Answer, kw_only=True, frozen=True):
    type: str
    properties: list[Named]
    limit: int
