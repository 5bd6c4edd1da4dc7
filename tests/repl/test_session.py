from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from antiphon.base.errors import Code, Refused
from antiphon.choice.judge import judged
from antiphon.dsl.stages import Bound
from antiphon.dsl.tree import Text
from antiphon.dsl.verbs import Vocabulary
from antiphon.entity.scoring import Candidate
from antiphon.repl import news as n
from antiphon.repl.callout import callout_of
from antiphon.repl.candidates import labels
from antiphon.repl.escapes import phrase_in
from antiphon.repl.helping import examples, help_text
from antiphon.repl.intents import Intent
from antiphon.repl.session import Session
from antiphon.repl.table import LISTENING, State
from tests.clauses import clause
from tests.repl.packs import pack
from tests.repl.play import PACK, Play, entity

FUNDS = entity("ALLIANZ FUNDS")
TWO = '(cbu.assign-role :cbu-id "Apex" :entity-id "John Smith" :role "DIRECTOR")'
E3 = (
    '(cbu.ensure :name "Test Fund" :jurisdiction "LU" :as @fund)\n'
    '(entity.create-proper-person :first-name "John" :last-name "Smith" :as @john)\n'
    '(cbu.assign-role :cbu-id @fund :entity-id @john :role "DIRECTOR")'
)


def allianz() -> Play:
    return Play().say("show allianz cbu")


def ref(play: Play, number: int = 0) -> str:
    return play.session.program.refs[number].ref_id


def choose(play: Play, candidate: Candidate, number: int = 0) -> Play:
    return play.ask(n.EntityChosen(ref(play, number), candidate.entity_id, candidate))


def refused(play: Play, code: Code, act: Callable[[], object]) -> Refused:
    """The act is refused with this code, and nothing has changed."""
    before = copy.deepcopy(play.session)
    with pytest.raises(Refused) as caught:
        act()
    assert caught.value.code is code, caught.value.message
    assert play.session == before
    return caught.value


def is_ready(play: Play) -> bool:
    return play.session.can_execute


# --- from words to a run ------------------------------------------------------


@clause("repl part 3", "repl part 6", "repl 1c", "repl 1d")
def test_words_become_a_program_a_question_a_choice_and_a_run() -> None:
    play = Play()
    assert (play.state, play.actions) == ("new", ["clear", "cancel", "edit"])
    play.say("show allianz cbu")
    assert play.source == '(session.set-cbu :cbu-id "allianz")'
    assert play.trace == [
        "intent_capture", "dsl_assembly", "syntax_validation", "semantic_validation",
        "unresolved_refs",
    ]  # fmt: skip
    (one,) = play.session.program.refs
    assert (one.statement_index, one.verb, one.arg_name, one.arg_path) == (
        0, "session.set-cbu", "cbu-id", "cbu-id",
    )  # fmt: skip
    assert (one.search_value, one.entity_types, one.is_skipped) == ("allianz", ("cbu",), False)
    assert play.source.encode()[one.span.start : one.span.end] == b'"allianz"'
    offered = [match.display for match in play.session.program.shown(one.ref_id)]
    assert offered == ["ALLIANZ FUNDS", "Allianz Thematica"]
    assert play.session.rev == 1 and not is_ready(play)
    choose(play, FUNDS)
    assert play.source == f'(session.set-cbu :cbu-id "{FUNDS.entity_id}") ; ALLIANZ FUNDS'
    assert play.trace == ["semantic_validation", "dependency_resolution", "ready_to_run"]
    assert play.session.rev == 2 and is_ready(play)
    play.say("run")
    assert play.state == "executing" and play.actions == ["cancel"]
    play.end()
    assert play.state == "executed" and play.session.last_run_succeeded


@clause("repl 3e", "repl d11")
def test_a_resolution_changes_its_span_and_puts_the_name_behind_the_statement() -> None:
    source = f"; first\n{TWO} (cbu.list)\t; mine\n"
    play = Play().ask(n.ProgramWritten(source))
    choose(play, entity("Apex Capital"))
    apex = entity("Apex Capital").entity_id
    wanted = source.replace('"Apex"', f'"{apex}"')
    assert play.source == wanted.replace('"DIRECTOR")', '"DIRECTOR") ; Apex Capital\n')
    choose(play, entity("John Smith", "person", 1))
    assert "; Apex Capital, John Smith\n (cbu.list)\t; mine\n" in play.source
    assert play.state == "ready_to_run"
    again = Play().ask(n.ProgramWritten(play.source))
    assert again.state == "ready_to_run" and again.source == play.source


@clause("repl D5", "repl 1i")
def test_references_keep_their_ids_and_may_be_resolved_in_any_order() -> None:
    play = Play().ask(n.ProgramWritten(TWO))
    first, second = ref(play), ref(play, 1)
    assert play.session.program.progress == (1, 2)
    choose(play, entity("John Smith", "person"), 1)
    assert [one.ref_id for one in play.session.program.refs] == [first]
    assert play.session.program.progress == (2, 2) and second != first
    choose(play, entity("Apex Capital"))
    assert play.state == "ready_to_run"
    assert play.source.endswith(' :role "DIRECTOR") ; Apex Capital, John Smith')


@clause("repl d3")
def test_an_accepted_mutation_adds_one_to_rev_and_a_question_nothing() -> None:
    play = allianz()
    choose(play, FUNDS)
    rev, ref_id = play.session.rev, next(iter(play.session.program.resolved))
    play.ask(n.EntityChosen(ref_id, FUNDS.entity_id, FUNDS)).say("help")
    assert play.session.rev == rev and play.state == "ready_to_run"
    assert allianz().say("thematica", "try different search").session.rev == 1
    error = refused(play, Code.STALE_REV, lambda: play.ask(n.Wish.CLEAR, rev - 1))
    assert error.facts["rev"] == rev


@clause("repl 1o", "repl D3a")
def test_a_choice_that_cannot_be_is_refused() -> None:
    play = allianz()
    one, apex, smith = ref(play), entity("Apex Capital"), entity("John Smith", "person")

    def chosen(ref_id: str, entity_id: str, known: Candidate | None) -> Callable[[], object]:
        return lambda: play.ask(n.EntityChosen(ref_id, entity_id, known))

    refused(play, Code.REF_NOT_FOUND, chosen("ref-0", FUNDS.entity_id, FUNDS))
    refused(play, Code.ENTITY_NOT_FOUND, chosen(one, "nonsense", None))
    refused(play, Code.ENTITY_TYPE_MISMATCH, chosen(one, smith.entity_id, smith))
    refused(play, Code.NOT_OFFERED, chosen(one, apex.entity_id, apex))
    play.say("apex")
    choose(play, apex)
    refused(play, Code.REF_ALREADY_RESOLVED, chosen(one, FUNDS.entity_id, FUNDS))
    refused(play, Code.INVALID_EVENT, chosen("ref-0", FUNDS.entity_id, FUNDS))


# --- what needs no question ----------------------------------------------------


@clause("repl D3", "repl d13")
def test_one_exact_match_resolves_at_once_and_can_be_undone() -> None:
    play = Play().ask(n.ProgramWritten('(cbu.show :cbu-id "aviva LUX 9")'))
    assert play.state == "ready_to_run" and play.source.endswith("; Aviva Lux 9")
    (auto,) = play.session.program.auto_resolved
    assert (auto.display, auto.method, auto.score) == ("Aviva Lux 9", "exact", 100)
    assert "unresolved_refs" not in play.trace
    play.say("undo")
    assert play.state == "unresolved_refs"
    assert play.source == '(cbu.show :cbu-id "aviva LUX 9")'
    said = Play().say("show cbu apex").session  # one clear match is enough for an intent
    assert [one.method for one in said.program.auto_resolved] == ["clear"]
    assert Play().say('(cbu.show :cbu-id "apex")').state == "unresolved_refs"
    homonyms = Play().ask(n.ProgramWritten('(cbu.assign-role :cbu-id @x :entity-id "John Smith" '
                                           ':role "DIRECTOR")'))  # fmt: skip
    assert homonyms.state == "unresolved_refs" and not homonyms.session.program.auto_resolved


# --- escapes --------------------------------------------------------------------


@clause("repl D6")
@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("clear", n.Wish.CLEAR),
        ("Clear.", n.Wish.CLEAR),
        ("  START   over!! ", n.Wish.CLEAR),
        ("what can I do?", n.Wish.HELP),
        ("ｈｅｌｐ", n.Wish.HELP),
        ("something else", n.Wish.NONE_OF_THESE),
        ("bail", n.Wish.BAIL),
        ("execute", n.Wish.RUN),
        ("clear the compliance filter for Allianz", None),
        ("run it", None),
        ("skip to the end", None),
        ("", None),
    ],
)
def test_a_control_phrase_is_the_whole_message(message: str, wish: n.Wish | None) -> None:
    assert phrase_in(message) is wish


@clause("repl D6a", "repl part 4 edit")
def test_a_message_that_starts_with_a_bracket_is_an_edit() -> None:
    play = allianz().say("  (cbu.list)")
    assert play.state == "ready_to_run" and play.session.program.is_user_edited
    assert play.session.program.refs == () and play.source == "  (cbu.list)"
    play.say("(cbu.list")
    assert play.state == "syntax_error" and play.source == "(cbu.list"
    assert not play.say("list cbus").session.program.is_user_edited


@clause("repl part 4 clear")
def test_clear_forgets_the_program_from_every_state_that_rests() -> None:
    for play in resting():
        runs = play.session.last_run_succeeded
        play.say("start over")
        assert (play.state, play.source, play.actions) == ("new", "", ["clear", "cancel", "edit"])
        assert play.session.program.refs == () and (runs is None or not play.session.history)


def resting() -> list[Play]:
    """A session in each state in which a client can meet it, but for those that have ended."""
    return [
        Play(),
        Play().say("create entity"),
        Play().say("create entity", "none of these"),
        Play().say("(cbu.list"),
        Play().say("(cbu.lst)"),
        allianz(),
        allianz().say("create new"),
        Play().say("(cbu.show :cbu-id @nobody)"),
        Play().say("list cbus"),
        Play().say("list cbus", "run").end(),
        Play().say("list cbus", "run").end(n.RunOutcome.FAILED),
    ]


@clause("repl part 4 help", "repl 1e", "repl 1g")
def test_help_changes_nothing_and_speaks_of_the_state() -> None:
    texts = set[str]()
    for play in [*resting(), Play().say("list cbus", "run"), Play().say("bail")]:
        before = copy.deepcopy(play.session)
        play.say("help")
        before.trace = play.session.trace
        assert play.session == before
        assert play.session.can_execute == (play.session.state is State.READY_TO_RUN)
        texts.add(help_text(play.session.state, PACK.vocabulary, has_history=False))
    assert len(texts) >= 11
    assert allianz().actions == ["clear", "undo", "cancel", "skip", "create_new", "edit"]


@clause("repl part 4 help")
def test_help_has_phrases_of_the_packs_where_a_wish_is_taken() -> None:
    begin, wide = examples(PACK.vocabulary), examples(pack("onboarding", "components").vocabulary)
    assert begin == wide == [
        "«list cbus» (cbu.list)",
        "«create a fund called NAME in JURISDICTION» (cbu.ensure)",
        "«show CBU cbu» (session.set-cbu)",
    ]  # fmt: skip
    assert Play().say("list cbus").session.program.source == "(cbu.list)"
    assert len(examples(pack("components").vocabulary)) == 3
    assert examples(Vocabulary()) == []
    for play in resting():
        text = help_text(play.session.state, PACK.vocabulary, has_history=True)
        assert ("«list cbus»" in text) == (play.session.state in LISTENING)


@clause("repl part 4 help")
def test_help_says_how_each_action_that_is_open_is_asked_for() -> None:
    said = {"clear": "«clear»", "undo": "«undo»", "cancel": "«cancel»", "skip": "«skip»",
            "create_new": "«create new»", "edit": "begins with ("}  # fmt: skip
    creating = allianz().say("create new")
    assert creating.session.state is State.CREATING
    for play in [*resting(), creating]:
        text = help_text(
            play.session.state, PACK.vocabulary, has_history=bool(play.session.history)
        )
        assert [name for name, words in said.items() if words in text] == play.actions
        assert "«edit»" not in text


@clause("repl part 4 cancel", "repl 1f")
def test_a_cancelled_session_refuses_all_but_help() -> None:
    play = allianz().say("cancel")
    assert play.state == "cancelled" and play.actions == []
    for asked in (n.Said("list cbus"), n.Wish.UNDO, n.Wish.RUN, n.ProgramWritten("(cbu.list)")):
        refused(play, Code.SESSION_TERMINAL, partial(play.ask, asked))
    assert play.say("help").state == "cancelled"
    closed = Play().ask(n.Wish.CLOSE)
    assert closed.state == "closed" and closed.actions == []


@clause("repl D8", "repl part 4 undo", "repl d12")
def test_undo_brings_back_the_text_with_its_references_and_candidates() -> None:
    play = allianz()
    before = play.session.program
    choose(play, FUNDS)
    play.say("undo")
    assert play.state == "unresolved_refs" and play.source == before.source
    assert play.session.program.pending == before.pending
    assert play.session.program.shown(ref(play)) == before.shown(ref(play))
    play.say("undo")
    assert (play.state, play.source) == ("new", "") and "undo" not in play.actions
    refused(play, Code.NO_HISTORY, lambda: play.say("undo"))


@clause("repl d12")
def test_undo_after_a_run_brings_its_program_back_as_a_new_one() -> None:
    play = Play().say("list cbus", "run").end()
    play.say("undo")
    assert play.state == "ready_to_run" and play.source == "(cbu.list)"
    assert play.say("run").end().state == "executed"


@clause("repl part 4 skip")
def test_skipped_references_are_not_asked_again_and_run_with_a_warning() -> None:
    play = Play().ask(n.ProgramWritten(TWO))
    play.say("skip")
    assert play.state == "unresolved_refs"
    assert [one.is_skipped for one in play.session.program.refs] == [True, False]
    choose(play, entity("John Smith", "person"), 1)
    assert play.state == "ready_to_run"
    found = play.session.program.compilation
    assert found is not None and [one.code.value for one in found.warnings.shown] == ["W005"]
    again = Play().ask(n.ProgramWritten(TWO)).say("skip")
    choose(again, entity("Apex Capital"))
    assert [one.search_value for one in again.session.program.refs] == ["John Smith"]
    assert again.session.program.progress == (2, 2) and not again.session.program.skipped
    again.say("undo")
    assert [one.is_skipped for one in again.session.program.refs] == [True, False]
    last = allianz().say("skip")
    assert last.trace == ["dependency_resolution", "ready_to_run"]
    assert last.say("undo").state == "unresolved_refs"
    refused(Play(), Code.INVALID_EVENT, lambda: Play().say("skip"))


@clause("repl D8a")
def test_creation_ends_with_an_entity_or_back_at_the_references() -> None:
    play = allianz().say("create new")
    assert play.session.state is State.CREATING and play.actions == [
        "clear", "undo", "cancel", "edit",
    ]  # fmt: skip
    assert play.say("cancel").state == "unresolved_refs"
    assert play.session.program.shown(ref(play))
    play.say("create new").ask(n.EntityMade(FUNDS.entity_id, "New Fund"))
    assert play.state == "ready_to_run" and play.source.endswith("; New Fund")
    assert next(iter(play.session.program.resolved.values())).is_new
    assert allianz().say("create new", "bail").state == "cancelled"


@clause("repl part 4 search", "repl D7")
def test_while_references_are_open_words_search_and_numbers_and_names_pick() -> None:
    play = allianz().say("thematica")
    assert [one.display for one in play.session.program.shown(ref(play))] == ["Allianz Thematica"]
    play.say("try different search")
    assert len(play.session.program.shown(ref(play))) == 2
    for words in ("2", "Allianz Thematica", "allianz  THEMATICA"):
        assert allianz().say(words).source.endswith("; Allianz Thematica")
    assert allianz().say("3").state == "unresolved_refs"
    assert allianz().say("thematica", "1").source.endswith("; Allianz Thematica")


@clause("repl part 4 none", "repl D7a", "repl d12a")
def test_a_clarification_takes_a_number_an_id_or_a_new_request() -> None:
    asked = Play().say("create entity")
    assert asked.state == "intent_clarify" and asked.session.original_message == "create entity"
    option = asked.session.options[1]
    by_id = Play().say("create entity").ask(n.OptionChosen(option.option_id))
    for words in ("2", option.label, option.option_id):
        assert Play().say("create entity", words).session == by_id.session
    assert by_id.state == "semantic_error" and by_id.source == "(entity.create-proper-person)"
    refused(asked, Code.OPTION_NOT_FOUND, lambda: asked.ask(n.OptionChosen("option-9")))
    asked.say("blub")
    assert asked.state == "intent_clarify" and len(asked.session.options) == 2
    assert asked.session.original_message == "create entity"
    assert asked.say("list cbus").state == "ready_to_run" and not len(asked.session.options)
    none = Play().say("create entity", "none of these")
    assert none.state == "intent_capture" and none.session.options == ()


@clause("repl D7b", "repl d11a")
def test_a_new_request_is_appended_and_after_a_run_begins_anew() -> None:
    play = Play().say("list cbus", "list entities")
    assert play.source == "(cbu.list)\n(entity.list)" and play.state == "ready_to_run"
    play.say("run").end()
    assert play.say("list documents").source == "(document.list)"
    broken = Play().say("(cbu.list", "list cbus")
    assert broken.state == "syntax_error" and broken.source == "(cbu.list\n(cbu.list)"


@clause("repl D7c")
def test_a_message_without_an_intent_leaves_everything_as_it_was() -> None:
    for play in (one for one in resting() if one.session.state is not State.CREATING):
        if play.state == "unresolved_refs":
            continue
        before, state = play.session.program, play.session.state
        play.say("blub blub")
        assert play.session.state is state and play.session.program == before


@clause("repl D12a")
def test_a_model_that_fails_changes_no_state() -> None:
    play = Play().say("list cbus")
    play.is_slow = True
    before = copy.deepcopy(play.session)
    play.say("and now something")
    (order,) = play.waiting
    assert isinstance(order, n.ExtractIntents)
    play.session.respond(n.ExtractionFailed(order.ticket))
    assert (play.session.state, play.session.rev, play.session.program) == (
        before.state, before.rev, before.program,
    )  # fmt: skip


@clause("repl d5")
def test_proposed_intents_are_a_confirmed_message() -> None:
    intent = Intent("session.set-cbu", {"cbu-id": Text("allianz")})
    assert Play().ask(n.IntentsProposed((intent,))).source == allianz().source
    play = Play()
    refused(play, Code.INVALID_REQUEST, lambda: play.ask(n.IntentsProposed((Intent("x.y"),))))
    open_ = allianz()
    refused(open_, Code.INVALID_EVENT, lambda: open_.ask(n.IntentsProposed((intent,))))


# --- late and doubled -------------------------------------------------------------


@clause("repl responses")
def test_what_is_no_longer_waited_for_is_stale() -> None:
    for after in ("clear", "(cbu.list)", "show cbu apex", "cancel"):
        play = Play(is_slow=True).say("list cbus")
        (order,) = play.waiting
        assert isinstance(order, n.ExtractIntents)
        play.say(after)
        answer = n.ExtractionFailed(order.ticket)
        refused(play, Code.STALE_RESPONSE, partial(play.session.respond, answer))


@clause("repl D9a")
def test_a_run_names_its_plan_and_runs_once() -> None:
    play = Play().say("list cbus")
    plan_id, found = play.plan_id, play.afresh()
    refused(play, Code.PLAN_STALE, lambda: play.ask(n.RunWanted("plan-0", found)))
    play.ask(n.RunWanted(plan_id, found))
    refused(play, Code.BUSY, lambda: play.say("run"))
    play.end()
    refused(play, Code.PLAN_CONSUMED, lambda: play.say("run"))
    refused(allianz(), Code.NOT_READY, lambda: allianz().say("run"))


@clause("repl D9a", "repl D9")
def test_a_program_that_means_something_else_by_now_runs_when_its_new_plan_is_named() -> None:
    play = choose(allianz(), FUNDS)
    shown = play.plan_id
    play.versions = {FUNDS.entity_id: "2"}
    found = play.afresh()
    assert found.plan is not None and found.plan.plan_id != shown
    for named in (None, shown):
        refusal = refused(play, Code.PLAN_STALE, lambda: play.ask(n.RunWanted(named, found)))  # noqa: B023
        assert refusal.facts["plan_id"] == found.plan.plan_id
    (order,) = play.ask(n.RunWanted(found.plan.plan_id, found)).waiting
    assert isinstance(order, n.RunPlan) and order.plan == found.plan
    broken = play.session.program.compilation
    play = choose(allianz(), FUNDS)
    assert broken is not None
    broken = replace(broken, plan=None)
    refusal = refused(play, Code.PLAN_STALE, lambda: play.ask(n.RunWanted(None, broken)))
    assert refusal.facts["plan_id"] is None


def test_only_a_run_that_succeeds_binds() -> None:
    bound = {"fund": Bound("id-1", "cbu")}
    play = Play().say(E3, "run").end(n.RunOutcome.FAILED, bound)
    assert play.state == "executed" and play.session.bindings == {}
    play.say("undo", "run").end(bindings=bound)
    assert play.say("(cbu.show :cbu-id @fund)").state == "ready_to_run"
    assert Play().say("(cbu.show :cbu-id @fund)").state == "dependency_error"


def test_cancel_during_a_run_waits_for_the_run_to_say_so() -> None:
    play = Play().say("list cbus", "run", "cancel")
    assert play.state == "executing" and isinstance(play.waiting[-1], n.StopRun)
    assert play.end(n.RunOutcome.CANCELLED).state == "cancelled"
    late = Play().say("list cbus", "run", "bail")
    assert late.end().state == "executed"


@clause("repl 3a")
def test_an_empty_program_is_nothing_to_run() -> None:
    for source in ("", "; a comment\n"):
        play = Play().ask(n.ProgramWritten(source))
        assert play.state == "new" and not play.session.can_execute
        found = play.session.program.compilation
        assert found is not None and [one.code.value for one in found.warnings.shown] == ["W007"]


@clause("repl D2")
def test_errors_win_over_references_which_come_back_after_the_fix() -> None:
    play = Play().say('(cbu.show :cbu-id "allianz")(cbu.lst)')
    assert play.state == "semantic_error" and play.session.program.refs == ()
    play.say('(cbu.show :cbu-id "allianz")(cbu.list)')
    assert play.state == "unresolved_refs" and len(play.session.program.refs) == 1


# --- questions ----------------------------------------------------------------------


@clause("repl D13")
def test_a_question_is_a_block_whose_numbers_carry_an_index() -> None:
    found = callout_of(allianz().session)
    assert found is not None and found == callout_of(allianz().session)
    assert found.block == "Which cbu is «allianz»?\n\n1) ALLIANZ FUNDS\n2) Allianz Thematica"
    assert (found.options[0].n, found.options[0].id) == (1, FUNDS.entity_id)
    clarify = callout_of(Play().say("create entity").session)
    assert clarify is not None and clarify.name == "clarify" and len(clarify.options) == 2
    run = callout_of(Play().say("list cbus").session)
    assert run is not None and [one.label for one in run.options] == ["Run", "Start over"]
    assert Play().say("list cbus", "1").state == "executing"
    assert callout_of(Play().session) is None
    ids = {one.callout_id for one in (found, clarify, run)}
    other = callout_of(Play(Session("s2", PACK.vocabulary)).say("list cbus").session)
    assert other is not None and len(ids | {other.callout_id}) == 4


@clause("repl D4b")
def test_namesakes_are_told_apart_in_few_words() -> None:
    smiths = [
        Candidate(f"id-{number}", "John Smith", "person", 100, differs={"born": year, "from": "GB"})
        for number, year in enumerate(("1965", "1980"))
    ]
    long = Candidate("id-9", "Allianz Global Investors Fund Europe Equity Growth", "cbu", 80)
    assert labels([*smiths, long]) == (
        "John Smith (1965)", "John Smith (1980)", "Allianz Global Investors Fund Europe …",
    )  # fmt: skip
    same = [Candidate(f"abcdef-{n}", "Ann Lee", "person", 100) for n in range(2)]
    assert len(set(labels(same))) == 2
    kinds = [Candidate("id", "Ann Lee", kind, 100) for kind in ("person", "limited_company")]
    assert labels(kinds) == ("Ann Lee (person)", "Ann Lee (limited company)")


@clause("repl D13")
@pytest.mark.parametrize(
    "words",
    ["Allianz. Really?", "a" * 200, "let me know", "Fund if you want", "x\tAllianz\u200b",
     "one two three four five six seven eight nine ten eleven twelve thirteen fourteen Allianz"],
)  # fmt: skip
def test_whatever_was_said_the_question_about_it_is_a_choice_block(words: str) -> None:
    play = Play().say(f'(cbu.show :cbu-id "{words}")', "Allianz")
    found = callout_of(play.session)
    assert found is not None and found.name == "resolve"
    assert judged(found.block) == []


def test_the_same_requests_make_the_same_session() -> None:
    def played() -> Play:
        return choose(allianz(), FUNDS).say("list cbus", "undo", "list entities", "run").end()

    assert played().session == played().session
