"""Components: what is asked for by name, and how far the search is, field by field."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from antiphon.wire.menus import Index, Selected, Selection
from antiphon.wire.terminal import Answer, Request

TaskId = Annotated[str, Meta(description="The task, as resolve_component_start named it.")]
TaskState = Literal[
    "idle",
    "checking_local",
    "checking_global",
    "selection_required",
    "trying_import",
    "finished",
    "failed",
]


class Start(Request, kw_only=True, frozen=True):
    component_name: Annotated[
        str, Meta(description="A part number such as BQ79616; no path, no option.")
    ]


class Started(Answer, kw_only=True, frozen=True):
    task_id: str
    state: TaskState


class OfTask(Request, kw_only=True, frozen=True):
    task_id: TaskId


class Status(OfTask, kw_only=True, frozen=True):
    pass


class Close(OfTask, kw_only=True, frozen=True):
    pass


class Closed(Answer, kw_only=True, frozen=True):
    pass


class Select(OfTask, kw_only=True, frozen=True):
    selection_id: str
    selected_option: Selected
    index: Index = UNSET


class Task(Answer, kw_only=True, frozen=True):
    """A search for a component, as it stands."""

    task_id: str
    state: TaskState
    selection: Selection | UnsetType = UNSET
    error: str | UnsetType = UNSET
    location: str | UnsetType = UNSET
    source: Literal["local", "global"] | UnsetType = UNSET
    exit_code: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    transcript_cursor: int
