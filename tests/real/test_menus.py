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


@clause("components V08", "components 2.3")
async def test_a_question_is_presented_while_its_program_still_waits(stage: Stage) -> None:
    command = ["bash", "-c", 'read -t 60 -p "Name? " name && echo "got $name"']
    task_id = (await pickers.ask(stage.desk, "menu.start", command=command))["task_id"]
    task = await pickers.settled(stage.desk, task_id)
    answer = {"selection_id": task["selection"]["selection_id"], "selected_option": "Ann"}
    await pickers.ask(stage.desk, "menu.select", task_id=task_id, **answer)
    ended = await pickers.settled(stage.desk, task_id)
    assert (ended["state"], ended["exit_code"]) == ("completed", 0)
    await pickers.ask(stage.desk, "menu.close", task_id=task_id)
