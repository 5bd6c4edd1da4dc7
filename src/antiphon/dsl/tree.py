"""What a program is: calls of verbs with named values.

Two trees are equal when they say the same; where they stand in the text does not count.
`start` and `end` are offsets in code points; source.py makes spans of them.
This module knows no verbs.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field


def place() -> int:
    """The field of an offset: part of a node, and of no comparison."""
    return field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Integer:
    value: int
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Decimal:
    value: decimal.Decimal
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Nil:
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str  # without the @
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class List:
    items: tuple[Value, ...]
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Arg:
    """One `:key value`, of a call or of a map; `start` and `end` are the key's."""

    key: str
    value: Value
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Map:
    fields: tuple[Arg, ...]
    start: int = place()
    end: int = place()


@dataclass(frozen=True, slots=True)
class Call:
    name: str  # domain.verb
    args: tuple[Arg, ...]
    binding: Symbol | None = None
    start: int = place()
    end: int = place()
    name_start: int = place()
    name_end: int = place()


Value = Text | Integer | Decimal | Boolean | Nil | Symbol | List | Map | Call


@dataclass(frozen=True, slots=True)
class Program:
    statements: tuple[Call, ...]


_FLAT = frozenset({Text, Integer, Decimal, Boolean, Nil, Symbol})


def calls(call: Call) -> Sequence[Call]:
    """The call and those within it, an inner one before the one that needs it."""
    for arg in call.args:
        if type(arg.value) not in _FLAT:
            return list(_calls(call))
    return (call,)  # most are: this is the way that has to be short


def _calls(call: Call) -> Iterator[Call]:
    stack: list[tuple[Value, bool]] = [(call, False)]
    while stack:
        value, is_done = stack.pop()
        match value:
            case Call() if is_done:
                yield value
            case Call():
                stack.append((value, True))
                stack += _inner(arg.value for arg in reversed(value.args))
            case List():
                stack += _inner(reversed(value.items))
            case Map():
                stack += _inner(arg.value for arg in reversed(value.fields))
            case _:
                pass


def _inner(values: Iterable[Value]) -> list[tuple[Value, bool]]:
    return [(value, False) for value in values if type(value) not in _FLAT]


def symbols(call: Call) -> list[Symbol]:
    """Every symbol that the call uses, in its lists, maps and inner calls too."""
    found: list[Symbol] = []
    stack: list[Value] = [arg.value for arg in reversed(call.args)]
    while stack:
        value = stack.pop()
        if isinstance(value, Symbol):
            found.append(value)
        elif type(value) in _FLAT:
            continue
        elif isinstance(value, List):
            stack.extend(reversed(value.items))
        elif isinstance(value, Call | Map):
            args = value.args if isinstance(value, Call) else value.fields
            stack.extend(arg.value for arg in reversed(args))
    return found
