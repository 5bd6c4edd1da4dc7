"""What a person does with a session on the page."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Locator, Page, expect

from tests.page.conftest import Server, Visitor, shot
from tests.page.driving import DESK, PHONE, faults_of


def begun(visitor: Visitor) -> Page:
    page = visitor.open("/repl")
    page.get_by_role("button", name="New session").click()
    expect(page.get_by_role("heading", name="New session", level=1)).to_be_visible()
    expect(editor(page)).to_be_visible()
    return page


def editor(page: Page) -> Locator:
    return page.get_by_label("Program", exact=True).locator(".cm-content")


def state(page: Page) -> Locator:
    return page.locator(".session > .bar [role=status]")


def say(page: Page, message: str) -> None:
    field = page.get_by_label("Message", exact=True)
    field.fill(message)
    field.press("Enter")


def write(page: Page, source: str) -> None:
    editor(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)


def checked(page: Page, source: str) -> None:
    write(page, source)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".dirty")).to_have_count(0)


def press(page: Page, name: str) -> None:
    page.get_by_role("toolbar", name="Actions").get_by_role("button", name=name).click()


def text_of(page: Page) -> str:
    return "\n".join(editor(page).locator(".cm-line").all_inner_texts())


def session_of(page: Page) -> str:
    found = re.search(r"/r/(\w+)$", page.url)
    assert found, page.url
    return found[1]


def told(
    page: Page, server: Server, operation: str = "session.get", **fields: object
) -> dict[str, object]:
    """What the server says of this session at another door."""
    asked = json.dumps({"session_id": session_of(page), **fields})
    answer: dict[str, object] = json.loads(server.command("call", operation, asked))
    return answer


def candidates(page: Page) -> Locator:
    return page.get_by_role("list", name="Candidates").get_by_role("button")


def shown(page: Page, name: str, theme: str) -> None:
    """The view without a fault, at a desk and on a phone, and its pictures."""
    seen(page, f"repl-{name}-desk-{theme}")
    page.set_viewport_size(PHONE)
    for side in ("Conversation", "Program"):
        page.locator(".sides").get_by_role("button", name=side).click()
        seen(page, f"repl-{name}-phone-{side.lower()}-{theme}")
    page.set_viewport_size(DESK)


def seen(page: Page, name: str) -> None:
    faults = faults_of(page)
    assert faults == [], faults
    shot(page, name)
