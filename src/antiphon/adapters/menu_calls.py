"""The operations `menu.…` as methods, for programs that await and for those that block."""

from __future__ import annotations

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.calls import Verbs
from antiphon.wire import menus as m
from antiphon.wire import terminal as t

Words = list[str]
Numbers = list[int]


class Menu(Verbs):
    """The operations `menu.…`, each with its fields."""

    async def start(
        self,
        command: Words,
        *,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        cols: int | None = None,
        rows: int | None = None,
        term: str | None = None,
    ) -> m.Started:
        """Starts an interactive program and answers at once with a task."""
        return await self._called(
            m.Started,
            "menu.start",
            command=command,
            cwd=cwd,
            env=env,
            cols=cols,
            rows=rows,
            term=term,
        )

    async def status(self, task_id: str) -> m.Task:
        """Says how a task stands, and what its program asks: prompt and options."""
        return await self._called(m.Task, "menu.status", task_id=task_id)

    async def select(
        self, task_id: str, selection_id: str, selected_option: str, *, index: int | None = None
    ) -> m.Task:
        """Chooses an option by its text, or types the answer; the right keys are pressed."""
        return await self._called(
            m.Task,
            "menu.select",
            task_id=task_id,
            selection_id=selection_id,
            selected_option=selected_option,
            index=index,
        )

    async def tick(
        self, task_id: str, selection_id: str, selected_option: str, *, index: int | None = None
    ) -> m.Task:
        """Gives an option of a list in which several may be ticked its tick, or takes it away."""
        return await self._called(
            m.Task,
            "menu.tick",
            task_id=task_id,
            selection_id=selection_id,
            selected_option=selected_option,
            index=index,
        )

    async def list(self) -> m.ListAnswer:
        """Lists the open tasks of menus and components, with what they ask."""
        return await self._called(m.ListAnswer, "menu.list")

    async def block(self, task_id: str, *, at: Numbers | None = None) -> m.BlockShown:
        """Writes what a task asks as a choice block for people, at most seven options at once."""
        return await self._called(m.BlockShown, "menu.block", task_id=task_id, at=at)

    async def screen(self, task_id: str) -> t.ScreenAnswer:
        """Shows the screen of a task's program as a person would see it."""
        return await self._called(t.ScreenAnswer, "menu.screen", task_id=task_id)

    async def close(self, task_id: str) -> m.Closed:
        """Ends a task's program with all that came from it, and forgets the task."""
        return await self._called(m.Closed, "menu.close", task_id=task_id)


class BlockingMenu:
    """The operations `menu.…`, each with its fields; they block."""

    def __init__(self, verbs: Menu, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def start(
        self,
        command: Words,
        *,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        cols: int | None = None,
        rows: int | None = None,
        term: str | None = None,
    ) -> m.Started:
        """Starts an interactive program and answers at once with a task."""
        return self._loop.result(
            self._verbs.start(command, cwd=cwd, env=env, cols=cols, rows=rows, term=term)
        )

    def status(self, task_id: str) -> m.Task:
        """Says how a task stands, and what its program asks: prompt and options."""
        return self._loop.result(self._verbs.status(task_id))

    def select(
        self, task_id: str, selection_id: str, selected_option: str, *, index: int | None = None
    ) -> m.Task:
        """Chooses an option by its text, or types the answer; the right keys are pressed."""
        return self._loop.result(
            self._verbs.select(task_id, selection_id, selected_option, index=index)
        )

    def tick(
        self, task_id: str, selection_id: str, selected_option: str, *, index: int | None = None
    ) -> m.Task:
        """Gives an option of a list in which several may be ticked its tick, or takes it away."""
        return self._loop.result(
            self._verbs.tick(task_id, selection_id, selected_option, index=index)
        )

    def list(self) -> m.ListAnswer:
        """Lists the open tasks of menus and components, with what they ask."""
        return self._loop.result(self._verbs.list())

    def block(self, task_id: str, *, at: Numbers | None = None) -> m.BlockShown:
        """Writes what a task asks as a choice block for people, at most seven options at once."""
        return self._loop.result(self._verbs.block(task_id, at=at))

    def screen(self, task_id: str) -> t.ScreenAnswer:
        """Shows the screen of a task's program as a person would see it."""
        return self._loop.result(self._verbs.screen(task_id))

    def close(self, task_id: str) -> m.Closed:
        """Ends a task's program with all that came from it, and forgets the task."""
        return self._loop.result(self._verbs.close(task_id))
