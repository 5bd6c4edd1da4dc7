"""Intents as plain JSON values: what an agent proposes, and what a model answers with.

Read strictly: what is no intent is told, all of it, and nothing is guessed.  A string stays a
string, whatever stands in it: symbols come in `refs` alone.
"""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Mapping, Sequence

from antiphon.dsl.tokens import NAME
from antiphon.dsl.tree import Arg, Boolean, Decimal, Integer, List, Map, Nil, Text, Value
from antiphon.repl.intents import Intent

DEPTH_MAX = 32  # of lists and maps within a value; people write three
INTENTS_MAX = 64  # of one proposal: a message of people asks for three
FIELDS = ("verb", "params", "refs", "bind")
SYMBOL = re.compile(rf"@({NAME})")


class NoValue(Exception):
    """A JSON value that the language cannot say."""


def proposed(items: Sequence[object]) -> tuple[tuple[Intent, ...], list[str]]:
    """The intents of these objects, and what is wrong with them."""
    found: list[Intent] = []
    faults: list[str] = []
    if len(items) > INTENTS_MAX:
        return (), [f"{len(items)} intents are given, and at most {INTENTS_MAX} are taken"]
    for number, item in enumerate(items):
        intent, wrong = _intent(item)
        faults += [f"intents[{number}]: {one}" for one in wrong]
        if intent is not None:
            found.append(intent)
    return tuple(found), faults


def _intent(item: object) -> tuple[Intent | None, list[str]]:
    if not isinstance(item, Mapping):
        return None, ["an object with `verb`, `params`, `refs` and `bind` is expected"]
    faults = [f"`{name!s:.60}` is no field; there are {', '.join(FIELDS)}"
              for name in item if name not in FIELDS]  # fmt: skip
    verb = item.get("verb")
    if not isinstance(verb, str):
        return None, [*faults, "`verb` is missing, or no text"]
    params = _params(item.get("params"), faults)
    refs = _refs(item.get("refs"), faults)
    bind = _bind(item.get("bind"), faults)
    return (None if faults else Intent(verb, params, refs, bind)), faults


def _params(given: object, faults: list[str]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, value in _fields("params", given, faults):
        if value is None:
            continue  # as if it were not given
        try:
            found[name] = value_of(value)
        except NoValue as error:
            faults.append(f"`params.{name:.60}`: {error}")
    return found


def _refs(given: object, faults: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _fields("refs", given, faults):
        symbol = SYMBOL.fullmatch(value) if isinstance(value, str) else None
        if symbol is None:
            faults.append(f"`refs.{name:.60}` is {value!r:.60}, and a symbol is `@name`")
        else:
            found[name] = symbol[1]
    return found


def _bind(given: object, faults: list[str]) -> str | None:
    if given is None:
        return None
    name = re.fullmatch(rf"@?({NAME})", given) if isinstance(given, str) else None
    if name is None:
        faults.append(f"`bind` is {given!r:.60}, and a name to bind is `@name`")
        return None
    return name[1]


def _fields(what: str, given: object, faults: list[str]) -> list[tuple[str, object]]:
    if given is None:
        return []
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        faults.append(f"`{what}` is {given!r:.60}, and an object is expected")
        return []
    return list(given.items())


def value_of(value: object, depth: int = 0) -> Value:
    """The value of the language that a JSON value is."""
    if depth > DEPTH_MAX:
        raise NoValue(f"lists and maps stand more than {DEPTH_MAX} deep")
    match value:
        case None:
            return Nil()
        case bool():
            return Boolean(value)
        case str():
            return Text(value)
        case int():
            return Integer(value)
        case decimal.Decimal() if value.is_finite():
            return Decimal(value)
        case float() if math.isfinite(value):
            return Decimal(decimal.Decimal(repr(value)))
        case Mapping():
            return Map(tuple(_arg(name, each, depth) for name, each in value.items()))
        case list() | tuple():
            return List(tuple(value_of(each, depth + 1) for each in value))
        case _:
            raise NoValue(f"{value!r:.60} is no value")


def _arg(name: object, value: object, depth: int) -> Arg:
    if not isinstance(name, str) or not re.fullmatch(NAME, name):
        raise NoValue(f"`{name!s:.60}` is no key; one has ASCII letters, digits, `_` and `-`")
    return Arg(name, value_of(value, depth + 1))
