"""One inbox of what programs ask, with what answers each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.clauses import clause
from tests.real.pickers import PICKER, ask, until
from tests.real.stage import Stage


def picker(folder: Path) -> list[str]:
    menu = json.dumps({"prompt": "Which one?", "options": ["red", "green", "red"]})
    return [sys.executable, "-I", "-S", str(PICKER), menu, str(folder / "report.json")]


@clause("doors callout.list")
async def test_what_programs_ask_is_in_one_inbox_until_it_is_answered(
    stage: Stage, tmp_path: Path
) -> None:
    desk = stage.desk
    assert await ask(desk, "callout.list") == {"ok": True, "callouts": []}
    menu = (await ask(desk, "menu.start", command=picker(tmp_path)))["task_id"]
    told = (await until(desk, menu, "selection_required"))["selection"]
    text = (await ask(desk, "menu.start", command=["bash", "-c", "read -p 'Name? ' n"]))["task_id"]
    asked = (await until(desk, text, "selection_required"))["selection"]
    first, second = (await ask(desk, "callout.list"))["callouts"]
    assert first == {
        "callout_id": told["selection_id"], "room": "menu", "source": menu,
        "title": first["title"], "name": "menu", "question": "Which one?", "input": "choice",
        "options": [{"n": n, "id": str(n), "label": label}
                    for n, label in enumerate(["red", "green", "red"], 1)],
    }  # fmt: skip
    assert first["title"].startswith(sys.executable)
    assert second["input"] == second["name"] == "text"
    assert second["callout_id"] == asked["selection_id"] and second["options"] == []
    taken = {"task_id": menu, "selection_id": first["callout_id"], "selected_option": "green"}
    assert (await ask(desk, "menu.select", **taken))["ok"]
    assert (await ask(desk, "menu.select", **taken))["error"] == "stale_selection"
    left = (await ask(desk, "callout.list"))["callouts"]
    assert [one["source"] for one in left] == [text]
    await ask(desk, "menu.close", task_id=text)
    assert (await ask(desk, "callout.list"))["callouts"] == []
