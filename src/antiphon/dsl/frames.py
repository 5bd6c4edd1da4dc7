"""Brackets that are open while a program is read, and the nodes they become."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from antiphon.dsl.tree import Arg, Call, List, Map, Symbol, Value


class Kind(Enum):
    CALL = "("
    LIST = "["
    MAP = "{"

    __hash__ = object.__hash__  # there is one of each, and looking one up must cost little


CLOSING = {Kind.CALL: ")", Kind.LIST: "]", Kind.MAP: "}"}


@dataclass(slots=True)
class Frame:
    """A bracket that is open, and what has been read in it."""

    kind: Kind
    start: int
    name: str | None = None  # of a call, once it is read
    name_start: int = 0
    name_end: int = 0
    key: str | None = None  # that waits for its value
    is_guessed: bool = False  # the key: its colon is missing
    key_start: int = 0
    key_end: int = 0
    args: list[Arg] = field(default_factory=list)
    items: list[Value] = field(default_factory=list)
    binding: Symbol | None = None
    is_stray: bool = False  # it stands where nothing takes a value, and that was told
    is_lost: bool = False  # after a fault: what comes before the next key is not looked at


def made(frame: Frame, end: int) -> Value:
    if frame.kind is Kind.LIST:
        return List(tuple(frame.items), frame.start, end)
    if frame.kind is Kind.MAP:
        return Map(tuple(frame.args), frame.start, end)
    return made_call(frame, end)


def made_call(frame: Frame, end: int) -> Call:
    return Call(
        frame.name or "",
        tuple(frame.args),
        frame.binding,
        frame.start,
        end,
        frame.name_start,
        frame.name_end,
    )
