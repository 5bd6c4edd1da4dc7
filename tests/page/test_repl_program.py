"""The program of a session on the page: written, checked, planned, run."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Dialog, expect

from tests.page.conftest import Server, Visitor, shot
from tests.page.driving import BOTH, ask, faults_of
from tests.page.repling import (
    begun,
    checked,
    editor,
    press,
    say,
    shown,
    state,
    text_of,
    told,
    write,
)

CYCLE = (
    '(cbu.ensure :name @b :jurisdiction "LU" :as @a) '
    '(cbu.ensure :name @a :jurisdiction "LU" :as @b)'
)
STAGES = ("Intent", "Syntax", "Meaning", "References", "Order", "Ready", "Run")


def test_the_stage_that_is_reached_is_lit(visitor: Visitor) -> None:
    page = begun(visitor)
    lit = page.get_by_role("list", name="Stages of the compiler").locator("[aria-current=step]")
    for source, stage, look in (
        ('(cbu.show :cbu-id "x"', "Syntax", "ill"),
        ("(cbu.shown)", "Meaning", "ill"),
        ('(cbu.show :cbu-id "allianz")', "References", "now"),
        (CYCLE, "Order", "ill"),
        ("(cbu.list)", "Ready", "now"),
    ):
        checked(page, source)
        expect(lit).to_contain_text(stage)
        expect(lit).to_have_class(look)
        past = page.locator(".stages .past .name")
        expect(past).to_have_text(STAGES[: STAGES.index(stage)])
    press(page, "Run")
    expect(lit).to_contain_text("Run")
    expect(lit).to_have_class("done")


# --- the editor -----------------------------------------------------------------


@BOTH
def test_a_fault_is_marked_while_it_is_written_and_mended_with_its_fix(
    visitor: Visitor, theme: str
) -> None:
    page = begun(visitor)
    write(page, '(cbu.ensurre :name "A" :jurisdiction "LU")')
    marked = page.locator(".cm-lintRange-error")
    expect(marked).to_have_text("cbu.ensurre")
    expect(page.locator(".dirty")).to_be_visible()
    marked.hover()
    tip = page.locator(".cm-tooltip .cm-diagnostic")
    expect(tip).to_contain_text("there is no verb")
    assert faults_of(page) == []
    tip.get_by_role("button", name="write `cbu.ensure`").click()
    expect(editor(page)).to_have_text('(cbu.ensure :name "A" :jurisdiction "LU")')
    expect(marked).to_have_count(0)
    checked(page, '(cbu.ensurre :name "A" :jurisdiction "LU")')
    expect(state(page)).to_have_text("semantic error")
    faults = page.get_by_role("region", name="Faults")
    expect(faults).to_contain_text("E010 line 1, column 2")
    shown(page, "fault", theme)
    faults.get_by_role("button", name=re.compile("E010")).click()
    page.keyboard.type("x")
    expect(editor(page)).to_contain_text("(xcbu.ensurre")
    page.keyboard.press("Backspace")
    faults.get_by_role("button", name="write cbu.ensure").click()
    page.keyboard.press("Control+Enter")
    expect(state(page)).to_have_text("ready to run")


def test_marks_stand_where_the_server_means_them_whatever_the_letters(visitor: Visitor) -> None:
    page = begun(visitor)
    write(page, '(cbu.list :jurisdiction "LU") ; «Zürich» 👩‍🚀\n(cbu.lost)')
    expect(page.locator(".cm-lintRange-error")).to_have_text("cbu.lost")


def test_the_editor_completes_verbs_arguments_and_values(visitor: Visitor) -> None:
    page = begun(visitor)
    editor(page).click()
    page.keyboard.type("(cbu.ens")
    offered = page.locator(".cm-tooltip-autocomplete li")
    expect(offered.first).to_contain_text("cbu.ensure")
    offered.first.click()
    expect(editor(page)).to_contain_text("(cbu.ensure")
    page.keyboard.type(" :jur")
    expect(offered.first).to_contain_text("jurisdiction")
    page.keyboard.press("Escape")
    write(page, '(cbu.ensure :name "A" :jurisdiction "L')
    page.keyboard.press("Control+Space")
    expect(offered.filter(has_text="LU")).to_have_count(1)
    page.keyboard.press("Escape")
    write(page, '(cbu.show :cbu-id "allianz them")')
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+Space")
    offered.filter(has_text="Allianz Thematica").click()
    expect(editor(page)).to_have_text(
        re.compile(r'\(cbu\.show :cbu-id "[0-9a-f-]{36}"\) ; Allianz Thematica')
    )


def test_what_is_not_the_servers_yet_is_marked_checked_or_discarded(
    visitor: Visitor, server: Server
) -> None:
    page = begun(visitor)
    write(page, "(cbu.list)")
    expect(page.locator(".dirty")).to_be_visible()
    assert told(page, server)["dsl_source"] is None
    page.get_by_role("button", name="Discard").click()
    expect(page.locator(".dirty")).to_have_count(0)
    expect(editor(page).locator(".cm-placeholder")).to_be_visible()
    write(page, "(cbu.list)")
    page.get_by_role("button", name="Check").click()
    expect(state(page)).to_have_text("ready to run")
    assert told(page, server)["dsl_source"] == "(cbu.list)"
    # A text that was changed is not run before it was seen as a plan.
    write(page, '(cbu.list :jurisdiction "LU")')
    press(page, "Run")
    expect(page.locator(".note")).to_contain_text("Look at its plan")
    expect(state(page)).to_have_text("ready to run")
    expect(page.get_by_role("region", name="Plan")).to_contain_text('"LU"')
    press(page, "Run")
    expect(state(page)).to_have_text("executed")


@pytest.mark.parametrize("choice", ["Take theirs", "Keep mine"])
def test_nothing_is_written_over_that_was_not_seen(
    visitor: Visitor, server: Server, choice: str
) -> None:
    page = begun(visitor)
    checked(page, "(cbu.list)")
    write(page, '(cbu.list :jurisdiction "LU")')
    told(page, server, "session.edit", source='(cbu.list :jurisdiction "IE")')
    conflict = page.get_by_role("alert").filter(has_text="changed elsewhere")
    expect(conflict).to_be_visible()
    expect(editor(page)).to_have_text('(cbu.list :jurisdiction "LU")')
    assert faults_of(page) == []
    shot(page, "repl-conflict-light")
    conflict.get_by_role("button", name=choice).click()
    expect(conflict).to_have_count(0)
    mine = choice == "Keep mine"
    expect(editor(page)).to_have_text(f'(cbu.list :jurisdiction "{"LU" if mine else "IE"}")')
    expect(page.locator(".dirty")).to_have_count(1 if mine else 0)
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".dirty")).to_have_count(0)
    assert told(page, server)["dsl_source"] == text_of(page)


# --- runs -----------------------------------------------------------------------


@BOTH
def test_a_plan_is_shown_before_a_run_its_progress_during_and_its_results_after(
    visitor: Visitor, server: Server, theme: str
) -> None:
    page = begun(visitor)
    checked(
        page,
        '(cbu.show :cbu-id @fund)\n(cbu.ensure :name "Paged" :jurisdiction "LU" :as @fund)\n'
        '(terminal.run :cmd "read line; echo got $line" :conversation "asks")\n'
        '(terminal.run :cmd "exit 3" :conversation "fails")\n(cbu.list :jurisdiction "LU")',
    )
    plan = page.get_by_role("region", name="Plan")
    expect(plan).to_contain_text("5 statements in 2 phases")
    expect(plan).to_contain_text("not in the order of the text")
    expect(plan.locator(".effect.external")).to_have_count(2)
    expect(page.get_by_role("region", name="Warnings")).to_contain_text("W010")
    shown(page, "plan", theme)
    press(page, "Run")
    expect(state(page)).to_have_text("executing")
    expect(plan.locator(".busy", has_text="running")).to_be_visible()
    for name, is_possible in (("Run", False), ("Edit", False), ("Clear", False), ("Cancel", True)):
        button = page.get_by_role("toolbar").get_by_role("button", name=name)
        expect(button).to_be_enabled() if is_possible else expect(button).to_be_disabled()
    page.reload()  # what it shows is the server's
    expect(plan.locator(".busy", has_text="running")).to_be_visible()
    shown(page, "executing", theme)
    ask(server, "blocks.get", conversation_id="asks", block_id="asks.1")  # it is what reads
    ask(server, "pty.send", conversation_id="asks", data="this\r")
    expect(state(page)).to_have_text("executed, failed")
    results = page.get_by_role("region", name="Results")
    expect(results.locator(".fault")).to_contain_text("Statement 4")
    expect(results.locator(".tag.ill")).to_have_count(2)
    expect(results).to_contain_text("got this")
    shown(page, "failed", theme)
    # And then the plan of what is next says nothing about what was.
    press(page, "Undo")
    expect(state(page)).to_have_text("ready to run")
    expect(plan.locator(".tag.well")).to_have_count(0)


@BOTH
def test_a_plan_that_is_stale_is_shown_anew_with_what_changed_and_run(
    visitor: Visitor, server: Server, theme: str
) -> None:
    page = begun(visitor)
    checked(page, '(cbu.rename :cbu-id "Aviva Lux 9" :name "Aviva Lux 10")')
    expect(state(page)).to_have_text("ready to run")
    other = begun(visitor)
    checked(other, '(cbu.rename :cbu-id "Aviva Lux 9" :name "Aviva Luxembourg")')
    press(other, "Run")
    expect(state(other)).to_have_text("executed")
    press(page, "Run")
    changed = page.get_by_role("alert", name="What changed")
    expect(changed).to_contain_text("Aviva Lux 9 is Aviva Luxembourg now")
    expect(page.get_by_role("region", name="Plan")).to_contain_text("cbu.rename")
    expect(page.locator(".saying.refused")).to_contain_text("Nothing has run")
    expect(state(page)).to_have_text("ready to run")
    shown(page, "stale", theme)
    press(page, "Run")
    expect(state(page)).to_have_text("executed")
    expect(changed).to_have_count(0)
    expect(page.get_by_role("region", name="Results")).to_contain_text("succeeded")
    (fault,) = visitor.faults
    assert "409" in fault
    visitor.faults.clear()


def test_a_run_is_cancelled_and_the_session_with_it(visitor: Visitor) -> None:
    page = begun(visitor)
    checked(page, '(terminal.run :cmd "read line" :conversation "waits")')
    press(page, "Run")
    expect(state(page)).to_have_text("executing")
    press(page, "Cancel")
    expect(state(page)).to_have_text("cancelled")
    for button in page.get_by_role("toolbar").get_by_role("button").all()[:-1]:
        expect(button).to_be_disabled()
    expect(page.get_by_label("Message", exact=True)).to_be_disabled()


def test_buttons_are_what_the_server_says_and_nothing_else(
    visitor: Visitor, server: Server
) -> None:
    page = begun(visitor)
    names = {"clear": "Clear", "undo": "Undo", "cancel": "Cancel", "edit": "Edit"}
    for message in ("", "create entity", "show allianz cbu", "1", "clear"):
        if message:
            say(page, message)
            expect(page.locator(".saying.you").last).to_contain_text(re.compile(f"{message}|1\\)"))
            expect(page.locator(".saying").last).to_have_class("saying server")
        answer = told(page, server)
        known = answer["available_actions"]
        assert isinstance(known, list)
        for action, name in names.items():
            button = page.get_by_role("toolbar").get_by_role("button", name=name)
            expect(button).to_be_enabled() if action in known else expect(button).to_be_disabled()
        run = page.get_by_role("toolbar").get_by_role("button", name="Run")
        expect(run).to_be_enabled() if answer["can_execute"] else expect(run).to_be_disabled()


def test_undo_clear_and_cancel_do_what_they_say(visitor: Visitor) -> None:
    page = begun(visitor)
    checked(page, "(cbu.list)")
    press(page, "Clear")
    expect(state(page)).to_have_text("new")
    expect(page.get_by_role("toolbar").get_by_role("button", name="Undo")).to_be_disabled()
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss() if len(asked) == 1 else dialog.accept()

    page.on("dialog", answer)
    press(page, "Cancel")
    expect(state(page)).to_have_text("new")
    press(page, "Cancel")
    expect(state(page)).to_have_text("cancelled")
    assert len(asked) == 2 and "ends this session" in asked[0]
