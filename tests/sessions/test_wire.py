"""What an answer of a session is made of, field by field, in every state; and the order of no."""

from __future__ import annotations

import csv
from itertools import pairwise
from typing import Any

import pytest

from antiphon.wire.sessions import STATES
from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.sessions.talking import Answer, Talk
from tests.sessions.test_table import FOLDER, NAMES, reach

FIELDS = {
    "ok", "session_id", "rev", "message", "session_state", "dsl_source", "dsl_status",
    "intent_options", "unresolved_refs", "errors", "plan", "results", "commands", "can_execute",
    "available_actions", "auto_resolved", "dsl_user_edited", "bindings", "trace", "callout",
}  # fmt: skip
BROKEN = ({"errors"}, {"errors", "errors_count"}, ["clear", "undo", "cancel", "edit"])
CALM = ["clear", "cancel", "edit"]
# state -> the fields beside it that are not null, those within it, what is offered, the stage
RESTING: dict[str, tuple[set[str], set[str], list[str], str | None]] = {
    "NW": (set(), set(), CALM, None),
    "IC": (set(), set(), CALM, None),
    "IQ": ({"intent_options"}, {"options", "original_message"}, CALM, None),
    "SE": (BROKEN[0], BROKEN[1] | {"partial_ast"}, BROKEN[2], "parsing"),
    "ME": (*BROKEN, "semantic_validation"),
    "UR": (
        {"unresolved_refs"}, {"refs", "current_index"},
        ["clear", "undo", "cancel", "skip", "create_new", "edit"], "ref_resolution",
    ),
    "URc": (
        {"unresolved_refs"}, {"refs", "current_index", "creating"},
        ["clear", "undo", "cancel", "edit"], "ref_resolution",
    ),
    "DE": (*BROKEN, "dependency_resolution"),
    "RR": ({"plan"}, set(), ["clear", "undo", "cancel", "edit"], "ready"),
    "ED": ({"results"}, {"success", "results"}, ["clear", "undo", "cancel", "edit"], "ready"),
    "CA": (set(), set(), [], None),
    "CL": (set(), set(), [], None),
}  # fmt: skip


@clause("repl 1a", "repl 1b", "repl 1e", "repl 1f", "repl d1", "repl d6")
@pytest.mark.parametrize("code", RESTING)
def test_an_answer_has_every_field_and_only_its_states_are_not_null(talk: Talk, code: str) -> None:
    beside, within, offered, stage = RESTING[code]
    reach(talk, code)
    answer = talk.answer
    name = "unresolved_refs" if code == "URc" else NAMES[code]
    assert set(answer) == FIELDS and answer["session_id"] == talk.session_id
    assert set(answer["session_state"]) == {"state", *within} and name in STATES
    assert answer["session_state"]["state"] == name
    payloads = ("intent_options", "unresolved_refs", "errors", "plan", "results")
    assert {one for one in payloads if answer[one] is not None} == beside
    for outer, inner in (("intent_options", "options"), ("unresolved_refs", "refs"),
                         ("errors", "errors"), ("results", "results")):  # fmt: skip
        if outer in beside:
            assert answer["session_state"][inner] == answer[outer]
    assert answer["available_actions"] == offered
    assert answer["can_execute"] is (code == "RR")
    assert (answer["dsl_status"] or {"stage": None})["stage"] == stage
    assert answer["trace"][-1] == name and set(answer["trace"]) <= set(STATES)
    assert talk.get() == answer


@clause("repl d1")
def test_a_session_begins_with_nothing_and_stays_readable_when_it_is_closed(talk: Talk) -> None:
    assert (talk.status, talk.answer["rev"], talk.state) == (201, 0, "new")
    assert (talk.answer["bindings"], talk.answer["auto_resolved"]) == ({}, [])
    assert talk.answer["dsl_source"] is None and talk.answer["callout"] is None
    talk.edit("(cbu.list)")
    talk.to("DELETE", "?rev=0")
    assert talk.refused(409, "stale_rev")["rev"] == 1
    talk.to("DELETE", "?rev=one")
    talk.refused(422, "invalid_request")
    closed = talk.to("DELETE", "?rev=1")
    assert (talk.status, talk.state, talk.rev) == (200, "closed", 2)
    assert talk.get() == closed and closed["dsl_source"] == "(cbu.list)"


def test_a_session_begins_with_an_empty_object_or_with_no_body(serving: Serving) -> None:
    for body, status in ((b"{}", 201), (b"", 201), (b'{"id":1}', 422), (b"[]", 422)):
        assert serving.exchange("POST", "/api/session", body)[0] == status


# --- a program without a session --------------------------------------------------


@clause("repl 2d", "repl d10")
def test_a_program_is_checked_without_a_session(serving: Serving) -> None:
    talk = Talk(serving)

    def check(source: str) -> Answer:
        return talk.ask("POST", "/api/dsl/check", source=source)

    source = '; é\n(cbu.show :cbu-id "allianz")\n'
    answer = check(source)
    assert talk.status == 200 and set(answer) == {"ok", "diagnostics", "statements", "refs"}
    assert (answer["ok"], answer["diagnostics"], answer["statements"]) == (True, [], 1)
    (ref,) = answer["refs"]
    assert (ref["search_value"], ref["entity_type"]) == ("allianz", "cbu")
    place = ref["location"]
    assert (place["statement_index"], place["verb"], place["arg_name"], place["arg_path"]) == (
        0, "cbu.show", "cbu-id", "cbu-id",
    )  # fmt: skip
    span = place["span"]
    assert source.encode()[span["start"] : span["end"]] == b'"allianz"'
    assert (span["line"], span["column"]) == (2, 19)
    answer = check("(cbu.lst)\n(cbu.list")
    assert talk.status == 200 and answer["ok"] is False and answer["statements"] == 1
    (found,) = answer["diagnostics"]
    assert set(found) == {
        "code", "severity", "message", "span", "labels", "help", "fixes", "rendered",
    }  # fmt: skip
    assert (found["code"], found["severity"], found["span"]["line"]) == ("E003", "error", 2)
    answer = check("(cbu.lst)\n" * 30)
    assert len(answer["diagnostics"]) == 20 and answer["more"] == 10
    assert [one["code"] for one in check("")["diagnostics"]] == ["W007"]
    talk.ask("POST", "/api/dsl/check", source="; " + "x" * (1 << 20))
    talk.refused(413, "limit_reached")
    talk.ask("POST", "/api/dsl/check", program="(cbu.list)")
    talk.refused(422, "invalid_request")


# --- plans ------------------------------------------------------------------------


@clause("repl d7", "repl D9")
def test_a_plan_tells_phases_and_statements_with_verb_effect_and_text(talk: Talk) -> None:
    lines = (
        "(cbu.roles :cbu-id @f) ; who",
        '(cbu.ensure :name "Planned" :jurisdiction "LU" :as @f)',
        '(terminal.run :cmd "true")',
    )
    plan = talk.edit("\n".join(lines))["plan"]
    assert set(plan) == {"plan_id", "phases", "statements"}
    assert plan["phases"] == [[1, 2], [0]]
    assert plan["statements"] == [
        {"statement_index": 0, "verb": "cbu.roles", "effect": "read", "text": lines[0][:22]},
        {"statement_index": 1, "verb": "cbu.ensure", "effect": "write", "text": lines[1]},
        {"statement_index": 2, "verb": "terminal.run", "effect": "external", "text": lines[2]},
    ]
    again = talk.edit("\n\n".join(reversed(lines)))["plan"]
    assert again["plan_id"] != plan["plan_id"] and again["phases"] == [[0, 1], [2]]
    assert talk.edit("  " + "\n ".join(lines) + " ; said")["plan"]["plan_id"] == plan["plan_id"]


@clause("repl D9a")
def test_who_names_the_plan_of_now_has_it_run(talk: Talk) -> None:
    talk.run('(cbu.ensure :name "Moves on" :jurisdiction "LU")')
    shown = talk.edit('(cbu.show :cbu-id "moves on")')["plan"]["plan_id"]
    other = Talk.begin(talk.serving)
    other.edit('(cbu.tag :cbu-id "moves on" :tags ["touched"])')
    other.execute()
    now = talk.execute(plan_id=shown)["plan_id"]
    talk.refused(409, "plan_stale")
    assert now != shown and talk.get()["plan"]["plan_id"] == shown
    talk.execute(plan_id=now)
    assert talk.state == "executed"
    assert talk.to("GET", "/runs")["runs"][-1]["plan_id"] == now
    talk.edit('(cbu.show :cbu-id "moves on")')
    other.edit('(cbu.delete :cbu-id "moves on")')
    other.execute()
    assert talk.execute()["plan_id"] is None
    talk.refused(409, "plan_stale")
    talk.edit(talk.get()["dsl_source"])
    assert [one["code"] for one in talk.answer["errors"]] == ["E040"]


# --- refusals ---------------------------------------------------------------------

SHAPELESS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/chat", {}),
    ("POST", "/chat", {"message": 1}),
    ("POST", "/chat", {"message": "x", "more": 1}),
    ("POST", "/chat", {"message": "x", "rev": "1"}),
    ("PUT", "/dsl", {}),
    ("POST", "/resolve", {"ref_id": "x"}),
    ("POST", "/search", {"ref_id": "x", "limit": 51}),
    ("POST", "/search", {"ref_id": "x", "offset": -1}),
    ("POST", "/action", {"action": "run"}),
    ("POST", "/intent", {}),
    ("POST", "/intent", {"intents": []}),
    ("POST", "/intent", {"intents": [{"verb": "cbu.list"}], "option_id": "option-1"}),
    ("POST", "/execute", {"plan": "x"}),
)
SHAPED: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/chat", {"message": "list cbus"}),
    ("POST", "/chat", {"message": "list cbus", "rev": 99}),
    ("POST", "/chat", {"message": "undo"}),
    ("PUT", "/dsl", {"source": ""}),
    ("POST", "/resolve", {"ref_id": "x", "entity_id": "y"}),
    ("POST", "/search", {"ref_id": "x"}),
    ("POST", "/action", {"action": "clear"}),
    ("POST", "/intent", {"option_id": "x"}),
    ("POST", "/intent", {"intents": [{"verb": "cbu.list"}]}),
    ("POST", "/execute", {"plan_id": "x"}),
    ("DELETE", "", {}),
)


@clause("repl d2", "repl 1o")
def test_who_one_is_comes_before_what_one_asks_and_its_shape_before_the_state(talk: Talk) -> None:
    ended = talk.act("cancel")
    nobody = Talk(talk.serving, "nobody")
    for verb, rest, body in (*SHAPELESS, *SHAPED):
        path = f"/api/session/{talk.session_id}{rest}"
        assert talk.serving.exchange(verb, path, b"{}", {"Authorization": "Bearer x"})[0] == 401
        nobody.to(verb, rest, **body)
        nobody.refused(404, "session_not_found")
    for verb, rest, body in SHAPELESS:
        talk.to(verb, rest, **body)
        talk.refused(422, "invalid_request")
    for verb, rest, body in SHAPED:
        talk.to(verb, rest, **body)
        talk.refused(409, "session_terminal")
    assert talk.get() == ended


@clause("repl d2")
def test_a_source_has_1_mib_and_a_message_64_kib(talk: Talk) -> None:
    talk.edit("; " + "é" * ((1 << 19) - 1))
    assert talk.status == 200 and talk.rev == 1
    talk.edit("; " + "x" * ((1 << 20) - 1))
    assert "1048576" in talk.refused(413, "limit_reached")["message"]
    talk.say("x" * (64 << 10))
    talk.to("POST", "/chat", message="x" * ((64 << 10) + 1))
    assert "65536" in talk.refused(413, "limit_reached")["message"]
    assert talk.get()["rev"] == 2


# --- the table of responses -------------------------------------------------------

SAID = {
    "intent_confirmed": "list cbus",
    "intent_ambiguous": "create entity",
    "intent_none": "blubber",
    "dsl_built": "list cbus",
    "parse_ok": "(cbu.list)",
    "parse_err": "(cbu.list",
    "lint_ok": "(cbu.list)",
    "lint_err": "(cbu.lst)",
    "lint_unresolved": '(cbu.show :cbu-id "allianz")',
    "plan_ok": "(cbu.list)",
    "plan_err": "(cbu.show :cbu-id @nobody)",
    "exec_ok": "(cbu.list)",
    "exec_failed": '(terminal.run :cmd "false")',
}


def rows() -> list[Any]:
    with (FOLDER / "responses.csv").open(newline="") as file:
        found = [(row["state"], row["response"], row["next"]) for row in csv.DictReader(file)]
    # How a run is cancelled is told in test_runs.py.
    return [pytest.param(*row, id="-".join(row)) for row in found if row[1] != "exec_cancelled"]


@clause("repl responses", "repl 1d")
@pytest.mark.parametrize(("state", "response", "to"), rows())
def test_a_response_leads_where_its_row_says(
    talk: Talk, state: str, response: str, to: str
) -> None:
    trace = list(talk.say(SAID[response])["trace"])
    if response.startswith("exec_"):
        trace = talk.execute()["trace"]
    wanted = (NAMES[state], "new" if to == "PRIOR" else NAMES[to])
    assert wanted in list(pairwise(trace))
