from __future__ import annotations

import decimal
import math
from typing import Any

import pytest

from antiphon.dsl.tree import Arg, Boolean, Decimal, Integer, List, Map, Nil, Text
from antiphon.repl.intents import Intent, program
from antiphon.repl.proposals import DEPTH_MAX, INTENTS_MAX, proposed
from tests.clauses import clause
from tests.repl.packs import pack


@clause("repl d5")
def test_an_intent_is_read_from_plain_values() -> None:
    given = {
        "verb": "cbu.tag",
        "params": {
            "cbu-id": "@Home",
            "tags": ["a", 1, -2.50, True, None, {"k-1": []}],
            "attributes": {"x": decimal.Decimal("1.10")},
            "left-out": None,
        },
        "refs": {"other": "@fund"},
        "bind": "@tagged",
    }
    (intent,), faults = proposed([given])
    assert faults == []
    half = Decimal(decimal.Decimal("-2.5"))
    inner = Map((Arg("k-1", List(())),))
    assert intent == Intent(
        "cbu.tag",
        {
            "cbu-id": Text("@Home"),
            "tags": List((Text("a"), Integer(1), half, Boolean(value=True), Nil(), inner)),
            "attributes": Map((Arg("x", Decimal(decimal.Decimal("1.10"))),)),
        },
        {"other": "fund"},
        "tagged",
    )
    assert program([intent], pack("onboarding").vocabulary) == (
        '(cbu.tag :cbu-id "@Home" :tags ["a" 1 -2.5 true nil {:k-1 []}] :attributes {:x 1.10} '
        ":other @fund :as @tagged)"
    )


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@clause("repl d5")
@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("cbu.list", "an object"),
        ({}, "`verb` is missing"),
        ({"verb": 5}, "`verb` is missing"),
        ({"verb": "a.b", "dsl": "(a.b)"}, "`dsl` is no field"),
        ({"verb": "a.b", "params": []}, "`params` is []"),
        ({"verb": "a.b", "params": {"x": math.nan}}, "`params.x`: nan is no value"),
        ({"verb": "a.b", "params": {"x": {"not a key": 1}}}, "`not a key` is no key"),
        ({"verb": "a.b", "params": {"x": deep(DEPTH_MAX + 2)}}, "deep"),
        ({"verb": "a.b", "refs": {"x": "fund"}}, "a symbol is `@name`"),
        ({"verb": "a.b", "refs": {"x": 5}}, "a symbol is `@name`"),
        ({"verb": "a.b", "bind": "@"}, "a name to bind is `@name`"),
        ({"verb": "a.b", "bind": "x) (y.z"}, "a name to bind is `@name`"),
    ],
)
def test_what_is_no_intent_is_told_with_its_place(item: object, said: str) -> None:
    intents, faults = proposed([{"verb": "cbu.list"}, item])
    assert intents == (Intent("cbu.list"),)
    assert len(faults) == 1 and faults[0].startswith("intents[1]: ") and said in faults[0]


def test_a_proposal_has_a_bound() -> None:
    intents, faults = proposed([{"verb": "a.b"}] * (INTENTS_MAX + 1))
    assert intents == () and len(faults) == 1
