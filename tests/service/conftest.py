"""One PostgreSQL server for the tests of a run, and entities in each of the two databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.databases import Postgres, postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    with postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """None is SQLite in the state directory."""
    if request.param == "sqlite":
        return None
    server: Postgres = request.getfixturevalue("postgres_server")
    return server.fresh()
