"""Random menus, and one task driven from its start to its end."""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from antiphon.service.desk import Desk
from antiphon.wire import codec

PICKER = Path(__file__).parent.parent / "fixtures" / "picker.py"
PATIENCE_S = 120
LOOK_S = 0.01
WORDS = [
    *("alpha", "beta", "gamma", "delta", "日本", "naïve", "한국", "[tag]", "(C9100)", "10%"),
    *("x.y", "a*b", "$HOME", "foo/bar", "λ", "ок", "✓", "é"),
]
POINTERS = ["> ", "❯ ", "→ ", "* ", "-> ", "» ", "❯   ", "reverse", "colour", "radio"]
# Less usual ones: a sign behind the text or in a list of ticks, a line, a look of all others.
ODD_POINTERS = [
    *("👉 ", "│ ", "=> ", "● ", "bold", "line", "dim", "field", "behind", "both", "brackets"),
    *("(*)", "(x)", "[x]", "number"),
]
Answer = dict[str, Any]


def spec(seed: int, options_max: int = 300) -> dict[str, Any]:
    """A menu of any make."""
    dice = random.Random(seed)
    few = dice.random() < 0.7
    count = dice.randint(2, 12) if few else dice.randint(13, options_max)
    options = []
    for index in range(count):
        words = " ".join(dice.choice(WORDS) for _ in range(dice.randint(1, 4)))
        options.append(f"{words} {index}" if dice.random() < 0.95 else words)
    page = dice.choice([0, 0, dice.randint(3, 12)]) if count > 4 else 0
    if count > 60:
        page = dice.randint(5, 20)
    page = page if page < count else 0
    paging = dice.choice(["scroll", "scroll", "flip", "centre"])
    return {
        "prompt": dice.choice(["Which one?", "? Pick a part ›", "Select:", "何にしますか"]),
        "options": options,
        "pointer": dice.choice(POINTERS),
        "start": dice.randrange(count) if dice.random() < 0.2 else 0,
        "page": page,
        "paging": paging,
        "wraps": paging == "centre" or dice.random() < 0.6,
        "redraw": dice.choice(["all", "all", "rows", "screen"]),
        "chunk": dice.choice([0, 0, 1, 7, 40]) if count <= 20 else dice.choice([0, 0, 40]),
        "pause_ms": dice.choice([0, 0, 0.5, 2]) if count <= 8 else 0,
        "before": ["log: started", "  done"] if dice.random() < 0.3 else [],
        "spinner_ms": 200 if dice.random() < 0.15 else 0,
        "hint": "↑↓ move • enter choose" if dice.random() < 0.3 else "",
        "gap": dice.random() < 0.15,
        "marks": page > 0 and dice.random() < 0.5,
        "ticks": dice.choice(["", "", "[ ] ", "◯ "]),
        "hides_cursor": True,
        "polls": dice.random() < 0.3,
        "application": dice.random() < 0.2,
        "indent": dice.choice(["", "", " ", "    "]),
        "seed": seed,
    }


def odd_spec(seed: int, options_max: int = 300) -> dict[str, Any]:
    """The same with a pointer that is less usual; every row says something else."""
    menu = spec(seed, options_max)
    menu["pointer"] = ODD_POINTERS[seed % len(ODD_POINTERS)]
    menu["options"] = [f"{option} {index}" for index, option in enumerate(menu["options"])]
    # A sign at a row's side, in a list that has such signs at its edge or in each row, is neither.
    menu["ticks"], menu["marks"] = "", False
    return menu


@dataclass(frozen=True)
class Played:
    seed: int
    status: Answer  # what was presented
    wanted: str
    report: Answer
    ended: Answer
    present_s: float
    choose_s: float
    known_s: float  # from the menu on the screen to its options in an answer


async def ask(desk: Desk, name: str, **arguments: object) -> Answer:
    decoded: Answer = json.loads(codec.encoded(await desk.answer(name, arguments)))
    return decoded


async def until(desk: Desk, task_id: str, *states: str) -> Answer:
    """The task as soon as it is in one of these states."""
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = await ask(desk, "menu.status", task_id=task_id)
        if answer["state"] in states or not answer["ok"]:
            return answer
        assert time.monotonic() < end, answer
        await asyncio.sleep(LOOK_S)


async def settled(desk: Desk, task_id: str) -> Answer:
    return await until(desk, task_id, "selection_required", "completed", "failed")


async def play(desk: Desk, seed: int, folder: Path, options_max: int = 300) -> Played:
    """A random menu, and a random option of it."""
    return await played(desk, spec(seed, options_max), seed, folder)


async def played(desk: Desk, menu: Answer, seed: int, folder: Path) -> Played:
    report = folder / f"{seed}.json"
    command = [sys.executable, "-I", "-S", str(PICKER), json.dumps(menu), str(report)]
    began = time.perf_counter()
    task_id = (await ask(desk, "menu.start", command=command))["task_id"]
    status = await settled(desk, task_id)
    presented, presented_s = time.perf_counter(), time.monotonic()
    wanted = random.Random(seed + 1).choice(menu["options"])
    try:
        assert status["state"] == "selection_required", (seed, status)
        await ask(
            desk, "menu.select", task_id=task_id, selected_option=wanted,
            selection_id=status["selection"]["selection_id"],
        )  # fmt: skip
        ended = await settled(desk, task_id)
        told = json.loads(report.read_text()) if report.exists() else {}
        chosen = time.perf_counter()
        return Played(
            seed, status, wanted, told, ended, presented - began, chosen - presented,
            presented_s - told.get("drawn_s", presented_s),
        )  # fmt: skip
    finally:
        await ask(desk, "menu.close", task_id=task_id)


def faults(played: Played) -> list[str]:
    """What was not as it must be."""
    menu = spec(played.seed)
    selection = played.status["selection"]
    found = misread(menu, selection["prompt"], selection["options"])
    if played.ended["state"] != "completed":
        found.append(f"state: {played.ended}")
    chosen = played.report.get("chosen")
    first = next((one for one in menu["options"] if played.wanted in one), None)
    if chosen not in (played.wanted, first):
        found.append(f"chosen: {chosen!r} for {played.wanted!r}")
    return found


def misread(menu: dict[str, Any], prompt: str, given: list[str]) -> list[str]:
    """What was presented otherwise than it is."""
    found = []
    shown = [menu["ticks"] + option for option in menu["options"]]
    if menu["pointer"] in ("radio", "(*)", "(x)", "[x]"):  # every row carries its sign
        given = [re.sub(r"^(?:[●○]|[(\[][ *x][)\]])\s+", "", option) for option in given]
    if menu["pointer"] == "number":
        given = [re.sub(r"^\d+\.\s+", "", option) for option in given]
    if menu["paging"] == "centre" and menu["page"] and menu["start"]:
        # A circle has no beginning but where the pointer stood.
        shown = shown[menu["start"] :] + shown[: menu["start"]]
    if given != shown:
        found.append(f"options: {given[:6]} ({len(given)}) for {shown[:6]} ({len(shown)})")
    if prompt != menu["prompt"]:
        found.append(f"prompt: {prompt!r} for {menu['prompt']!r}")
    return found
