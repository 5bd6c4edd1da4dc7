from __future__ import annotations

import json

import pytest

from antiphon.wire import codec
from tests.clauses import clause
from tests.real.stage import Answer, Stage


async def asked(stage: Stage, name: str, **fields: object) -> Answer:
    decoded: Answer = json.loads(codec.encoded(await stage.desk.answer(name, fields)))
    return decoded


async def run(stage: Stage, source: str) -> Answer:
    session_id = (await asked(stage, "session.start"))["session_id"]
    await asked(stage, "session.edit", session_id=session_id, source=source)
    answer = await asked(stage, "session.execute", session_id=session_id)
    while answer["ok"] and answer["session_state"]["state"] == "executing":
        answer = await asked(stage, "session.get", session_id=session_id)
    assert answer["ok"] is True, answer
    return answer


@clause("repl d7a")
@pytest.mark.parametrize(
    ("cmd", "status", "code"),
    [("(exit 3)", "failed", 3), ("exit 3", "failed", 3), ("exit 0", "ok", 0), ("true", "ok", 0)],
)
async def test_a_command_is_judged_by_its_exit_code_also_when_it_ends_the_shell(
    stage: Stage, cmd: str, status: str, code: int
) -> None:
    (result,) = (await run(stage, f'(terminal.run :cmd "{cmd}")'))["results"]
    assert (result["status"], result["exit_code"]) == (status, code)
    (result,) = (await run(stage, f'(terminal.run :cmd "{cmd}" :check false)'))["results"]
    assert (result["status"], result["exit_code"]) == ("ok", code)
