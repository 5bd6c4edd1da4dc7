"""One inbox of all that waits for an answer: what tasks ask and what sessions ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import UNSET, UnsetType

from antiphon.base import limits
from antiphon.wire import callouts as wire
from antiphon.wire import menus as m
from antiphon.wire import sessions as s

Tasks = Callable[[m.List], Awaitable[m.ListAnswer]]
Sessions = Callable[[s.List], Awaitable[s.ListAnswer]]


class Callouts:
    """`callout.*`."""

    def __init__(self, tasks: Tasks, sessions: Sessions) -> None:
        self._tasks = tasks
        self._sessions = sessions

    async def list(self, _: wire.List) -> wire.ListAnswer:
        tasks = (await self._tasks(m.List())).tasks
        sessions = (await self._sessions(s.List(limit=limits.ITEMS_MAX))).sessions
        asked = [_of_task(one, one.selection) for one in tasks]
        asked += [_of_session(one) for one in sessions]
        return wire.ListAnswer(callouts=[one for one in asked if one is not None])


def _of_task(task: m.Listed, selection: m.Selection | UnsetType) -> wire.Callout | None:
    if isinstance(selection, UnsetType):
        return None
    options = [
        wire.Option(n=n, id=str(n), label=label) for n, label in enumerate(selection.options, 1)
    ]
    return wire.Callout(
        callout_id=selection.selection_id,
        room=task.kind,
        source=task.task_id,
        title=task.title,
        name=selection.input,
        question=selection.prompt,
        options=options,
        input="text" if selection.input == "text" else "choice",
        context=selection.context,
        error=task.error,
    )


def _of_session(session: s.Listed) -> wire.Callout | None:
    program = (session.dsl_source or "").strip()
    title, context = program or session.session_id, [program] if program else UNSET
    if (asked := session.callout) is not None:
        return wire.Callout(
            callout_id=asked.callout_id,
            room="session",
            source=session.session_id,
            title=title,
            name=asked.name,
            question=asked.block.partition("\n\n")[0],
            options=[wire.Option(n=one.n, id=one.id, label=one.label) for one in asked.options],
            input="choice",
            context=context,
            rev=session.rev,
        )
    if (words := session.words_asked) is not None:
        return wire.Callout(
            callout_id=words.callout_id,
            room="session",
            source=session.session_id,
            title=title,
            name=words.name,
            question=words.question,
            options=[],
            input="text",
            offered=words.offered or UNSET,
            context=context,
            rev=session.rev,
        )
    return None
