"""The library's `entities.…`, each operation with its fields."""

from __future__ import annotations

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.calls import Verbs
from antiphon.wire import entities as e

Facts = dict[str, str]


class Entities(Verbs):
    """The operations `entities.…`, each with its fields."""

    async def types(self) -> e.TypeNames:
        """Lists the types of entities that the packs declare."""
        return await self._called(e.TypeNames, "entities.types")

    async def config(self, entity_type: str) -> e.TypeConfig:
        """Says how entities of a type are searched: keys, what tells namesakes apart, and how."""
        return await self._called(e.TypeConfig, "entities.config", entity_type=entity_type)

    async def search(
        self,
        entity_type: str,
        query: str,
        *,
        search_key: str | None = None,
        filters: Facts | None = None,
        discriminators: Facts | None = None,
        offset: int = 0,
        limit: int = 10,
    ) -> e.Found:
        """Finds entities of a type by words, with slips of the finger, best first."""
        return await self._called(
            e.Found,
            "entities.search",
            entity_type=entity_type,
            query=query,
            search_key=search_key,
            filters=filters,
            discriminators=discriminators,
            offset=offset,
            limit=limit,
        )

    async def get(self, entity_type: str, entity_id: str) -> e.Entity:
        """Shows one entity by its id or code."""
        return await self._called(
            e.Entity, "entities.get", entity_type=entity_type, entity_id=entity_id
        )


class BlockingEntities:
    """The operations `entities.…`, each with its fields; they block."""

    def __init__(self, verbs: Entities, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def types(self) -> e.TypeNames:
        """Lists the types of entities that the packs declare."""
        return self._loop.result(self._verbs.types())

    def config(self, entity_type: str) -> e.TypeConfig:
        """Says how entities of a type are searched: keys, what tells namesakes apart, and how."""
        return self._loop.result(self._verbs.config(entity_type))

    def search(
        self,
        entity_type: str,
        query: str,
        *,
        search_key: str | None = None,
        filters: Facts | None = None,
        discriminators: Facts | None = None,
        offset: int = 0,
        limit: int = 10,
    ) -> e.Found:
        """Finds entities of a type by words, with slips of the finger, best first."""
        return self._loop.result(
            self._verbs.search(
                entity_type,
                query,
                search_key=search_key,
                filters=filters,
                discriminators=discriminators,
                offset=offset,
                limit=limit,
            )
        )

    def get(self, entity_type: str, entity_id: str) -> e.Entity:
        """Shows one entity by its id or code."""
        return self._loop.result(self._verbs.get(entity_type, entity_id))
