"""What surrounds a program in an editor: verbs, codes, and the entities of the database.

The database is the one that the server of the state directory writes to, and is read beside it;
where there is none yet, the pack's own data stands in a passing one, and nothing is left behind.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from antiphon.adapters.lsp_answers import Entity
from antiphon.adapters.settings import Settings
from antiphon.base.errors import Broken, Refused
from antiphon.drivers.database import Database
from antiphon.drivers.sqlite import FILE
from antiphon.dsl.stages import Compilation, compiled
from antiphon.dsl.verbs import Vocabulary
from antiphon.entity.scoring import Candidate
from antiphon.repl.pack import Pack
from antiphon.repl.shelf import Shelf
from antiphon.service.compiling import Compiler
from antiphon.service.entities import Entities

log = logging.getLogger("antiphon")


class Surroundings:
    def __init__(self, pack: Pack, settings: Settings, state_dir: Path) -> None:
        self._pack, self._settings, self._state_dir = pack, settings, state_dir
        self._shelf = Shelf(pack)
        self._opening: asyncio.Task[Entities | None] | None = None
        self._passing = tempfile.TemporaryDirectory(prefix="antiphon-lsp-")
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

    async def close(self) -> None:
        found = await self.entities() if self._opening is not None else None
        if found is not None:
            await found.close()
        self._passing.cleanup()

    # --- programs -------------------------------------------------------------

    async def compiled(self, text: str) -> Compilation:
        entities = await self.entities()
        if entities is not None:
            try:
                return await Compiler(self.vocabulary, entities).compiled(text)
            except Broken as error:
                log.warning("the database does not answer: %s", error)
        return await asyncio.to_thread(lambda: compiled(text, self._shelf.world(text)))

    # --- what can be written --------------------------------------------------

    def codes(self, entity_type: str) -> list[tuple[str, str]]:
        return self._shelf.codes(entity_type)

    async def known(
        self, entity_types: Sequence[str], entity_id: str
    ) -> tuple[Entity, Mapping[str, str]] | None:
        """The entity of this id or code, and what is known of it."""
        kinds = [one for one in entity_types if one in self._pack.entities]
        entities = await self.entities() if kinds else None
        try:
            found = await entities.known(entity_id, kinds) if entities else None
        except (Broken, Refused) as error:
            log.warning("the database does not answer: %s", error)
            return None
        if found is None:
            return None
        return Entity(found.entity_id, found.display, found.entity_type), found.facts

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
