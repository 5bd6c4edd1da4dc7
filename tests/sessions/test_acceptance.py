"""A session over HTTP, as people use it: the scenarios that a session was asked for with."""

from __future__ import annotations

from collections.abc import Callable

from tests.clauses import clause
from tests.sessions.talking import Answer, Talk

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


@clause("repl 3e", "repl d11")
def test_a_resolution_changes_its_span_and_adds_the_name_and_nothing_else(talk: Talk) -> None:
    before = '; who\n(cbu.show   :cbu-id "aviva"\t) ; kept'
    talk.edit(before)
    ref = talk.refs[0]
    talk.pick("Aviva Lux 9")
    entity = ref["initial_matches"][0]["id"]
    after = before.replace('"aviva"', f'"{entity}"').replace("\t) ;", "\t) ; Aviva Lux 9 ;")
    assert talk.source == after
    plan = talk.answer["plan"]
    talk.edit(talk.source)
    assert talk.state == "ready_to_run" and talk.answer["plan"] == plan
    assert talk.answer["dsl_user_edited"] is True and talk.answer["auto_resolved"] == []


@clause("repl d3", "repl 1o")
def test_the_same_choice_twice_is_well_and_another_is_refused(talk: Talk) -> None:
    talk.say("show allianz cbu")
    ref = talk.refs[0]
    one, other = (match["id"] for match in ref["initial_matches"])
    first = talk.resolve(ref["ref_id"], one)
    again = talk.resolve(ref["ref_id"], one)
    assert talk.status == 200 and again["rev"] == first["rev"]
    assert again["dsl_source"] == first["dsl_source"]
    talk.resolve(ref["ref_id"], other)
    talk.refused(409, "ref_already_resolved")


@clause("repl d2", "repl D3a", "repl 1o")
def test_what_cannot_be_chosen_has_four_codes_and_changes_nothing(talk: Talk) -> None:
    person = Talk.begin(talk.serving)
    person.edit('(cbu.assign-role :cbu-id "x" :entity-id "John Smith" :role "DIRECTOR")')
    john = person.refs[1]["initial_matches"][0]["id"]
    person.edit('(cbu.show :cbu-id "apex")')
    apex = person.refs[0]["initial_matches"][0]["id"]
    before = talk.say("show allianz cbu")
    ref = talk.refs[0]["ref_id"]
    for ref_id, entity_id, status, code in (
        ("ref-nothing", apex, 404, "ref_not_found"),
        (ref, "00000000-0000-4000-8000-000000000000", 404, "entity_not_found"),
        (ref, "no id", 404, "entity_not_found"),
        (ref, john, 422, "entity_type_mismatch"),
        (ref, apex, 422, "not_offered"),
    ):
        talk.resolve(ref_id, entity_id)
        talk.refused(status, code)
        assert talk.get() == before
    talk.to("POST", "/search", ref_id=ref, query="apex")
    talk.resolve(ref, apex)
    assert talk.state == "ready_to_run"


@clause("repl D5", "repl 1i")
def test_references_are_resolved_in_any_order_and_keep_their_ids(talk: Talk) -> None:
    talk.edit(TWO)
    first, second = talk.refs
    assert talk.answer["dsl_status"]["progress"] == {"current": 1, "total": 2}
    talk.resolve(second["ref_id"], second["initial_matches"][0]["id"])
    assert [one["ref_id"] for one in talk.refs] == [first["ref_id"]]
    assert talk.answer["dsl_status"]["progress"]["total"] == 2
    assert '"Apex"' in talk.source and "John Smith" in talk.source  # the name, as a comment
    talk.pick("Apex Capital")
    assert talk.state == "ready_to_run"


@clause("repl part 4 skip", "repl D5a")
def test_a_skipped_reference_stays_skipped_and_its_statement_fails(talk: Talk) -> None:
    talk.edit(f'(cbu.ensure :name "Skips" :jurisdiction "LU" :as @s)\n{TWO}')
    second = talk.refs[1]
    talk.act("skip")
    assert talk.state == "unresolved_refs"
    assert [one["status"]["state"] for one in talk.refs] == ["skipped", "pending"]
    assert talk.answer["session_state"]["current_index"] == 1
    talk.resolve(second["ref_id"], second["initial_matches"][0]["id"])
    assert talk.state == "ready_to_run" and talk.answer["can_execute"] is True
    assert "W005" in [one["code"] for one in talk.answer["dsl_status"]["warnings"]]
    answer = talk.execute()
    assert answer["session_state"]["success"] is False
    assert [one["status"] for one in answer["results"]] == ["ok", "failed"]
    assert answer["results"][1]["error"] == "unresolved_ref"
    assert "bound" not in answer["results"][0] and answer["bindings"] == {}
    talk.edit('(cbu.show :cbu-id "Skips")')
    assert "Skips" not in [one["display"] for one in talk.refs[0]["initial_matches"]]


@clause("repl part 4 skip", "repl D5")
def test_a_skipped_reference_can_be_searched_for_and_resolved_after_all(talk: Talk) -> None:
    talk.edit(TWO)
    first = talk.refs[0]["ref_id"]
    talk.act("skip")
    talk.to("POST", "/search", ref_id=first, query="aviva lux")
    assert talk.status == 200 and talk.answer["matches"][0]["display"] == "Aviva Lux 9"
    talk.resolve(first, talk.answer["matches"][0]["id"])
    assert talk.state == "unresolved_refs" and len(talk.refs) == 1
    talk.say("1", "run")
    assert talk.answer["results"][0]["status"] == "ok"


@clause("repl part 4 skip")
def test_after_the_last_skip_the_program_is_ready(talk: Talk) -> None:
    talk.say("show allianz cbu")
    answer = talk.act("skip")
    assert talk.state == "ready_to_run" and "dependency_resolution" in answer["trace"]


@clause("repl part 4 search", "repl D7")
def test_other_words_search_in_place_and_the_search_can_be_cleared(talk: Talk) -> None:
    before = talk.say("show allianz cbu")
    answer = talk.say("thematica")
    assert talk.state == "unresolved_refs" and answer["rev"] == before["rev"]
    assert [one["display"] for one in talk.refs[0]["initial_matches"]] == ["Allianz Thematica"]
    assert answer["callout"]["options"][0]["label"] == "Allianz Thematica"
    answer = talk.act("different_search")
    assert answer["dsl_source"] == before["dsl_source"] and talk.state == "unresolved_refs"
    assert len(talk.refs[0]["initial_matches"]) == 2
    talk.say("thematica", "1")
    assert talk.state == "ready_to_run" and "Allianz Thematica" in talk.source


@clause("repl D7", "repl D13")
def test_a_number_or_an_exact_label_picks(talk: Talk) -> None:
    talk.say("show allianz cbu", "2")
    by_number = talk.source
    talk.act("undo")
    talk.say("allianz thematica")
    assert talk.source == by_number and talk.state == "ready_to_run"


@clause("repl part 4 create", "repl d15", "repl D8a")
def test_what_is_missing_is_created_and_resolves_the_reference(talk: Talk) -> None:
    before = talk.say("show cbu Nirvana Growth")
    assert talk.refs[0]["initial_matches"] == [] and talk.refs[0]["total"] == 0
    answer = talk.say("create new")
    creating = answer["session_state"]["creating"]
    assert (creating["entity_type"], creating["step"]) == ("cbu", 1)
    assert [one["name"] for one in creating["fields"]] == ["name", "jurisdiction"]
    assert creating["fields"][0]["offered"] == "Nirvana Growth"
    assert answer["available_actions"] == ["clear", "undo", "cancel", "edit"]
    answer = talk.say("cancel")
    assert talk.state == "unresolved_refs" and "creating" not in answer["session_state"]
    assert talk.refs == before["unresolved_refs"]
    talk.say("create new", "Nirvana Growth", "LU")
    summary = talk.answer["session_state"]["creating"]["block"]
    assert summary.startswith("Summary:\n- name: Nirvana Growth\n- jurisdiction: LU\n\n1) ")
    assert talk.answer["callout"]["block"] == summary
    rev = talk.rev
    answer = talk.say("1")
    assert talk.state == "ready_to_run" and answer["rev"] == rev + 1
    assert talk.source.endswith(" ; Nirvana Growth")
    lines = talk.to("GET", "/talk")["lines"]
    assert [one["who"] for one in lines[-2:]] == ["user", "antiphon"]
    assert lines[-2]["text"] == "1" and lines[-1]["text"].startswith("Ready: 1 statement.")
    talk.get()
    other = Talk.begin(talk.serving)
    other.edit('(cbu.show :cbu-id "nirvana growth")')
    assert other.state == "ready_to_run" and other.answer["auto_resolved"][0]["method"] == "exact"


@clause("doors callout.list")
def test_what_is_asked_in_words_is_in_the_inbox_and_answered_there(talk: Talk) -> None:
    def asked() -> Answer:
        rev = talk.answer["rev"]
        _, found = talk.serving.exchange("GET", "/api/callout", b"")
        mine: list[Answer] = [one for one in found["callouts"] if one["source"] == talk.session_id]
        assert [one["rev"] for one in mine] == [rev]
        return mine[0]

    talk.say("show cbu Quite Unheard Of")
    missing = asked()
    assert (missing["name"], missing["input"], missing["options"]) == ("resolve", "text", [])
    talk.say("create new")
    first = asked()
    assert (first["name"], first["input"], first["options"]) == ("create", "text", [])
    assert (first["question"], first["offered"]) == (
        "New cbu: What is the name?",
        "Quite Unheard Of",
    )
    talk.say("cancel", "create new")
    assert asked()["callout_id"] == first["callout_id"], "the same question has the same id"
    talk.say("Quite Unheard Of")
    second = asked()
    assert second["input"] == "choice" and second["options"] and "offered" not in second


@clause("repl part 4 create")
def test_bail_within_a_creation_ends_the_session(talk: Talk) -> None:
    talk.say("show cbu Zzyzx", "create new", "bail")
    assert talk.state == "cancelled" and talk.answer["available_actions"] == []


@clause("repl part 4 undo", "repl D8", "repl d12")
def test_undo_brings_back_words_references_and_candidates(talk: Talk) -> None:
    talk.act("undo")
    talk.refused(409, "no_history")
    first = talk.say("show allianz cbu")
    talk.pick("ALLIANZ FUNDS")
    answer = talk.say("undo")
    assert talk.state == "unresolved_refs"
    assert answer["dsl_source"] == first["dsl_source"]
    assert answer["unresolved_refs"] == first["unresolved_refs"]
    talk.say("undo")
    assert talk.state == "new" and talk.answer["dsl_source"] is None
    assert "undo" not in talk.answer["available_actions"]


@clause("repl d12", "repl D10b")
def test_undo_after_a_run_brings_its_program_back_and_keeps_the_results(talk: Talk) -> None:
    talk.run('(cbu.list :jurisdiction "LU")')
    answer = talk.say("undo")
    assert talk.state == "ready_to_run" and answer["results"] is None
    assert answer["dsl_source"] == '(cbu.list :jurisdiction "LU")'
    assert len(talk.to("GET", "/runs")["runs"]) == 1
    talk.say("run")
    assert talk.state == "executed"
    assert [one["run"] for one in talk.to("GET", "/runs")["runs"]] == [1, 2]


@clause("repl part 4 clear")
def test_clear_forgets_the_program_and_keeps_what_was_said_and_done(talk: Talk) -> None:
    talk.run("(cbu.list)")
    talk.say("show allianz cbu")
    for word in ("clear", "Start over!"):
        talk.say(word)
        assert talk.state == "new"
        assert talk.answer["dsl_source"] is None and talk.answer["unresolved_refs"] is None
    assert len(talk.to("GET", "/runs")["runs"]) == 1
    said = [one["text"] for one in talk.to("GET", "/talk")["lines"] if one["who"] == "user"]
    assert said == ["edit", "run", "show allianz cbu", "clear", "Start over!"]
    talk.say("clear the compliance filter for Allianz")
    assert talk.answer["trace"][0] == "intent_capture"


@clause("repl d11")
def test_the_talk_has_whatever_was_done_in_the_words_for_it(talk: Talk) -> None:
    talk.say("create entity")
    talk.to("POST", "/intent", option_id=talk.answer["intent_options"][0]["id"])
    label = talk.to("GET", "/talk")["lines"][-2]
    talk.edit('(session.set-cbu :cbu-id "allianz")')
    (ref,) = talk.answer["unresolved_refs"]
    talk.resolve(ref["ref_id"], ref["initial_matches"][0]["id"])
    talk.execute()
    talk.act("undo")
    lines = talk.to("GET", "/talk")["lines"]
    assert label["who"] == "user" and label in lines
    assert [one["text"] for one in lines if one["who"] == "user"] == [
        "create entity", label["text"], "edit", "ALLIANZ FUNDS", "run", "undo",
    ]  # fmt: skip
    assert [one["who"] for one in lines] == ["user", "antiphon"] * 6
    talk.act("help")
    assert talk.to("GET", "/talk")["lines"] == lines, "help changes nothing"


@clause("repl part 4 cancel")
def test_a_cancelled_session_is_read_only(talk: Talk) -> None:
    talk.say("show allianz cbu", "cancel")
    before = talk.get()
    assert talk.state == "cancelled" and before["available_actions"] == []
    assert before["dsl_source"] == '(session.set-cbu :cbu-id "allianz")'
    asked: tuple[Callable[[], Answer], ...] = (
        lambda: talk.to("POST", "/chat", message="list cbus"),
        lambda: talk.edit("(cbu.list)"),
        talk.execute,
        lambda: talk.to("DELETE"),
    )
    for ask in asked:
        ask()
        talk.refused(409, "session_terminal")
        assert talk.get() == before
    assert talk.act("help")["session_state"] == {"state": "cancelled"}


@clause("repl part 4 help")
def test_help_is_another_text_in_each_state_and_changes_nothing(talk: Talk) -> None:
    texts = []
    for message in ("", "create entity", "show allianz cbu", "1", "(cbu.list", "(cbu.lst)"):
        if message:
            talk.say(message)
        before = talk.get()
        texts.append(talk.say("what can I do?")["message"])
        assert talk.get() == before
    assert len(set(texts)) == len(texts)


@clause("repl part 4 edit", "repl D6a")
def test_an_edit_drops_what_was_meant_and_is_told(talk: Talk) -> None:
    talk.say("show allianz cbu")
    answer = talk.edit('(cbu.show :cbu-id "aviva")')
    assert answer["dsl_user_edited"] is True and talk.refs[0]["search_value"] == "aviva"
    assert [one["search_value"] for one in talk.refs] == ["aviva"]
    talk.edit("(cbu.show")
    assert talk.state == "syntax_error"
    answer = talk.say('  (cbu.show :cbu-id "aviva lux 9")')
    assert talk.state == "ready_to_run" and answer["dsl_user_edited"] is True
    answer = talk.say("list funds")
    assert answer["dsl_user_edited"] is False


@clause("repl 3c", "repl 1k", "repl 1j")
def test_faults_of_the_text_are_told_together_with_their_places(talk: Talk) -> None:
    answer = talk.edit("(cbu.ensure :name\r\n(cbu.list)\n(cbu.é)\n\t(x")
    assert talk.state == "syntax_error" and len(answer["errors"]) >= 2
    assert answer["session_state"]["errors"] == answer["errors"]
    assert "cbu.list" in [one["verb"] for one in answer["session_state"]["partial_ast"]]
    for one in answer["errors"]:
        assert {
            "code",
            "severity",
            "message",
            "span",
            "labels",
            "help",
            "fixes",
            "rendered",
        } <= set(one)
        assert f"{one['span']['line']}:{one['span']['column']}" in one["rendered"]
        assert one["span"]["start"] <= one["span"]["end"]
    answer = talk.edit("(" * 2_000)
    assert len(answer["errors"]) <= 20
    talk.edit(")" * 2_000)
    assert len(talk.answer["errors"]) == 20
    assert talk.answer["session_state"]["errors_count"] >= 20


@clause("repl D2", "repl 1n")
def test_faults_of_meaning_come_before_references(talk: Talk) -> None:
    answer = talk.edit('(cbu.lst)\n(cbu.show :cbu-id "allianz")')
    assert talk.state == "semantic_error" and answer["unresolved_refs"] is None
    (error,) = answer["errors"]
    assert error["code"] == "E010" and error["fixes"][0]["applicability"] == "maybe"
    edit = error["fixes"][0]["edits"][0]
    source = answer["dsl_source"]
    mended = source[: edit["span"]["start"]] + edit["text"] + source[edit["span"]["end"] :]
    answer = talk.edit(mended)
    assert talk.state == "unresolved_refs" and len(answer["unresolved_refs"]) == 1


@clause("repl D1", "repl D1a")
def test_codes_ids_and_words_are_told_apart(talk: Talk) -> None:
    talk.edit('(cbu.list :jurisdiction "lu")')
    assert talk.state == "ready_to_run"
    talk.edit('(cbu.list :jurisdiction "Luxembourg")')
    assert talk.state == "ready_to_run" and talk.answer["auto_resolved"][0]["entity_id"] == "LU"
    assert '"LU"' in talk.source
    talk.edit('(cbu.list :jurisdiction "XX")')
    assert talk.state == "unresolved_refs"
    assert talk.refs[0]["config"]["resolution_mode"] == "autocomplete"
    assert talk.refs[0]["config"]["return_key_type"] == "code"
    talk.edit('(cbu.show :cbu-id "00000000-0000-4000-8000-000000000000")')
    assert [one["code"] for one in talk.answer["errors"]] == ["E040"]


@clause("repl part 3")
def test_dependencies_are_ordered_and_cycles_named(talk: Talk) -> None:
    lines = FUND.strip().split("\n")
    answer = talk.edit("\n".join([lines[2], lines[0], lines[1]]))
    assert talk.state == "ready_to_run" and answer["plan"]["phases"] == [[1, 2], [0]]
    assert "W006" in [one["code"] for one in answer["dsl_status"]["warnings"]]
    answer = talk.edit(FUND)
    assert answer["plan"]["phases"] == [[0, 1], [2]]
    assert "W006" not in [one["code"] for one in answer["dsl_status"]["warnings"]]
    answer = talk.edit(
        '(cbu.ensure :name @b :jurisdiction "LU" :as @a) '
        '(cbu.ensure :name @a :jurisdiction "LU" :as @b)'
    )
    assert talk.state == "dependency_error"
    assert [one["code"] for one in answer["errors"]] == ["E061"]
    answer = talk.edit("(cbu.show :cbu-id @fnd)")
    assert talk.state == "dependency_error" and answer["errors"][0]["code"] == "E060"
    assert answer["dsl_status"]["stage"] == "dependency_resolution"


@clause("repl 3a", "repl d6")
def test_a_program_of_nothing_runs_nothing(talk: Talk) -> None:
    for source in ("", "   ", "; only a comment\n"):
        answer = talk.edit(source)
        assert talk.state == "new" and answer["can_execute"] is False
        assert answer["dsl_source"] == source
        assert [one["code"] for one in answer["dsl_status"]["warnings"]] == ["W007"]
        talk.execute()
        talk.refused(409, "not_ready")


@clause("repl D7a", "repl d12a", "repl d5")
def test_a_clarification_is_answered_by_number_by_id_or_dropped(talk: Talk) -> None:
    answer = talk.say("create entity")
    assert talk.state == "intent_clarify" and answer["dsl_source"] is None
    options = answer["intent_options"]
    assert {"id", "verb", "label", "description"} == set(options[0])
    assert answer["session_state"]["original_message"] == "create entity"
    assert answer["callout"]["name"] == "clarify"
    typed = talk.say("1")
    other = Talk.begin(talk.serving)
    other.say("create entity")
    proposed = other.to("POST", "/intent", option_id=options[0]["id"])
    for one in (typed, proposed):
        one.pop("session_id")
    assert typed == proposed
    third = Talk.begin(talk.serving)
    third.say("create entity")
    before = third.say("blubber")
    assert third.state == "intent_clarify" and before["intent_options"] == options
    third.to("POST", "/intent", option_id="option-9")
    third.refused(404, "option_not_found")
    answer = third.say("something else")
    assert third.state == "intent_capture" and answer["intent_options"] is None


@clause("repl D7b", "repl D7c", "repl d11a")
def test_what_is_wanted_next_is_appended_and_nonsense_changes_nothing(talk: Talk) -> None:
    first = talk.say("list funds")
    plan = first["plan"]
    answer = talk.say("blubber")
    assert talk.state == "ready_to_run" and answer["plan"] == plan
    assert answer["callout"] == first["callout"]
    answer = talk.say("list documents")
    assert answer["dsl_source"] == "(cbu.list)\n(document.list)"
    assert answer["plan"]["plan_id"] != plan["plan_id"]
    talk.say("run")
    answer = talk.say("list entities")
    assert answer["dsl_source"] == "(entity.list)" and answer["results"] is None


@clause("repl 2e", "repl d5", "repl D12a")
def test_intents_are_proposed_as_values(talk: Talk) -> None:
    tags = {"tags": ["x", 1, 1.5, True, None], "attributes": {"k": {"n": -1}}}
    made = {"name": 'a "b"; (c) @d', "jurisdiction": "LU"}
    intents = [
        {"verb": "cbu.ensure", "params": made, "bind": "f"},
        {"verb": "cbu.tag", "params": tags, "refs": {"cbu-id": "@f"}},
    ]
    talk.to("POST", "/intent", intents=intents)
    assert talk.state == "ready_to_run", talk.answer
    assert talk.answer["dsl_user_edited"] is False
    talk.execute()
    assert talk.answer["session_state"]["success"] is True, talk.answer["results"]
    assert talk.answer["results"][0]["value"]["name"] == 'a "b"; (c) @d'
    wrongs: tuple[Answer, ...] = (
        {"intents": []},
        {},
        {"intents": [{"verb": "cbu.list"}], "option_id": "option-1"},
        {"intents": [{"verb": "nothing.here"}]},
        {"intents": [{"verb": "cbu.list", "refs": {"jurisdiction": "lu"}}]},
        {"intents": [{"verb": "cbu.list", "more": 1}]},
        {"intents": "(cbu.list)"},
    )
    for wrong in wrongs:
        before = talk.get()
        talk.to("POST", "/intent", **wrong)
        talk.refused(422, "invalid_request")
        assert talk.get() == before
