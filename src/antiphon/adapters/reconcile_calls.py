"""The library's `reconcile.…`: each operation with its fields, awaited or blocking."""

# ruff: noqa: A002 - `type` is the standard's name

from __future__ import annotations

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.calls import Verbs
from antiphon.base import limits
from antiphon.wire import reconcile as r

Things = list[dict[str, object]]  # as the W3C reconciliation API spells them


class Reconcile(Verbs):
    """The operations `reconcile.…`, each with its fields."""

    async def match(self, queries: Things) -> r.Matched:
        """Finds candidates for each query of a batch, by name, by id and by properties."""
        return await self._called(r.Matched, "reconcile.match", queries=queries)

    async def entities(
        self, *, prefix: str = "", cursor: int = 0, type: str | None = None
    ) -> r.Suggested:
        """Suggests entities whose name or id begins like the prefix."""
        return await self._called(
            r.Suggested, "reconcile.entities", prefix=prefix, cursor=cursor, type=type
        )

    async def types(
        self, *, prefix: str = "", cursor: int = 0, type: str | None = None
    ) -> r.Suggested:
        """Suggests types of entities."""
        return await self._called(
            r.Suggested, "reconcile.types", prefix=prefix, cursor=cursor, type=type
        )

    async def properties(
        self, *, prefix: str = "", cursor: int = 0, type: str | None = None
    ) -> r.Suggested:
        """Suggests properties: search keys and what tells namesakes apart."""
        return await self._called(
            r.Suggested, "reconcile.properties", prefix=prefix, cursor=cursor, type=type
        )

    async def extend(self, ids: list[str], properties: Things) -> r.Extended:
        """Gives values of properties for entities."""
        return await self._called(r.Extended, "reconcile.extend", ids=ids, properties=properties)

    async def propose(self, type: str, *, limit: int = limits.ITEMS_MAX) -> r.Proposed:
        """Lists the properties that entities of a type have."""
        return await self._called(r.Proposed, "reconcile.propose", type=type, limit=limit)


class BlockingReconcile:
    """The operations `reconcile.…`, each with its fields; they block."""

    def __init__(self, verbs: Reconcile, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def match(self, queries: Things) -> r.Matched:
        """Finds candidates for each query of a batch, by name, by id and by properties."""
        return self._loop.result(self._verbs.match(queries))

    def entities(
        self, *, prefix: str = "", cursor: int = 0, type: str | None = None
    ) -> r.Suggested:
        """Suggests entities whose name or id begins like the prefix."""
        return self._loop.result(self._verbs.entities(prefix=prefix, cursor=cursor, type=type))

    def types(self, *, prefix: str = "", cursor: int = 0, type: str | None = None) -> r.Suggested:
        """Suggests types of entities."""
        return self._loop.result(self._verbs.types(prefix=prefix, cursor=cursor, type=type))

    def properties(
        self, *, prefix: str = "", cursor: int = 0, type: str | None = None
    ) -> r.Suggested:
        """Suggests properties: search keys and what tells namesakes apart."""
        return self._loop.result(self._verbs.properties(prefix=prefix, cursor=cursor, type=type))

    def extend(self, ids: list[str], properties: Things) -> r.Extended:
        """Gives values of properties for entities."""
        return self._loop.result(self._verbs.extend(ids, properties))

    def propose(self, type: str, *, limit: int = limits.ITEMS_MAX) -> r.Proposed:
        """Lists the properties that entities of a type have."""
        return self._loop.result(self._verbs.propose(type, limit=limit))
