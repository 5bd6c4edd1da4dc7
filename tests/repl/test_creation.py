from __future__ import annotations

import pytest

from antiphon.base.errors import Code
from antiphon.choice.judge import judged
from antiphon.dsl.tree import Text
from antiphon.repl import news as n
from antiphon.repl.callout import callout_of
from antiphon.repl.creation import Creation
from antiphon.repl.session import Session
from antiphon.repl.table import State
from tests.clauses import clause
from tests.repl.play import MADE_ID, PACK, Play
from tests.repl.test_session import refused


def begun() -> Play:
    return Play().say('(cbu.show :cbu-id "Nirvana")', "create new")


def creation(play: Play) -> Creation:
    assert play.session.creation is not None
    return play.session.creation


@clause("repl part 4 create", "repl D8a")
def test_an_entity_is_made_of_its_required_fields_and_takes_the_words_place() -> None:
    play = begun()
    assert play.session.state is State.CREATING and play.state == "unresolved_refs"
    assert creation(play).block == "What is the name? (Nirvana)"
    assert (creation(play).step, creation(play).entity_type) == (1, "cbu")
    play.say("Nirvana Fund")
    codes = callout_of(play.session)
    assert codes is not None and codes.name == "create" and judged(codes.block) == []
    assert codes.block.startswith("What is the jurisdiction?\n\n1) ")
    play.say("island")
    found = callout_of(play.session)
    assert found is not None
    assert found.block == (
        "What is the jurisdiction?\n\n1) Cayman Islands\n2) British Virgin Islands"
    )
    play.say("atlantis")
    again = callout_of(play.session)
    assert again is not None and again.block == f"Invalid input: {codes.block}"
    assert creation(play).told == "That is none of them. What is the jurisdiction?"
    play.say("ireland")
    summary = callout_of(play.session)
    assert summary is not None
    assert summary.block == (
        "Summary:\n- name: Nirvana Fund\n- jurisdiction: IE\n\n"
        "1) Confirm\n2) Restart\n3) Edit specific step"
    )
    play.say("1")
    (made,) = play.made
    assert made.intent.verb == "cbu.ensure" and made.intent.params == {
        "name": Text("Nirvana Fund"), "jurisdiction": Text("IE"),
    }  # fmt: skip
    assert play.state == "ready_to_run" and play.session.creation is None
    assert play.source == f'(cbu.show :cbu-id "{MADE_ID}") ; Made'
    assert play.say("undo").state == "unresolved_refs" and '"Nirvana"' in play.source


@clause("repl part 4 create", "interaction R13")
def test_codes_of_which_there_are_many_are_reached_by_numbers_alone() -> None:
    reached: set[str] = set()
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        path = waiting.pop()
        play = begun().say("Nirvana Fund", *path)
        found = callout_of(play.session)
        assert found is not None and judged(found.block) == [] and len(found.options) <= 7
        if found.block.startswith("Summary:"):
            reached.add(found.block.split("- jurisdiction: ")[1][:2])
            continue
        waiting += [(*path, str(option.n)) for option in found.options]
    assert reached == {one.code for one in creation(begun().say("A")).codes["jurisdiction"]}


@clause("repl part 4 create", "interaction R33")
def test_a_field_of_the_summary_is_changed_and_the_others_stay() -> None:
    play = begun().say("Nirvana Fund", "LU", "3")
    assert creation(play).block == "Which step should change?\n\n1) name\n2) jurisdiction"
    assert creation(play.say("7")).block.startswith("Invalid input: Which step should change?")
    assert creation(play.say("1")).block == "What is the name? (Nirvana)"
    assert "- name: Other Fund\n- jurisdiction: LU" in creation(play.say("Other Fund")).block
    assert creation(play.say("2")).given == {}


@clause("repl D8a")
@pytest.mark.parametrize("said", [[], ["A"], ["A", "LU"], ["A", "LU", "3"]])
def test_leaving_a_creation_comes_back_to_the_references(said: list[str]) -> None:
    play = begun().say(*said)
    before = play.session.program
    assert (
        play.say("cancel").state == "unresolved_refs" and play.session.state is not State.CREATING
    )
    assert play.session.program == before and play.session.creation is None
    assert begun().say(*said, "bail").state == "cancelled"
    assert begun().say(*said).ask(n.Wish.CREATE_CANCEL).session.state is State.UNRESOLVED_REFS


def test_an_answer_that_does_not_fit_is_asked_again() -> None:
    play = begun().say("")
    assert creation(play).given == {}
    play.say("x" * 300)
    assert creation(play).given == {} and "200" in creation(play).block
    play.say("A", "nowhere", "2", "99")
    assert list(creation(play).given) == ["name"]
    play.say("LU", "perhaps")
    assert creation(play).current is None
    assert creation(play.say("restart")).given == {}


def test_a_failure_is_told_and_the_fields_are_asked_again() -> None:
    play = begun()
    play.is_slow = True
    play.say("A", "LU", "confirm")
    (order,) = play.waiting
    assert isinstance(order, n.CreateEntity)
    play.session.respond(n.CreationFailed(order.ticket, "There is one"))
    assert creation(play).block == "There is one. What is the name? (Nirvana)"


def test_what_no_verb_makes_cannot_be_created() -> None:
    play = Play(Session("s1", PACK.vocabulary)).say('(cbu.show :cbu-id "Nirvana")')
    refused(play, Code.INVALID_EVENT, lambda: play.say("create new"))
