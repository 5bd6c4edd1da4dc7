from __future__ import annotations

import pytest

from antiphon.wire.methods import METHODS
from tests.clauses import clause
from tests.doors.doorways import DOORS, Places
from tests.doors.scenario import Script, events
from tests.real import record

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def expected(places: Places) -> Script:
    script = Script(places.door("desk"), places.work)
    script.play()
    return script


def test_the_scenario_has_every_operation_of_the_terminal(expected: Script) -> None:
    seen = {name for name, answer in expected.transcript if answer["ok"]}
    assert seen >= {name for name in METHODS if name.startswith(("pty.", "blocks."))}


@clause("terminal one answer", "doors 8")
@pytest.mark.parametrize("name", DOORS)
def test_the_same_scenario_has_the_same_answers(
    name: str, places: Places, expected: Script
) -> None:
    script = Script(places.door(name), places.work)
    script.play()
    for mine, theirs in zip(script.transcript, expected.transcript, strict=True):
        assert mine == theirs
    assert events(script) == events(expected)
    record.check(script.door.state / "conversations" / "c" / "agent_pty")
