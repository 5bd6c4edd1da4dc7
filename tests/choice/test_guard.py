from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from antiphon.base.machine import NoRow
from antiphon.choice.guard import (
    Asked,
    AskModel,
    Drafted,
    Fact,
    Fail,
    GenerationFailed,
    Guard,
    Order,
    Pin,
    Question,
    RecordViolation,
    SafetyRefused,
    Show,
)
from tests.choice.driving import ENV, summary
from tests.clauses import clause

QUESTION = Question("Ask for the environment.", "deploy", "env", domain=("dev", "staging", "prod"))
OFFER = "Если хочешь, могу выполнить коммит"


@dataclass
class Driver:
    """A model that answers from a list, and everything it and the user were told."""

    drafts: Iterator[Fact]
    pins: dict[str, str] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    records: list[RecordViolation] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def run(self, question: Question) -> Driver:
        guard = Guard(question)
        orders: list[Order] = guard.receive(Asked(self.pins.get(question.pin)))
        while orders:
            match orders.pop(0):
                case AskModel(prompt):
                    self.prompts.append(prompt)
                    orders += guard.receive(next(self.drafts))
                case Show(text):
                    self.shown.append(text)
                case Pin(name, text):
                    self.pins[name] = text
                case RecordViolation() as record:
                    self.records.append(record)
                case Fail(error):
                    self.failures.append(error)
        return self


def driven(*drafts: str | Fact, question: Question = QUESTION) -> Driver:
    facts = (Drafted(one) if isinstance(one, str) else one for one in drafts)
    return Driver(iter(facts)).run(question)


@clause("interaction R53", "interaction R48", "interaction R51")
def test_a_violating_draft_is_made_anew_from_the_same_prompt() -> None:
    done = driven(f"Sure!\n\n{ENV}", OFFER, ENV)
    assert done.shown == [ENV]
    assert done.prompts == [QUESTION.prompt] * 3
    assert [record.draft_count for record in done.records] == [1, 2]
    assert not any(record.is_final for record in done.records)


@clause("interaction R54")
def test_after_three_drafts_the_template_is_shown_and_a_fourth_never_asked_for() -> None:
    template = Question(QUESTION.prompt, "deploy", "env", domain=QUESTION.domain, template=ENV)
    done = driven(*[OFFER] * 9, question=template)
    assert (done.shown, len(done.prompts)) == ([ENV], 3)
    assert [record.is_final for record in done.records] == [False, False, True]


@clause("interaction R54", "interaction R55")
def test_without_a_template_the_step_ends() -> None:
    done = driven(*[OFFER] * 9)
    assert (done.shown, len(done.prompts)) == (["STEP_ABORT"], 3)
    assert done.records[-1].is_final
    assert done.pins == {}


@clause("interaction R52")
def test_an_accepted_text_is_shown_ever_after() -> None:
    pins = driven(ENV).pins
    again = Driver(iter(()), pins).run(QUESTION)
    assert (again.shown, again.prompts) == ([ENV], [])
    other = Question("Another prompt.", "deploy", "env", domain=QUESTION.domain)
    assert Driver(iter(()), pins).run(other).shown == [ENV]
    for question in (
        Question("p", "deploy", "region", domain=QUESTION.domain),
        Question("p", "other", "env", domain=QUESTION.domain),
        Question("p", "deploy", "env", "ru", domain=QUESTION.domain),
        Question("p", "deploy", "env", domain=("dev",)),
    ):
        assert question.pin not in pins
    assert Question("a").pin != Question("b").pin


@clause("interaction R52", "interaction R30")
def test_a_named_question_is_kept_without_its_remark_and_its_summary_not_at_all() -> None:
    done = driven(f"Invalid input (1 / 2): {ENV}")
    assert done.shown == list(done.pins.values()) == [ENV]
    summed = summary("env: dev")
    for text in (summed, f"Enter 1-3: {summed}"):
        done = driven(text)
        assert (done.shown, done.pins) == ([text], {})
    by_prompt = driven(summed, question=Question("Sum it up: dev."))
    assert by_prompt.shown == list(by_prompt.pins.values()) == [summed]


@clause("interaction R3", "interaction R56")
def test_a_refusal_for_safety_is_sent_as_it_is() -> None:
    done = driven(OFFER, SafetyRefused("I cannot help with that."))
    assert done.shown == ["I cannot help with that."]
    assert done.pins == {}


@clause("interaction R13", "interaction R53")
def test_a_draft_that_leaves_out_a_value_is_a_violation() -> None:
    done = driven("Which environment?\n\n1) dev\n2) prod", ENV)
    assert [found.code for found in done.records[0].violations] == ["F15"]
    assert done.shown == [ENV]


@clause("interaction R53")
def test_a_failure_is_no_draft_and_is_bounded_all_the_same() -> None:
    lost = GenerationFailed("connection reset")
    done = driven(lost, OFFER, lost, ENV)
    assert (done.shown, len(done.prompts), len(done.records)) == ([ENV], 4, 1)
    failed = driven(lost, lost, lost)
    assert (failed.shown, failed.failures) == ([], ["connection reset"])


@clause("interaction R55")
def test_an_event_of_the_model_is_shown_and_never_pinned() -> None:
    done = driven("FLOW_CANCEL")
    assert (done.shown, done.pins) == (["FLOW_CANCEL"], {})


def test_a_fact_out_of_turn_is_no_row() -> None:
    guard = Guard(QUESTION)
    with pytest.raises(NoRow):
        guard.receive(Drafted(ENV))
