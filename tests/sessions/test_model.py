"""A session whose words a model reads, and the model misbehaves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.doors.upstream import Answer as Completion
from tests.doors.upstream import Upstream, body, never, said
from tests.service.test_intents import NOBODY, SHOW, intents
from tests.sessions.talking import Answer, Talk


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with Upstream() as found:
        yield found


@pytest.fixture(scope="module")
def modelled(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    state: Path = tmp_path_factory.mktemp("modelled")
    begun = Serving.begin(state, ANTIPHON_LLM_URL=upstream.url, ANTIPHON_LLM_TIMEOUT_MS="3000")
    try:
        yield begun
    finally:
        begun.end()


@pytest.fixture
def talk(modelled: Serving, upstream: Upstream) -> Talk:
    upstream.answers.clear()
    upstream.asked.clear()
    return Talk.begin(modelled)


@clause("repl D12a", "repl d17")
def test_a_models_intent_becomes_a_program_and_is_resolved_as_any(
    talk: Talk, upstream: Upstream
) -> None:
    upstream.answers[:] = [intents(SHOW)]
    talk.say("bring the german insurer's fund up, would you")
    assert (talk.state, talk.source) == ("unresolved_refs", '(session.set-cbu :cbu-id "allianz")')
    talk.pick("ALLIANZ FUNDS")
    talk.say("run")
    assert talk.state == "executed" and len(upstream.asked) == 1


@clause("repl D12a", "repl d17")
def test_a_model_that_fails_changes_no_state_and_all_but_free_text_works(
    talk: Talk, upstream: Upstream
) -> None:
    before = talk.get()
    for answers, status, code in (
        ([said("(cbu.delete)")] * 3, 502, "model_failed"),
        ([body({"error": "overloaded"}, 503)] * 3, 502, "model_failed"),
        ([intents({"verb": "cbu.show", "params": {"cbu-id": NOBODY}})] * 3, 502, "model_failed"),
        ([never(upstream.released)], 504, "model_timeout"),
    ):
        upstream.answers[:] = answers
        talk.to("POST", "/chat", message="show allianz cbu")
        talk.refused(status, code)
        assert talk.get() == before
    upstream.answers.clear()
    talk.say("help", '(session.set-cbu :cbu-id "allianz")', "1", "run")
    assert talk.state == "executed"


@clause("repl D12a")
def test_nothing_and_several_things_are_what_they_are_without_a_model(
    talk: Talk, upstream: Upstream
) -> None:
    upstream.answers[:] = [
        intents(),
        intents({"verb": "entity.create-proper-person"}, {"verb": "entity.create-limited-company"},
                is_ambiguous=True),
        intents({"verb": "cbu.list"}),
    ]  # fmt: skip
    talk.say("tell me a joke")
    assert (talk.state, talk.answer["dsl_source"]) == ("new", None)
    talk.say("create entity")
    assert talk.state == "intent_clarify"
    talk.say("list what there is")
    assert (talk.state, talk.source) == ("ready_to_run", "(cbu.list)")
    upstream.answers[:] = [said("I cannot do that")] * 3
    ready = talk.get()
    talk.to("POST", "/chat", message="hmm")
    talk.refused(502, "model_failed")
    assert talk.get() == ready


def after(gate: threading.Event, completion: Completion) -> Completion:
    """An answer that waits for the test."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        gate.wait(120)
        completion(handler)

    return answer


@clause("repl responses", "repl D12a")
@pytest.mark.parametrize(
    ("path", "fields", "state"),
    [
        ("/action", {"action": "clear"}, "new"),
        ("/action", {"action": "cancel"}, "cancelled"),
        ("/dsl", {"source": "(cbu.list)"}, "ready_to_run"),
        ("/chat", {"message": "help"}, "intent_capture"),
        ("/chat", {"message": "rather list the documents"}, "ready_to_run"),
    ],
)
def test_a_model_that_answers_when_the_session_has_moved_on_is_not_heard(
    talk: Talk, upstream: Upstream, path: str, fields: Answer, state: str
) -> None:
    gate = threading.Event()
    upstream.answers[:] = [
        after(gate, intents(SHOW)), intents({"verb": "document.list"}),
    ]  # fmt: skip
    while upstream.arrived.acquire(blocking=False):
        pass  # what the tests before have asked
    other = Talk(talk.serving, talk.session_id)
    with ThreadPoolExecutor(1) as beside:
        waiting = beside.submit(talk.to, "POST", "/chat", message="bring it up, would you")
        assert upstream.arrived.acquire(timeout=120)
        assert other.get()["session_state"]["state"] == "intent_capture"
        assert other.answer["rev"] == 1 and other.answer["can_execute"] is False
        other.to("PUT" if path == "/dsl" else "POST", path, **fields)
        assert (other.status, other.state) == (200, state), other.answer
        moved_on = other.get()
        gate.set()
        waiting.result()
    if state == "intent_capture":
        assert (talk.status, talk.state) == (200, "unresolved_refs")
    else:
        talk.refused(409, "stale_response")
        assert other.get() == moved_on
