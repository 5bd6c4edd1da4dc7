"""A session over HTTP, as people use it: the scenarios that a session was asked for with."""

from __future__ import annotations

from tests.clauses import clause
from tests.sessions.talking import Talk

TWO = '(cbu.assign-role :cbu-id "Apex" :entity-id "John Smith" :role "DIRECTOR")'
FUND = (
    '(cbu.ensure :name "Test Fund" :jurisdiction "LU" :as @fund)\n'
    '(entity.create-proper-person :first-name "Jo" :last-name "Test" :as @jo)\n'
    '(cbu.assign-role :cbu-id @fund :entity-id @jo :role "DIRECTOR")\n'
)


@clause("repl 2a", "repl 1a", "repl 1h")
def test_show_allianz_goes_from_words_to_a_run(talk: Talk) -> None:
    answer = talk.say("show allianz cbu")
    assert answer["dsl_source"] == '(session.set-cbu :cbu-id "allianz")'
    assert answer["trace"] == [
        "intent_capture", "dsl_assembly", "syntax_validation", "semantic_validation",
        "unresolved_refs",
    ]  # fmt: skip
    assert answer["can_execute"] is False
    (ref,) = answer["unresolved_refs"]
    assert (
        answer["session_state"]["refs"] == [ref] and answer["session_state"]["current_index"] == 0
    )
    assert (ref["entity_type"], ref["search_value"], ref["status"]["state"]) == (
        "cbu", "allianz", "pending",
    )  # fmt: skip
    place = ref["location"]
    assert (place["statement_index"], place["verb"], place["arg_name"]) == (
        0, "session.set-cbu", "cbu-id",
    )  # fmt: skip
    span = place["span"]
    assert answer["dsl_source"][span["start"] : span["end"]] == '"allianz"'
    config = ref["config"]
    assert {one["name"] for one in config["search_keys"]} >= {"name", "jurisdiction", "client_type"}
    assert [one["name"] for one in config["discriminators"]] == ["manco_name"]
    assert (config["resolution_mode"], config["return_key_type"]) == ("search_modal", "uuid")
    assert [one["display"] for one in ref["initial_matches"]] == [
        "ALLIANZ FUNDS", "Allianz Thematica",
    ]  # fmt: skip
    assert ref["total"] == 2
    for one in ref["initial_matches"]:
        assert sum(each["points"] for each in one["features"]) == one["score"] <= 100
    assert answer["available_actions"] == [
        "clear", "undo", "cancel", "skip", "create_new", "edit",
    ]  # fmt: skip
    assert answer["dsl_status"]["stage"] == "ref_resolution"
    assert answer["dsl_status"]["progress"] == {"current": 1, "total": 1}

    chosen = ref["initial_matches"][0]
    answer = talk.resolve(ref["ref_id"], chosen["id"], rev=1)
    resolved = f'(session.set-cbu :cbu-id "{chosen["id"]}") ; ALLIANZ FUNDS'
    assert (talk.state, answer["dsl_source"]) == ("ready_to_run", resolved)
    assert answer["can_execute"] is True and answer["rev"] == 2
    assert answer["plan"]["phases"] == [[0]]

    answer = talk.execute(plan_id=answer["plan"]["plan_id"])
    assert answer["session_state"]["state"] == "executed"
    assert answer["session_state"]["success"] is True
    (result,) = answer["results"]
    assert (result["statement_index"], result["verb"], result["status"]) == (
        0, "session.set-cbu", "ok",
    )  # fmt: skip
    assert answer["trace"] == ["executing", "executed"]
    assert talk.get() == answer
