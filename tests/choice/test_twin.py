"""The engine beside one that was written from the contract alone: the same bytes, ever."""

from __future__ import annotations

import random
from typing import Any

import pytest

from antiphon.base.errors import Code, Refused
from antiphon.choice import dialogue, loading
from antiphon.choice.answer import (
    CancelSaid,
    FieldsGiven,
    InvalidSaid,
    NumbersChosen,
    answer_in,
)
from antiphon.choice.dialogue import Said
from antiphon.choice.flow import Flow
from tests.choice.random_flows import some_flow
from tests.choice.twin import Twin, classified
from tests.clauses import clause

PIECES = [
    *"0123456789,;&+=. -#()", "env", "region", "env=", "cancel", "ABORT", "abort", "\n", "\r", "选",
    "１", "①", "²", "Ⅳ", "\u200b", "é", "한", "か", "ก", "№", "\u00a0", "。", "option", "\u2028",
    "ſ",
]  # fmt: skip


def ours(text: str, count: int, keys: tuple[str, ...], *, is_many: bool) -> str | list[int]:
    match answer_in(text, count, is_many=is_many, keys=keys):
        case CancelSaid():
            return "cancel"
        case InvalidSaid(reason):
            return reason.value
        case FieldsGiven():
            return "compact"
        case NumbersChosen(numbers):
            return list(numbers)
        case _:
            return "free"


def inputs_read(count: int, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(count):
        if dice.random() < 0.1:
            text = "".join(chr(dice.randrange(0xD7FF)) for _ in range(dice.randrange(5)))
        else:
            text = "".join(dice.choice(PIECES) for _ in range(dice.randrange(8)))
        size, is_many = dice.randrange(1, 8), dice.random() < 0.5
        keys = dice.choice([(), ("env", "region")])
        read = ours(text, size, keys, is_many=is_many)
        assert read == classified(text, size, keys, is_many=is_many), ascii(text)


def some_input(dice: random.Random, count: int) -> str:
    match dice.choice(["one"] * 6 + ["many", "fields", "wrong", "wrong"]):
        case "one":
            return str(dice.randrange(1, count + 1))
        case "many":
            return ",".join(str(dice.randrange(1, count + 1)) for _ in range(dice.randrange(1, 4)))
        case "fields":
            values = ["1", "2", "9", "1,2", "x", "", "3,1", "23"]
            pairs = (f"{dice.choice('abcdefghiZ')}={dice.choice(values)}" for _ in range(3))
            return " ".join(list(pairs)[: dice.randrange(1, 4)])
        case _:
            return dice.choice(["option 2", "0", "", " 1", "hello", "a=1  b=2", "9", "Cancel", "x",
                                "1\n", "abort" if dice.random() < 0.2 else "8"])  # fmt: skip


def walked_side_by_side(count: int, seed: int) -> None:
    dice = random.Random(seed)
    while count > 0:
        given = some_flow(dice)
        try:
            flow = loading.from_object(given)
        except loading.NoFlow:
            continue  # a condition that nothing reaches
        for _ in range(3):
            count -= walked_once(flow, given, dice)


def walked_once(flow: Flow, given: dict[str, Any], dice: random.Random) -> int:
    twin, turn = Twin(given["steps"]), dialogue.started(flow)
    said: list[str] = []
    assert turn.output == twin.shown(), given
    for _ in range(60):
        text = some_input(dice, len(twin.question()[1]))
        said.append(text)
        turn = dialogue.advance(flow, turn.state, Said(text))
        assert turn.output == twin.says(text), (given, said)
        if twin.mode in {"done", "cancelled"}:
            with pytest.raises(Refused) as refused:
                dialogue.advance(flow, turn.state, Said("1"))
            assert refused.value.code is Code.FLOW_TERMINAL
            break
        if turn.output == "STEP_ABORT" and dice.random() < 0.7:
            turn = dialogue.reopened(flow, turn.state)
            assert turn.output == twin.reopened()
            said.append("(reopened)")
    return len(said)


@clause("interaction 2", "interaction 7.5")
def test_each_input_is_read_as_the_twin_reads_it() -> None:
    inputs_read(10_000, 1)


@clause("interaction R26", "interaction R34", "interaction R36", "interaction R43")
@clause("interaction split one", "interaction split many", "interaction 7.6", "interaction 7.7")
def test_every_dialogue_is_the_twins_byte_for_byte() -> None:
    walked_side_by_side(3_000, 1)


@pytest.mark.slow
@clause("interaction 2", "interaction R25")
@pytest.mark.parametrize("seed", [2, 3])
def test_a_hundred_thousand_inputs_side_by_side(seed: int) -> None:
    inputs_read(100_000, seed)
    walked_side_by_side(50_000, seed)
