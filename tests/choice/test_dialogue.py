from __future__ import annotations

import inspect
from functools import partial

import pytest

from antiphon.base.errors import Code, Refused
from antiphon.choice import dialogue
from antiphon.choice.dialogue import STAGES, EventType, Said, Stage
from antiphon.choice.flow import Values
from antiphon.choice.judge import judged
from tests.choice.driving import (
    ENV,
    PICKER,
    REGION,
    SUMMARY_OPTIONS,
    ZONED,
    many,
    one,
    start,
    summary,
)
from tests.clauses import clause

LISTED = ["option 2", "I choose 1", "probably 3", "1, 3", ""]
FULL = summary("env: staging", "region: eu, ap")


@clause("interaction R1", "interaction R2", "interaction R4", "interaction R9", "interaction R24")
def test_a_flow_begins_with_its_first_block_and_nothing_else() -> None:
    assert start().outputs == [ENV]


@clause("interaction R15", "interaction R16", "interaction R30", "interaction 7.3")
def test_numbers_lead_to_the_summary_and_confirm_gives_the_values() -> None:
    driven = start()
    assert driven.say("2") == REGION
    assert [event.values for event in driven.events] == [{"env": "staging"}]
    assert driven.say("3,1") == FULL
    assert driven.say("1") is None
    assert driven.values == {"env": "staging", "region": ("eu", "ap")}
    assert driven.kinds() == [("CONFIRMED", None, None)]


@clause("interaction R25", "interaction R36", "interaction R37", "interaction R38")
@clause("interaction R39", "interaction R40", "interaction R52", "interaction R55")
def test_four_invalid_inputs_climb_the_ladder_with_the_same_option_lines() -> None:
    driven = start()
    driven.say("option 2", "probably 3", "I choose 1", "")
    assert driven.outputs[1:] == [
        f"Invalid input: {ENV}",
        f"Invalid input (1 / 2): {ENV}",
        f"Enter 1-3: {ENV}",
        "STEP_ABORT",
    ]
    assert driven.kinds() == [("INVALID", "env", "empty"), ("STEP_ABORT", "env", None)]


@clause("interaction R38", "interaction R39")
def test_a_step_of_many_shows_its_own_format() -> None:
    driven = start()
    driven.say("1", "x 1", "x 1", "x 1")
    assert driven.outputs[-2:] == [f"Invalid input (1 / 2 / 1,3): {REGION}", f"Enter 1-3: {REGION}"]


@clause("interaction R21")
@pytest.mark.parametrize("text", LISTED)
def test_each_listed_input_is_invalid_at_once(text: str) -> None:
    driven = start()
    assert driven.say(text) == f"Invalid input: {ENV}"
    assert driven.kinds()[0][:2] == ("INVALID", "env")


@clause("interaction R19", "interaction R36", "interaction 7.2")
def test_free_text_is_heard_word_for_word_and_the_count_begins_again() -> None:
    driven = start()
    assert driven.say("0", "0", "0", "use blue-green\n") is None
    assert [(event.type, event.text) for event in driven.events] == [
        (EventType.FREETEXT, "use blue-green")
    ]
    assert driven.say("0") == f"Invalid input: {ENV}"


@clause("interaction R40", "interaction 7.6")
def test_an_ended_step_stays_ended_until_it_is_opened_again() -> None:
    driven = start()
    driven.say("0", "0", "0", "0")
    for text in ("2", "free text", "0", "env=1", ""):
        assert driven.say(text) == "STEP_ABORT"
        assert driven.kinds() == [("STEP_ABORT", "env", None)]
    assert driven.reopen() == ENV
    assert driven.say("2") == REGION


@clause("interaction R17", "interaction R57")
@pytest.mark.parametrize(
    "before",
    [[], ["0", "0", "0"], ["0"] * 4, ["1", "1"], ["1", "1", "3"], ["1", "1", "3", "1"]],
    ids=["step", "retry", "aborted", "summary", "picker", "edit"],
)
@pytest.mark.parametrize("word", ["cancel", "abort", "cancel\n"])
def test_a_control_word_cancels_anywhere(before: list[str], word: str) -> None:
    driven = start()
    driven.say(*before, word)
    assert driven.outputs[-1] == "FLOW_CANCEL"
    assert [event.type for event in driven.events] == [EventType.FLOW_CANCEL]
    assert driven.values is None
    with pytest.raises(Refused) as refused:
        driven.say("1")
    assert refused.value.code is Code.FLOW_TERMINAL


@clause("interaction R18")
def test_a_control_word_in_another_form_is_invalid_and_in_a_sentence_free() -> None:
    for text in ("Cancel", " abort", "cancel."):
        assert start().say(text) == f"Invalid input: {ENV}"
    assert start().say("cancel it") is None


@clause("interaction R20", "interaction R22", "interaction R41")
def test_what_is_invalid_stays_so_however_often_it_was_tried() -> None:
    for count in range(3):
        for text in ("1,3", "01", "１", "1.", "1,"):
            driven = start()
            driven.say(*["0"] * count, text)
            assert driven.state.answers == (None, None)
            assert driven.state.invalid_count == count + 1


@clause("interaction R23", "interaction R29")
def test_nothing_but_a_choice_answers_a_step() -> None:
    driven = start()
    driven.say("", "\n", "yes", "Enter", "dev")
    assert driven.state.answers == (None, None)
    assert driven.say("1") == REGION


@clause("interaction R35", "interaction 7.4")
def test_the_summary_takes_exact_numbers_only() -> None:
    driven = start()
    driven.say("2", "1,3")
    assert driven.say("confirm") is None
    assert driven.say("yes") is None
    assert driven.say("4") == f"Invalid input: {FULL}"
    assert driven.say("1,2") == f"Invalid input (1 / 2): {FULL}"
    assert driven.say("0") == f"Enter 1-3: {FULL}"
    assert driven.say("0") == "STEP_ABORT"
    assert driven.reopen() == FULL


@clause("interaction R32")
def test_restart_clears_answers_and_counters() -> None:
    driven = start()
    driven.say("2", "1,3", "0", "0", "2")
    assert driven.outputs[-1] == ENV
    assert driven.kinds() == [("RESTARTED", None, None)]
    assert driven.state == start().state


@clause("interaction R33", "interaction R52", "interaction 7.6")
def test_edit_asks_which_step_then_that_step_and_comes_back() -> None:
    driven = start()
    driven.say("2", "1,3")
    assert driven.say("3") == PICKER
    assert driven.say("1") == ENV
    assert driven.say("0") == f"Invalid input: {ENV}"
    assert driven.say("3") == summary("env: prod", "region: eu, ap")


@clause("interaction R33", "interaction R36")
def test_the_edit_picker_has_its_own_ladder() -> None:
    driven = start()
    driven.say("2", "1,3", "3", "9")
    assert driven.outputs[-1] == f"Invalid input: {PICKER}"
    driven.say("9", "9", "9")
    assert driven.outputs[-1] == "STEP_ABORT"
    assert driven.reopen() == PICKER


@clause("interaction R34", "interaction R26", "interaction 7.7")
def test_an_edit_drops_what_depends_and_asks_it_again() -> None:
    driven = start(ZONED)
    assert driven.say("2", "1", "2") == summary("env: prod", "zone: a", "size: large")
    assert driven.say("3", "1", "1") == summary("env: dev", "size: large")
    assert driven.say("3") == "Which step should change?\n\n1) env\n2) size"
    assert driven.say("1", "2") == "Which zone?\n\n1) a\n2) b"
    assert driven.say("2") == summary("env: prod", "zone: b", "size: large")


@clause("interaction R34")
def test_an_edit_that_changes_nothing_drops_nothing() -> None:
    driven = start(ZONED)
    driven.say("2", "1", "2", "3", "1")
    assert driven.say("2") == summary("env: prod", "zone: a", "size: large")


BY = """\
flow: by
steps:
  - {key: cloud, ask: "Which cloud?", select: one, options: [aws, gcp]}
  - key: zone
    ask: "Which zone?"
    select: one
    options_by: {cloud: {aws: [east, west], gcp: [north, west]}}
  - {key: far, ask: "How far?", select: one, options: [near, far], when: {zone: [west]}}
"""


@clause("interaction 7.7", "interaction R34")
def test_options_that_depend_follow_the_answer() -> None:
    driven = start(BY)
    assert driven.say("2") == "Which zone?\n\n1) north\n2) west"
    assert driven.say("2", "2") == summary("cloud: gcp", "zone: west", "far: far")
    assert driven.say("3", "1", "1") == "Which zone?\n\n1) east\n2) west"
    assert driven.say("1") == summary("cloud: aws", "zone: east")


@clause("interaction 2b")
def test_typed_input_means_the_same_as_its_text() -> None:
    for numbers in ([2], [1, 3], [9], [], [0], [2, 2], [-1]):
        text = ",".join(map(str, numbers))
        typed, said = start(), start()
        typed.say(Said.choice(numbers))
        said.say(text)
        assert (typed.state, typed.outputs, typed.events) == (said.state, said.outputs, said.events)
    driven = start()
    assert driven.say(Said("2", is_free=True)) is None
    assert driven.events[0].text == "2"
    driven.say(Said("cancel", is_free=True))
    assert driven.kinds() == [("FREETEXT", "env", None)]


@clause("interaction R14", "interaction R6")
def test_one_option_is_still_a_block() -> None:
    driven = start(one("push", ask="Push the commit?"))
    assert driven.outputs == ["Push the commit?\n\n1) push"]
    assert driven.say("2") == "Invalid input: Push the commit?\n\n1) push"
    assert driven.say("1") == summary("x: push")


@clause("interaction 7.7")
def test_a_step_of_many_may_be_left_out_where_it_says_so() -> None:
    driven = start(many("a", "b", more=", required: false"))
    assert driven.outputs == ["Which ones?\n\n1) a\n2) b\n3) None of these"]
    assert driven.say("1,3") == "Invalid input: Which ones?\n\n1) a\n2) b\n3) None of these"
    assert driven.kinds() == [("INVALID", "x", "duplicate")]
    assert driven.say("3") == summary("x: None of these")
    driven.say("1")
    assert driven.values == {"x": ()}


@clause("interaction R27", "interaction R36")
def test_the_state_is_all_there_is() -> None:
    driven = start()
    driven.say("0", "0")
    turns = [dialogue.advance(driven.flow, driven.state, Said("0")) for _ in range(3)]
    assert turns[0] == turns[1] == turns[2]
    assert driven.state.invalid_count == 2
    source = inspect.getsource(dialogue)
    assert "import time" not in source
    assert "random" not in source


@clause("interaction R1", "interaction R24", "interaction R51")
def test_every_output_of_the_engine_is_compliant() -> None:
    driven = start(ZONED)
    driven.say("0", "0", "0", "9 9", "cancel")
    other = start(ZONED)
    other.say("2", "1", "1", "0", "0", "0", "3", "0", "2", "1", "2")
    for output in [*driven.outputs, *other.outputs]:
        assert output is None or judged(output) == []


@clause("interaction 7.3")
def test_a_flow_begins_with_the_values_it_is_given() -> None:
    assert start(values={"env": "staging"}).outputs == [REGION]
    assert start(values={"region": ("ap", "eu"), "env": "staging"}).outputs == [FULL]
    wrong: list[Values] = [{"nope": "x"}, {"env": "mars"}, {"env": ("dev",)}, {"region": "eu"},
                           {"region": ()}, {"region": ("eu", "eu")}]  # fmt: skip
    for values in wrong:
        with pytest.raises(Refused) as refused:
            start(values=values)
        assert refused.value.code is Code.INVALID_REQUEST
    with pytest.raises(Refused):
        start(ZONED, values={"env": "dev", "zone": "a"})


def test_every_pair_without_a_row_is_an_end() -> None:
    stages = {stage for stage, _, _, _ in STAGES.rows}
    assert set(Stage) - stages == {Stage.DONE, Stage.CANCELLED}


@clause("interaction R31", "interaction R57")
def test_after_confirm_there_is_nothing_to_say() -> None:
    driven = start()
    driven.say("2", "1", "1")
    for attempt in (partial(driven.say, "1"), driven.reopen):
        with pytest.raises(Refused) as refused:
            attempt()
        assert refused.value.code is Code.FLOW_TERMINAL


def test_the_summary_is_written_as_the_grammar_says() -> None:
    assert summary("a: b") == "Summary:\n- a: b" + SUMMARY_OPTIONS
