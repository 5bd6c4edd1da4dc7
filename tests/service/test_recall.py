"""What is meant is among the first ten, slips of the finger and all: seeded, so always the same."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

import pytest

from antiphon.repl.pack import loaded
from antiphon.service.entities import Entities
from bench.entity_names import Names
from bench.figures.entities import FIRST, PACK, RECALL_MIN
from tests.clauses import clause

COUNT, EACH = 5_000, 60


@clause("repl D4")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_name_with_slips_is_among_the_first_ten(seed: int, tmp_path: Path) -> None:
    made = Names(seed)
    names = made.distinct(COUNT)
    pack = loaded(PACK).pack
    assert pack is not None

    async def recall() -> dict[str, float]:
        entities = await Entities.open(None, tmp_path, pack)
        try:
            with entities.database.transaction() as tx:
                tx.execute_many(
                    "INSERT INTO units (unit_id, name) VALUES (?, ?)",
                    [(str(uuid.UUID(int=at + 1)), name) for at, name in enumerate(names)],
                )
            found: dict[str, float] = {}
            for kind, typed in made.kinds().items():
                hits = 0
                for name in made.dice.sample(names, EACH):
                    seen = await entities.search(["unit"], typed(name), limit=FIRST)
                    hits += name in [one.display for one in seen.matches]
                found[kind] = hits / EACH
            return found
        finally:
            await entities.close()

    found = asyncio.run(recall())
    assert found["as it is"] == 1
    for kind, least in RECALL_MIN.items():
        assert found[kind] >= least, found
