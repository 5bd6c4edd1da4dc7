"""What an agent proposes, as the core takes it: JSON values become values of the language."""

from __future__ import annotations

import decimal
import math
import re

from msgspec import UNSET

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.dsl.tokens import NAME
from antiphon.dsl.tree import Arg, Boolean, Decimal, Integer, List, Map, Nil, Text, Value
from antiphon.repl import news as n
from antiphon.repl.intents import Intent
from antiphon.wire import sessions as w

DEPTH_MAX = 64  # deeper values nobody means


def proposed(request: w.Propose) -> n.Request:
    """One of the options, or intents: exactly one of the two."""
    if (request.option_id is UNSET) == (request.intents is UNSET):
        raise Refused(Code.INVALID_REQUEST, "either option_id or intents is accepted, and one is")
    if request.option_id is not UNSET:
        return n.OptionChosen(request.option_id)
    assert request.intents is not UNSET, "one of the two is there"
    if not request.intents:
        raise Refused(
            Code.INVALID_REQUEST, "there is no intent in intents; one or more is accepted"
        )
    if len(request.intents) > limits.INTENTS_MAX:
        raise Refused(
            Code.LIMIT_REACHED,
            f"{len(request.intents)} intents; {limits.INTENTS_MAX} are accepted at a time",
        )
    return n.IntentsProposed(tuple(map(_intent, request.intents)))


def _intent(said: w.ProposedIntent) -> Intent:
    for name, symbol in said.refs.items():
        if not symbol.startswith("@"):
            raise Refused(
                Code.INVALID_REQUEST,
                f'refs.{name} is {symbol!r:.60}; a symbol such as "@fund" is accepted',
            )
    params = {name: value_of(value, f"params.{name}") for name, value in said.params.items()}
    refs = {name: symbol[1:] for name, symbol in said.refs.items()}
    bind = said.bind.removeprefix("@") if said.bind is not None else None
    return Intent(said.verb, params, refs, bind)


def value_of(found: object, place: str, depth: int = 0) -> Value:
    if depth > DEPTH_MAX:
        raise Refused(Code.INVALID_REQUEST, f"{place} is nested more than {DEPTH_MAX} deep")
    match found:
        case None:
            return Nil()
        case bool():
            return Boolean(found)
        case int():
            return Integer(found)
        case float() if math.isfinite(found):
            return Decimal(decimal.Decimal(repr(found)))
        case str():
            return Text(found)
        case list():
            items = enumerate(found)
            return List(tuple(value_of(item, f"{place}[{at}]", depth + 1) for at, item in items))
        case dict():
            for key in found:
                if not re.fullmatch(NAME, str(key)):
                    raise Refused(Code.INVALID_REQUEST, f"{key!r:.60} in {place} is no name")
            return Map(
                tuple(
                    Arg(str(key), value_of(item, f"{place}.{key}", depth + 1))
                    for key, item in found.items()
                )
            )
        case _:
            raise Refused(Code.INVALID_REQUEST, f"{place} is no value of a program")
