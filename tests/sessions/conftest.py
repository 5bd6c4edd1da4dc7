"""A server of its own for each module of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doors.doorways import Serving
from tests.pages import end_all_of
from tests.sessions.talking import Talk


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    state = tmp_path_factory.mktemp("sessions")
    begun = Serving.begin(state)
    try:
        yield begun
    finally:
        begun.end()
        end_all_of(state)


@pytest.fixture
def talk(serving: Serving) -> Talk:
    """A new session."""
    return Talk.begin(serving)
