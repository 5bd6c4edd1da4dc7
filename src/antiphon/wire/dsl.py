"""Programs on the wire: where references stand, and the check of a text without a session."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from antiphon.wire.language import Diagnostic, Edit, Span
from antiphon.wire.terminal import Answer, Request


class Location(Struct, kw_only=True, frozen=True):
    """Where in a program a reference stands."""

    statement_index: int
    verb: str
    arg_name: str
    arg_path: str
    span: Span


class Statement(Struct, kw_only=True, frozen=True):
    """A statement that could be read although others could not."""

    verb: str
    args: Annotated[dict[str, str], Meta(description="The values, as program text.")]
    bind: str | None
    text: str
    span: Span


class Check(Request, kw_only=True, frozen=True):
    source: Annotated[str, Meta(description="A program, at most 1 MiB.")]


class CheckedRef(Struct, kw_only=True, frozen=True):
    ref_id: str
    location: Location
    search_value: str
    entity_type: str
    entity_types: list[str]


class Checked(Answer, kw_only=True, frozen=True):
    """A broken program is an answer too: ok is false when a diagnostic is an error."""

    ok: bool
    diagnostics: list[Diagnostic]
    more: Annotated[
        int | UnsetType, Meta(description="How many more there are: of a kind, 20 are told.")
    ] = UNSET
    statements: Annotated[int, Meta(description="How many could be read.")]
    refs: Annotated[list[CheckedRef], Meta(description="References that somebody must resolve.")]


class Complete(Request, kw_only=True, frozen=True):
    source: Annotated[str, Meta(description="A program as it stands, at most 1 MiB.")]
    at: Annotated[int, Meta(ge=0, description="Where something is written, in bytes.")]


class Completion(Struct, kw_only=True, frozen=True):
    label: str
    kind: Literal["verb", "argument", "value", "symbol", "entity"]
    detail: str
    about: str
    text: Annotated[str, Meta(description="What is written from start to end.")]
    note: Annotated[
        Edit | UnsetType, Meta(description="The name of an entity, behind its statement.")
    ] = UNSET


class Completed(Answer, kw_only=True, frozen=True):
    start: Annotated[int, Meta(description="The first byte of what is replaced.")]
    end: int
    items: list[Completion]
