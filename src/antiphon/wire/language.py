"""What is said about a program, field by field: places, diagnostics and how they are mended."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Span(Struct, kw_only=True, frozen=True):
    start: Annotated[int, Meta(description="The first byte.")]
    end: Annotated[int, Meta(description="The byte behind the last one.")]
    line: Annotated[int, Meta(description="From 1.")]
    column: Annotated[int, Meta(description="From 1, in code points.")]


class Label(Struct, kw_only=True, frozen=True):
    span: Span
    text: str


class Edit(Struct, kw_only=True, frozen=True):
    span: Span
    text: str


class Fix(Struct, kw_only=True, frozen=True):
    title: str
    applicability: Literal["machine", "maybe"]
    edits: list[Edit]


class Diagnostic(Struct, kw_only=True, frozen=True):
    code: str
    severity: Literal["error", "warning"]
    message: str
    span: Span
    labels: list[Label]
    help: str | None
    fixes: list[Fix]
    rendered: Annotated[str, Meta(description="As a person reads it, with the line and marks.")]
