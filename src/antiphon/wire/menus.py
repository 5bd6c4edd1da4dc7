"""Menus: what is asked of a driven program and what it asks, field by field."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from antiphon.base import limits
from antiphon.wire.terminal import Answer, Cols, Request, Rows

TaskId = Annotated[str, Meta(description="The task, as menu.start named it.")]
TaskState = Literal["idle", "running", "selection_required", "completed", "failed"]


class Start(Request, kw_only=True, frozen=True):
    command: Annotated[
        list[str],
        Meta(
            min_length=1,
            max_length=limits.MENU_ARGUMENTS_MAX,
            description="The program and its arguments, as they are; no shell reads them.",
        ),
    ]
    cwd: str | UnsetType = UNSET
    env: dict[str, str] | UnsetType = UNSET
    cols: Cols = limits.MENU_COLS_DEFAULT
    rows: Rows = limits.MENU_ROWS_DEFAULT
    term: Annotated[
        str,
        Meta(description="TERM for the program.", pattern=r"^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$"),
    ] = "xterm-256color"


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


class Screen(OfTask, kw_only=True, frozen=True):
    pass


Selected = Annotated[
    str,
    Meta(description="The option, or a part of it; for a text question the exact text to type."),
]
Index = (
    Annotated[
        int,
        Meta(
            ge=0,
            description="Which of several options that contain the text, counted from 0; the "
            "first when left out.",
        ),
    ]
    | UnsetType
)


class Select(OfTask, kw_only=True, frozen=True):
    selection_id: str
    selected_option: Selected
    index: Index = UNSET


class Selection(Struct, kw_only=True, frozen=True):
    """What the program asks: options of a menu, or text when it has none."""

    selection_id: str
    prompt: str
    options: list[str]
    input: Literal["menu", "text"]
    context: list[str] | UnsetType = UNSET


class Choice(Struct, kw_only=True, frozen=True):
    """What a number of a block means: an option, or the block that follows."""

    index: int | UnsetType = UNSET
    option: str | UnsetType = UNSET
    at: list[int] | UnsetType = UNSET


class Block(Struct, kw_only=True, frozen=True):
    """A selection as a question for people; choice N of the list is number N+1 of the text."""

    text: str
    choices: list[Choice]


class Task(Answer, kw_only=True, frozen=True):
    """A driven program, as it stands."""

    task_id: str
    state: TaskState
    selection: Selection | UnsetType = UNSET
    error: str | UnsetType = UNSET
    exit_code: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    transcript_cursor: int


class List(Request, kw_only=True, frozen=True):
    pass


class Listed(Struct, kw_only=True, frozen=True):
    """An open task; its transcript is the conversation named by its id."""

    task_id: str
    kind: Literal["menu", "component"]
    title: Annotated[str, Meta(description="The command, or the component's name.")]
    state: str
    selection: Selection | UnsetType = UNSET
    block: Block | UnsetType = UNSET
    error: str | UnsetType = UNSET
    location: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    exit_code: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    transcript_cursor: int


class ListAnswer(Answer, kw_only=True, frozen=True):
    tasks: list[Listed]


class BlockOf(OfTask, kw_only=True, frozen=True):
    at: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(max_length=limits.BLOCK_DEPTH_MAX, description="Numbers chosen so far."),
    ] = ()


class BlockShown(Answer, kw_only=True, frozen=True):
    selection_id: str
    block: Block
