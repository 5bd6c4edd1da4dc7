"""A tree as text: what is read back from it is the same tree."""

from __future__ import annotations

from collections.abc import Iterable

from antiphon.dsl.tokens import quoted
from antiphon.dsl.tree import (
    Arg,
    Boolean,
    Call,
    Decimal,
    Integer,
    List,
    Map,
    Nil,
    Program,
    Symbol,
    Text,
    Value,
)


def printed(program: Program) -> str:
    """One statement a line."""
    return "".join(f"{printed_value(statement)}\n" for statement in program.statements)


def printed_value(value: Value) -> str:
    match value:
        case Text(text):
            return quoted(text)
        case Boolean(truth):
            return "true" if truth else "false"
        case Integer(number):
            return str(number)
        case Decimal(number):
            plain = format(number, "f")
            return plain if "." in plain else f"{plain}.0"
        case Nil():
            return "nil"
        case Symbol(name):
            return f"@{name}"
        case List(items):
            return f"[{' '.join(map(printed_value, items))}]"
        case Map(fields):
            return f"{{{' '.join(_args(fields))}}}"
        case Call(name, args, binding):
            bound = [f":as @{binding.name}"] if binding else []
            return f"({' '.join([name, *_args(args), *bound])})"


def _args(args: Iterable[Arg]) -> list[str]:
    return [f":{arg.key} {printed_value(arg.value)}" for arg in args]
