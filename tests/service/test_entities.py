from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from antiphon.drivers import packs
from antiphon.dsl.references import Answer, Question, Standing
from antiphon.service.entities import Entities

ALLIANZ_FUNDS = "fed371f6-471f-5090-a002-07961158a8ba"
NOBODY = "00000000-0000-4000-8000-000000000000"
Use = Callable[[Entities], Awaitable[None]]


@pytest.fixture
def with_entities(database_url: str | None, tmp_path: Path) -> Callable[[Use], None]:
    """Runs a test's coroutine with the shipped pack in a fresh database."""

    def run(use: Use) -> None:
        async def used() -> None:
            entities = await Entities.open(database_url, tmp_path, packs.opened())
            try:
                await use(entities)
            finally:
                await entities.close()

        asyncio.run(used())

    return run


With = Callable[[Use], None]


def test_a_word_finds_what_holds_it_and_a_slip_is_forgiven(with_entities: With) -> None:
    async def use(entities: Entities) -> None:
        for words in ("allianz", "ALLIANZ", "alianz", "Allainz"):
            found = await entities.search(["cbu"], words)
            names = [one.display for one in found.matches]
            assert names == ["ALLIANZ FUNDS", "Allianz Thematica"]
            assert found.total == 2

    with_entities(use)


def test_another_name_is_as_good_as_the_name(with_entities: With) -> None:
    async def use(entities: Entities) -> None:
        for words in ("UK", "great britain", "Grat Britain"):
            found = await entities.search(["jurisdiction"], words)
            assert found.matches[0].entity_id == "GB" and not found.matches[0].differs
            assert found.matches[0].is_exact is (words != "Grat Britain")
        by_code = await entities.search(["jurisdiction"], "UK", search_key="code")
        assert "GB" not in [one.entity_id for one in by_code.matches]

    with_entities(use)


def test_what_is_written_is_found_at_once_and_what_is_deleted_is_not(with_entities: With) -> None:
    async def use(entities: Entities) -> None:
        with entities.database.transaction() as tx:
            tx.execute(
                "INSERT INTO cbus (cbu_id, name, jurisdiction) VALUES (?, ?, ?)",
                [NOBODY, "Zwölf Apostel", "LU"],
            )
        assert [one.entity_id for one in (await entities.search(["cbu"], "zwolf")).matches] == [
            NOBODY
        ]
        with entities.database.transaction() as tx:
            tx.execute("DELETE FROM cbus WHERE cbu_id = ?", [NOBODY])
        assert (await entities.search(["cbu"], "zwolf")).total == 0

    with_entities(use)


def test_a_string_is_an_id_a_code_or_words(with_entities: With) -> None:
    async def use(entities: Entities) -> None:
        standing = {
            Question(("cbu",), ALLIANZ_FUNDS): Standing.KNOWN,
            Question(("cbu",), ALLIANZ_FUNDS.upper()): Standing.KNOWN,
            Question(("cbu",), NOBODY): Standing.MISSING,
            Question(("person", "company"), ALLIANZ_FUNDS): Standing.OTHER_TYPE,
            Question(("cbu",), "allianz"): Standing.OPEN,
            Question(("jurisdiction",), "lu"): Standing.KNOWN,
            Question(("jurisdiction",), "Luxembourg"): Standing.OPEN,
        }
        answers = await entities.answers(standing)
        assert {question: one.standing for question, one in answers.items()} == standing
        code = answers[Question(("jurisdiction",), "lu")]
        assert code == Answer(Standing.KNOWN, "LU", "jurisdiction", "Luxembourg")

    with_entities(use)
