"""The operations on entities: `entities.…`."""

from __future__ import annotations

from antiphon.base.errors import Code
from antiphon.wire import entities as e
from antiphon.wire.method import Method

ROWS = (
    Method(
        "entities.types", e.Types, e.TypeNames, (),
        "Lists the types of entities that the packs declare.",
        reads_only=True, repeats_safely=True, route="GET /api/entities", has_statuses=True,
    ),
    Method(
        "entities.config", e.Config, e.TypeConfig, (Code.NOT_FOUND,),
        "Says how entities of a type are searched: keys, what tells namesakes apart, and how.",
        reads_only=True, repeats_safely=True,
        route="GET /api/entities/{entity_type}", has_statuses=True,
    ),
    Method(
        "entities.search", e.Search, e.Found,
        (Code.NOT_FOUND, Code.LIMIT_REACHED, Code.SOURCE_FAILED),
        "Finds entities of a type by words, with slips of the finger, best first.",
        "score goes from 0 to 100, and features say why. Never take one of several: ask which "
        "is meant, and show what differs.",
        reads_only=True, repeats_safely=True,
        route="POST /api/entities/{entity_type}/search", has_statuses=True,
    ),
    Method(
        "entities.get", e.Get, e.Entity, (Code.NOT_FOUND, Code.ENTITY_NOT_FOUND),
        "Shows one entity by its id or code.",
        reads_only=True, repeats_safely=True,
        route="GET /api/entities/{entity_type}/{entity_id}", has_statuses=True,
    ),
)  # fmt: skip
