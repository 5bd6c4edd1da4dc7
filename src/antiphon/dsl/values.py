"""Is a value of the kind that an argument takes, and within its bounds?"""

from __future__ import annotations

import datetime as dt
import decimal
import re
from dataclasses import dataclass

from antiphon.dsl.names import nearest
from antiphon.dsl.tokens import quoted
from antiphon.dsl.tree import (
    Boolean,
    Call,
    Decimal,
    Integer,
    List,
    Map,
    Nil,
    Symbol,
    Text,
    Value,
)
from antiphon.dsl.verbs import Bounds, Kind, Parameter

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
WHOLE = re.compile(r"-?[0-9]{1,18}")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LOOSE_DATE = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
INTEGERS = range(-(1 << 63), 1 << 63)  # what a database column holds

TAKEN: dict[Kind, tuple[type, ...]] = {
    Kind.STRING: (Text,),
    Kind.INTEGER: (Integer,),
    Kind.DECIMAL: (Integer, Decimal),
    Kind.BOOLEAN: (Boolean,),
    Kind.DATE: (Text,),
    Kind.UUID: (Text,),
    Kind.CODE: (Text,),
    Kind.LIST: (List,),
    Kind.MAP: (Map,),
}
CALLED = {
    Kind.STRING: ("a string", '"…"'),
    Kind.INTEGER: ("a whole number", "0"),
    Kind.DECIMAL: ("a number", "0.0"),
    Kind.BOOLEAN: ("true or false", "true"),
    Kind.DATE: ("a date", '"YYYY-MM-DD"'),
    Kind.UUID: ("an id", '"…"'),
    Kind.CODE: ("a code", '"…"'),
    Kind.LIST: ("a list", "[…]"),
    Kind.MAP: ("a map", "{…}"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A value of the right kind that is not accepted."""

    message: str
    advice: str | None = None
    replacement: str | None = None
    is_certain: bool = False


def wanted(parameter: Parameter) -> str:
    if parameter.lookup and parameter.kind is not Kind.LIST:
        return f"a {' or '.join(parameter.lookup)}"
    return CALLED[parameter.kind][0]


def example(parameter: Parameter) -> str:
    if parameter.values:
        return quoted(parameter.values[0])
    return CALLED[parameter.kind][1]


def found(value: Value) -> str:
    match value:
        case Text():
            return "this is a string"
        case Integer() | Decimal():
            return "this is a number"
        case Boolean():
            return "this is true or false"
        case List():
            return "this is a list"
        case Map():
            return "this is a map"
        case Call() | Symbol():
            return "this is an entity"
        case Nil():
            return "this is nothing"


def is_of(parameter: Parameter, value: Value) -> bool:
    return isinstance(value, TAKEN[parameter.kind])


def converted(parameter: Parameter, value: Value) -> str | None:
    """What was meant by a value of another kind, where only one thing can have been."""
    match parameter.kind, value:
        case Kind.INTEGER, Text(text) if WHOLE.fullmatch(text):
            return text
        case Kind.DECIMAL, Text(text) if re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", text):
            return text
        case Kind.BOOLEAN, Text(text) if text in ("true", "false"):
            return text
        case ((Kind.STRING | Kind.CODE), Integer(number)) if not parameter.lookup:
            return quoted(str(number))
        case _:
            return None


def fault(parameter: Parameter, value: Value) -> Fault | None:
    """What is wrong with a value of the right kind."""
    match value:
        case Text(text):
            return _of_kind(parameter, text) or _listed(parameter, text) or _text(parameter, text)
        case Integer(number) if number not in INTEGERS:
            return Fault("is out of range", "a whole number has 64 bits")
        case Integer(number):
            return _number(parameter.bounds, decimal.Decimal(number))
        case Decimal(amount):
            return _number(parameter.bounds, amount)
        case List(items):
            return _length(parameter.bounds, len(items), "values")
        case Map(fields):
            keys = [field.key for field in fields]
            twice = next((key for key in keys if keys.count(key) > 1), None)
            return Fault(f"has `:{twice}` twice") if twice else None
        case _:
            return None


def _of_kind(parameter: Parameter, text: str) -> Fault | None:
    if parameter.kind is Kind.DATE and not is_date(text):
        loose = LOOSE_DATE.fullmatch(text)
        meant = f"{loose[1]}-{loose[2]:0>2}-{loose[3]:0>2}" if loose else ""
        return Fault(
            "is no date", "a date is YYYY-MM-DD", quoted(meant) if is_date(meant) else None,
            is_certain=is_date(meant),
        )  # fmt: skip
    if parameter.kind is Kind.UUID and not parameter.lookup and not UUID.fullmatch(text):
        return Fault("is no id", "an id has 32 hexadecimal digits in groups of 8-4-4-4-12")
    return None


def is_date(text: str) -> bool:
    if not DATE.fullmatch(text):
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _listed(parameter: Parameter, text: str) -> Fault | None:
    if not parameter.values or text in parameter.values:
        return None
    folded = [one for one in parameter.values if one.casefold() == text.casefold()]
    meant = folded[0] if len(folded) == 1 else nearest(text, parameter.values)
    return Fault(
        "has another value",
        f"it is one of {', '.join(map(quoted, parameter.values))}",
        quoted(meant) if meant else None,
        is_certain=len(folded) == 1,
    )


def _text(parameter: Parameter, text: str) -> Fault | None:
    pattern = parameter.bounds.pattern
    if pattern is not None and not re.fullmatch(pattern, text):
        return Fault("has another form", f"it matches `{pattern}`")
    return _length(parameter.bounds, len(text), "characters")


def _length(bounds: Bounds, length: int, what: str) -> Fault | None:
    if bounds.length_min is not None and length < bounds.length_min:
        return Fault("is too short", f"it has at least {bounds.length_min} {what}")
    if bounds.length_max is not None and length > bounds.length_max:
        return Fault("is too long", f"it has at most {bounds.length_max} {what}")
    return None


def _number(bounds: Bounds, number: decimal.Decimal) -> Fault | None:
    if bounds.least is not None and number < bounds.least:
        return Fault("is too small", f"it is at least {bounds.least}")
    if bounds.most is not None and number > bounds.most:
        return Fault("is too large", f"it is at most {bounds.most}")
    return None
