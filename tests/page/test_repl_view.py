"""A session on the page: what is said, what a word means, and where it is kept."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Route, expect

from tests.page.conftest import Server, Visitor
from tests.page.driving import BOTH, tabbed_to
from tests.page.repling import (
    begun,
    candidates,
    checked,
    editor,
    press,
    say,
    seen,
    shown,
    state,
    told,
    write,
)

ALLIANZ = '(session.set-cbu :cbu-id "allianz")'


# --- from words to results ------------------------------------------------------


@BOTH
def test_words_become_a_program_a_thing_a_plan_and_results(visitor: Visitor, theme: str) -> None:
    page = begun(visitor)
    expect(page.get_by_text("What should be done?")).to_be_visible()
    shown(page, "new", theme)
    say(page, "show allianz cbu")
    expect(state(page)).to_have_text("unresolved refs")
    expect(editor(page)).to_have_text(ALLIANZ)
    said = page.get_by_role("log", name="What was said")
    expect(said.locator(".you")).to_have_text("you: show allianz cbu")
    expect(said.locator(".server")).to_contain_text("2 candidates for the cbu «allianz»")
    dialog = page.get_by_role("dialog", name="Which cbu is «allianz»?")
    expect(dialog.locator(".where mark")).to_have_text('"allianz"')
    shown(page, "resolve", theme)
    dialog.get_by_role("button", name="ALLIANZ FUNDS").click()
    expect(state(page)).to_have_text("ready to run")
    expect(editor(page)).to_contain_text("; ALLIANZ FUNDS")
    plan = page.get_by_role("region", name="Plan")
    expect(plan).to_contain_text("1 statement in 1 phase")
    expect(plan.locator("code")).to_contain_text("session.set-cbu")
    shown(page, "ready", theme)
    press(page, "Run")
    expect(state(page)).to_have_text("executed")
    results = page.get_by_role("region", name="Results")
    expect(results).to_contain_text("succeeded")
    expect(results).to_contain_text("ALLIANZ FUNDS")
    shown(page, "executed", theme)
    expect(said.locator(".you")).to_have_text(
        ["you: show allianz cbu", "you: ALLIANZ FUNDS", "you: run"]
    )


def test_a_new_session_can_be_typed_in_at_once(visitor: Visitor, server: Server) -> None:
    page = visitor.open("/repl")
    page.get_by_role("button", name="New session").click()
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    page.keyboard.type("show allianz cbu")
    page.keyboard.press("Enter")
    expect(state(page)).to_have_text("unresolved refs")
    assert told(page, server)["dsl_source"] == ALLIANZ


def test_what_may_mean_several_things_is_asked_and_a_digit_answers(visitor: Visitor) -> None:
    page = begun(visitor)
    say(page, "create entity")
    question = page.get_by_role("group", name="Question")
    expect(question).to_contain_text("Which of these do you mean?")
    expect(question.get_by_role("button")).to_have_count(2)
    first = question.get_by_role("button").first.inner_text().split("\n")[-1].strip()
    page.get_by_label("Message", exact=True).press("2")  # a letter of a message
    expect(state(page)).to_have_text("intent clarify")
    page.get_by_label("Message", exact=True).fill("")
    page.locator("h1").click()
    page.keyboard.press("1")
    expect(state(page)).not_to_have_text("intent clarify")
    expect(page.locator(".saying.you").last).to_contain_text(first)


def test_what_was_said_is_the_same_after_a_reload_and_on_another_page(visitor: Visitor) -> None:
    page = begun(visitor)
    say(page, "show allianz cbu")
    candidates(page).first.click()
    expect(state(page)).to_have_text("ready to run")
    other = visitor.open(page.url.removeprefix(visitor.server.address))
    expect(state(other)).to_have_text("ready to run")
    press(other, "Undo")
    expect(state(page)).to_have_text("unresolved refs")
    expect(editor(page)).to_have_text(ALLIANZ)
    said = ["you: show allianz cbu", "you: ALLIANZ FUNDS", "you: undo"]
    for one in (page, other):
        expect(one.locator(".saying.you")).to_have_text(said)
    page.reload()
    expect(page.locator(".saying.you")).to_have_text(said)
    expect(editor(page)).to_have_text(ALLIANZ)
    expect(candidates(page)).to_have_count(2)


def test_a_refusal_is_said_where_it_happened_and_changes_nothing(
    visitor: Visitor, server: Server
) -> None:
    page = begun(visitor)
    say(page, "list cbus")
    expect(state(page)).to_have_text("ready to run")
    # The page has not heard yet: what it sends is about what was before.
    page.route("**/events", lambda route: route.abort())
    page.reload()
    expect(state(page)).to_have_text("connecting…")
    told(page, server, "session.edit", source='(cbu.list :jurisdiction "LU")')
    press(page, "Run")
    expect(page.locator(".saying.refused")).to_contain_text("changed elsewhere")
    expect(editor(page)).to_have_text('(cbu.list :jurisdiction "LU")')
    assert told(page, server, "session.runs")["runs"] == []
    visitor.faults.clear()  # the connection that was taken away, and the refusal


# --- references -----------------------------------------------------------------


def test_a_field_for_each_way_to_search_narrows_the_candidates(visitor: Visitor) -> None:
    page = begun(visitor)
    checked(page, '(cbu.assign-role :cbu-id "apex capital" :entity-id "John" :role "director")')
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("«John»")
    for label in ("name", "nationality", "date of birth"):
        expect(dialog.get_by_label(re.compile(label, re.IGNORECASE)).first).to_be_visible()
    expect(candidates(page).first).to_contain_text("score")
    expect(candidates(page).first.locator(".differs")).to_contain_text("nationality")
    expect(candidates(page).first.locator(".features")).to_contain_text("+")
    dialog.get_by_label(re.compile("^name", re.IGNORECASE)).first.fill("Sarah Johnson")
    expect(candidates(page).first).to_contain_text("Sarah Johnson")
    candidates(page).first.click()
    expect(state(page)).to_have_text("ready to run")
    expect(editor(page)).to_contain_text("Sarah Johnson")


def test_a_candidate_has_the_key_that_picks_it_and_no_other(visitor: Visitor) -> None:
    page = begun(visitor)
    checked(page, '(cbu.show :cbu-id "allianz")\n(cbu.show :cbu-id "aviva")')
    expect(candidates(page).first.locator("kbd")).to_have_text("1")
    page.get_by_role("group", name="References").get_by_role("button", name="aviva").click()
    expect(candidates(page).first).to_contain_text("Aviva Lux 9")
    expect(candidates(page).first.locator("kbd")).to_have_text("·")
    candidates(page).first.click()
    expect(editor(page)).to_contain_text("; Aviva Lux 9")
    expect(page.get_by_role("dialog", name="Which cbu is «allianz»?")).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("2")
    expect(editor(page)).to_contain_text("; Allianz Thematica")


def test_a_word_is_skipped_or_searched_for_otherwise(visitor: Visitor) -> None:
    page = begun(visitor)
    say(page, "show allianz cbu")
    dialog = page.get_by_role("dialog")
    name = dialog.get_by_label("Name", exact=True)
    expect(name).to_have_value("allianz")
    name.fill("aviva lux")
    expect(candidates(page).first).to_contain_text("Aviva Lux 9")
    dialog.get_by_role("button", name="Other search").click()
    expect(name).to_have_value("allianz")
    dialog.get_by_role("button", name="Skip").click()
    expect(state(page)).to_have_text("ready to run")
    expect(page.get_by_role("region", name="Warnings")).to_contain_text("W005")
    press(page, "Run")
    expect(state(page)).to_have_text("executed, failed")
    expect(page.get_by_role("region", name="Results")).to_contain_text("unresolved_ref")


@BOTH
def test_what_is_not_there_is_created_field_by_field(
    visitor: Visitor, server: Server, theme: str
) -> None:
    page = begun(visitor)
    checked(page, '(cbu.show :cbu-id "Quite Unheard Of")')
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    page.get_by_role("button", name="Create new").click()
    expect(state(page)).to_have_text("creating cbu")
    creation = page.get_by_role("region", name="New cbu")
    expect(creation.get_by_role("textbox")).to_have_value("Quite Unheard Of")
    expect(creation.get_by_role("textbox")).to_be_focused()
    shown(page, "creating", theme)
    creation.get_by_role("textbox").press("Enter")
    expect(creation).to_contain_text("2 of 2")
    say(page, "LU")
    expect(creation).to_contain_text("to be confirmed")
    shown(page, "creating-summary", theme)
    creation.get_by_role("button", name="Edit specific step").click()
    creation.get_by_role("button", name="name").click()
    creation.get_by_role("textbox").fill("Quite Heard Of")
    page.keyboard.press("Enter")
    creation.get_by_role("button", name="Confirm").click()
    expect(state(page)).to_have_text("ready to run")
    expect(editor(page)).to_contain_text("; Quite Heard Of")
    press(page, "Undo")
    page.get_by_role("button", name="Create new").click()
    page.get_by_role("button", name="Back to the search").click()
    expect(state(page)).to_have_text("unresolved refs")


def hold(route: Route) -> None:
    """Neither answered nor let go on."""


def test_a_question_can_be_answered_before_the_talk_has_come(visitor: Visitor) -> None:
    page = begun(visitor)
    checked(page, '(cbu.show :cbu-id "Quite Unheard Of")')
    page.get_by_role("button", name="Create new").click()
    creation = page.get_by_role("region", name="New cbu")
    creation.get_by_role("textbox").press("Enter")
    say(page, "LU")
    expect(creation).to_contain_text("to be confirmed")
    page.route("**/talk", hold)
    creation.get_by_role("button", name="Edit specific step").click()
    creation.get_by_role("button", name="name").click()
    creation.get_by_role("textbox").fill("Quite Heard Of")
    page.keyboard.press("Enter")
    creation.get_by_role("button", name="Confirm").click()
    expect(state(page)).to_have_text("ready to run")
    page.unroute("**/talk")  # which lets those go on that were held
    expect(page.locator(".saying.you").last).to_contain_text("Confirm")


# --- where it lives -------------------------------------------------------------


def test_sessions_are_listed_with_where_they_stand_and_have_an_address(
    visitor: Visitor, server: Server
) -> None:
    page = begun(visitor)
    say(page, "show allianz cbu")
    address = page.url
    made = json.loads(server.command("call", "session.start", "{}"))
    page.get_by_role("link", name="Antiphon", exact=True).click()
    page.keyboard.press("Alt+3")
    listed = page.get_by_role("region", name="Sessions").get_by_role("link")
    expect(listed).to_have_count(2)
    expect(listed.filter(has_text="session.set-cbu")).to_contain_text("asks")
    listed.filter(has_text="session.set-cbu").click()
    expect(page).to_have_url(address)
    expect(state(page)).to_have_text("unresolved refs")
    page.goto(f"{server.address}/r/{made['session_id']}")
    expect(state(page)).to_have_text("new")
    page.goto(f"{server.address}/r/nosuch")
    expect(page.get_by_role("heading", name="No such session")).to_be_visible()
    visitor.faults.clear()  # the browser says that there is none, too


def test_what_a_session_asks_is_in_the_inbox_and_answered_there(visitor: Visitor) -> None:
    page = begun(visitor)
    say(page, "show allianz cbu")
    expect(page.locator(".badge")).to_have_text("1")
    inbox = visitor.open("/questions")
    question = inbox.locator(".question")
    expect(question).to_contain_text("Which cbu is «allianz»?")
    inbox.keyboard.press("1")
    expect(question).to_contain_text("Run this program?")
    expect(state(page)).to_have_text("ready to run")
    inbox.keyboard.press("1")
    expect(inbox.get_by_text("Nothing waits for you")).to_be_visible()
    expect(state(page)).to_have_text("executed")


def test_what_is_asked_in_words_is_answered_in_the_inbox(visitor: Visitor) -> None:
    page = begun(visitor)
    say(page, "show cbu Quite Unheard Of")
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    page.keyboard.press("Alt+2")
    question = page.locator(".question")
    question.get_by_role("textbox").fill("create new")
    page.keyboard.press("Enter")
    expect(question.get_by_role("heading")).to_have_text("New cbu: What is the name?")
    expect(question.get_by_role("textbox")).to_have_value("Quite Unheard Of")
    question.get_by_role("textbox").press("Enter")
    expect(question.get_by_role("heading")).to_have_text("What is the jurisdiction?")
    seen(page, "questions-words-light")


def test_a_session_goes_on_when_the_server_is_killed_and_started_again(
    visitor: Visitor, server: Server
) -> None:
    page = begun(visitor)
    say(page, "show allianz cbu")
    expect(state(page)).to_have_text("unresolved refs")
    write(page, '(session.set-cbu :cbu-id "aviva")')
    server.kill()
    expect(state(page)).to_have_text("connecting…")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".saying.refused")).to_contain_text("does not answer")
    server.start()
    expect(state(page)).to_have_text("unresolved refs")
    expect(editor(page)).to_have_text('(session.set-cbu :cbu-id "aviva")')
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("dialog", name="Which cbu is «aviva»?")).to_be_visible()
    expect(page.locator(".saying.you").first).to_have_text("you: show allianz cbu")
    candidates(page).first.click()
    press(page, "Run")
    expect(state(page)).to_have_text("executed")


def test_the_keyboard_alone_is_enough_for_a_session(visitor: Visitor) -> None:
    page = visitor.open("/repl")
    expect(page.get_by_role("button", name="New session")).to_be_visible()
    tabbed_to(page, ".list-pane button.main")
    page.keyboard.press("Enter")
    expect(editor(page)).to_be_visible()
    tabbed_to(page, "#message")
    page.keyboard.type("show allianz cbu")
    page.keyboard.press("Enter")
    expect(state(page)).to_have_text("unresolved refs")
    tabbed_to(page, ".candidates button")
    page.keyboard.press("Enter")
    expect(state(page)).to_have_text("ready to run")
    tabbed_to(page, ".actions .main")
    page.keyboard.press("Enter")
    expect(state(page)).to_have_text("executed")
    # The editor keeps Tab to itself no more than any field: one gets out of it again.
    tabbed_to(page, ".cm-content")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.matches('.cm-content')")


def test_a_session_says_what_it_says_as_text(visitor: Visitor) -> None:
    page = begun(visitor)
    say(page, "<img src=x onerror=alert(1)> `code` <b>")
    expect(page.locator(".saying.you")).to_contain_text("<img src=x onerror=alert(1)> `code` <b>")
    checked(page, '(cbu.show :cbu-id "<img src=x onerror=alert(1)>")')
    expect(page.get_by_role("dialog")).to_contain_text("<img src=x")
    assert page.locator(".session img, .session b:not(.place b)").count() == 0
