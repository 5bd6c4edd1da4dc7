"""Programs that ask, on the page: as a task with its screen, and as a question in the inbox."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import Server, Visitor, shot
from tests.page.driving import BOTH, PHONE, faults_of

PICKER = Path(__file__).parents[1] / "fixtures" / "picker.py"
COLOURS = ["red", "green", "blue"]
REPORT_S, LOOK_S = 120, 0.02


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


def picker(report: Path, options: list[str] = COLOURS, prompt: str = "Which colour?") -> list[str]:
    menu = json.dumps({"prompt": prompt, "options": options})
    return [sys.executable, "-I", "-S", str(PICKER), menu, str(report)]


def started(page: Page, command: list[str]) -> None:
    page.get_by_label("Command", exact=True).fill(shlex.join(command))
    page.get_by_role("button", name="Start").click()


def begun(server: Server, command: list[str]) -> str:
    """A task that somebody else began, an agent say."""
    told = server.command("call", "menu.start", json.dumps({"command": command}))
    return str(json.loads(told)["task_id"])


def chosen(report: Path) -> str:
    """What the program was told: it reads the key after we pressed it, and then says so."""
    deadline = time.monotonic() + REPORT_S
    while not (report.exists() and report.read_text()):
        assert time.monotonic() < deadline, f"nothing reported to {report}"
        time.sleep(LOOK_S)
    found: str = json.loads(report.read_text())["chosen"]
    return found


@BOTH
def test_a_task_is_started_answered_and_closed(visitor: Visitor, report: Path, theme: str) -> None:
    page = visitor.open("/tasks")
    started(page, picker(report))
    selection = page.get_by_role("region", name="Selection")
    expect(selection.get_by_role("heading", name="Which colour?")).to_be_visible()
    expect(page.get_by_label("Screen of the program")).to_contain_text("> red")
    assert faults_of(page) == []
    shot(page, f"task-{theme}")
    selection.get_by_role("button", name="green").click()
    expect(page.locator(".task .bar [role=status]")).to_have_text("completed")
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("exit code 0")
    assert chosen(report) == "green"
    page.get_by_role("link", name="Its terminal").click()
    expect(page.get_by_role("heading", name="menu-001")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_text("No tasks are open.")).to_be_visible()


def test_what_cannot_be_started_is_said(visitor: Visitor) -> None:
    page = visitor.open("/tasks")
    started(page, ["no-such-program"])
    expect(page.locator(".new .fault")).to_contain_text("no-such-program")
    page.get_by_label("Command", exact=True).fill("'open")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".new .fault")).to_contain_text("does not end")


def test_a_question_without_options_is_answered_with_text(visitor: Visitor, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    page = visitor.open("/tasks")
    started(page, ["bash", "-c", f'read -p "Your name? " name; printf %s "$name" > {kept}'])
    page.get_by_label("Your name?").fill("Ada Lovelace")
    page.keyboard.press("Enter")
    expect(page.locator(".task .bar [role=status]")).to_have_text("completed")
    assert kept.read_text() == "Ada Lovelace"


@BOTH
def test_questions_are_counted_and_answered_with_keys(
    visitor: Visitor, server: Server, tmp_path: Path, theme: str
) -> None:
    page = visitor.open()
    expect(page.get_by_text("No conversations yet.")).to_be_visible()
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    first = begun(server, picker(one, prompt="Which one?"))
    begun(server, picker(other, ["yes", "no"], prompt="Really?"))
    expect(page.locator(".badge")).to_have_text("2")
    expect(page).to_have_title("(2) Antiphon")
    page.keyboard.press("Alt+2")
    cards = page.locator(".question")
    expect(cards).to_have_count(2)
    assert faults_of(page) == []
    shot(page, f"questions-{theme}")
    page.keyboard.press("2")  # of the first: nobody has the focus
    expect(cards).to_have_count(1)
    expect(cards.get_by_role("heading")).to_have_text("Really?")
    page.keyboard.press("9")  # no such option: nothing happens
    page.keyboard.press("1")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    expect(page.locator(".badge")).to_have_count(0)
    page.goto(f"{server.address}/tasks/{first}")
    expect(page.locator(".task .bar [role=status]")).to_have_text("completed")
    assert (chosen(one), chosen(other)) == ("green", "yes")


def test_the_focus_says_which_question_a_key_answers(
    visitor: Visitor, server: Server, tmp_path: Path
) -> None:
    reports = [tmp_path / f"{number}.json" for number in range(3)]
    for number, report in enumerate(reports):
        begun(server, picker(report, prompt=f"Number {number}?"))
    page = visitor.open("/questions")
    expect(page.locator(".question")).to_have_count(3)
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".question").nth(1)).to_be_focused()
    page.keyboard.press("3")
    expect(page.locator(".question")).to_have_count(2)
    expect(page.get_by_role("heading", name="Number 1?")).to_have_count(0)
    assert chosen(reports[1]) == "blue" and not reports[0].exists()


def test_a_question_leads_to_where_it_came_from(
    visitor: Visitor, server: Server, report: Path
) -> None:
    task = begun(server, picker(report))
    page = visitor.open("/questions")
    page.get_by_role("link", name=re.compile(task)).click()
    expect(page).to_have_url(f"{server.address}/tasks/{task}")
    expect(page.get_by_role("region", name="Selection")).to_be_visible()


def test_a_question_that_another_answered_is_gone_and_not_answered_twice(
    visitor: Visitor, server: Server, report: Path
) -> None:
    begun(server, picker(report))
    one, other = visitor.open("/questions"), visitor.open("/questions")
    for page in (one, other):
        expect(page.locator(".question")).to_have_count(1)
    one.keyboard.press("3")
    expect(other.locator(".question")).to_have_count(0)
    assert chosen(report) == "blue"


def test_equal_options_are_told_apart(visitor: Visitor, report: Path) -> None:
    page = visitor.open("/tasks")
    started(page, picker(report, ["a", "b", "a"]))
    page.get_by_role("region", name="Selection").get_by_role("button").nth(2).click()
    expect(page.locator(".task .bar [role=status]")).to_have_text("completed")
    assert json.loads(report.read_text())["index"] == 2


@BOTH
def test_tasks_and_questions_fit_a_phone(
    visitor: Visitor, server: Server, report: Path, theme: str
) -> None:
    task = begun(server, picker(report, [f"a rather long option {n} " * 4 for n in range(12)]))
    page = visitor.open(f"/tasks/{task}")
    page.set_viewport_size(PHONE)
    expect(page.get_by_role("region", name="Selection")).to_be_visible()
    assert faults_of(page) == []
    shot(page, f"task-phone-{theme}")
    page.get_by_role("link", name="Questions").click()
    expect(page.locator(".question")).to_have_count(1)
    assert faults_of(page) == []
    shot(page, f"questions-phone-{theme}")
