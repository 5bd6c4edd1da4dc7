"""Runs: one transaction, results in order, what acts outside, cancel, events of the way."""

from __future__ import annotations

import json
from pathlib import Path

from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.sessions.listening import Listener
from tests.sessions.talking import Answer, Talk


def names(talk: Talk) -> list[str]:
    rows = Talk.begin(talk.serving).run("(cbu.list)")["results"][0]["value"]
    return [row["name"] for row in rows]


def statuses(answer: Answer) -> list[str]:
    return [one["status"] for one in answer["results"]]


@clause("repl d7a", "repl d8", "repl D10b")
def test_each_statement_has_a_result_in_order_and_what_it_bound(talk: Talk) -> None:
    answer = talk.run(
        '(cbu.assign-role :cbu-id @fund :entity-id @jo :role "DIRECTOR")\n'
        '(cbu.ensure :name "Bound" :jurisdiction "LU" :as @fund)\n'
        '(entity.create-proper-person :first-name "Jo" :last-name "Bound" :as @jo)\n'
        "(cbu.roles :cbu-id @fund)"
    )
    assert [one["statement_index"] for one in answer["results"]] == [0, 1, 2, 3]
    assert statuses(answer) == ["ok"] * 4 and answer["session_state"]["success"] is True
    fund, jo = answer["bindings"]["fund"], answer["bindings"]["jo"]
    assert (fund["entity_type"], jo["entity_type"]) == ("cbu", "person")
    assert answer["results"][1]["bound"] == {"name": "fund", **fund}
    answer = talk.run("(cbu.roles :cbu-id @fund)")
    assert [row["entity_id"] for row in answer["results"][0]["value"]] == [jo["id"]]
    other = Talk.begin(talk.serving)
    other.edit("(cbu.roles :cbu-id @fund)")
    assert other.state == "dependency_error"


@clause("repl D10", "repl D10b", "repl 1p")
def test_a_failure_rolls_everything_back_and_names_what_it_blocks(talk: Talk) -> None:
    answer = talk.run(
        '(cbu.ensure :name "Rolls back" :jurisdiction "LU" :as @a)\n'
        '(cbu.rename :cbu-id @a :name "ALLIANZ FUNDS")\n'
        '(document.catalog :cbu-id @a :document-type "PASSPORT")'
    )
    assert talk.status == 200 and answer["session_state"]["success"] is False
    first, middle, last = answer["results"]
    assert (first["status"], "bound" in first, first["rolled_back"]) == ("ok", False, True)
    assert "The database is as it was" in answer["message"]
    assert middle["status"] == "failed" and middle["error"] and middle["message"]
    assert (last["status"], last["blocked_by"]) == ("skipped", 1)
    assert answer["bindings"] == {}
    assert "Rolls back" not in names(talk)
    talk.say("list funds")
    assert talk.state == "ready_to_run"


@clause("repl D9a")
def test_a_plan_that_has_changed_is_stale_and_nothing_runs(talk: Talk) -> None:
    talk.run('(cbu.ensure :name "Stale" :jurisdiction "LU" :as @s)')
    before = talk.edit('(cbu.rename :cbu-id "stale" :name "Fresh")')
    assert talk.state == "ready_to_run"
    plan = before["plan"]["plan_id"]
    talk.execute(plan_id="plan-000000000000000000000000")
    talk.refused(409, "plan_stale")
    assert talk.get() == before
    other = Talk.begin(talk.serving)
    other.run('(cbu.ensure :name "Elsewhere" :jurisdiction "LU")')  # another entity is no matter
    other.edit('(cbu.tag :cbu-id "stale" :tags ["changed"])')
    other.execute()
    stale = talk.execute(plan_id=plan)
    talk.refused(409, "plan_stale")
    ((changed,), (statement,)) = stale["changed"], stale["statements"]
    assert (changed["before"], changed["now"], changed["entity_type"]) == ("Stale", "Stale", "cbu")
    assert (statement["phase"], statement["verb"], statement["effect"]) == (
        0,
        "cbu.rename",
        "write",
    )
    assert stale["plan_id"] not in (plan, None) and changed["entity_id"] in statement["text"]
    talk.to("POST", "/chat", message="run")
    talk.refused(409, "plan_stale")
    talk.to("POST", "/chat", message="1")
    talk.refused(409, "plan_stale")
    assert "Stale" in names(talk)
    other.run(f'(cbu.rename :cbu-id "{changed["entity_id"]}" :name "Staler")')
    renamed = talk.execute(plan_id=stale["plan_id"])["changed"]
    assert [(one["before"], one["now"]) for one in renamed] == [("Stale", "Staler")]
    talk.edit(talk.get()["dsl_source"])
    talk.execute(plan_id=talk.answer["plan"]["plan_id"])
    assert talk.answer["session_state"]["success"] is True
    talk.execute()
    talk.refused(409, "plan_consumed")


@clause("repl D10a", "repl d16", "repl d7a")
def test_a_command_runs_in_a_terminal_and_its_exit_code_counts(talk: Talk, tmp_path: Path) -> None:
    answer = talk.edit(f'(terminal.run :cmd "pwd; echo \\"$HOME\\" \'x y\'" :cwd "{tmp_path}")')
    assert [one["code"] for one in answer["dsl_status"]["warnings"]] == ["W010"]
    assert answer["plan"]["statements"][0]["effect"] == "external"
    answer = talk.executed()
    (result,) = answer["results"]
    assert (result["status"], result["exit_code"]) == ("ok", 0)
    assert result["value"]["output"].startswith(f"{tmp_path}\n")
    assert result["value"]["output"].endswith("x y\n")
    for command, code in (("false", 1), ("(exit 7)", 7), ("exit 3", 3)):
        answer = talk.run(f'(terminal.run :cmd "{command}" :conversation "exits")')
        (result,) = answer["results"]
        assert (result["status"], result["exit_code"]) == ("failed", code), result
        assert answer["session_state"]["success"] is False
        answer = talk.run(f'(terminal.run :cmd "{command}" :conversation "exits" :check false)')
        (result,) = answer["results"]
        assert (result["status"], result["exit_code"]) == ("ok", code), result


@clause("repl d16")
def test_what_acts_outside_splits_a_run_and_the_results_say_how_far_it_came(talk: Talk) -> None:
    answer = talk.run(
        '(cbu.ensure :name "Before" :jurisdiction "LU" :as @b)\n'
        '(terminal.run :cmd "false")\n'
        '(cbu.ensure :name "After" :jurisdiction "LU")\n'
        '(cbu.rename :cbu-id @b :name "Renamed")'
    )
    assert statuses(answer) == ["ok", "failed", "skipped", "skipped"]
    assert [one.get("blocked_by") for one in answer["results"]] == [None, None, 1, 1]
    assert answer["results"][0]["bound"]["name"] == "b" and answer["bindings"] == {}
    assert "Before" in names(talk) and not {"After", "Renamed"} & set(names(talk))
    answer = talk.run(
        '(cbu.ensure :name "Kept" :jurisdiction "LU" :as @k)\n'
        '(terminal.run :cmd "true")\n'
        "(cbu.delete :cbu-id @k)\n(cbu.list)\n(cbu.show :cbu-id @k)"
    )
    assert statuses(answer) == ["ok", "ok", "ok", "ok", "failed"]
    undone = [one.get("rolled_back") for one in answer["results"]]
    assert undone == [None, None, True, None, None] and "Kept" in names(talk)
    assert "What statements 1 and 2 did stays." in answer["message"]


@clause("repl d16", "repl 2b")
def test_a_long_run_answers_executing_and_its_end_comes_as_an_event(talk: Talk) -> None:
    conversation = f"long-{talk.session_id}"
    talk.edit(
        f'(terminal.run :cmd "read line; echo got $line" :conversation "{conversation}")\n'
        '(cbu.list :client-type "FUND")'
    )
    with Listener(talk) as listener:
        plan = talk.answer["plan"]
        answer = talk.execute()
        assert talk.state == "executing" and answer["trace"] == ["executing"]
        assert answer["session_state"] == {
            "state": "executing",
            "cancel_requested": False,
            "plan": plan,
            "progress": [{"statement_index": 0, "status": "running"}],
        }
        assert answer["available_actions"] == ["cancel"] and answer["can_execute"] is False
        assert answer["results"] is None and answer["plan"] is None and answer["callout"] is None
        talk.until_it_waits(conversation)
        talk.serving.post(f"/api/pty/{conversation}/send", b'{"data": "this\\r"}')
        heard = listener.until("executed")
    assert talk.get()["session_state"]["success"] is True
    progress = [one.data for one in heard if one.event == "progress"]
    assert [(one["statement_index"], one["status"]) for one in progress] == [
        (0, "running"), (0, "ok"), (1, "ok"),
    ]  # fmt: skip
    assert "got this" in talk.answer["results"][0]["value"]["output"]


@clause("repl part 4 cancel")
def test_a_run_is_cancelled_where_nothing_is_half_done(talk: Talk) -> None:
    conversation = f"cancelled-{talk.session_id}"
    talk.edit(f'(terminal.run :cmd "read line" :conversation "{conversation}")')
    with Listener(talk) as listener:
        talk.execute()
        rev = talk.rev
        answer = talk.act("cancel", rev=rev)
        assert talk.status == 200 and answer["rev"] == rev + 1
        assert answer["session_state"]["cancel_requested"] is True
        listener.until("cancelled")
    answer = talk.get()
    assert talk.state == "cancelled" and answer["rev"] == rev + 1
    (run,) = talk.to("GET", "/runs")["runs"]
    assert run["cancelled"] is True and run["success"] is False
    said = [one["text"] for one in talk.to("GET", "/talk")["lines"] if one["who"] == "user"]
    assert said == ["edit", "run", "cancel"]


@clause("repl 3f", "repl 3h")
def test_an_inner_call_runs_first_and_is_a_value(talk: Talk) -> None:
    answer = talk.run(
        '(cbu.roles :cbu-id (cbu.ensure :name "Inner" :jurisdiction "LU" :as @i))\n'
        "(cbu.show :cbu-id @i)"
    )
    assert statuses(answer) == ["ok", "ok"]
    assert answer["results"][1]["value"]["name"] == "Inner" and "i" in answer["bindings"]


@clause("repl d20")
def test_a_session_looks_at_what_it_is_told_to_and_says_so(talk: Talk) -> None:
    answer = talk.run('(session.set-cbu :cbu-id "aviva lux 9")\n(session.info)')
    assert answer["results"][1]["value"]["scope"]["display"] == "Aviva Lux 9"
    (command,) = answer["commands"]
    assert (command["action"], command["entity_type"]) == ("set_scope", "cbu")
    answer = talk.run("(session.info)")
    assert answer["results"][0]["value"]["scope"]["display"] == "Aviva Lux 9"
    assert answer["commands"] is None
    answer = talk.run("(session.clear-scope)\n(session.info)")
    assert answer["results"][1]["value"] == {"scope": None}


@clause("repl d20")
def test_a_chain_from_a_unit_to_a_screening_is_bound_all_along(talk: Talk) -> None:
    answer = talk.run(
        '(cbu.ensure :name "Chain" :jurisdiction "LU" :client-type "FUND" :as @c)\n'
        '(entity.create-limited-company :name "Chain Ltd" :jurisdiction "GB" :as @co)\n'
        '(cbu.assign-role :cbu-id @c :entity-id @co :role "DIRECTOR")\n'
        '(document.catalog :cbu-id @c :entity-id @co :document-type "PASSPORT" :as @d)\n'
        '(kyc-case.create :cbu-id @c :case-type "NEW_CLIENT" :as @case)\n'
        "(entity-workstream.create :case-id @case :entity-id @co :as @ws)\n"
        '(case-screening.run :workstream-id @ws :screening-type "PEP" :as @s)\n'
        '(case-screening.complete :screening-id @s :status "CLEAR")\n'
        '(kyc-case.set-status :case-id @case :status "APPROVED")\n'
        '(cbu.tag :cbu-id @c :tags ["a"] :attributes {:k 1})\n'
        '(cbu.remove-role :cbu-id @c :entity-id @co :role "DIRECTOR")\n'
        "(cbu.delete :cbu-id @c)"
    )
    assert set(statuses(answer)) == {"ok"}, answer["results"]
    assert set(answer["bindings"]) == {"c", "co", "d", "case", "ws", "s"}


def test_an_ensured_unit_is_the_same_each_time(talk: Talk) -> None:
    ids = {
        talk.run('(cbu.ensure :name "Thrice" :jurisdiction "LU" :as @t)')["bindings"]["t"]["id"]
        for _ in range(3)
    }
    assert len(ids) == 1


@clause("repl d16", "repl D10c")
def test_a_server_that_ends_leaves_the_command_of_a_run_alone(tmp_path: Path) -> None:
    serving = Serving.begin(tmp_path / "state")
    talk = Talk.begin(serving)
    talk.edit(f'(terminal.run :cmd "read line; echo $line > said" :cwd "{tmp_path}"'
              ' :conversation "on")\n(cbu.list)')  # fmt: skip
    talk.execute()
    assert talk.state == "executing"
    talk.until_it_waits("on")
    assert serving.end() == 0
    talk.serving = Serving.begin(tmp_path / "state")
    try:
        answer = talk.get()
        assert statuses(answer) == ["failed", "skipped"], answer
        assert answer["results"][0]["error"] == "interrupted"
        status = talk.serving.post("/api/pty/on/status", b"{}")[1]
        assert status["mode"] == "block_running", status
        said = talk.serving.post("/api/pty/on/send", b'{"data": "still here\\r"}')
        assert said[1]["ok"], said
        waiting = json.dumps({"from_cursor": status["resume_cursor"]}).encode()
        ended = talk.serving.post("/api/pty/on/wait_prompt", waiting)[1]
        assert ended["extra"]["exit_code"] == 0, ended
        assert (tmp_path / "said").read_text() == "still here\n"
    finally:
        talk.serving.post("/api/pty/on/close", b"{}")
        talk.serving.end()
