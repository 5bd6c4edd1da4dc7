"""Several clients at one session, and many sessions at one server: nothing is lost or doubled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.sessions.talking import Answer, Talk

Item = TypeVar("Item")
Made = TypeVar("Made")
CLIENTS = 50
SESSIONS = 1_000


def at_once(act: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(act, items))


def ensure(serving: Serving, session_id: str, name: str) -> tuple[int, Answer]:
    intent = {"verb": "cbu.ensure", "params": {"name": name, "jurisdiction": "LU"}}
    body = json.dumps({"intents": [intent]}).encode()
    return serving.post(f"/api/session/{session_id}/intent", body)


@clause("repl 1c", "repl d3")
def test_of_those_who_saw_the_same_rev_one_is_heard(talk: Talk) -> None:
    rev = talk.say("list cbus")["rev"]
    body = json.dumps({"message": "list documents", "rev": rev}).encode()
    path = f"/api/session/{talk.session_id}/chat"
    answers = at_once(lambda _: talk.serving.post(path, body), range(CLIENTS))
    assert sorted(status for status, _ in answers) == [200] + [409] * (CLIENTS - 1)
    for status, answer in answers:
        if status == 409:
            assert (answer["error"], answer["rev"]) == ("stale_rev", rev + 1)
    assert talk.get()["rev"] == rev + 1 and talk.source == "(cbu.list)\n(document.list)"


@clause("repl d3")
def test_of_those_who_name_no_rev_all_are_heard_one_after_the_other(talk: Talk) -> None:
    names = [f"Together {number}" for number in range(CLIENTS)]
    answers = at_once(lambda name: ensure(talk.serving, talk.session_id, name), names)
    assert sorted(answer["rev"] for _, answer in answers) == list(range(1, CLIENTS + 1))
    lines = talk.get()["dsl_source"].splitlines()
    assert sorted(lines) == sorted(f'(cbu.ensure :name "{n}" :jurisdiction "LU")' for n in names)


@clause("repl D9a", "repl 1g")
def test_a_plan_that_many_want_to_run_runs_once(talk: Talk) -> None:
    talk.edit('(entity.create-proper-person :first-name "Only" :last-name "Once")')
    path = f"/api/session/{talk.session_id}/execute"
    answers = at_once(lambda _: talk.serving.post(path, b"{}"), range(CLIENTS))
    assert [status for status, _ in answers].count(200) == 1
    assert {answer["error"] for status, answer in answers if status != 200} <= {
        "busy", "plan_consumed",
    }  # fmt: skip
    assert len(talk.to("GET", "/runs")["runs"]) == 1


@pytest.mark.slow
@clause("repl D11", "repl d3")
def test_a_thousand_sessions_with_fifty_at_work_lose_nothing(serving: Serving) -> None:
    talks = at_once(lambda _: Talk.begin(serving), range(SESSIONS))
    work = [(talk, f"{talk.session_id} {turn}") for turn in range(3) for talk in talks]
    at_once(lambda one: ensure(serving, one[0].session_id, one[1]), work)
    for talk in talks:
        talk.get()
        assert talk.rev == 3
        for turn in range(3):
            assert talk.source.count(f'"{talk.session_id} {turn}"') == 1
