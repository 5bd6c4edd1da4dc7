from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real import pickers
from tests.real.stage import Stage

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = ROOT / "tests" / "pickers" / "programs"
MENU = "menu"


@dataclass(frozen=True)
class Asks:
    """What a program asks, and the answer; `options` of a menu are some that it has."""

    prompt: str
    answer: str
    options: tuple[str, ...] = ()


COLOUR = Asks("Pick a colour", "blue", ("red", "green", "blue"))
SURE, NAME = Asks("Sure?", "y"), Asks("Your name?", "Ann Lee")
AGAIN = Asks("Again?", "green", ("red", "green", "blue"))
ONLY = Asks("Pick the only one", "only", ("only",))
YES = Asks("Sure?", "Yes", ("Yes", "No"))
THERE = "The file is there already"
KEPT = Asks(THERE, "Keep both", ("Keep both", "Replace", "Skip this one"))
SKIPPED = Asks(THERE, "Skip", ("Keep both", "Replace", "Skip this one"))
FOOD = Asks("Pick a food", "eggs", ("apple", "bread", "corn", "dates", "eggs", "figs"))
CASES = [
    ("prompts.mjs", (COLOUR, SURE, NAME, AGAIN), "blue true Ann Lee green"),
    (
        "inquirer.mjs",
        (Asks("Pick a colour", "teal", ("red", "teal")), SURE, NAME, Asks("Secret?", "x1"), AGAIN),
        "teal true Ann Lee x1 green",
    ),
    ("enquirer.mjs", (COLOUR, FOOD), "blue eggs"),
    ("clack.mjs", (COLOUR, YES, NAME, AGAIN), "blue true Ann Lee green"),
    ("ink.mjs", (COLOUR,), "blue"),
    ("questionary_.py", (COLOUR, SURE, NAME), "blue True Ann Lee"),
    ("inquirerpy.py", (COLOUR, Asks("Pick a food", "bread", ("apple", "corn"))), "blue bread"),
    ("inquirer_.py", (COLOUR,), "blue"),
    ("pick_.py", (COLOUR,), "blue"),
    ("simple_term_menu_.py", (COLOUR,), "blue"),
    ("textual_.py", (COLOUR,), "blue"),
    ("curses_.py", (Asks("Pick a colour", "colour 42", ("red", "colour 59")),), "colour 42"),
    ("sigio_.py", (COLOUR,), "blue"),
    ("glances_.py", (COLOUR, Asks("Again?", "green", ("red", "green", "blue"))), "blue green"),
    ("input_.py", (NAME, Asks("Secret:", "x1"), Asks("Which [1-2]:", "2")), "Ann Lee x1 2"),
    (
        "select.sh",
        (Asks("Pick a colour:", "2"), NAME, Asks("Secret?", "x1"), Asks("Sure? (y/n)", "y")),
        "green Ann Lee x1 y",
    ),
    (
        "keys.sh",
        (Asks("Sure (y/n)?", "y"), Asks("Really (y/n)?", "n"), Asks("Press any key", "x")),
        "y n [x]",
    ),
    (
        "questions.zsh",
        (Asks("Pick a colour?", "2"), Asks("Sure (y/n)?", "y"), Asks("Secret?", "x1"), NAME),
        "green y x1 Ann Lee",
    ),
    ("whiptail.sh", (COLOUR, ONLY, YES, NAME), "b o yes Ann Lee"),
    ("dialog.sh", (COLOUR, ONLY, YES, NAME), "b o yes Ann Lee"),
    ("abreast_.py", (KEPT, SKIPPED), "Keep both Skip this one"),
    ("fzf.sh", (Asks(">", "green", ("red", "green", "blue", "cyan")),), "green"),
]  # fmt: skip


@pytest.fixture(scope="module")
def node() -> str:
    subprocess.run([ROOT / "scripts" / "programs", "pickers"], check=True)
    found = subprocess.run([ROOT / "scripts" / "node"], check=True, capture_output=True, text=True)
    return f"{found.stdout.strip()}/node"


@clause("components 2.2", "components 2.4", "components 2.7", "components 3.4")
@pytest.mark.parametrize(("file", "asked", "got"), CASES, ids=[case[0] for case in CASES])
async def test_a_real_program_gets_what_was_chosen(
    stage: Stage, node: str, file: str, asked: tuple[Asks, ...], got: str
) -> None:
    python = str(ROOT / ".venv-pickers" / "bin" / "python")
    program = {".mjs": [node], ".py": [python], ".sh": ["bash"], ".zsh": ["zsh", "-f"]}
    command = [*program[Path(file).suffix], str(PROGRAMS / file)]
    task_id = (await pickers.ask(stage.desk, "menu.start", command=command))["task_id"]
    for one in asked:
        task = await pickers.settled(stage.desk, task_id)
        assert task["state"] == "selection_required", task
        selection = task["selection"]
        assert one.prompt in selection["prompt"], selection
        assert selection["input"] == (MENU if one.options else "text"), selection
        assert all(any(text in option for option in selection["options"]) for text in one.options)
        answer = {"selection_id": selection["selection_id"], "selected_option": one.answer}
        task = await pickers.ask(stage.desk, "menu.select", task_id=task_id, **answer)
        assert task["ok"] is True, task
    ended = await pickers.settled(stage.desk, task_id)
    assert ended["state"] == "completed", ended
    said = await pickers.ask(
        stage.desk, "pty.read_spool", conversation_id=task_id, max_bytes=1 << 24
    )
    assert f"GOT {got}" in said["data"]
    await pickers.ask(stage.desk, "menu.close", task_id=task_id)


@clause("components 2.6", "components 2.5")
@pytest.mark.parametrize("program", ["whiptail", "dialog"])
@pytest.mark.parametrize(("answer", "exit_code"), [("Yes", 0), ("No", 1)])
@pytest.mark.parametrize("extra", [(), ("--defaultno",)])
async def test_a_button_is_chosen_by_what_it_says(
    stage: Stage, program: str, answer: str, exit_code: int, extra: tuple[str, ...]
) -> None:
    command = [program, *extra, "--yesno", "Sure?", "8", "40"]
    task_id = (await pickers.ask(stage.desk, "menu.start", command=command))["task_id"]
    task = await pickers.settled(stage.desk, task_id)
    selection = task["selection"]
    asked = (selection["prompt"], selection["options"], selection["input"])
    assert asked == ("Sure?", ["Yes", "No"], MENU), task
    chosen = {"selection_id": selection["selection_id"], "selected_option": answer}
    await pickers.ask(stage.desk, "menu.select", task_id=task_id, **chosen)
    ended = await pickers.settled(stage.desk, task_id)
    assert ended["exit_code"] == exit_code, ended
    await pickers.ask(stage.desk, "menu.close", task_id=task_id)


@clause("components 2.4", "components 2.6")
@pytest.mark.parametrize(
    ("file", "lists", "got"),
    [
        ("ticks.mjs", 3, "green,blue green,blue blue,green"),
        ("ticks.sh", 2, '"green" "blue" green blue'),
    ],
)
async def test_several_are_ticked_and_then_sent(
    stage: Stage, node: str, file: str, lists: int, got: str
) -> None:
    command = [{".mjs": node, ".sh": "bash"}[Path(file).suffix], str(PROGRAMS / file)]
    task_id = (await pickers.ask(stage.desk, "menu.start", command=command))["task_id"]
    for _ in range(lists):
        for verb, option in (("tick", "blue"), ("tick", "red"), ("tick", "red"), ("tick", "green")):
            await told(stage, task_id, verb, option)
        await told(stage, task_id, "select", "green")
    ended = await pickers.settled(stage.desk, task_id)
    assert ended["state"] == "completed", ended
    said = await pickers.ask(
        stage.desk, "pty.read_spool", conversation_id=task_id, max_bytes=1 << 24
    )
    assert f"GOT {got}" in said["data"]
    await pickers.ask(stage.desk, "menu.close", task_id=task_id)


async def told(stage: Stage, task_id: str, verb: str, option: str) -> None:
    task = await pickers.settled(stage.desk, task_id)
    assert task["state"] == "selection_required" and "error" not in task, task
    selection = task["selection"]
    assert "Pick colours" in selection["prompt"] and len(selection["options"]) >= 3, task
    answer = {"selection_id": selection["selection_id"], "selected_option": option}
    task = await pickers.ask(stage.desk, f"menu.{verb}", task_id=task_id, **answer)
    assert task["ok"] is True, task


DEAF = """
import os, sys, termios, tty
tty.setraw(0)
sys.stdout.write("\\x1b[?25lFormat the disk?\\r\\n\\r\\n  format it, or leave it\\r\\n")
sys.stdout.flush()
while os.read(0, 16) != b"\\r":
    pass
sys.exit(3)
"""


@clause("components 2.7")
async def test_no_enter_follows_a_text_that_the_program_did_not_take(stage: Stage) -> None:
    command = [sys.executable, "-c", DEAF]
    task_id = (await pickers.ask(stage.desk, "menu.start", command=command))["task_id"]
    for answer in ("leave it", "n"):
        asked = (await pickers.settled(stage.desk, task_id))["selection"]
        chosen = {"selection_id": asked["selection_id"], "selected_option": answer}
        await pickers.ask(stage.desk, "menu.select", task_id=task_id, **chosen)
        task = await pickers.settled(stage.desk, task_id)
        again = dict(task["selection"])
        assert again.pop("selection_id") != asked.pop("selection_id")
        assert again == asked and "took no text" in task["error"], task
        assert "exit_code" not in task
    await pickers.ask(stage.desk, "menu.close", task_id=task_id)


ASLEEP = """
import os, select, sys, time, tty
tty.setraw(0)
sys.stdout.write("\\x1b[?25lPick\\r\\n> a\\r\\n  b\\r\\n")
sys.stdout.flush()
for _ in range(60):
    time.sleep(0.05)
sys.exit(5 if select.select([0], [], [], 0)[0] else 0)
"""


@clause("components 2.3", "components V07")
async def test_who_sleeps_under_a_list_is_running_and_finds_no_key_of_ours(stage: Stage) -> None:
    command = [sys.executable, "-c", ASLEEP]
    task_id = (await pickers.ask(stage.desk, "menu.start", command=command))["task_id"]
    ended = await pickers.settled(stage.desk, task_id)
    assert (ended["state"], ended["exit_code"]) == ("completed", 0), ended
    await pickers.ask(stage.desk, "menu.close", task_id=task_id)
