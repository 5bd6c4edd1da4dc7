"""The page as a whole: where one can go, by what keys, and what it weighs."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import expect

from antiphon.adapters.page import BUILT
from tests.page.conftest import Server, Visitor, shot
from tests.page.driving import BOTH, DESK, PHONE, ask, faults_of, opened, ran, tabbed_to

FIRST_LOAD_BYTES_MAX = 300_000
VIEWS = (("Terminal", "/"), ("Questions", "/questions"), ("REPL", "/repl"), ("Tasks", "/tasks"))


@BOTH
def test_the_first_view_says_what_to_do(visitor: Visitor, theme: str) -> None:
    page = visitor.open()
    expect(page.get_by_text("No conversations yet.")).to_be_visible()
    assert faults_of(page) == []
    shot(page, f"first-{theme}")


@BOTH
def test_every_view_is_one_step_away_and_without_a_violation(visitor: Visitor, theme: str) -> None:
    page = visitor.open()
    for size, viewport in (("desk", DESK), ("phone", PHONE)):
        page.set_viewport_size(viewport)
        for name, path in VIEWS:
            page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
            expect(page).to_have_url(visitor.server.address + path)
            current = page.locator(".rail [aria-current=page]")
            expect(current).to_contain_text(name)
            expect(page.locator("main")).to_be_visible()
            assert faults_of(page) == []
            shot(page, f"{name.lower()}-empty-{size}-{theme}")
    page.go_back()
    expect(page.locator(".rail [aria-current=page]")).to_contain_text("REPL")


def test_keys_lead_to_the_views_and_are_listed(visitor: Visitor) -> None:
    page = visitor.open()
    for number, (name, _) in enumerate(VIEWS, 1):
        page.keyboard.press(f"Alt+{number}")
        expect(page.locator(".rail [aria-current=page]")).to_contain_text(name)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Shift+F6")
    page.keyboard.press("Escape")
    expect(keys).not_to_be_visible()
    page.goto(visitor.server.address)
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to what is shown")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_a_slash_leads_to_the_search_and_is_a_letter_elsewhere(visitor: Visitor) -> None:
    page = opened(visitor)
    page.get_by_label("Command", exact=True).press("/")
    expect(page.get_by_label("Command", exact=True)).to_have_value("/")
    page.locator("h1").click()
    page.keyboard.press("/")
    expect(page.get_by_label("Search all output")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_label("Search all output")).to_have_value("?")


def test_among_many_conversations_one_looks_for_the_name(visitor: Visitor, server: Server) -> None:
    for number in range(1, 15):
        ask(server, "pty.open", conversation_id=f"job-{number}")
        ask(server, "pty.close", conversation_id=f"job-{number}")
    page = visitor.open()
    expect(page.locator(".list li")).to_have_count(14)
    page.get_by_label("Find a conversation").fill("B-12")
    expect(page.locator(".list li")).to_have_text([re.compile("job-12")])
    page.get_by_label("Find a conversation").fill("nobody")
    expect(page.get_by_text("None is called so.")).to_be_visible()
    assert faults_of(page) == []


def test_nothing_moves_for_who_wants_no_motion(visitor: Visitor) -> None:
    page = visitor.open()
    page.emulate_media(reduced_motion="reduce")
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].filter(one => {"
        " const style = getComputedStyle(one);"
        " return style.transitionDuration !== '0s' && style.transitionProperty !== 'none'"
        " || style.animationName !== 'none' }).length"
    )
    assert moving == 0


def test_the_page_obeys_a_policy_that_lets_nothing_else_in(visitor: Visitor) -> None:
    answer = visitor.context.request.get(visitor.server.address)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy
    assert "unsafe-eval" not in policy and "http" not in policy
    page = visitor.open()
    expect(page.get_by_role("heading", name="Conversations", exact=True)).to_be_visible()
    found = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert all(one.startswith(visitor.server.address) for one in found)
    image = '<img src=x onerror="boo=1">'
    with page.expect_console_message(lambda said: "inline event handler" in said.text):
        page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", image)
    assert page.evaluate("typeof boo") == "undefined"
    visitor.faults.clear()  # the policy has said in the console what it kept out


def weight(files: Iterable[Path]) -> int:
    return sum(len(gzip.compress(file.read_bytes(), 6)) for file in files)


def test_the_first_load_and_every_view_stay_below_their_weight(visitor: Visitor) -> None:
    """What a browser fetches, as the server sends it: compressed, and each part when needed."""
    page = visitor.open()
    expect(page.get_by_role("heading", name="Conversations", exact=True)).to_be_visible()
    assert sent(page) < 50_000, "the shell is light; screens and editors come when needed"
    opened(visitor).close()
    page.goto(f"{visitor.server.address}/t/build")
    expect(page.locator(".xterm-rows")).to_be_visible()
    assert sent(page) < FIRST_LOAD_BYTES_MAX
    assert weight(file for file in BUILT.rglob("*") if file.is_file()) < FIRST_LOAD_BYTES_MAX


def sent(page: object) -> int:
    total: int = page.evaluate(  # type: ignore[attr-defined]
        "performance.getEntriesByType('resource')"
        ".filter(one => !one.name.includes('/api/'))"
        ".reduce((sum, one) => sum + one.encodedBodySize, 0)"
    )
    return total


def test_a_part_of_a_page_of_before_an_upgrade_is_missed_and_said(visitor: Visitor) -> None:
    visitor.server.command("exec", "build", "--", "true")
    page = visitor.open()
    page.route("**/assets/screen-*.js", lambda route: route.fulfill(status=404))
    page.get_by_role("link", name="build").click()
    expect(page.get_by_text("reload the page")).to_be_visible()
    page.unroute("**/assets/screen-*.js")
    page.reload()
    expect(page.locator(".xterm-rows")).to_be_visible()
    visitor.faults.clear()  # the browser says what it did not get


def test_the_title_says_where_one_is(visitor: Visitor) -> None:
    page = opened(visitor)
    expect(page).to_have_title("build · Antiphon")
    ran(page, "echo one", 1)
    page.keyboard.press("Shift+F6")
    page.get_by_role("link", name="Tasks").click()
    expect(page).to_have_title(re.compile("Tasks · Antiphon"))
    tabbed_to(page, ".brand")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Antiphon")
