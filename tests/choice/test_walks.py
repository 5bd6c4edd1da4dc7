"""Small flows walked whole, long ones by chance, and the same bytes from every process."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from antiphon.choice import dialogue, loading
from antiphon.choice.answer import NumbersChosen, answer_in
from antiphon.choice.dialogue import EventType, Said, Stage, State, Turn
from antiphon.choice.flow import Flow
from antiphon.choice.judge import judged
from antiphon.choice.token import Seal, Ticket
from tests.choice.driving import DEPLOY, ZONED, many
from tests.clauses import clause

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples" / "flows").glob("*.yaml"))
]
INPUTS = ["1", "2", "3", "1,2", "1,3", "0", "x", "cancel", "env=2", "env=1 zone=2", "region=1,2"]


def check(flow: Flow, before: State, text: str, turn: Turn) -> None:
    """What holds of every single turn, whatever was said."""
    if turn.output is not None:
        assert judged(turn.output) == []
    assert (turn.output is None) == (
        turn.state.stage is Stage.DONE
        or [event.type for event in turn.events] == [EventType.FREETEXT]
    )
    now = dialogue.asked(flow, before)
    answer = answer_in(text, len(now.block.labels), is_many=now.is_many, keys=now.keys)
    if turn.state.answers != before.answers and before.stage is not Stage.SUMMARY:
        kinds = {event.type for event in turn.events}
        assert EventType.SELECTED in kinds
        assert isinstance(answer, NumbersChosen) or "=" in text
    # A step that applies is asked before any later one; only answered ones lie behind.
    if turn.state.stage is Stage.ASKING:
        assert flow.next_step(turn.state.answers) == turn.state.step
    if turn.state.stage in {Stage.SUMMARY, Stage.DONE}:
        assert flow.next_step(turn.state.answers) is None
    for number, chosen in enumerate(turn.state.answers):
        assert chosen is None or flow.applies(number, turn.state.answers)


@clause("interaction R25", "interaction R26", "interaction R29", "interaction R34")
@pytest.mark.parametrize("text", [DEPLOY, ZONED, many("a", "b", more=", required: false")])
def test_a_small_flow_walked_whole_holds_in_every_state(text: str) -> None:
    flow = loading.from_yaml(text)
    first = dialogue.started(flow).state
    seen, waiting = {first}, deque([first])
    while waiting:
        state = waiting.popleft()
        if state.stage in dialogue.ENDS:
            continue
        for said in INPUTS:
            turn = dialogue.advance(flow, state, Said(said))
            check(flow, state, said, turn)
            if turn.state not in seen:
                seen.add(turn.state)
                waiting.append(turn.state)
    assert {state.stage for state in seen} == set(Stage)
    assert len(seen) > 50


PIECES = [*"0123456789", ",", " ", "=", "env", "region", "city", "cancel", "abort", "\n", "选",
          "１", "①", "\u200b", "x", ".", "#", "\ud800", "é", "\t", "+", "option "]  # fmt: skip


def wild(dice: random.Random) -> str:
    if dice.random() < 0.4:
        return dice.choice(["1", "2", "3", "1,2", "4", "6"])
    if dice.random() < 0.1:
        return "".join(chr(dice.randrange(0x110000)) for _ in range(dice.randrange(6)))
    return "".join(dice.choice(PIECES) for _ in range(dice.randrange(7)))


def walk(count: int, seed: int) -> str:
    """So many random inputs to the flows; the digest of all that came out."""
    dice = random.Random(seed)
    told = hashlib.sha256()
    seal = Seal("local", b"k" * 32)
    flows = [loading.from_yaml(text) for text in [DEPLOY, ZONED, *EXAMPLES]]
    flow = flows[0]
    state = dialogue.started(flow).state
    for _ in range(count):
        text = wild(dice)
        turn = dialogue.advance(flow, state, Said(text, is_free=dice.random() < 0.01))
        if not (turn.events and turn.events[0].type is EventType.FREETEXT):
            check(flow, state, text, turn)
        told.update(ascii(turn).encode())
        told.update(seal.sealed(Ticket(flow.digest, 9, turn.state)).encode())
        state = turn.state
        if state.stage in dialogue.ENDS or dice.random() < 0.01:
            flow = dice.choice(flows)
            state = dialogue.started(flow).state
        elif state.invalid_count >= 4:
            state = dialogue.reopened(flow, state).state
    return told.hexdigest()


@clause("interaction 2", "interaction R27")
def test_random_inputs_never_fail_and_only_the_grammar_chooses() -> None:
    assert walk(3_000, 1) == walk(3_000, 1)


@pytest.mark.slow
@clause("interaction 2")
def test_a_hundred_thousand_random_inputs_never_fail() -> None:
    walk(120_000, 2)


@clause("interaction R27")
def test_every_process_makes_the_same_bytes() -> None:
    surroundings = [
        {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4711", "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONHASHSEED": "random", "PYTHONUTF8": "1", "LANG": "de_DE.UTF-8"},
    ]
    code = "from tests.choice.test_walks import walk; print(walk(400, 3))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, **around},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for around in surroundings
    }
    assert told == {walk(400, 3) + "\n"}
