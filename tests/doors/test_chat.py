"""The endpoint in front of a model that misbehaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from antiphon.adapters.chat import Chat, ChatAnswer
from antiphon.drivers.model import Model
from tests.choice.driving import ENV
from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.doors.upstream import Answer, Upstream, body, never, raw, said, streamed

OFFER = "Let me know if you want to proceed."
ASKED: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "deploy, please"}],
    "temperature": 0,
}


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as found:
        yield found


def chat(upstream: Upstream, tmp_path: Path, *answers: Answer, **more: Any) -> ChatAnswer:
    upstream.answers[:] = answers
    model = Model(upstream.url, more.pop("timeout_ms", 20_000), **more.pop("model", {}))
    return asyncio.run(Chat(model, tmp_path).answer({**ASKED, **more}))


def content(answer: ChatAnswer) -> Any:
    assert answer.status == 200, answer
    return json.loads(answer.body)["choices"][0]["message"]["content"]


@clause("interaction R53", "interaction R48")
def test_the_agent_sees_only_the_compliant_draft_and_the_model_the_same_bytes(
    upstream: Upstream, tmp_path: Path
) -> None:
    answer = chat(upstream, tmp_path, said(f"Sure!\n\n{ENV}"), said(OFFER), said(ENV), stream=False)
    assert content(answer) == ENV
    assert json.loads(answer.body)["usage"] == {"total_tokens": 7}
    assert upstream.asked == [upstream.asked[0]] * 3
    assert json.loads(upstream.asked[0]) == {**ASKED, "stream": False}


@clause("interaction R52")
def test_an_accepted_text_is_pinned_for_the_same_request_and_for_the_same_step(
    upstream: Upstream, tmp_path: Path
) -> None:
    first = chat(upstream, tmp_path, said(ENV))
    again = chat(upstream, tmp_path)
    assert content(first) == content(again) == ENV
    assert len(upstream.asked) == 1
    step = {"flow": "deploy", "step": "env", "domain": ["dev", "staging", "prod"]}
    chat(upstream, tmp_path, said(ENV), antiphon=step)
    other = [{"role": "user", "content": "other words"}]
    assert content(chat(upstream, tmp_path, messages=other, antiphon=step)) == ENV
    assert len(upstream.asked) == 2
    assert b"antiphon" not in upstream.asked[1]


@clause("interaction R54", "interaction R55")
def test_three_violations_show_the_template_or_end_the_step(
    upstream: Upstream, tmp_path: Path
) -> None:
    assert content(chat(upstream, tmp_path, *[said(OFFER)] * 3)) == "STEP_ABORT"
    template = {"template": ENV}
    assert content(chat(upstream, tmp_path, *[said(OFFER)] * 3, antiphon=template)) == ENV
    assert len(upstream.asked) == 6
    bad = chat(upstream, tmp_path, antiphon={"template": OFFER})
    assert bad.status == 422
    assert json.loads(bad.body)["error"]["code"] == "contract_violation"
    partial = {"template": ENV, "domain": ["dev", "staging", "prod", "test"]}
    assert chat(upstream, tmp_path, antiphon=partial).status == 422


CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}


@clause("interaction R48", "interaction R3")
def test_tool_calls_pass_without_prose_and_a_refusal_passes_as_it_is(
    upstream: Upstream, tmp_path: Path
) -> None:
    answer = chat(upstream, tmp_path, said("I will look around.", tool_calls=[CALL]))
    message = json.loads(answer.body)["choices"][0]
    assert message["message"] == {"role": "assistant", "content": None, "tool_calls": [CALL]}
    assert message["finish_reason"] == "tool_calls"
    answer = chat(upstream, tmp_path, said(None, refusal="I cannot help with that."))
    message = json.loads(answer.body)["choices"][0]["message"]
    assert message["refusal"] == "I cannot help with that."
    assert message["content"] is None


@clause("interaction R48")
def test_other_spellings_of_a_message_are_understood(upstream: Upstream, tmp_path: Path) -> None:
    old = {"name": "ls", "arguments": "{}"}
    answer = chat(upstream, tmp_path, said("I will look.", function_call=old))
    choice = json.loads(answer.body)["choices"][0]
    assert choice["message"] == {"role": "assistant", "content": None, "function_call": old}
    assert choice["finish_reason"] == "function_call"
    parts = [
        {"type": "text", "text": ENV[:9]},
        {"type": "image"},
        {"type": "text", "text": ENV[9:]},
    ]
    in_parts = body({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]})
    assert content(chat(upstream, tmp_path, in_parts, temperature=1)) == ENV


def pieces(answer: ChatAnswer) -> list[Any]:
    assert answer.media_type == "text/event-stream"
    lines = answer.body.decode().strip().split("\n\n")
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


@clause("interaction R53")
def test_a_stream_is_asked_for_and_comes_whole(upstream: Upstream, tmp_path: Path) -> None:
    answer = chat(
        upstream, tmp_path, said(OFFER), streamed(*ENV), stream=True,
        stream_options={"include_usage": True},
    )  # fmt: skip
    got = pieces(answer)
    assert (
        "".join(p["choices"][0]["delta"].get("content") or "" for p in got if p["choices"]) == ENV
    )
    assert got[1]["choices"][0]["finish_reason"] == "stop"
    assert b"stream_options" not in upstream.asked[0]
    calls = chat(upstream, tmp_path, said("x", tool_calls=[CALL]), stream=True, temperature=1)
    assert pieces(calls)[0]["choices"][0]["delta"]["tool_calls"] == [{"index": 0, **CALL}]


@pytest.mark.parametrize(
    "failure",
    [
        body({"error": "overloaded"}, 503),
        body({"error": "too soon"}, 425),
        raw(b"not json"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": [{"mess', promised=500),
        streamed("Which", is_whole=False),
        body({"choices": [{"message": {"content": ENV}, "finish_reason": "length"}]}),
    ],
)
@clause("interaction R53")
def test_a_failure_is_no_draft_and_three_are_the_end(
    failure: Answer, upstream: Upstream, tmp_path: Path
) -> None:
    assert content(chat(upstream, tmp_path, failure, failure, said(ENV))) == ENV
    answer = chat(upstream, tmp_path / "other", *[failure] * 3)
    assert answer.status == 502
    assert json.loads(answer.body)["error"]["code"] == "model_failed"
    assert len(upstream.asked) == 6


def test_a_model_that_takes_too_long_and_one_that_is_not_there(
    upstream: Upstream, tmp_path: Path
) -> None:
    answer = chat(upstream, tmp_path, *[never(upstream.released)] * 3, timeout_ms=200)
    assert answer.status == 504
    assert json.loads(answer.body)["error"]["code"] == "model_timeout"
    gone = Model("http://127.0.0.1:1/v1", 5_000)
    assert asyncio.run(Chat(gone, tmp_path).answer(ASKED)).status == 502
    assert asyncio.run(Chat(None, tmp_path).answer(ASKED)).status == 503
    none = asyncio.run(Chat(None, tmp_path).models({}))
    assert (none.status, json.loads(none.body)) == (200, {"object": "list", "data": []})
    assert asyncio.run(Chat(gone, tmp_path).models({})).status == 502
    wrongs: list[tuple[dict[str, object], str]] = [
        ({}, "`messages` is missing"),
        ({"messages": "x", "seed": 1}, "messages is 'x'; accepted is a list"),
        ({"messages": ["x"]}, "messages[0] is 'x'; accepted is an object"),
        ({**ASKED, "n": 2}, "n is 2; accepted is 1 or null"),
        ({**ASKED, "antiphon": {"x": 1}}, "antiphon is {'x': 1}; accepted is an object of"),
    ]
    for wrong, said_ in wrongs:
        answer = asyncio.run(Chat(gone, tmp_path).answer(wrong))
        assert answer.status == 422
        assert json.loads(answer.body)["error"]["message"].startswith(said_), answer.body


def test_the_operator_names_the_model_and_its_key(upstream: Upstream, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("secret\n")
    chat(upstream, tmp_path, said(ENV), model={"name": "theirs", "key_file": key})
    assert json.loads(upstream.asked[0])["model"] == "theirs"
    assert upstream.keys == ["Bearer secret"]
    lost = chat(upstream, tmp_path, temperature=1, model={"key_file": tmp_path / "none"})
    assert lost.status == 502


@pytest.mark.slow
@clause("interaction R53", "interaction R54")
def test_an_agent_changes_its_base_url_and_no_more(upstream: Upstream, tmp_path: Path) -> None:
    serving = Serving.begin(tmp_path, ANTIPHON_LLM_URL=upstream.url)
    try:
        upstream.answers[:] = [said(OFFER), said(ENV)]
        status, answer = serving.post("/v1/chat/completions", json.dumps(ASKED).encode())
        assert status == 200
        assert answer["choices"][0]["message"] == {"role": "assistant", "content": ENV}
        status, answer = serving.post("/v1/chat/completions", b"{}")
        assert status == 422
        assert answer["error"]["type"] == "invalid_request_error"
        status, _ = serving.post("/v1/chat/completions", json.dumps(ASKED).encode(), {})
        assert status == 401
    finally:
        serving.end()
