"""Who typed what into a terminal: the request, the answer, and one input."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from antiphon.wire.terminal import Answer, ForConversation, FromCursor, Limit

# A model at the MCP door; somebody at the page or at a terminal; whatever else calls.
By = Literal["agent", "person", "program"]


class ReadInputs(ForConversation, kw_only=True, frozen=True):
    from_cursor: FromCursor = 0
    limit: Limit = 50


class Input(Struct, kw_only=True, frozen=True):
    """A command has no data here: its block has it.  Of what was hidden there is the length."""

    ts: int
    by: By
    kind: Literal["command", "input"]
    block_id: str | None
    data: str | UnsetType | None = UNSET
    secret: bool | UnsetType = UNSET
    length: int | UnsetType = UNSET


class ReadInputsAnswer(Answer, kw_only=True, frozen=True):
    items: list[Input]
    cursor: int
    resume_cursor: int
