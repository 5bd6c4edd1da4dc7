"""Doors to real desks, opened when they are asked for and closed after the module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.doors.doorways import Places, without


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    root = tmp_path_factory.mktemp("doors")
    (root / "work").mkdir()
    with without("zsh", root / "bin"):
        found = Places(root / "work", root)
        try:
            yield found
        finally:
            found.close()
