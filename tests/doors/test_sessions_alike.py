"""A session at each door: the same questions have the same answers, names and ids aside."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from antiphon.wire.methods import METHODS
from tests.clauses import clause
from tests.doors.doorways import DOORS, Answer, Door, Places

pytestmark = pytest.mark.slow

TIMES = {"ts", "ts_begin", "ts_end", "ts_created", "ts_changed"}
# What is made of a session's id, or drawn: it differs from door to door, and means the same.
MADE = re.compile(
    r"callout-[0-9a-f]{16}|plan-[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


@dataclass
class Scenario:
    """Asks at a door and keeps what was answered, each name as its number."""

    door: Door
    session_id: str = ""
    transcript: list[tuple[str, Any]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def ask(self, name: str, /, **fields: object) -> Answer:
        if "session_id" in METHODS[name].request.__struct_fields__:
            fields = {"session_id": self.session_id, **fields}
        answer = self.door.ask(name, **fields)
        if name == "session.start":
            self.session_id = answer["session_id"]
        self.transcript.append((name, self.plain(answer)))
        return answer

    def plain(self, value: Any, key: str = "") -> Any:
        match value:
            case dict():
                return {name: self.plain(one, name) for name, one in value.items()}
            case list():
                return [self.plain(one) for one in value]
            case int() if key in TIMES:
                return "T"
            case str():
                text = value.replace(self.session_id, "S") if self.session_id else value
                return MADE.sub(self.numbered, text)
            case _:
                return value

    def numbered(self, found: re.Match[str]) -> str:
        return self.names.setdefault(found[0], f"made-{len(self.names)}")

    def play(self) -> None:
        ref = self.ask("session.start") and self.shown()
        found = self.ask("session.search", ref_id=ref, query="thematica")["matches"][0]["id"]
        self.ask("session.resolve", ref_id=ref, entity_id="nobody")
        plan = self.ask("session.resolve", ref_id=ref, entity_id=found, rev=1)["plan"]["plan_id"]
        self.ask("session.chat", message="hello", rev=0)
        self.ask("session.execute", plan_id="plan-0")
        self.ask("session.execute", plan_id=plan)
        self.ask("session.execute")
        self.ask("session.action", action="undo")
        self.ask("session.action", action="skip")
        self.ask("session.edit", source='(cbu.lst)\n(cbu.show :cbu-id "é"')
        self.ask("session.propose", intents=[self.intent("cbu.ensure", bind="f"), {
            "verb": "cbu.roles", "refs": {"cbu-id": "@f"},
        }])  # fmt: skip
        self.ask("session.action", action="clear")
        self.ask("session.propose", intents=[self.intent("cbu.ensure", bind="f")])
        self.ask("session.propose", intents=[{"verb": "no.verb"}])
        self.ask("session.chat", message="create entity")
        self.ask("session.propose", option_id="option-9")
        self.ask("session.propose", option_id="option-2")
        self.ask("session.get")
        self.ask("session.runs")
        self.ask("session.talk", limit=3)
        self.ask("session.list", limit=5)
        self.ask("session.close", rev=0)
        self.ask("session.close")
        self.ask("session.get", session_id="nobody")
        self.ask("repl.states")
        self.ask("dsl.check", source='(cbu.show :cbu-id "allianz")\n(cbu.list :x 1)')
        self.ask("dsl.complete", source="(cbu.re", at=7)

    def shown(self) -> str:
        (ref,) = self.ask("session.chat", message="show allianz cbu")["unresolved_refs"]
        found: str = ref["ref_id"]
        return found

    @staticmethod
    def intent(verb: str, **more: object) -> Answer:
        return {"verb": verb, "params": {"name": 'A "b" ; c', "jurisdiction": "LU"}, **more}


@pytest.fixture(scope="module")
def expected(places: Places) -> Scenario:
    scenario = Scenario(places.door("desk"))
    scenario.play()
    return scenario


@clause("doors 8")
def test_the_scenario_has_every_operation_of_sessions_and_programs(expected: Scenario) -> None:
    seen = {name for name, answer in expected.transcript if "error" not in answer}
    assert seen == {name for name in METHODS if name.startswith(("session.", "repl.", "dsl."))}
    codes = {answer["error"] for _, answer in expected.transcript if "error" in answer}
    assert codes >= {
        "entity_not_found", "stale_rev", "plan_stale", "plan_consumed", "invalid_event",
        "invalid_request", "option_not_found", "session_not_found",
    }  # fmt: skip


@clause("doors 8", "repl 2a", "repl 2e")
@pytest.mark.parametrize("name", DOORS)
def test_a_session_has_the_same_answers_at_each_door(
    name: str, places: Places, expected: Scenario
) -> None:
    scenario = Scenario(places.door(name))
    scenario.play()
    for mine, theirs in zip(scenario.transcript, expected.transcript, strict=True):
        assert mine == theirs
