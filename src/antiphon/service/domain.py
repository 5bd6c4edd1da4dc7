"""The packs of a desk and the entities in its database, opened when they are first needed.

A command that only runs something in a terminal opens neither.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from antiphon.drivers import packs
from antiphon.drivers.model import Model
from antiphon.service.entities import Entities


@dataclass
class Domain:
    state_dir: Path
    names: tuple[str, ...] = ()  # of packs, or their folders; none: the default one
    database_url: str | None = None
    model: Model | None = None  # that finds intents; none: the phrases of the verbs do
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _entities: Entities | None = None

    async def entities(self) -> Entities:
        """The entities, or `Broken` with every problem of a pack or with the database's."""
        async with self._opening:
            if self._entities is None:
                pack = await asyncio.to_thread(packs.opened, self.names)
                self._entities = await Entities.open(self.database_url, self.state_dir, pack)
            return self._entities

    async def close(self) -> None:
        async with self._opening:
            if self._entities is not None:
                await self._entities.close()
                self._entities = None
