"""An agent as agents are: OpenAI's wire over a socket, read event by event, errors by status."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Semaphore
from typing import Any

import pytest

from tests.choice.driving import ENV, REGION
from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.doors.upstream import Upstream, body, raw, said, slowly, streamed

pytestmark = pytest.mark.slow

COMPLETIONS = "/v1/chat/completions"
OFFER = "Let me know if you want to proceed."
CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path":"."}'}}


@dataclass
class Agent:
    """What the official clients do: a base URL, a key, a status, an SSE decoder."""

    serving: Serving

    @contextmanager
    def request(
        self, verb: str, path: str, sent: object = None
    ) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(self.serving.host, timeout=300)
        headers = {
            **self.serving.headers,
            "Accept": "application/json",
            "User-Agent": "OpenAI/Python 2.8.1",
            "X-Stainless-Lang": "python",
        }
        data = None if sent is None else json.dumps(sent).encode()
        with closing(connection):
            connection.request(verb, path, data, headers)
            with connection.getresponse() as answer:
                yield answer

    def complete(self, *turns: str, **more: Any) -> tuple[int, Any]:
        with self.request("POST", COMPLETIONS, self.asking(*turns, **more)) as answer:
            return answer.status, json.loads(answer.read())

    def stream(self, *turns: str, **more: Any) -> list[Any]:
        """The pieces, decoded as a stream of server-sent events is."""
        sent = self.asking(*turns, stream=True, **more)
        with self.request("POST", COMPLETIONS, sent) as answer:
            assert answer.status == 200
            assert (answer.getheader("Content-Type") or "").startswith("text/event-stream")
            pieces = [b"".join(lines) for lines in events(answer)]
        assert pieces.pop() == b"[DONE]"
        return [json.loads(piece) for piece in pieces]

    @staticmethod
    def asking(*turns: str, **more: Any) -> dict[str, Any]:
        roles = ("user", "assistant")
        messages = [
            {"role": roles[number % 2], "content": text} for number, text in enumerate(turns)
        ]
        return {"model": "m", "messages": messages, **more}


def events(answer: Iterable[bytes]) -> Iterator[list[bytes]]:
    data: list[bytes] = []
    for line in answer:
        name, _, value = line.rstrip(b"\r\n").partition(b": ")
        if name == b"data":
            data.append(value)
        elif not line.strip() and data:
            yield data
            data = []
    assert data == [], "an event was cut"


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as found:
        yield found


@pytest.fixture
def agent(upstream: Upstream, tmp_path: Path) -> Iterator[Agent]:
    serving = Serving.begin(tmp_path, ANTIPHON_LLM_URL=upstream.url)
    yield Agent(serving)
    serving.end()


@clause("interaction R53", "interaction R48")
def test_an_agents_conversation_has_compliant_text_in_every_turn(
    agent: Agent, upstream: Upstream
) -> None:
    upstream.answers += [said(f"Sure! Here we go.\n\n{ENV}"), said(ENV)]
    status, answer = agent.complete("deploy")
    assert status == 200
    assert (answer["object"], answer["model"]) == ("chat.completion", "m")
    (choice,) = answer["choices"]
    assert choice == {
        "index": 0,
        "message": {"role": "assistant", "content": ENV},
        "finish_reason": "stop",
    }
    upstream.answers += [said(None, tool_calls=[CALL])]
    _, answer = agent.complete("deploy", ENV, "2")
    assert answer["choices"][0]["message"]["tool_calls"] == [CALL]
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
    upstream.answers += [streamed(*OFFER), streamed(*REGION)]
    pieces = agent.stream("deploy", ENV, "2", stream_options={"include_usage": True})
    assert all(piece["object"] == "chat.completion.chunk" for piece in pieces)
    assert len({piece["id"] for piece in pieces}) == 1
    deltas = [choice["delta"] for piece in pieces for choice in piece["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == REGION
    assert upstream.asked[0] == upstream.asked[1]
    assert upstream.asked[3] == upstream.asked[4]


@clause("interaction R47", "interaction R53")
def test_of_a_slow_stream_no_byte_comes_before_all_of_it_is_judged(
    agent: Agent, upstream: Upstream
) -> None:
    turns = Semaphore(0)
    pace = iter(turns.acquire, None)
    upstream.answers += [slowly([ENV, f"\n\n{OFFER}"], pace), said(ENV)]
    with ThreadPoolExecutor() as beside:
        coming = beside.submit(agent.stream, "deploy")
        turns.release()  # what has come so far is a whole block
        assert upstream.arrived.acquire(timeout=120) and not coming.done()
        turns.release()
    deltas = [choice["delta"] for piece in coming.result() for choice in piece["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == ENV
    assert len(upstream.asked) == 2


@clause("interaction R53")
def test_an_agent_is_told_of_failures_as_its_client_understands_them(
    agent: Agent, upstream: Upstream
) -> None:
    long = {"error": {"message": "too long", "code": "context_length_exceeded", "param": None}}
    upstream.answers += [body(long, 400)]
    assert agent.complete("a") == (400, long)
    upstream.answers += [body({"detail": "slow down"}, 429, Retry_After="7")]
    with agent.request("POST", COMPLETIONS, agent.asking("b")) as answer:
        assert (answer.status, answer.getheader("Retry-After")) == (429, "7")
        assert json.loads(answer.read())["error"]["code"] == "model_refused"
    assert len(upstream.asked) == 2  # neither is asked for again
    upstream.answers += [body({"error": {"message": "bad key sk-12…34"}}, 401)]
    status, told = agent.complete("c")
    assert (status, told["error"]["code"]) == (502, "model_failed")
    assert "sk-" not in told["error"]["message"] and "401" in told["error"]["message"]
    upstream.answers += [
        raw(b"<html>"), body({}, 503), raw(b'{"choices": [{"mess', promised=500),
    ]  # fmt: skip
    status, told = agent.complete("d")
    assert (status, told["error"]["type"]) == (502, "api_error")
    status, told = agent.complete("e", n=2)
    assert (status, told["error"]["type"]) == (422, "invalid_request_error")
    upstream.answers += [said(ENV)]
    assert agent.complete("f", n=None, stream=None, stream_options=None)[0] == 200


def test_an_agent_may_ask_which_models_there_are(agent: Agent, upstream: Upstream) -> None:
    models = {"object": "list", "data": [{"id": "m", "object": "model"}]}
    upstream.answers += [body(models)]
    with agent.request("GET", "/v1/models") as answer:
        assert (answer.status, json.loads(answer.read())) == (200, models)
    assert upstream.asked == [b"/v1/models"]
    upstream.answers += [body({"error": {"message": "no such thing"}}, 404)]
    with agent.request("GET", "/v1/models") as answer:
        assert answer.status == 404


@clause("interaction R48", "interaction R54", "interaction R55")
def test_what_was_discarded_is_counted_and_recorded_and_never_sent(
    agent: Agent, upstream: Upstream, tmp_path: Path
) -> None:
    upstream.answers += [said(OFFER)] * 3
    status, answer = agent.complete("deploy", antiphon={"flow": "deploy", "step": "env"})
    assert (status, answer["choices"][0]["message"]["content"]) == (200, "STEP_ABORT")
    with agent.request("GET", "/metrics") as measured:
        assert b"antiphon_drafts_discarded 3" in measured.read()
    lines = (tmp_path / "dialogues" / "violations.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["event"] for record in records] == [
        "draft_discarded", "draft_discarded", "contract_violation", "STEP_ABORT",
    ]  # fmt: skip
    assert {(record["flow"], record["step"]) for record in records} == {("deploy", "env")}
    assert "F12" in [found["code"] for found in records[2]["violations"]]
    assert OFFER not in "".join(lines)
