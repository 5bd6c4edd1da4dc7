"""The compiler with the world: what it wants to know is looked up, then it compiles.

The compiler itself knows no database; this asks for it, and finds the candidates of what is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TypeVar

from antiphon.base import limits
from antiphon.dsl.reader import read
from antiphon.dsl.references import Question, Reference, Standing, questions
from antiphon.dsl.similar import Similar, namings
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Bound, Compilation, World, compiled
from antiphon.dsl.verbs import Vocabulary
from antiphon.repl import news as n
from antiphon.repl.candidates import Candidates
from antiphon.repl.likeness import likest
from antiphon.repl.program import Program
from antiphon.repl.session import Session
from antiphon.service.entities import Entities

Made = TypeVar("Made")

# A text above this is read and checked beside the event loop, so that others are answered.
LARGE_CHARS = 8_000
SIMILAR_MAX = 50  # names of new entities that are compared with those that are there
SIMILAR_ITEMS = 5
REFS_MAX = 200  # open references whose candidates are found ahead of being current


class Compiler:
    def __init__(self, vocabulary: Vocabulary, entities: Entities) -> None:
        self.vocabulary = vocabulary
        self._entities = entities

    async def compiled(
        self,
        source: str,
        bindings: Mapping[str, Bound] | None = None,
        skipped: frozenset[str] = frozenset(),
    ) -> Compilation:
        bound = bindings or {}
        reading = await _beside(source, lambda: read(Source(source)))
        answers = await self._entities.answers(questions(reading.program, self.vocabulary))
        ids = {
            one.entity_id for one in answers.values()
            if one.standing is Standing.KNOWN and one.entity_id
        } | {one.entity_id for one in bound.values()}  # fmt: skip
        versions = await self._entities.versions(sorted(ids)) if ids else {}
        similar: dict[Question, Similar] = {}
        for naming in islice(namings(reading.program, self.vocabulary), SIMILAR_MAX):
            likest_ = await self._likest(naming.question)
            if likest_ is not None:
                similar[naming.question] = likest_
        world = World(self.vocabulary, answers, dict(bound), skipped, versions, similar)
        return await _beside(source, lambda: compiled(source, world))

    async def _likest(self, question: Question) -> Similar | None:
        types = [one for one in question.entity_types if one in self._entities.types]
        if not types:
            return None
        found = await self._entities.search(types, question.value, limit=SIMILAR_ITEMS)
        return likest(question.value, found.matches)

    async def answered(self, session: Session, order: n.Compile) -> n.Compiled:
        """What a session ordered: the compilation, and candidates that it has not seen."""
        found = await self.compiled(order.source, session.bindings, order.skipped)
        return n.Compiled(order.ticket, found, await self._candidates(session.program, found))

    async def fresh(self, session: Session) -> Compilation:
        """What the session's program compiles to now."""
        program = session.program
        return await self.compiled(program.source, session.bindings, program.skipped)

    async def _candidates(self, program: Program, found: Compilation) -> dict[str, Candidates]:
        wanted = [one for one in found.pending if one.ref_id not in program.candidates]
        by_words: dict[tuple[tuple[str, ...], str], Candidates] = {}
        out: dict[str, Candidates] = {}
        for ref in islice(wanted, REFS_MAX):
            words = (ref.entity_types, ref.search_value)
            if words not in by_words:
                by_words[words] = await self.candidates(ref, ref.search_value)
            out[ref.ref_id] = by_words[words]
        return out

    async def candidates(self, ref: Reference, words: str) -> Candidates:
        found = await self._entities.search(
            ref.entity_types, words, limit=limits.CANDIDATES_SHOWN_MAX
        )
        return Candidates(tuple(found.matches), found.total)


async def _beside(source: str, work: Callable[[], Made]) -> Made:
    """In the event loop, or in a thread where it would hold up others."""
    if len(source) <= LARGE_CHARS:
        return work()
    return await asyncio.to_thread(work)
