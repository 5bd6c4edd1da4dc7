"""The table of a session's states, as it is told, field by field."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from antiphon.wire.terminal import Answer, Request


class States(Request, kw_only=True, frozen=True):
    pass


class Outcome(Struct, kw_only=True, frozen=True):
    """A cell of the table: where it leads, or with what it is refused."""

    to: str | UnsetType = UNSET
    refuse: str | UnsetType = UNSET


class ResponseRow(Struct, kw_only=True, frozen=True):
    state: str
    response: str
    next: str


class StatesAnswer(Answer, kw_only=True, frozen=True):
    states: list[str]
    events: list[str]
    cells: dict[str, dict[str, Outcome]]
    responses: list[ResponseRow]
