"""All open tasks with what they ask, also as blocks for people."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from antiphon.base.errors import Code, Refused
from antiphon.choice import offers
from antiphon.menu.menu import Menu
from antiphon.service.components import Components
from antiphon.service.components import shown as component_shown
from antiphon.service.mediator import Mediator
from antiphon.service.menus import Menus
from antiphon.service.presented import Presented
from antiphon.service.resolution import Resolution
from antiphon.wire import menus as wire


class Inbox:
    """`menu.list` and `menu.block`, over tasks of both kinds."""

    def __init__(self, menus: Menus, components: Components) -> None:
        self._menus = menus
        self._components = components

    async def list(self, _: wire.List) -> wire.ListAnswer:
        menus = [self._menu(task_id, task) for task_id, task in self._menus.open_tasks().items()]
        components = [
            _component(task_id, task) for task_id, task in self._components.open_tasks().items()
        ]
        return wire.ListAnswer(tasks=menus + components)

    async def block(self, request: wire.BlockOf) -> wire.BlockShown:
        tasks: dict[str, Mediator | Resolution] = {
            **self._menus.open_tasks(),
            **self._components.open_tasks(),
        }
        task = tasks.get(request.task_id)
        if task is None:
            known = ", ".join(tasks) or "none"
            raise Refused(
                Code.NOT_FOUND, f"there is no task {request.task_id[:40]!r}; open tasks: {known}"
            )
        presented = task.presented
        if presented is None:
            raise Refused(
                Code.STALE_SELECTION,
                f"nothing is asked: the task is {task.state.value}",
                state=task.state.value,
                selection_id=None,
            )
        found = block(presented, request.at)
        if found is None:
            raise Refused(
                Code.NO_MATCH,
                "there is no block below these numbers; a selection without options has none, "
                "and its answer is text",
                state=task.state.value,
                selection_id=presented.selection_id,
            )
        return wire.BlockShown(selection_id=presented.selection_id, block=found)

    def _menu(self, task_id: str, task: Mediator) -> wire.Listed:
        told = self._menus.shown(task_id)
        return wire.Listed(
            task_id=task_id,
            kind="menu",
            title=shlex.join(task.command.words),
            state=told.state,
            selection=told.selection,
            block=_block(task),
            error=told.error,
            exit_code=told.exit_code,
            reason=told.reason,
            transcript_cursor=told.transcript_cursor,
        )


def _component(task_id: str, task: Resolution) -> wire.Listed:
    told = component_shown(task_id, task)
    return wire.Listed(
        task_id=task_id,
        kind="component",
        title=task.name,
        state=told.state,
        selection=told.selection,
        block=_block(task),
        error=told.error,
        location=told.location,
        source=told.source,
        exit_code=told.exit_code,
        reason=told.reason,
        transcript_cursor=told.transcript_cursor,
    )


def _block(task: Mediator | Resolution) -> wire.Block | UnsetType:
    found = None if task.presented is None else block(task.presented)
    return UNSET if found is None else found


def block(presented: Presented, at: Sequence[int] = ()) -> wire.Block | None:
    asked = presented.asked
    if not isinstance(asked, Menu):
        return None
    texts = [option.text for option in asked.options]
    found = offers.block(asked.prompt, texts, at)
    if found is None:
        return None
    return wire.Block(
        text=found.text,
        choices=[
            wire.Choice(at=list(one.at))
            if one.index is None
            else wire.Choice(index=one.index, option=texts[one.index])
            for one in found.choices
        ],
    )
