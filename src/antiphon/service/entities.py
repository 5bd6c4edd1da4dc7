"""Entities: found by words, known by ids, and what the compiler asks about them.

The database says what is, the index beside it what resembles some words, and `entity/scoring`
in which order.  What is asked for wrongly is refused with what would be accepted.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers import lookups, reconciler
from antiphon.drivers.database import Database
from antiphon.drivers.following import Follower
from antiphon.drivers.index import Damaged, EntityIndex, Entry, names_of, places
from antiphon.drivers.pack_tables import keep
from antiphon.drivers.sql import Violated
from antiphon.dsl.references import Answers, Question
from antiphon.dsl.verbs import Verb
from antiphon.entity.folding import folded
from antiphon.entity.scoring import (
    EXACT,
    KNOWN_PERCENT,
    LIKE,
    Candidate,
    Feature,
    Score,
    Wanted,
    ordered,
    scored,
    told_apart,
)
from antiphon.entity.types import EntityType, KeyKind
from antiphon.repl.creation import Codes
from antiphon.repl.pack import Pack
from antiphon.service.indexing import Indexing

SCORE_MIN = 40  # less is noise: two slips of the finger in one word have more
SCORE_MIN_BESIDES = SCORE_MIN * (100 - KNOWN_PERCENT) // 100  # where facts take part
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Found:
    matches: tuple[Candidate, ...]
    total: int
    fallback: tuple[Candidate, ...] = ()  # without the filters, where these leave nothing
    failure: str = ""  # of another service that was asked too


@dataclass(frozen=True, slots=True)
class Wish:
    """A search, checked."""

    types: tuple[EntityType, ...]
    words: str
    is_cut: bool
    key: str | None
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)  # one of these values
    wanted: Mapping[str, Wanted] = field(default_factory=dict)
    without: Mapping[str, Sequence[str]] = field(default_factory=dict)  # none of these values
    elsewhere: Mapping[str, int] = field(default_factory=dict)  # points of other services, by id


class Entities:
    """All entities of one database, as one pack declares them."""

    def __init__(self, database: Database, pack: Pack, state_dir: Path | None) -> None:
        self.kept = keep(database, pack)
        self.database, self.pack, self.tables = database, pack, self.kept.tables
        self.types = pack.entities
        self._index = Indexing(Follower(database, state_dir, pack.entities, self.tables))
        self._codes_of = _codes_of(pack)

    @classmethod
    async def open(cls, url: str | None, state_dir: Path, pack: Pack) -> Entities:
        """The database of the state directory or of the address, with the pack in it."""

        def made() -> Entities:
            database = Database.at(url, state_dir)
            with contextlib.ExitStack() as stack:
                stack.callback(database.close)
                found = cls(database, pack, state_dir)
                stack.pop_all()  # it is well: who has the entities closes them
                return found

        return await asyncio.to_thread(made)

    async def close(self) -> None:
        await self._index.close()
        await asyncio.to_thread(self.database.close)

    def type_of(self, name: str) -> EntityType:
        found = self.types.get(name)
        if found is None:
            there = f"there are: {', '.join(self.types)}"
            raise Refused(Code.NOT_FOUND, f"no entity type is named {name[:80]!r}; {there}")
        return found

    # --- finding ---------------------------------------------------------------

    async def search(
        self,
        entity_types: Sequence[str],
        query: str,
        *,
        search_key: str | None = None,
        filters: Mapping[str, str] = NOTHING,
        discriminators: Mapping[str, str] = NOTHING,
        offset: int = 0,
        limit: int = limits.ENTITIES_DEFAULT,
    ) -> Found:
        """What resembles the words; without words, what there is."""
        wish = self._checked(entity_types, query, search_key, filters, discriminators)
        return await self.find(wish, offset=offset, limit=limit)

    def _checked(
        self,
        entity_types: Sequence[str],
        query: str,
        search_key: str | None,
        filters: Mapping[str, str],
        discriminators: Mapping[str, str],
    ) -> Wish:
        types = tuple(self.type_of(name) for name in entity_types)
        keys = _common(types, lambda one: one.search_keys)
        known = _common(types, lambda one: tuple(each.name for each in one.discriminators))
        if search_key is not None:
            _check("search_key", [search_key], keys)
        _check("filter", filters, tuple(dict.fromkeys((*keys, *known))))
        _check("discriminator", discriminators, known)
        if len(query.encode(errors="replace")) > limits.ENTITY_QUERY_BYTES_MAX:
            raise Refused(
                Code.LIMIT_REACHED,
                f"the query has more than {limits.ENTITY_QUERY_BYTES_MAX} bytes",
            )
        weights = {each.name: each.weight for one in types for each in one.discriminators}
        sought = query[: limits.ENTITY_SOUGHT_CHARS_MAX]
        return Wish(
            types,
            sought,
            len(sought) < len(query),
            search_key,
            {name: [value] for name, value in filters.items() if value.strip()},
            {
                name: Wanted(value, weights[name])
                for name, value in discriminators.items()
                if value.strip()
            },
        )

    async def find(self, wish: Wish, *, offset: int = 0, limit: int) -> Found:
        """The same for who knows exactly what is wished for."""
        await self._index.ready()
        return await asyncio.to_thread(self._search, wish, offset, limit)

    def _search(self, wish: Wish, offset: int, limit: int) -> Found:
        elsewhere, failure = self._elsewhere(wish)
        wish = replace(wish, elsewhere=elsewhere)
        index = self._index.follower.follow()
        try:
            found, total = self._page(index, wish, offset, limit)
        except Damaged:
            index = self._index.follower.again()
            found, total = self._page(index, wish, offset, limit)
        fallback: tuple[Candidate, ...] = ()
        if not total and wish.filters:
            fallback = self._page(index, replace(wish, filters={}), 0, limit)[0]
        return Found(found, total, fallback, failure)

    def _elsewhere(self, wish: Wish) -> tuple[dict[str, int], str]:
        """What other services find is kept here, and from then on known like any other entity."""
        points: dict[str, int] = {}
        failures: list[str] = []
        for type_ in wish.types:
            if type_.source is None or not wish.words.strip():
                continue
            try:
                seen = reconciler.found(type_.source, wish.words, wish.filters)
                with self.database.transaction() as tx:
                    lookups.keep_seen(tx, type_, seen)
                points |= {one.entity_id: one.points for one in seen}
            except (reconciler.SourceFailed, Violated) as error:
                failures.append(str(error))
        return points, "; ".join(failures)

    def _page(
        self, index: EntityIndex, wish: Wish, offset: int, limit: int
    ) -> tuple[tuple[Candidate, ...], int]:
        filters = self._filters(wish)
        if not wish.words.strip() and not wish.is_cut:
            names = [one.name for one in wish.types]
            entries, total = index.listed(names, filters, limit=offset + limit + limits.ITEMS_MAX)
            listed = ordered(_candidate(self.types[one.entity_type], one) for one in entries)
            return tuple(told_apart(listed)[offset : offset + limit]), total
        found = [one for type_ in wish.types for one in self._alike(index, wish, type_, filters)]
        return tuple(told_apart(ordered(found))[offset : offset + limit]), len(found)

    def _alike(
        self,
        index: EntityIndex,
        wish: Wish,
        type_: EntityType,
        filters: Mapping[str, Sequence[str]],
    ) -> list[Candidate]:
        keys = _keys(type_, wish.key)
        # Of very many namesakes those come too that have what is asked for besides.
        places_ = [filters, *({name: [one.value], **filters} for name, one in wish.wanted.items())]
        found: dict[str, Candidate | None] = {}
        is_many = index.count >= limits.ENTITIES_MANY_MIN
        first, most = limits.CANDIDATES_FIRST_MAX, limits.CANDIDATES_MAX
        for key, facts in itertools.product(keys, places_):
            for limit in (first,) if is_many else (first, most):
                entries = index.alike(type_.name, wish.words, key=key, facts=facts, limit=limit)
                for entry in entries:
                    if entry.entity_id not in found:
                        found[entry.entity_id] = self._scored(wish, type_, keys, entry)
                # Where even the last ones are alike there are more of them.
                last = entries[-limits.CANDIDATES_LAST_MAX :]
                if len(entries) < limit or not any(found[one.entity_id] for one in last):
                    break
        self._add_elsewhere(wish, type_, found)
        return [one for one in found.values() if one is not None]

    def _add_elsewhere(
        self, wish: Wish, type_: EntityType, found: dict[str, Candidate | None]
    ) -> None:
        """Another service may know an entity by a name that is not kept here."""
        missing = [
            one
            for one, points in wish.elsewhere.items()
            if points >= SCORE_MIN and found.get(one) is None
        ]
        if not missing:
            return
        with self.database.reading() as tx:
            for entity_id in missing:
                other = lookups.by_id(tx, entity_id, [type_], self.tables)
                if other is not None:
                    own = Feature("service", wish.elsewhere[entity_id] * LIKE // 100)
                    found[entity_id] = replace(
                        _candidate(type_, other), score=own.points, features=(own,)
                    )

    def _scored(
        self, wish: Wish, type_: EntityType, keys: Sequence[str], entry: Entry
    ) -> Candidate | None:
        """The candidate with its points, or nothing where it is none."""
        facts = entry.facts
        for name, values in wish.without.items():
            if folded(facts.get(name, "")) in {folded(value) for value in values}:
                return None
        best: Score | None = None
        for name in itertools.chain.from_iterable(names_of(type_, entry, key) for key in keys):
            one = scored(wish.words, name, wish.wanted, facts)
            if best is None or one.points > best.points:
                best = one
        least = SCORE_MIN_BESIDES if wish.wanted else SCORE_MIN
        if best is None or best.points < least:
            return None
        return replace(
            _candidate(type_, entry),
            score=best.points,
            features=best.features,
            is_exact=best.is_exact and not wish.is_cut,
        )

    def _filters(self, wish: Wish) -> dict[str, list[str]]:
        """The values each filter accepts: what was said, and the code that is called so."""
        found: dict[str, list[str]] = {}
        for name, values in wish.filters.items():
            accepted = list(values)
            meant = {folded(value) for value in values}
            for type_ in wish.types:
                code_type = self._codes_of.get((type_.table, name))
                if code_type is not None:
                    with self.database.reading() as tx:
                        known = lookups.all_codes(tx, self.types[code_type], self.tables)
                    accepted += [code for code, label in known if folded(label) in meant]
            found[name] = list(dict.fromkeys(accepted))
        return found

    # --- knowing ---------------------------------------------------------------

    async def by_id(self, entity_id: str, entity_types: Sequence[str] = ()) -> Candidate | None:
        """The entity of this id, of one of these types or of any."""
        entry = await self.known(entity_id, entity_types)
        if entry is None:
            return None
        candidate = _candidate(self.types[entry.entity_type], entry)
        return replace(candidate, score=EXACT, features=(Feature("id", EXACT),), is_exact=True)

    async def known(self, entity_id: str, entity_types: Sequence[str] = ()) -> Entry | None:
        """The same with all that is known of it."""
        types = [self.type_of(name) for name in entity_types or self.types]

        def looked_up() -> Entry | None:
            with self.database.reading() as tx:
                return lookups.by_id(tx, entity_id, types, self.tables)

        return await asyncio.to_thread(looked_up)

    async def answers(self, questions: Iterable[Question]) -> Answers:
        """What each string of a program's references stands for."""
        asked = tuple(dict.fromkeys(questions))

        def looked_up() -> Answers:
            with self.database.reading() as tx:
                return lookups.answers(tx, asked, self.types, self.tables)

        return await asyncio.to_thread(looked_up) if asked else {}

    async def versions(self, ids: Iterable[str]) -> Mapping[str, str]:
        """A name for each entity as it is now: another one after any change of it."""
        wanted = tuple(dict.fromkeys(ids))

        def looked_up() -> Mapping[str, str]:
            with self.database.reading() as tx:
                return lookups.versions(tx, wanted, self.types, self.tables)

        return await asyncio.to_thread(looked_up) if wanted else {}

    async def codes(self, verb: Verb | None = None) -> Codes:
        """The codes to choose from: those that a verb's fields take, or all."""
        names = [
            name
            for name, type_ in self.types.items()
            if type_.key_kind is KeyKind.CODE
            and (verb is None or any(name in one.lookup for one in verb.parameters))
        ]

        def looked_up() -> Codes:
            with self.database.reading() as tx:
                return {
                    name: lookups.code_options(tx, self.types[name], self.tables) for name in names
                }

        return await asyncio.to_thread(looked_up)

    async def changed(self) -> None:
        """Something was written: the index follows now, and no search waits for it later."""
        await self._index.ready()
        await asyncio.to_thread(self._index.follower.follow)


def _candidate(type_: EntityType, entry: Entry) -> Candidate:
    differs = {
        one.name: entry.facts[one.name] for one in type_.discriminators if entry.facts.get(one.name)
    }
    others = {
        name: value
        for name, value in entry.facts.items()
        if name not in (*differs, type_.also) and value != entry.display
    }
    return Candidate(entry.entity_id, entry.display, type_.name, 0, differs=differs, facts=others)


def _keys(type_: EntityType, key: str | None) -> tuple[str, ...]:
    """What is compared with the words: one key, or a code and its name alike."""
    if key is not None:
        return (key,)
    if type_.key_kind is KeyKind.CODE:
        return places(type_)
    shown = ("",) if "" in places(type_) else ()
    return (*shown, type_.search_default)


def _common(
    types: Sequence[EntityType], names: Callable[[EntityType], tuple[str, ...]]
) -> tuple[str, ...]:
    """What all of the types have."""
    first, *others = types
    return tuple(one for one in names(first) if all(one in names(other) for other in others))


def _check(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            said = f"there are: {', '.join(known)}" if known else "there is none here"
            raise Refused(Code.INVALID_REQUEST, f"no {what} is named {name[:80]!r}; {said}")


def _codes_of(pack: Pack) -> dict[tuple[str, str], str]:
    """Which columns hold codes of which type, as the verbs say that write them."""
    found: dict[tuple[str, str], str] = {}
    for verb in pack.vocabulary.verbs.values():
        if verb.crud is None:
            continue
        for one in verb.parameters:
            for name in one.lookup:
                if pack.entities[name].key_kind is KeyKind.CODE:
                    found[verb.crud.table, one.column] = name
    return found
