"""What a person does on the page, and what is wrong with what they see."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.page.conftest import Server, Visitor

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Programs' own lines and tables may be wider than the window; what holds them may not.
SIDEWAYS = """[...document.querySelectorAll("main *")].filter(one =>
    one.scrollWidth > one.clientWidth + 1
    && /auto|scroll/.test(getComputedStyle(one).overflowX)
    && !one.closest("pre, .screen, .table, .cm-editor")
).map(one => one.outerHTML.slice(0, 120))"""
BOTH = pytest.mark.parametrize("theme", ["light", "dark"], indirect=True)
PHONE: ViewportSize = {"width": 390, "height": 800}
DESK: ViewportSize = {"width": 1280, "height": 800}


def opened(visitor: Visitor, name: str = "build") -> Page:
    page = visitor.open()
    page.get_by_label("Name of a new conversation").fill(name)
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.locator(".mode")).to_have_text("idle")
    return page


def ask(server: Server, name: str, **fields: object) -> None:
    """An operation over HTTP, of which a test has many."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    token = (server.state / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", f"/api/call/{name}", json.dumps(fields), headers)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    assert answer["ok"], answer


def run(page: Page, command: str) -> None:
    field = page.get_by_label("Command", exact=True)
    field.fill(command)
    field.press("Enter")


def card(page: Page, number: int) -> Locator:
    return page.locator(f'[id="build.{number}"]')


def ran(page: Page, command: str, number: int) -> Locator:
    """The card of a command that has ended."""
    run(page, command)
    found = card(page, number)
    expect(found.locator(".ending:not(.now)")).to_be_visible()
    return found


def tabbed_to(page: Page, selector: str) -> None:
    """By Tab alone, as somebody without a mouse gets there."""
    for _ in range(60):
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


def faults_of(page: Page) -> list[str]:
    """What axe has against it, and whether it has to be scrolled sideways."""
    page.evaluate(AXE.read_text())
    # A colour on its way to another is neither.
    page.evaluate(
        "Promise.allSettled(document.getAnimations()"
        ".filter(one => one instanceof CSSTransition).map(one => one.finished))"
    )
    found = page.evaluate("axe.run().then(result => result.violations)")
    faults = [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        faults.append("the page scrolls sideways")
    faults += [f"scrolls sideways: {one}" for one in page.evaluate(SIDEWAYS)]
    return faults
