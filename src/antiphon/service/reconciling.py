"""Our entities as a reconciliation service: conditions in, scored candidates out.

Each query is answered by itself; a candidate is called a match where the sessions would take it
without asking, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UnsetType

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.index import Entry
from antiphon.entity.folding import folded
from antiphon.entity.scoring import Candidate, Wanted, ordered
from antiphon.entity.types import EntityType
from antiphon.repl.candidates import Candidates, taken
from antiphon.service.domain import Domain
from antiphon.service.entities import Entities, Wish
from antiphon.wire import reconcile as r

# How much a property tells that the pack gives no weight.
WEIGHT_USUAL = 0.5


class Reconciling:
    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    async def match(self, request: r.Match) -> r.Matched:
        if len(request.queries) > limits.RECONCILE_BATCH_MAX:
            raise Refused(
                Code.LIMIT_REACHED,
                f"{len(request.queries)} queries; a batch has at most {limits.RECONCILE_BATCH_MAX}",
            )
        entities = await self.domain.entities()
        return r.Matched(results=[await _result(entities, one) for one in request.queries])

    async def entities(self, request: r.Suggest) -> r.Suggested:
        entities = await self.domain.entities()
        types = _types(entities, request.type)
        names = [one.name for one in types]
        if not names:
            return r.Suggested(result=[])  # a pack may have none
        page, first = limits.ENTITIES_DEFAULT, request.cursor
        found = await entities.search(names, request.prefix, offset=first, limit=page)
        matches = list(found.matches)
        known = await entities.by_id(request.prefix, names) if request.prefix else None
        if known is not None and first == 0:
            others = [one for one in matches if one.entity_id != known.entity_id]
            matches = [known, *others][:page]
        return r.Suggested(
            result=[
                r.Suggestion(
                    id=one.entity_id,
                    name=one.display,
                    description=_description(one),
                    notable=[_named(one.entity_type)],
                )
                for one in matches
            ]
        )

    async def types(self, request: r.Suggest) -> r.Suggested:
        entities = await self.domain.entities()
        return _suggested(
            request, [(name, f"{type_.mode.value}") for name, type_ in _all(entities)]
        )

    async def properties(self, request: r.Suggest) -> r.Suggested:
        entities = await self.domain.entities()
        owners: dict[str, list[str]] = {}
        for type_ in _types(entities, request.type):
            for name in _properties(type_):
                owners.setdefault(name, []).append(type_.name)
        pairs = [(name, f"of {', '.join(types)}") for name, types in owners.items()]
        return _suggested(request, pairs)

    async def extend(self, request: r.Extend) -> r.Extended:
        entities = await self.domain.entities()
        rows = []
        for entity_id in request.ids:
            entry = await entities.known(entity_id)
            rows.append(_row(entity_id, entry, [one.id for one in request.properties]))
        return r.Extended(meta=[_named(one.id) for one in request.properties], rows=rows)

    async def propose(self, request: r.Propose) -> r.Proposed:
        entities = await self.domain.entities()
        names = _properties(entities.type_of(request.type))[: request.limit]
        return r.Proposed(
            type=request.type, properties=[_named(name) for name in names], limit=request.limit
        )


# --- matching ---------------------------------------------------------------


async def _result(entities: Entities, query: r.Query) -> r.Result:
    limit = min(query.limit, limits.ENTITIES_MAX)
    types = _types(entities, query.type)
    found = await _found(entities, types, query.conditions)
    chosen = taken(Candidates(tuple(found), len(found)), is_intent=True)
    return r.Result(
        candidates=[
            r.Candidate(
                id=one.entity_id,
                name=one.display,
                description=_description(one),
                type=[_named(one.entity_type)],
                score=one.score,
                features=[
                    r.Feature(id=each.name, name=_label(each.name), value=each.points)
                    for each in one.features
                ],
                match=chosen is not None and chosen[0].entity_id == one.entity_id,
            )
            for one in found[:limit]
        ]
    )


async def _found(
    entities: Entities, types: Sequence[EntityType], conditions: Sequence[r.Condition]
) -> list[Candidate]:
    ids = [one for one in conditions if one.match_type == "id"]
    if ids:
        return await _by_ids(entities, types, ids)
    names = [one for one in conditions if one.match_type == "name"]
    about = [one for one in conditions if one.match_type == "property"]
    kept: dict[str, Candidate] | None = None
    for one in names:
        if one.match_quantifier == "none":
            continue
        each = [await _named_like(entities, types, text, about) for text in _texts(one)]
        new = _any_of(each) if one.match_quantifier == "any" else _all_of(each)
        kept = new if kept is None else _all_of([kept, new])
    if kept is None:
        kept = await _named_like(entities, types, "", about)
    for one in names:
        if one.match_quantifier == "none":
            for text in _texts(one):
                for gone in await _named_like(entities, types, text, []):
                    kept.pop(gone, None)
    return ordered(kept.values())


async def _by_ids(
    entities: Entities, types: Sequence[EntityType], conditions: Sequence[r.Condition]
) -> list[Candidate]:
    names = [one.name for one in types]
    found = [await entities.by_id(text, names) for one in conditions for text in _texts(one)]
    return ordered({one.entity_id: one for one in found if one is not None}.values())


async def _named_like(
    entities: Entities, types: Sequence[EntityType], text: str, about: Sequence[r.Condition]
) -> dict[str, Candidate]:
    """By id, so that several conditions can be put together; an id is found as a name too."""
    found: dict[str, Candidate] = {}
    for type_ in types:
        wish = _wish(type_, text, about)
        if wish is None:
            continue
        page = await entities.find(wish, limit=limits.CANDIDATES_MAX)
        found |= {one.entity_id: one for one in page.matches}
    if text and not about:
        known = await entities.by_id(text, [one.name for one in types])
        if known is not None:
            found[known.entity_id] = known
    return found


def _wish(type_: EntityType, text: str, about: Sequence[r.Condition]) -> Wish | None:
    """What the conditions wish for of this type; nothing where it cannot have what they require."""
    filters: dict[str, list[str]] = {}
    without: dict[str, list[str]] = {}
    wanted: dict[str, Wanted] = {}
    weights = {one.name: float(one.weight) for one in type_.discriminators}
    for one in about:
        name = one.property_id or one.pid or ""
        values = [text_ for text_ in _texts(one) if text_.strip()]
        if name not in _properties(type_):
            if one.required and one.match_quantifier != "none":
                return None
        elif one.match_quantifier == "none":
            without.setdefault(name, []).extend(values)
        elif one.match_quantifier == "all" and len({folded(value) for value in values}) > 1:
            return None  # a property here has one value
        elif one.required:
            filters[name] = values if name not in filters else _both(filters[name], values)
        elif values:
            wanted[name] = Wanted(values[0], weights.get(name, WEIGHT_USUAL))
    sought = text[: limits.ENTITY_SOUGHT_CHARS_MAX]
    return Wish((type_,), sought, len(sought) < len(text), None, filters, wanted, without)


def _both(some: Sequence[str], others: Sequence[str]) -> list[str]:
    kept = {folded(value) for value in others}
    return [value for value in some if folded(value) in kept]


def _any_of(each: Sequence[dict[str, Candidate]]) -> dict[str, Candidate]:
    found: dict[str, Candidate] = {}
    for some in each:
        for key, one in some.items():
            if key not in found or one.score > found[key].score:
                found[key] = one
    return found


def _all_of(each: Sequence[dict[str, Candidate]]) -> dict[str, Candidate]:
    """Those that are in all, with the points of the weakest."""
    first, *others = each or [{}]
    return {
        key: min((one, *(some[key] for some in others)), key=lambda found: found.score)
        for key, one in first.items()
        if all(key in some for some in others)
    }


def _texts(condition: r.Condition) -> list[str]:
    value = condition.property_value
    if isinstance(value, UnsetType):
        value = condition.v
    if isinstance(value, UnsetType):
        raise Refused(Code.INVALID_REQUEST, "a condition has no propertyValue")
    if condition.match_type == "property" and not (condition.property_id or condition.pid):
        raise Refused(Code.INVALID_REQUEST, "a condition on a property has no propertyId")
    return [_text(one) for one in (value if isinstance(value, list) else [value])]


def _text(value: r.Value) -> str:
    if isinstance(value, r.ThingNamed):
        return value.id
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


# --- what there is ----------------------------------------------------------


def _types(entities: Entities, name: str | None) -> list[EntityType]:
    return [entities.type_of(name)] if name else list(entities.types.values())


def _all(entities: Entities) -> Iterable[tuple[str, EntityType]]:
    return entities.types.items()


def _properties(type_: EntityType) -> list[str]:
    return list(dict.fromkeys([*type_.search_keys, *(one.name for one in type_.discriminators)]))


def _suggested(request: r.Suggest, pairs: Sequence[tuple[str, str]]) -> r.Suggested:
    prefix = folded(request.prefix)
    found = [
        (name, said)
        for name, said in pairs
        if folded(name).startswith(prefix) or f" {prefix}" in f" {folded(_label(name))}"
    ]
    page = found[request.cursor : request.cursor + limits.ENTITIES_MAX]
    return r.Suggested(
        result=[r.Suggestion(id=name, name=_label(name), description=said) for name, said in page]
    )


def _row(entity_id: str, entry: Entry | None, names: Sequence[str]) -> r.ExtendedRow:
    facts = entry.facts if entry is not None else {}
    return r.ExtendedRow(
        id=entity_id,
        properties=[
            r.PropertyValues(id=name, values=[r.Text(text=facts[name])] if name in facts else [])
            for name in names
        ],
    )


def _named(name: str) -> r.Named:
    return r.Named(id=name, name=_label(name))


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _description(one: Candidate) -> str:
    return ", ".join(f"{_label(name)}: {value}" for name, value in one.differs.items())
