"""The library's `component.…`: each operation with its fields, awaited or blocking."""

from __future__ import annotations

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.calls import Verbs
from antiphon.wire import components as c


class Component(Verbs):
    """The operations `component.…`, each with its fields."""

    async def start(self, component_name: str) -> c.Started:
        """Starts resolving an electronic component by its name and answers at once with a task."""
        return await self._called(c.Started, "component.start", component_name=component_name)

    async def status(self, task_id: str) -> c.Task:
        """Says how far the resolving is: what it asks, the file found, or why it failed."""
        return await self._called(c.Task, "component.status", task_id=task_id)

    async def select(
        self, task_id: str, selection_id: str, selected_option: str, *, index: int | None = None
    ) -> c.Task:
        """Chooses one of the options that resolving asks for, by its text."""
        return await self._called(
            c.Task,
            "component.select",
            task_id=task_id,
            selection_id=selection_id,
            selected_option=selected_option,
            index=index,
        )

    async def close(self, task_id: str) -> c.Closed:
        """Ends the resolving with all it started, and forgets the task."""
        return await self._called(c.Closed, "component.close", task_id=task_id)


class BlockingComponent:
    """The operations `component.…`, each with its fields; they block."""

    def __init__(self, verbs: Component, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def start(self, component_name: str) -> c.Started:
        """Starts resolving an electronic component by its name and answers at once with a task."""
        return self._loop.result(self._verbs.start(component_name))

    def status(self, task_id: str) -> c.Task:
        """Says how far the resolving is: what it asks, the file found, or why it failed."""
        return self._loop.result(self._verbs.status(task_id))

    def select(
        self, task_id: str, selection_id: str, selected_option: str, *, index: int | None = None
    ) -> c.Task:
        """Chooses one of the options that resolving asks for, by its text."""
        return self._loop.result(
            self._verbs.select(task_id, selection_id, selected_option, index=index)
        )

    def close(self, task_id: str) -> c.Closed:
        """Ends the resolving with all it started, and forgets the task."""
        return self._loop.result(self._verbs.close(task_id))
