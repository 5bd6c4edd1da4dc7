"""The operations on menus: tasks by their ids, each a driven program in a conversation of its own.

Every operation answers at once; the program is waited for behind it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import UNSET, UnsetType

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.menu.mediator import State
from antiphon.menu.menu import Menu
from antiphon.service import shells
from antiphon.service.mediator import Mediator
from antiphon.service.presented import Presented
from antiphon.service.program import Command
from antiphon.service.room import Rooms
from antiphon.service.terminals import Terminals
from antiphon.wire import menus as wire
from antiphon.wire import terminal

# The answer to a close does not wait longer for a stubborn program; it is ended all the same.
_CLOSE_ANSWER_S = 0.2


class Menus:
    """`menu.*`."""

    def __init__(self, rooms: Rooms, terminals: Terminals) -> None:
        self._rooms = rooms
        self._terminals = terminals
        self._tasks: dict[str, Mediator] = {}
        self._count = 0
        self._closing: set[asyncio.Task[None]] = set()

    # --- operations ------------------------------------------------------------

    async def start(self, request: wire.Start) -> wire.Started:
        command = checked_command(request)
        if len(self._tasks) >= limits.MENUS_MAX:
            raise Refused(
                Code.LIMIT_REACHED,
                f"{len(self._tasks)} tasks are there (MENUS_MAX); close one with menu.close",
            )
        task_id, self._count = self._rooms.unused("menu", self._count)
        task = Mediator(self._terminals, self._rooms.made(task_id), command)
        self._tasks[task_id] = task
        task.start()
        return wire.Started(task_id=task_id, state=task.state.value)

    async def status(self, request: wire.Status) -> wire.Task:
        return self.shown(request.task_id)

    async def select(self, request: wire.Select) -> wire.Task:
        return self._answered(request, is_tick=False)

    async def tick(self, request: wire.Select) -> wire.Task:
        return self._answered(request, is_tick=True)

    def _answered(self, request: wire.Select, *, is_tick: bool) -> wire.Task:
        index = None if isinstance(request.index, UnsetType) else request.index
        task = self._task(request.task_id)
        task.select(request.selection_id, request.selected_option, index, is_tick=is_tick)
        return self.shown(request.task_id)

    async def screen(self, request: wire.Screen) -> terminal.ScreenAnswer:
        self._task(request.task_id)
        return await self._terminals.screen(terminal.ScreenOf(conversation_id=request.task_id))

    async def close(self, request: wire.Close) -> wire.Closed:
        task = self._task(request.task_id)
        del self._tasks[request.task_id]
        closing = asyncio.get_running_loop().create_task(task.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.wait({closing}, timeout=_CLOSE_ANSWER_S)
        return wire.Closed()

    async def leave(self) -> None:
        """The server goes: what was being closed is closed, the others' programs live on."""
        if self._closing:
            await asyncio.wait(self._closing)
        for task in self._tasks.values():
            task.leave()

    # --- tasks -----------------------------------------------------------------

    def open_tasks(self) -> dict[str, Mediator]:
        return self._tasks

    def _task(self, task_id: str) -> Mediator:
        task = self._tasks.get(task_id)
        if task is None:
            known = ", ".join(self._tasks) or "none"
            raise Refused(Code.NOT_FOUND, f"there is no task {task_id[:40]!r}; open tasks: {known}")
        return task

    def shown(self, task_id: str) -> wire.Task:
        task = self._task(task_id)
        return wire.Task(
            task_id=task_id,
            state=task.state.value,
            selection=UNSET if task.presented is None else selection(task.presented),
            error=given(task.error if task.state is State.SELECTION_REQUIRED else None),
            exit_code=UNSET if task.exit_code is None else task.exit_code,
            reason=given(task.reason),
            transcript_cursor=task.transcript_cursor,
        )


def selection(presented: Presented) -> wire.Selection:
    asked = presented.asked
    is_menu = isinstance(asked, Menu)
    return wire.Selection(
        selection_id=presented.selection_id,
        prompt=asked.prompt,
        options=[option.text for option in asked.options] if isinstance(asked, Menu) else [],
        input="menu" if is_menu else "text",
        context=list(asked.context) if asked.context else UNSET,
    )


def given(text: str | None) -> str | UnsetType:
    return UNSET if text is None else text


def checked_command(request: wire.Start) -> Command:
    """What is to run, or a refusal: it is there, and so is its directory."""
    if any("\0" in word for word in request.command) or not request.command[0]:
        raise Refused(Code.INVALID_REQUEST, "command has a NUL or no name, which no program takes")
    base = os.fsencode(Path.cwd())
    cwd = base if isinstance(request.cwd, UnsetType) else shells.directory(request.cwd, base)
    variables: Mapping[str, str] = {}
    if not isinstance(request.env, UnsetType):
        variables = shells.checked_environment(request.env)
    refuse_unless_there(request.command[0], os.fsdecode(cwd), variables)
    return Command(
        words=tuple(request.command),
        cwd=os.fsdecode(cwd),
        variables=variables,
        cols=request.cols,
        rows=request.rows,
        term=request.term,
    )


def refuse_unless_there(name: str, cwd: str, variables: Mapping[str, str]) -> None:
    path = shells.environment(variables)["PATH"]
    if os.sep in name:
        file = Path(cwd, name)
        is_there = file.is_file() and os.access(file, os.X_OK)
    else:
        is_there = shutil.which(name, path=path) is not None
    if not is_there:
        raise Refused(
            Code.SPAWN_FAILED, f"{name[:200]!r} is no program that can be started from here"
        )
