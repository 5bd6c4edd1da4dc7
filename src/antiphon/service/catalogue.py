"""The operations `entities.…`: a request in, what there is out."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET

from antiphon.base.errors import Code, Refused
from antiphon.entity.scoring import Candidate
from antiphon.entity.types import EntityType
from antiphon.service.domain import Domain
from antiphon.wire import entities as e


class Catalogue:
    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    async def types(self, request: e.Types) -> e.TypeNames:  # noqa: ARG002 - it asks for nothing
        return e.TypeNames(entity_types=list((await self.domain.entities()).types))

    async def config(self, request: e.Config) -> e.TypeConfig:
        return config((await self.domain.entities()).type_of(request.entity_type))

    async def search(self, request: e.Search) -> e.Found:
        entities = await self.domain.entities()
        found = await entities.search(
            [request.entity_type],
            request.query,
            search_key=request.search_key,
            filters=request.filters,
            discriminators=request.discriminators,
            offset=request.offset,
            limit=request.limit,
        )
        if found.failure and not found.matches and not found.fallback:
            raise Refused(Code.SOURCE_FAILED, found.failure)
        fallback = matches(found.fallback) if found.fallback else UNSET
        return e.Found(
            matches=matches(found.matches),
            total=found.total,
            fallback_matches=fallback,
            source_failed=found.failure or UNSET,
        )

    async def get(self, request: e.Get) -> e.Entity:
        entities = await self.domain.entities()
        found = await entities.known(request.entity_id, [request.entity_type])
        if found is None:
            raise Refused(
                Code.ENTITY_NOT_FOUND,
                f"no {request.entity_type} has the id {request.entity_id!r:.80}",
            )
        return e.Entity(
            id=found.entity_id,
            display=found.display,
            entity_type=found.entity_type,
            facts=found.facts,
        )


def config(type_: EntityType) -> e.TypeConfig:
    return e.TypeConfig(
        entity_type=type_.name,
        search_keys=[
            e.SearchKey(name=one, label=_label(one), is_default=one == type_.search_default)
            for one in type_.search_keys
        ],
        discriminators=[
            e.DiscriminatorField(name=one.name, label=_label(one.name), weight=one.weight)
            for one in type_.discriminators
        ],
        resolution_mode=type_.mode.value,
        return_key_type=type_.key_kind.value,
        create=type_.create,
    )


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def matches(found: Iterable[Candidate]) -> list[e.Match]:
    return [
        e.Match(
            id=one.entity_id,
            display=one.display,
            entity_type=one.entity_type,
            score=one.score,
            features=[e.Feature(name=each.name, points=each.points) for each in one.features],
            differs=dict(one.differs),
        )
        for one in found
    ]
