from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real import pickers
from tests.real.stage import Stage

SEEDS = range(24)


@clause("components 2.2", "components 2.4", "components 2.6")
@pytest.mark.parametrize("first", SEEDS[::6])
async def test_what_is_chosen_of_a_random_menu_is_what_its_program_reports(
    stage: Stage, first: int, tmp_path: Path
) -> None:
    for seed in range(first, first + 6):
        played = await pickers.play(stage.desk, seed, tmp_path)
        assert pickers.faults(played) == [], seed
