"""Whatever a thing is called, it is made, found, chosen and shown, and its name is only a name."""

from __future__ import annotations

import pytest

from tests.clauses import clause
from tests.sessions.talking import Talk

NAMES = [
    "3M Fund", "Société Générale", "@Home Ltd", 'A & B "quoted"', 'x; (cbu.delete :cbu-id "y")',
    "two\nlines", "a\\b \\n", "\u202eright to left", "emoji 😀", "北京 基金",
    "'; DROP TABLE cbus; --",
]  # fmt: skip


@clause("repl d11", "repl 3d", "repl D3")
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_only_a_name(talk: Talk, name: str) -> None:
    intent = {"verb": "cbu.ensure", "params": {"name": name, "jurisdiction": "LU"}}
    talk.to("POST", "/intent", intents=[intent])
    assert talk.execute()["session_state"]["success"] is True, talk.answer
    talk.to("POST", "/intent", intents=[{"verb": "cbu.show", "params": {"cbu-id": name}}])
    assert talk.state == "ready_to_run"
    assert talk.answer["auto_resolved"][0]["display"] == " ".join(name.split())
    assert len(talk.source.splitlines()) == 1  # the name in the comment is one line
    plan = talk.answer["plan"]["plan_id"]
    talk.edit(talk.source)
    assert talk.answer["plan"]["plan_id"] == plan
    assert talk.execute()["results"][0]["value"]["name"] == name
