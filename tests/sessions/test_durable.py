"""Sessions after a server that was killed: each as it was, its open question included, once."""

from __future__ import annotations

import http.client
import itertools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.databases import postgres
from tests.doors.doorways import STOP_S_MAX, Serving
from tests.sessions.talking import Answer, Talk
from tests.sessions.test_crash import victim
from tests.sessions.test_table import reach
from tests.sessions.victim import ARMED

STATES = ("NW", "IC", "IQ", "SE", "ME", "UR", "URc", "DE", "RR", "ED", "CA", "CL")
TWO = '(cbu.assign-role :cbu-id "allianz" :entity-id "John Smith" :role "DIRECTOR")'
WRITES_MAX = 200  # of a talk; each is a crash


def more(talk: Talk) -> None:
    """A session with everything that a restart could lose."""
    talk.run('(session.set-cbu :cbu-id "aviva lux 9")\n(cbu.ensure :name @b :jurisdiction "LU"'
             ' :as @a)\n(cbu.ensure :name "Kept" :jurisdiction "LU" :as @b)')  # fmt: skip
    talk.edit(TWO)
    talk.act("skip")
    talk.say("smyth")
    talk.to("POST", "/search", ref_id=talk.refs[1]["ref_id"], query="sarah")


@clause("repl D11", "repl d9")
def test_every_session_answers_as_before_and_its_question_is_answered_once(tmp_path: Path) -> None:
    first = Serving.begin(tmp_path)
    talks = {state: Talk.begin(first) for state in STATES}
    for state, talk in talks.items():
        reach(talk, state)
    talks["more"] = Talk.begin(first)
    more(talks["more"])
    for talk in talks.values():
        talk.get()
    told = talks["RR"].ask("GET", "/api/session?limit=100")["sessions"]
    talks["RR"].get()
    runs = talks["more"].to("GET", "/runs"), talks["more"].to("GET", "/talk")
    talks["more"].get()
    before = {state: talk.answer for state, talk in talks.items()}
    first.kill()

    second = Serving.begin(tmp_path)
    try:
        for talk in talks.values():
            talk.serving = second
        assert {state: talk.get() for state, talk in talks.items()} == before
        for state in ("IQ", "UR", "RR"):
            asked = before[state]["callout"]
            assert asked["block"].encode() == talks[state].answer["callout"]["block"].encode()
        assert (talks["more"].to("GET", "/runs"), talks["more"].to("GET", "/talk")) == runs
        assert talks["RR"].ask("GET", "/api/session?limit=100")["sessions"] == told
        open_ = [one["session_id"] for one in told if one["callout"]]
        assert len(open_) == len(set(open_)) == 4  # IQ, UR, RR and the last one
        answered(talks, before)
    finally:
        second.end()


def answered(talks: dict[str, Talk], before: dict[str, Answer]) -> None:
    """Each open question takes its answer, and takes it once."""
    for state, then in (("IQ", "semantic_error"), ("UR", "ready_to_run"), ("RR", "executed")):
        talk, rev = talks[state], before[state]["rev"]
        talk.say("1", rev=rev)
        assert talk.state == then
        talk.to("POST", "/chat", message="1", rev=rev)
        talk.refused(409, "stale_rev")
    creating = talks["URc"].say("Made later", "LU", "1")
    assert creating["session_state"]["state"] == "ready_to_run"
    rest = talks["more"]
    rest.get()
    found = rest.refs[1]["initial_matches"][0]["id"]  # by the search of before the crash
    rest.resolve(rest.refs[1]["ref_id"], found)
    assert rest.status == 200 and rest.answer["dsl_status"]["warnings"][0]["code"] == "W005"
    rest.edit("(cbu.roles :cbu-id @a)\n(session.info)")
    rest.execute()
    assert rest.answer["results"][1]["value"]["scope"]["display"] == "Aviva Lux 9"
    for talk in (talks["CA"], talks["CL"]):
        talk.to("POST", "/chat", message="list cbus")
        talk.refused(409, "session_terminal")


@pytest.mark.slow
@clause("repl D11", "repl D10")
def test_sessions_in_postgresql_roll_back_and_come_back_as_those_in_sqlite(tmp_path: Path) -> None:
    with postgres() as database:
        url = database.fresh()
        first = Serving.begin(tmp_path, ANTIPHON_DATABASE_URL=url)
        talk = Talk.begin(first)
        failed = talk.run(
            '(cbu.ensure :name "Gone" :jurisdiction "LU" :as @a)\n'
            '(cbu.rename :cbu-id @a :name "ALLIANZ FUNDS")\n(cbu.list)'
        )
        assert [one["status"] for one in failed["results"]] == ["ok", "failed", "skipped"]
        made = talk.run('(cbu.ensure :name "There" :jurisdiction "LU" :as @b)')["bindings"]
        talk.edit('(cbu.roles :cbu-id @b)\n(cbu.show :cbu-id "allianz")')
        before = talk.answer
        first.kill()
        talk.serving = Serving.begin(tmp_path, ANTIPHON_DATABASE_URL=url)
        try:
            assert talk.get() == before and before["bindings"] == made
            talk.say("1", "run")
            assert talk.answer["session_state"]["success"] is True
            rows = talk.run("(cbu.list)")["results"][0]["value"]
            assert {"Gone", "There"} & {row["name"] for row in rows} == {"There"}
        finally:
            talk.serving.end()


# --- a crash at each write --------------------------------------------------------

STEPS: tuple[tuple[Callable[[Talk], Answer], str], ...] = (
    (lambda talk: talk.to("POST", "/chat", message="show allianz cbu"), "unresolved_refs"),
    (lambda talk: talk.pick("ALLIANZ FUNDS"), "ready_to_run"),
    (lambda talk: talk.act("undo"), "unresolved_refs"),
    (lambda talk: talk.act("create_new"), "unresolved_refs"),
    (lambda talk: talk.to("POST", "/chat", message=f"Of {talk.session_id}"), "unresolved_refs"),
    (lambda talk: talk.to("POST", "/chat", message="LU"), "unresolved_refs"),
    (lambda talk: talk.to("POST", "/chat", message="1"), "ready_to_run"),
)


@pytest.mark.slow
@clause("repl D11", "repl d15")
def test_a_change_is_there_whole_or_not_at_all_wherever_it_is_cut(tmp_path: Path) -> None:
    cut: Talk | None = None
    before: list[Answer] = []
    for number in itertools.count(1):
        assert number < WRITES_MAX
        with victim(tmp_path) as serving:
            if cut is not None:
                looked_at(Talk(serving, cut.session_id), before)
            cut = Talk.begin(serving)
            (tmp_path / ARMED).write_text(str(number))
            before = [cut.answer]
            with suppress(OSError, http.client.HTTPException):
                for step, _ in STEPS:
                    step(cut)
                    assert cut.status == 200, cut.answer
                    before.append(cut.answer)
            if len(before) > len(STEPS):
                assert number > 2 * len(STEPS)
                return
            serving.process.wait(STOP_S_MAX)
            (tmp_path / ARMED).unlink()


def looked_at(talk: Talk, before: list[Answer]) -> None:
    """What was answered is there; the change that was cut is there whole, or is made now."""
    step, state = STEPS[len(before) - 1]
    if talk.get()["rev"] == before[-1]["rev"]:
        assert talk.answer == before[-1]
        step(talk)
        assert talk.status == 200, talk.answer
    assert (talk.rev, talk.state) == (before[-1]["rev"] + 1, state)
    if step is STEPS[-1][0]:
        other = Talk.begin(talk.serving)
        rows = other.run("(cbu.list)")["results"][0]["value"]
        (made,) = [row["cbu_id"] for row in rows if row["name"] == f"Of {talk.session_id}"]
        assert made in talk.source
