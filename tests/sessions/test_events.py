"""What happens in a session, as it happens: every state that is passed, once and in order."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from antiphon.service.session_events import TAIL_MAX
from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.sessions.listening import WAIT_S_MAX, Heard, Listener
from tests.sessions.talking import Talk

SHOW = [
    "intent_capture", "dsl_assembly", "syntax_validation", "semantic_validation", "unresolved_refs",
]  # fmt: skip


def states(heard: list[Heard]) -> list[str]:
    return [one.data["state"] for one in heard if one.event == "state"]


@clause("repl 2b", "repl 1d", "repl d9")
def test_every_state_is_told_to_everyone_who_listens(talk: Talk) -> None:
    with Listener(talk) as one, Listener(talk) as other:
        assert (one.status, one.type) == (200, "text/event-stream; charset=utf-8")
        talk.say("show allianz cbu")
        heard = one.until("unresolved_refs")
        assert [other.events.get(timeout=WAIT_S_MAX) for _ in heard] == heard
    assert states(heard) == talk.answer["trace"] == SHOW
    assert all(set(event.data) == {"state", "rev"} for event in heard)
    assert {event.data["rev"] for event in heard} == {1}
    numbers = [event.id for event in heard]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


@clause("repl d9", "repl D11")
def test_a_listener_goes_on_where_it_left_also_after_the_server_was_killed(tmp_path: Path) -> None:
    serving = Serving.begin(tmp_path)
    talk = Talk.begin(serving)
    talk.say("show allianz cbu", "1")
    with Listener(talk, "0") as listener:
        heard = listener.until("ready_to_run")
    assert states(heard)[:6] == ["new", *SHOW]
    serving.kill()
    talk.serving = Serving.begin(tmp_path)
    try:
        with Listener(talk, str(heard[3].id)) as listener:
            assert listener.until("ready_to_run") == heard[4:]
            talk.say("run")
            later = listener.until("executed")
        # What was told and not yet written when the server ended may leave a gap, never a double.
        assert later[0].id > heard[-1].id
        assert states(later) == ["executing", "executed"]
        assert [one.data for one in later if one.event == "progress"] == [
            {"statement_index": 0, "verb": "session.set-cbu", "status": "ok"}
        ]
    finally:
        talk.serving.end()


@clause("repl d9")
def test_who_is_far_behind_is_told_everything_too(talk: Talk) -> None:
    while talk.rev * 4 <= TAIL_MAX:
        talk.edit(f"(cbu.list) ; {talk.rev}")
    talk.act("cancel")
    with Listener(talk, "0") as listener:
        heard = listener.until("cancelled")
    assert len(heard) > TAIL_MAX
    assert [one.id for one in heard] == list(range(1, len(heard) + 1))


@clause("repl 2b")
@pytest.mark.parametrize(
    ("session_id", "last", "status"), [("nobody", "0", 404), ("", "one", 422), ("", "-1", 422)]
)
def test_what_is_no_place_to_listen_at_is_refused(
    talk: Talk, session_id: str, last: str, status: int
) -> None:
    asked = Talk(talk.serving, session_id or talk.session_id)
    with Listener(asked, last) as listener:
        assert listener.status == status and listener.type == "application/json"


@clause("repl d9")
def test_a_server_that_ends_ends_its_streams_too(tmp_path: Path) -> None:
    serving = Serving.begin(tmp_path)
    talk = Talk.begin(serving)
    connection = http.client.HTTPConnection(serving.host, timeout=WAIT_S_MAX)
    path = f"/api/session/{talk.session_id}/events"
    connection.request("GET", path, headers={**serving.headers, "Last-Event-ID": "0"})
    response = connection.getresponse()
    assert response.readline() == b": listening\n"
    assert serving.end() == 0
    assert response.read().startswith(b"\nid: 1\n")  # to its end, which is told
    connection.close()
