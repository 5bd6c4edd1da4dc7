"""The library's `callout.…`: each operation with its fields, awaited or blocking."""

from __future__ import annotations

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.calls import Verbs
from antiphon.wire import callouts as c


class Callout(Verbs):
    """The operations `callout.…`, each with its fields."""

    async def list(self) -> c.ListAnswer:
        """Lists every open question of menus, components and sessions in one inbox."""
        return await self._called(c.ListAnswer, "callout.list")


class BlockingCallout:
    """The operations `callout.…`, each with its fields; they block."""

    def __init__(self, verbs: Callout, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def list(self) -> c.ListAnswer:
        """Lists every open question of menus, components and sessions in one inbox."""
        return self._loop.result(self._verbs.list())
