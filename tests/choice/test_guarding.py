"""`antiphon.guard` around generators that misbehave."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import antiphon
from antiphon.base import limits
from antiphon.choice.guard import RecordViolation
from tests.choice.driving import ENV
from tests.clauses import clause

OFFER = "Let me know if you want to proceed."


def question(step: str = "env") -> antiphon.Question:
    domain = ("dev", "staging", "prod")
    return antiphon.Question("Ask which environment.", "deploy", step, domain=domain)


class Model:
    """A generator that answers from a list and keeps what it was asked."""

    def __init__(self, *answers: str | Exception | antiphon.SafetyRefused) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str | antiphon.SafetyRefused:
        self.prompts.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def later(self, prompt: str) -> str | antiphon.SafetyRefused:
        await asyncio.sleep(0)
        return self(prompt)


@clause("interaction R48", "interaction R52", "interaction R53")
@pytest.mark.parametrize("called", [lambda model: model, lambda model: model.later])
def test_only_compliant_text_comes_out_and_the_same_ever_after(
    tmp_path: Path, called: Callable[[Model], Callable[[str], str]]
) -> None:
    model = Model(f"Sure!\n\n{ENV}", OFFER, ENV)
    records: list[RecordViolation] = []
    text = asyncio.run(
        antiphon.guard(called(model), question(), state_dir=tmp_path, record=records.append)
    )
    assert text == ENV
    assert model.prompts == ["Ask which environment."] * 3
    assert [record.draft_count for record in records] == [1, 2]
    silent = Model()
    assert asyncio.run(antiphon.guard(silent, question(), state_dir=tmp_path)) == ENV
    assert silent.prompts == []


@clause("interaction R54", "interaction R3")
def test_three_violations_end_the_step_and_a_safety_refusal_passes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = Model(OFFER, OFFER, OFFER, ENV)
    assert asyncio.run(antiphon.guard(model, question(), state_dir=tmp_path)) == "STEP_ABORT"
    assert len(model.prompts) == 3
    assert "contract_violation: draft 3" in caplog.text
    refusing = Model(antiphon.SafetyRefused("No."))
    assert asyncio.run(antiphon.guard(refusing, question(), state_dir=tmp_path)) == "No."


@clause("interaction R54")
def test_a_template_that_breaks_the_contract_is_refused_before_the_model_is_asked(
    tmp_path: Path,
) -> None:
    model = Model(ENV)
    for template, code in [(OFFER, "F12"), (ENV.replace("\n3) prod", ""), "F15")]:
        wrong = dataclasses.replace(question(), template=template)
        with pytest.raises(antiphon.Refused) as refused:
            antiphon.sync.guard(model, wrong, state_dir=tmp_path)
        assert refused.value.answer["error"] == "contract_violation"
        assert code in str(refused.value)
    assert model.prompts == []


@clause("interaction R53")
def test_a_failing_generator_is_asked_three_times_and_a_mistake_of_the_caller_is_his(
    tmp_path: Path,
) -> None:
    lost = ConnectionResetError("gone")
    model = Model(lost, ENV)
    assert asyncio.run(antiphon.guard(model, question("a"), state_dir=tmp_path)) == ENV
    with pytest.raises(antiphon.Broken, match="gone"):
        asyncio.run(antiphon.guard(Model(lost, lost, lost), question("b"), state_dir=tmp_path))
    with pytest.raises(KeyError):
        asyncio.run(antiphon.guard(Model(KeyError("x")), question("c"), state_dir=tmp_path))


@clause("interaction R52")
def test_two_that_ask_at_once_show_what_was_accepted_first(tmp_path: Path) -> None:
    both = asyncio.Event()
    texts = [ENV, ENV.replace("Which", "What")]

    async def generate(_: str) -> str:
        text = texts.pop()
        if not texts:
            both.set()
        await both.wait()
        return text

    async def asked() -> list[str]:
        guards = [antiphon.guard(generate, question(), state_dir=tmp_path) for _ in range(2)]
        return await asyncio.gather(*guards)

    one, other = asyncio.run(asked())
    assert one == other


@clause("interaction R54", "interaction R55")
def test_each_broken_draft_leaves_one_record_and_old_records_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "VIOLATIONS_BYTES_MAX", 3_000)
    for number in range(8):
        prompt = f"Ask number {number}."
        code = antiphon.sync.guard(Model(OFFER, OFFER, OFFER), prompt, state_dir=tmp_path)
        assert code == "STEP_ABORT"
    folder = tmp_path / "dialogues"
    newest = (folder / "violations.jsonl").read_bytes()
    older = (folder / "violations.jsonl.1").read_bytes()
    assert 0 < len(newest) <= 3_000 and 0 < len(older) <= 3_000
    records = [json.loads(line) for line in (older + newest).splitlines()]
    assert [record["event"] for record in records[-4:]] == [
        "draft_discarded", "draft_discarded", "contract_violation", "STEP_ABORT",
    ]  # fmt: skip
    assert records[-2]["draft"] == 3


def test_a_program_that_blocks_has_the_same_guard(tmp_path: Path) -> None:
    model = Model(OFFER, ENV)
    assert antiphon.sync.guard(model, question(), state_dir=tmp_path) == ENV
    assert len(model.prompts) == 2

    async def in_a_notebook() -> str:
        return antiphon.sync.guard(Model(OFFER, ENV), question("other"), state_dir=tmp_path)

    assert asyncio.run(in_a_notebook()) == ENV


def test_what_is_no_text_and_what_is_no_question_are_said_to_be_none(tmp_path: Path) -> None:
    nothing: Any = lambda _: None  # noqa: E731
    with pytest.raises(TypeError, match="gave NoneType; a text"):
        antiphon.sync.guard(nothing, question(), state_dir=tmp_path)
    wrong: Any = {"prompt": "Ask."}
    with pytest.raises(TypeError, match="found dict; a Question"):
        antiphon.sync.guard(Model(ENV), wrong, state_dir=tmp_path)
