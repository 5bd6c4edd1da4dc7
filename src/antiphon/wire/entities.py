"""Entities on the wire: how a type is searched, what was found, and one entity as it is."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from antiphon.base import limits
from antiphon.wire.terminal import Answer, Request

EntityTypeName = Annotated[str, Meta(description="A type of the pack, as entities.types names it.")]

# --- what is asked ------------------------------------------------------------


class Types(Request, kw_only=True, frozen=True):
    pass


class Config(Request, kw_only=True, frozen=True):
    entity_type: EntityTypeName


class Search(Request, kw_only=True, frozen=True):
    entity_type: EntityTypeName
    query: Annotated[
        str, Meta(description="Words of a name, slips of the finger too; none lists what there is.")
    ]
    search_key: Annotated[str | None, Meta(description="Else the type's default one.")] = None
    filters: Annotated[
        dict[str, str], Meta(description="Search keys that must have these values.")
    ] = field(default_factory=dict)
    discriminators: Annotated[
        dict[str, str], Meta(description="What else is known; it counts in the score.")
    ] = field(default_factory=dict)
    offset: Annotated[int, Meta(ge=0, le=limits.ENTITY_OFFSET_MAX)] = 0
    limit: Annotated[int, Meta(ge=1, le=limits.ENTITIES_MAX)] = limits.ENTITIES_DEFAULT


class Get(Request, kw_only=True, frozen=True):
    entity_type: EntityTypeName
    entity_id: str


# --- what it answers ----------------------------------------------------------


class Feature(Struct, kw_only=True, frozen=True):
    name: str
    points: int


class Match(Struct, kw_only=True, frozen=True):
    """An entity that may be meant; the points of its features add up to its score."""

    id: str
    display: str
    entity_type: str
    score: Annotated[int, Meta(ge=0, le=100)]
    features: list[Feature]
    differs: Annotated[
        dict[str, str], Meta(description="What tells namesakes apart; what differs comes first.")
    ]


class SearchKey(Struct, kw_only=True, frozen=True):
    name: str
    label: str
    is_default: bool


class DiscriminatorField(Struct, kw_only=True, frozen=True):
    name: str
    label: str
    weight: float


class TypeConfig(Answer, kw_only=True, frozen=True):
    """How entities of a type are searched and chosen."""

    entity_type: str
    search_keys: list[SearchKey]
    discriminators: list[DiscriminatorField]
    resolution_mode: Literal["search_modal", "autocomplete"]
    return_key_type: Literal["uuid", "code"]
    create: Annotated[str | None, Meta(description="The verb that makes one.")]


class TypeNames(Answer, kw_only=True, frozen=True):
    entity_types: list[str]


class Found(Answer, kw_only=True, frozen=True):
    matches: list[Match]
    total: int
    fallback_matches: Annotated[
        list[Match] | UnsetType,
        Meta(description="What there is without the filters, where they leave nothing."),
    ] = UNSET
    source_failed: Annotated[
        str | UnsetType,
        Meta(description="Why another service that knows more of them did not answer."),
    ] = UNSET


class Entity(Answer, kw_only=True, frozen=True):
    id: str
    display: str
    entity_type: str
    facts: Annotated[dict[str, str], Meta(description="Its search keys and discriminators.")]
