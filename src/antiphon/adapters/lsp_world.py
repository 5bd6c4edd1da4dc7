"""What surrounds a program in an editor: verbs, codes, and the entities of the database.

The database is the one that the server of the state directory writes to, and is read beside it;
where there is none yet, the pack's own data stands in a passing one, and nothing is left behind.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from antiphon.adapters.lsp_answers import Entity
from antiphon.adapters.settings import Settings
from antiphon.base.errors import Broken, Refused
from antiphon.drivers.database import Database
from antiphon.drivers.sqlite import FILE
from antiphon.dsl.reader import read
from antiphon.dsl.references import Answers, Question, questions
from antiphon.dsl.similar import Similar, namings
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Compilation, World, compiled
from antiphon.dsl.tree import Program
from antiphon.dsl.verbs import Vocabulary
from antiphon.entity.scoring import Candidate
from antiphon.repl.likeness import likest
from antiphon.repl.pack import Pack
from antiphon.repl.shelf import Shelf
from antiphon.service.entities import Entities

NAMES_MAX = 50  # of new entities that are looked up for each version of a text

log = logging.getLogger("antiphon")


class Surroundings:
    def __init__(self, pack: Pack, settings: Settings, state_dir: Path) -> None:
        self._pack, self._settings, self._state_dir = pack, settings, state_dir
        self._shelf = Shelf(pack)
        self._opening: asyncio.Task[Entities | None] | None = None
        self._passing = tempfile.TemporaryDirectory(prefix="antiphon-lsp-")
        self._similar: dict[Question, Similar | None] = {}
        self.vocabulary: Vocabulary = pack.vocabulary

    async def entities(self) -> Entities | None:
        """Opened when they are first asked for; nothing when the database is out of reach."""
        if self._opening is None:
            self._opening = asyncio.get_running_loop().create_task(self._opened())
        return await asyncio.shield(self._opening)

    async def _opened(self) -> Entities | None:
        url = self._settings.database_url
        is_there = url is not None or (self._state_dir / FILE).exists()
        folder = self._state_dir if is_there else Path(self._passing.name)

        def made() -> Entities:
            # An index of our own: the one in the state directory is the server's.
            return Entities(Database.at(url, folder), self._pack, None)

        try:
            return await asyncio.to_thread(made)
        except (Broken, Refused, OSError) as error:
            log.warning("the database is out of reach: %s", error)
            return None

    def forget(self) -> None:
        """What was looked up is looked up again."""
        self._similar.clear()

    async def close(self) -> None:
        found = await self.entities() if self._opening is not None else None
        if found is not None:
            await found.close()
        self._passing.cleanup()

    # --- programs -------------------------------------------------------------

    async def compiled(self, text: str) -> Compilation:
        program = await asyncio.to_thread(lambda: read(Source(text)).program)
        answers = await self._answers(questions(program, self.vocabulary))
        world = World(self.vocabulary, answers, similar=await self._called_alike(program))
        return await asyncio.to_thread(compiled, text, world)

    async def _answers(self, asked: Sequence[Question]) -> Answers:
        entities = await self.entities() if asked else None
        if entities is not None:
            try:
                return await entities.answers(asked)
            except Broken as error:
                log.warning("the database does not answer: %s", error)
        return self._shelf.answers(asked)

    async def _called_alike(self, program: Program) -> dict[Question, Similar]:
        found: dict[Question, Similar] = {}
        for naming in islice(namings(program, self.vocabulary), NAMES_MAX):
            question = naming.question
            if question not in self._similar:
                known = await self._found(question.entity_types, question.value, 5)
                self._similar[question] = likest(question.value, known)
            if (similar := self._similar[question]) is not None:
                found[question] = similar
        return found

    # --- what can be written --------------------------------------------------

    def codes(self, entity_type: str) -> list[tuple[str, str]]:
        return self._shelf.codes(entity_type)

    async def search(self, entity_types: Sequence[str], words: str, limit: int) -> list[Entity]:
        """Those that have an id; codes are known without a search."""
        kinds = [one for one in entity_types if not self._shelf.codes(one)]
        return [_shown(one) for one in await self._found(kinds, words, limit)]

    async def _found(
        self, entity_types: Sequence[str], words: str, limit: int
    ) -> tuple[Candidate, ...]:
        kinds = [one for one in entity_types if one in self._pack.entities]
        entities = await self.entities() if kinds else None
        if entities is None:
            return ()
        try:
            return (await entities.search(kinds, words, limit=limit)).matches
        except (Broken, Refused) as error:
            log.warning("the search failed: %s", error)
            return ()


def _shown(one: Candidate) -> Entity:
    facts = ", ".join(fact for fact in one.differs.values() if fact)
    return Entity(one.entity_id, one.display, one.entity_type, facts)
