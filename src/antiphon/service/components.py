"""The operations on components: one search at a time, each a task until it is closed."""

from __future__ import annotations

import asyncio
import os
import shlex
from pathlib import Path

from msgspec import UNSET, UnsetType

from antiphon.base.errors import Code, Refused
from antiphon.component import names
from antiphon.component.resolving import State
from antiphon.drivers.library import Library
from antiphon.service.menus import given, selection
from antiphon.service.resolution import Resolution, Tool
from antiphon.service.room import Rooms
from antiphon.service.terminals import Terminals
from antiphon.wire import components as wire

# The answer to a close does not wait longer for a stubborn program; it is ended all the same.
_CLOSE_ANSWER_S = 0.2
_RESTING = (State.SELECTION_REQUIRED, State.FINISHED, State.FAILED)
TSCI_DEFAULT = "tsci"
LIBRARY_DIR_DEFAULT = "lib"


def tool(command: str = TSCI_DEFAULT, library_dir: str = LIBRARY_DIR_DEFAULT) -> Tool:
    """What the settings name: a program, with arguments if it is not a file's own name."""
    try:
        words = (command,) if Path(command).is_file() else tuple(shlex.split(command))
    except ValueError as error:
        raise Refused(Code.INVALID_REQUEST, f"ANTIPHON_TSCI {command!r}: {error}") from None
    if not words:
        raise Refused(Code.INVALID_REQUEST, "ANTIPHON_TSCI is empty; it names the tsci command")
    if os.sep in words[0]:
        words = (str(Path(words[0]).absolute()), *words[1:])
    return Tool(words, Library(Path(library_dir).expanduser().absolute()))


class Components:
    """`component.*`."""

    def __init__(self, rooms: Rooms, terminals: Terminals, used: Tool | None = None) -> None:
        self._rooms = rooms
        self._terminals = terminals
        self._tool = used or tool()
        self._task: Resolution | None = None
        self._task_id = ""
        self._count = 0
        self._closing: set[asyncio.Task[None]] = set()

    # --- operations ------------------------------------------------------------

    async def start(self, request: wire.Start) -> wire.Started:
        name = names.checked(request.component_name)
        if self._task is not None:
            raise Refused(
                Code.BUSY,
                f"task {self._task_id} is {self._task.state.value} and not closed; one component "
                "is resolved at a time: resolve_component_close first",
                task_id=self._task_id,
                state=self._task.state.value,
            )
        task_id, self._count = self._rooms.unused("rc", self._count)
        task = Resolution(self._terminals, self._rooms.made(task_id), name, self._tool)
        self._task, self._task_id = task, task_id
        task.start()
        return wire.Started(task_id=task_id, state=task.state.value)

    async def status(self, request: wire.Status) -> wire.Task:
        return shown(request.task_id, self._known(request.task_id))

    async def select(self, request: wire.Select) -> wire.Task:
        task = self._known(request.task_id)
        index = None if isinstance(request.index, UnsetType) else request.index
        task.select(request.selection_id, request.selected_option, index)
        return shown(request.task_id, task)

    async def close(self, request: wire.Close) -> wire.Closed:
        task = self._known(request.task_id)
        self._task = None
        task.changed.set()
        closing = asyncio.get_running_loop().create_task(task.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.wait({closing}, timeout=_CLOSE_ANSWER_S)
        return wire.Closed()

    # --- for other rooms ---------------------------------------------------------

    async def resolved(self, name: str) -> wire.Task:
        """A component by its name, and how it ended: finished, failed, or what is asked now.

        An ended task is closed; one that asks stays open under its id, for whoever answers.
        """
        started = await self.start(wire.Start(component_name=name))
        return await self.rested(started.task_id)

    async def rested(self, task_id: str) -> wire.Task:
        """The task as soon as it has ended or asks something; an ended one is closed."""
        task = self._known(task_id)
        while task.state not in _RESTING:
            task.changed.clear()
            await task.changed.wait()
        answer = shown(task_id, task)
        if task.state is not State.SELECTION_REQUIRED and self._task is task:
            await self.close(wire.Close(task_id=task_id))
        return answer

    async def answered(self, task_id: str) -> None:
        """Somebody has answered what the task asks, or the task is closed."""
        task = self._known(task_id)
        asked = task.presented
        while self._task is task and task.presented is asked and task.state in _RESTING:
            task.changed.clear()
            await task.changed.wait()

    def open_tasks(self) -> dict[str, Resolution]:
        return {} if self._task is None else {self._task_id: self._task}

    async def leave(self) -> None:
        """The server goes: what was being closed is closed, the tool lives on."""
        if self._closing:
            await asyncio.wait(self._closing)
        if self._task is not None:
            self._task.leave()

    def _known(self, task_id: str) -> Resolution:
        if self._task is None or task_id != self._task_id:
            known = "none" if self._task is None else self._task_id
            raise Refused(Code.NOT_FOUND, f"there is no task {task_id[:40]!r}; open is: {known}")
        return self._task


def shown(task_id: str, task: Resolution) -> wire.Task:
    presented = task.presented
    return wire.Task(
        task_id=task_id,
        state=task.state.value,
        selection=UNSET if presented is None else selection(presented),
        error=given(task.error),
        location=UNSET if task.location is None else str(task.location),
        source=UNSET if task.source is None else task.source,
        exit_code=UNSET if task.exit_code is None else task.exit_code,
        reason=given(task.reason),
        transcript_cursor=task.transcript_cursor,
    )
