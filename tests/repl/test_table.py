from __future__ import annotations

import csv
from pathlib import Path

import pytest

from antiphon.base.errors import Code
from antiphon.repl import table as t
from antiphon.repl.table import Event, Response, State
from tests.clauses import clause

HERE = Path(__file__).parent
STATES = {
    "NW": State.NEW,
    "IC": State.INTENT_CAPTURE,
    "IQ": State.INTENT_CLARIFY,
    "DA": State.DSL_ASSEMBLY,
    "SV": State.SYNTAX_VALIDATION,
    "SE": State.SYNTAX_ERROR,
    "MV": State.SEMANTIC_VALIDATION,
    "ME": State.SEMANTIC_ERROR,
    "UR": State.UNRESOLVED_REFS,
    "URc": State.CREATING,
    "DR": State.DEPENDENCY_RESOLUTION,
    "DE": State.DEPENDENCY_ERROR,
    "RR": State.READY_TO_RUN,
    "EX": State.EXECUTING,
    "ED": State.EXECUTED,
    "CA": State.CANCELLED,
    "CL": State.CLOSED,
}
REFUSALS = {
    "x": Code.INVALID_EVENT,
    "nr": Code.NOT_READY,
    "b": Code.BUSY,
    "t": Code.SESSION_TERMINAL,
    "pc": Code.PLAN_CONSUMED,
}


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


CELLS = [
    (row["state"], event, cell)
    for row in rows("states.csv")
    for event, cell in row.items()
    if event != "state"
]
LIVE = {(row["state"], row["response"]): row["next"] for row in rows("responses.csv")}
PAIRS = [
    (state, response.value, LIVE.get((state, response.value), "stale"))
    for state in STATES
    for response in Response
]


def test_the_tables_have_every_state_event_and_response() -> None:
    assert [row["state"] for row in rows("states.csv")] == list(STATES)
    assert set(STATES.values()) == set(State)
    assert [event for event in rows("states.csv")[0] if event != "state"] == [
        e.value for e in Event
    ]
    assert {response for _, response in LIVE} == {response.value for response in Response}
    assert len(CELLS) == 17 * 17 and len(PAIRS) == 17 * 14


def becomes(state: State, fact: t.Fact) -> State:
    return t.SESSIONS.step(state, fact())


@clause("repl states")
@pytest.mark.parametrize(("code", "name", "cell"), CELLS)
def test_a_cell_of_the_table_of_states(code: str, name: str, cell: str) -> None:
    state, event = STATES[code], Event(name)
    facts = t.EVENT_FACTS[event]
    if cell in REFUSALS:
        assert not any(t.SESSIONS.allows(state, fact) for fact in facts)
        assert not t.takes(state, event) and t.outcome(state, event) is REFUSALS[cell]
        return
    assert t.takes(state, event)
    after = [becomes(state, fact) for fact in facts]
    assert t.outcome(state, event) is after[0]
    if cell == "U":
        assert after == [State.SYNTAX_VALIDATION, State.NEW]
    elif cell == "NX":
        assert after == [State.UNRESOLVED_REFS, State.DEPENDENCY_RESOLUTION]
    elif cell in ("=", "=s", "=f", "=c"):
        assert after == [state]
    else:
        assert after == [STATES[cell]]


@clause("repl responses")
@pytest.mark.parametrize(("code", "name", "cell"), PAIRS)
def test_a_cell_of_the_table_of_responses(code: str, name: str, cell: str) -> None:
    state, response = STATES[code], Response(name)
    facts = t.RESPONSE_FACTS[response]
    if cell == "stale":
        assert not any(t.SESSIONS.allows(state, fact) for fact in facts)
    elif cell == "PRIOR":
        assert {prior: becomes(state, fact) for prior, fact in t.NO_INTENT.items()} == {
            prior: prior for prior in t.LISTENING
        }
    else:
        assert becomes(state, facts[0]) is STATES[cell]


def test_every_row_belongs_to_an_event_or_a_response() -> None:
    known = {
        fact for facts in (*t.EVENT_FACTS.values(), *t.RESPONSE_FACTS.values()) for fact in facts
    }
    assert {fact for _, fact, _, _ in t.SESSIONS.rows} == known


@clause("repl part 2")
def test_sixteen_states_are_told_and_each_can_be_reached() -> None:
    assert len({state.wire for state in State}) == 16
    reached, new = set[State](), {State.NEW}
    while new:
        reached |= new
        new = {become for state, _, become, _ in t.SESSIONS.rows if state in reached} - reached
    assert reached == set(State)


@clause("repl part 4 cancel")
def test_nothing_leads_out_of_a_session_that_has_ended() -> None:
    for state in t.ENDED:
        assert {become for where, _, become, _ in t.SESSIONS.rows if where is state} == {state}
