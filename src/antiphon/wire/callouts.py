"""Callouts: every question that waits for an answer, from whichever room, field by field."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from antiphon.wire.terminal import Answer, Request


class List(Request, kw_only=True, frozen=True):
    pass


class Option(Struct, kw_only=True, frozen=True):
    n: Annotated[int, Meta(description="The number that picks it, from 1.")]
    id: str
    label: str


class Callout(Struct, kw_only=True, frozen=True):
    """An open question, and all that answers it: exactly this one, or the answer is refused."""

    callout_id: Annotated[
        str, Meta(description="Of a task: the selection_id that its select takes.")
    ]
    room: Annotated[
        Literal["session", "menu", "component"],
        Meta(
            description="Which operation answers: session.chat with the number, or the text, and "
            "rev; menu.select or component.select with the option's label, and index for its "
            "place among them from 0."
        ),
    ]
    source: Annotated[str, Meta(description="The session_id or the task_id.")]
    title: Annotated[str, Meta(description="What asks: a command, a component, a program.")]
    name: Annotated[
        str, Meta(description="clarify, resolve, create or run of a session; menu or text.")
    ]
    question: str
    options: list[Option]
    input: Annotated[
        Literal["choice", "text"], Meta(description="text: the answer is typed as it is.")
    ]
    context: list[str] | UnsetType = UNSET
    offered: Annotated[str | UnsetType, Meta(description="Words that may do, of a text.")] = UNSET
    error: Annotated[str | UnsetType, Meta(description="Why the answer before did not do.")] = UNSET
    rev: int | UnsetType = UNSET


class ListAnswer(Answer, kw_only=True, frozen=True):
    callouts: list[Callout]
