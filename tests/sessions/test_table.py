"""Every cell of the table at the HTTP door: where an event leads, or with what it is refused."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.sessions.talking import Answer, Talk

FOLDER = Path(__file__).parent.parent / "repl"
NAMES = {
    "NW": "new", "IC": "intent_capture", "IQ": "intent_clarify", "DA": "dsl_assembly",
    "SV": "syntax_validation", "SE": "syntax_error", "MV": "semantic_validation",
    "ME": "semantic_error", "UR": "unresolved_refs", "URc": "unresolved_refs_creating",
    "DR": "dependency_resolution", "DE": "dependency_error", "RR": "ready_to_run",
    "EX": "executing", "ED": "executed", "CA": "cancelled", "CL": "closed",
}  # fmt: skip
CODES = {
    "x": "invalid_event", "nr": "not_ready", "b": "busy", "t": "session_terminal",
    "pc": "plan_consumed",
}  # fmt: skip
PASSING = ("DA", "SV", "MV", "DR")  # no request finds a session in one of them
WITHIN = ("create_ok", "create_cancel")  # no client asks for these: they follow from others
WAITING = '(terminal.run :cmd "read line" :conversation "waiting-{}")'


def table() -> list[tuple[str, str, str]]:
    with (FOLDER / "states.csv").open(newline="") as file:
        return [
            (row["state"], event, cell)
            for row in csv.DictReader(file)
            for event, cell in row.items()
            if event != "state"
        ]


CELLS = table()
ASKED = [
    pytest.param(*cell, id="-".join(cell[:2]))
    for cell in CELLS
    if cell[0] not in (*PASSING, "EX") and cell[1] not in WITHIN
]


def reach(talk: Talk, state: str) -> None:
    """The session in this state, with a history where it can have one."""
    match state:
        case "IQ":
            talk.say("create entity")
        case "IC":
            talk.say("create entity")
            talk.act("none_of_these")
        case "SE":
            talk.edit("(cbu.list")
        case "ME":
            talk.edit("(cbu.lst)")
        case "UR":
            talk.say("show allianz cbu")
        case "URc":
            talk.say("show allianz cbu")
            talk.act("create_new")
        case "DE":
            talk.edit("(cbu.show :cbu-id @nobody)")
        case "RR":
            talk.edit("(cbu.list)")
        case "ED":
            talk.run("(cbu.list)")
        case "CA":
            talk.act("cancel")
        case "CL":
            talk.to("DELETE")
        case _:
            pass
    wanted = "UR" if state == "URc" else state
    assert talk.state == NAMES[wanted], talk.answer


def resolve(talk: Talk) -> Answer:
    refs = talk.answer.get("unresolved_refs")
    if refs:
        return talk.resolve(refs[0]["ref_id"], refs[0]["initial_matches"][0]["id"])
    return talk.resolve("ref-0", "LU")


def search(talk: Talk) -> Answer:
    refs = talk.answer.get("unresolved_refs")
    return talk.to("POST", "/search", ref_id=refs[0]["ref_id"] if refs else "ref-0", query="aviva")


EVENTS: dict[str, Callable[[Talk], Answer]] = {
    "message": lambda talk: talk.to("POST", "/chat", message="list cbus"),
    "select_intent": lambda talk: talk.to("POST", "/intent", option_id="option-1"),
    "none_of_these": lambda talk: talk.act("none_of_these"),
    "resolve_ref": resolve,
    "skip": lambda talk: talk.act("skip"),
    "create_new": lambda talk: talk.act("create_new"),
    "search": search,
    "run": lambda talk: talk.execute(),
    "clear": lambda talk: talk.act("clear"),
    "undo": lambda talk: talk.act("undo"),
    "edit": lambda talk: talk.edit("(cbu.list)"),
    "help": lambda talk: talk.act("help"),
    "cancel": lambda talk: talk.act("cancel"),
    "bail": lambda talk: talk.act("bail"),
    "close": lambda talk: talk.to("DELETE"),
}


@clause("repl states", "repl 1o", "repl d3")
@pytest.mark.parametrize(("state", "event", "cell"), ASKED)
def test_an_event_does_what_its_cell_says(talk: Talk, state: str, event: str, cell: str) -> None:
    reach(talk, state)
    before = talk.get()
    EVENTS[event](talk)
    check(talk, before, event, cell)


def check(talk: Talk, before: Answer, event: str, cell: str) -> None:
    if cell in CODES:
        talk.refused(409, CODES[cell])
        assert talk.get() == before
        return
    has_history = "undo" in before["available_actions"]
    if cell == "U" and not has_history:
        talk.refused(409, "no_history")
        assert talk.get() == before
        return
    assert talk.status == 200, talk.answer
    answer = talk.answer
    first, now = answer["trace"][0], before["session_state"]["state"]
    asks_only = event in ("help", "search") or cell == "=s"
    assert answer["rev"] - before["rev"] == (0 if asks_only else 1)
    assert answer["trace"][-1] == answer["session_state"]["state"]
    match cell:
        case "=":
            told = {"message", "trace"}
            assert {k: v for k, v in answer.items() if k not in told} == {
                k: v for k, v in before.items() if k not in told
            }
            assert talk.get() == before
        case "=s" | "=f":
            assert answer["session_state"]["state"] == now
        case "U":
            assert first in ("syntax_validation", "new")
        case "NX":
            assert first in ("unresolved_refs", "dependency_resolution")
        case "URc":
            assert first == "unresolved_refs" and "creating" in answer["session_state"]
        case _:
            assert first == NAMES[cell]


@clause("repl states", "repl 1f")
def test_while_a_program_runs_only_help_and_cancel_are_taken(talk: Talk) -> None:
    talk.edit(WAITING.format(talk.session_id))
    talk.execute()
    assert talk.state == "executing" and talk.answer["available_actions"] == ["cancel"]
    before = talk.get()
    cells = {event: cell for state, event, cell in CELLS if state == "EX"}
    for event, ask in EVENTS.items():
        if cells[event] == "=c":
            continue
        ask(talk)
        if cells[event] == "=":
            assert talk.status == 200
        else:
            talk.refused(409, CODES[cells[event]])
        assert talk.get() == before
    talk.act("cancel")
    assert talk.status == 200 and talk.rev == before["rev"] + 1


@clause("repl 2c", "repl d10", "repl states", "repl responses")
def test_the_table_that_is_told_is_the_contracts(serving: Serving) -> None:
    talk = Talk(serving)
    told = talk.ask("GET", "/api/repl/states")
    assert told["states"] == list(NAMES.values())
    assert told["events"] == list(dict.fromkeys(event for _, event, _ in CELLS))
    for state, event, cell in CELLS:
        found = told["cells"][NAMES[state]][event]
        if cell in CODES:
            assert found == {"refuse": CODES[cell]}, (state, event)
        elif cell in NAMES:
            assert found == {"to": NAMES[cell]}, (state, event)
        else:
            assert set(found) == {"to"}, (state, event)
    with (FOLDER / "responses.csv").open(newline="") as file:
        rows = [(row["state"], row["response"], row["next"]) for row in csv.DictReader(file)]
    for state, response, to in rows:
        nexts = [
            one["next"]
            for one in told["responses"]
            if (one["state"], one["response"]) == (NAMES[state], response)
        ]
        if to != "PRIOR":
            assert nexts == [NAMES[to]]
    known = {(NAMES[state], response) for state, response, _ in rows}
    assert {(one["state"], one["response"]) for one in told["responses"]} == known
