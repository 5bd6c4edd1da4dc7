"""Intents from a model that misbehaves: what it made up never becomes a program."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antiphon.base.errors import Code, Refused
from antiphon.base.limits import MODEL_TRIES_MAX
from antiphon.drivers.model import Model
from antiphon.repl.intents import Ambiguous, Confirmed, Nothing, Outcome, program
from antiphon.service.intents import Context, ModelIntents, Phrases, extractor
from tests.clauses import clause
from tests.doors.upstream import Answer, Upstream, body, never, raw, said, streamed
from tests.repl.packs import pack

VOCABULARY = pack("onboarding").vocabulary
NOBODY = "12345678-1234-4123-8123-123456789012"


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as found:
        yield found


def called(arguments: object, name: str = "propose_intents", number: int = 1) -> Answer:
    """A completion that calls a tool with these arguments."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": text}
    return said(None, tool_calls=[{"id": f"c{n}", "type": "function", "function": function}
                                  for n in range(number)])  # fmt: skip


def intents(*given: dict[str, Any], **more: Any) -> Answer:
    return called({"intents": list(given), **more})


SHOW = {"verb": "session.set-cbu", "params": {"cbu-id": "allianz"}}


def extracted(upstream: Upstream, *answers: Answer, message: str = "show allianz",
              timeout_ms: int = 20_000) -> Outcome:  # fmt: skip
    upstream.answers[:] = answers
    model = ModelIntents(VOCABULARY, Model(upstream.url, timeout_ms))
    return asyncio.run(model.extract(message, Context({"fund": "cbu"})))


def source(outcome: Outcome) -> str:
    assert isinstance(outcome, Confirmed), outcome
    return program(outcome.intents, VOCABULARY)


@clause("repl D12a", "repl d17")
def test_a_models_tool_call_becomes_intents(upstream: Upstream) -> None:
    assert source(extracted(upstream, intents(SHOW))) == '(session.set-cbu :cbu-id "allianz")'
    asked = json.loads(upstream.asked[0])
    assert asked["tool_choice"]["function"]["name"] == "propose_intents"
    verbs = asked["tools"][0]["function"]["parameters"]["properties"]["intents"]["items"]
    assert verbs["properties"]["verb"]["enum"] == sorted(VOCABULARY.verbs)
    assert asked["messages"][-1] == {"role": "user", "content": "show allianz"}
    assert "@fund (a cbu)" in asked["messages"][0]["content"]
    two = intents(
        {"verb": "cbu.ensure", "params": {"name": 'A "B"', "jurisdiction": "LU"}, "bind": "a"},
        {"verb": "cbu.show", "refs": {"cbu-id": "@a"}},
    )
    assert source(extracted(upstream, two)) == (
        '(cbu.ensure :name "A \\"B\\"" :jurisdiction "LU" :as @a)\n(cbu.show :cbu-id @a)'
    )
    assert source(extracted(upstream, intents({"verb": "cbu.show", "refs": {"cbu-id": "@fund"}})))
    assert extracted(upstream, intents()) == Nothing()


@clause("repl D12a")
def test_a_message_that_means_several_things_is_asked(upstream: Upstream) -> None:
    answer = intents(
        {"verb": "entity.create-proper-person"}, {"verb": "entity.create-limited-company"},
        is_ambiguous=True,
    )  # fmt: skip
    found = extracted(upstream, answer, message="create entity")
    assert isinstance(found, Ambiguous)
    assert [one.option_id for one in found.options] == ["option-1", "option-2"]


MADE_UP = [
    intents({"verb": "cbu.destroy"}),
    intents({"verb": "cbu.list) (cbu.delete"}),
    intents({"verb": "cbu.show", "params": {"cbu-id": NOBODY}}),
    intents({"verb": "cbu.tag", "params": {"cbu-id": "x", "tags": [{"a": f"id {NOBODY}"}]}}),
    intents({"verb": "cbu.show", "refs": {"cbu-id": "@nobody"}}),
    intents({"verb": "cbu.show", "params": {"cbu-id": "@fund"}}),
    intents({"verb": "cbu.show", "params": {"cbu-id": "a", "colour": "red"}}),
    intents({"verb": "cbu.list", "bind": "x"}),
    intents({"verb": "cbu.show", "params": {"cbu-id": "a"}, "refs": {"cbu-id": "@fund"}}),
    intents({"verb": "cbu.list", "dsl": "(cbu.list)"}),
    intents("(cbu.list)"),  # type: ignore[arg-type]
    intents(SHOW, dsl='(cbu.delete :cbu-id "x")'),
    intents(SHOW, is_ambiguous="yes"),
    called([SHOW]),
    called({"intents": SHOW}),
    called("{"),
    called('{"intents": NaN}'),
    called("[" * 100_000),
    called(""),
    called({"intents": [SHOW]}, name="run_dsl"),
    called({"intents": [SHOW]}, number=2),
    said('(cbu.delete :cbu-id "allianz")'),
    said(json.dumps({"intents": [SHOW]})),
    said(None, refusal="I cannot help with that."),
    said(None),
    body({"choices": [{"message": {"content": None}, "finish_reason": "length"}]}),
]


@clause("repl D12a")
@pytest.mark.parametrize("answer", MADE_UP)
def test_what_a_model_made_up_is_told_to_it_and_the_next_try_counts(
    answer: Answer, upstream: Upstream
) -> None:
    found = extracted(upstream, answer, answer, intents(SHOW))
    assert source(found) == '(session.set-cbu :cbu-id "allianz")'
    first, second, third = (json.loads(one)["messages"] for one in upstream.asked)
    assert second[: len(first)] == first and third[: len(second)] == second
    assert second[-1]["content"].startswith("Not accepted: ")


FAILURES = [
    body({"error": "overloaded"}, 503),
    raw(b"not json"),
    raw(b'{"choices": []}'),
    raw(b'{"choices": [{"mess', promised=500),
    streamed("(cbu", is_whole=False),
    *MADE_UP[:3],
]


@clause("repl D12a", "repl d17")
@pytest.mark.parametrize("answer", FAILURES)
def test_three_failures_are_the_end(answer: Answer, upstream: Upstream) -> None:
    with pytest.raises(Refused) as refused:
        extracted(upstream, *[answer] * (MODEL_TRIES_MAX + 1))
    assert refused.value.code is Code.MODEL_FAILED
    assert len(upstream.asked) == MODEL_TRIES_MAX == 3


@clause("repl d17")
def test_a_model_that_takes_too_long_and_one_that_is_not_there(upstream: Upstream) -> None:
    with pytest.raises(Refused) as refused:
        extracted(upstream, never(upstream.released), timeout_ms=200)
    assert refused.value.code is Code.MODEL_TIMEOUT and len(upstream.asked) == 1
    gone = ModelIntents(VOCABULARY, Model("http://127.0.0.1:1/v1", 5_000))
    with pytest.raises(Refused) as refused:
        asyncio.run(gone.extract("show allianz", Context()))
    assert refused.value.code is Code.MODEL_FAILED


@clause("repl D12a")
def test_an_id_that_the_message_names_may_be_used(upstream: Upstream) -> None:
    answer = intents({"verb": "cbu.show", "params": {"cbu-id": NOBODY}})
    assert NOBODY in source(extracted(upstream, answer, message=f"show {NOBODY.upper()}"))
    answer = intents({"verb": "cbu.show", "refs": {"cbu-id": "@later"}})
    assert "@later" in source(extracted(upstream, answer, message="show @later"))


@clause("repl d17")
def test_the_operator_names_the_model_and_its_key(upstream: Upstream, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("secret\n")
    upstream.answers[:] = [intents(SHOW)]
    model = extractor(VOCABULARY, Model(upstream.url, 20_000, "theirs", key))
    asyncio.run(model.extract("show allianz", Context()))
    assert json.loads(upstream.asked[0])["model"] == "theirs"
    assert upstream.keys == ["Bearer secret"]


@clause("repl D12")
def test_without_a_model_the_phrases_answer() -> None:
    phrases = extractor(VOCABULARY, None)
    assert isinstance(phrases, Phrases)
    found = asyncio.run(phrases.extract("show allianz cbu", Context()))
    assert source(found) == '(session.set-cbu :cbu-id "allianz")'
