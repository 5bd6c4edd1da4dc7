"""What stands at a place of a program that is being written, and may be broken anywhere.

Only the statement around the place is looked at: a `(` in the first column begins one.
This module knows no verbs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from antiphon.dsl import tokens as t
from antiphon.dsl.tree import Call, Program


class At(Enum):
    """What can be written there."""

    STATEMENT = "statement"  # outside of every bracket
    VERB = "verb"
    KEY = "key"
    VALUE = "value"
    SYMBOL = "symbol"  # in the place of a value
    BINDING = "binding"  # the name behind `:as`
    NOTHING = "nothing"  # a comment, a map's key, behind the binding


@dataclass(frozen=True, slots=True)
class Place:
    at: At
    start: int  # of what is written there already, up to `end`
    end: int
    prefix: str = ""  # of it, before the place; of a string what it stands for
    verb: str = ""  # of the call around
    key: str = ""  # whose value is written
    given: tuple[str, ...] = ()  # the keys that the call has before it
    is_text: bool = False  # within a string
    is_item: bool = False  # of a list


@dataclass(slots=True)
class _Open:
    """A bracket that is open at the place."""

    kind: int
    name: str | None = None
    key: str | None = None
    given: list[str] = field(default_factory=list)
    is_bound: bool = False

    def value(self) -> None:
        """A value, or what stands for one, is complete."""
        if self.key == "as":
            self.is_bound = True
        if self.kind != t.OPEN_LIST:
            self.key = None


_OPENING = {t.OPEN: t.CLOSE, t.OPEN_LIST: t.CLOSE_LIST, t.OPEN_MAP: t.CLOSE_MAP}
_CLOSING = frozenset(_OPENING.values())


def place(text: str, offset: int) -> Place:
    """What can be written at `offset`, in code points."""
    first = text.rfind("\n(", 0, offset) + 1
    stack: list[_Open] = []
    at = first
    while True:
        token = t.TOKEN.match(text, at, offset)
        assert token is not None and token.lastindex is not None, "every text is a token"
        kind = token.lastindex
        start, end = token.start(kind), token.end()
        if kind == t.KEY or kind == t.SYMBOL:
            start -= 1
        if kind == t.END:
            if ";" in text[at:offset].rpartition("\n")[2]:
                return Place(At.NOTHING, offset, offset)
            return _at(stack, offset, offset, "")
        is_last = end == offset
        if is_last and kind not in _OPENING and kind not in _CLOSING:
            if kind == t.STRING and _is_whole(text, at, end):
                return Place(At.NOTHING, offset, offset)  # behind its quote
            return _within(text, stack, kind, start, offset)
        at = end
        _read(stack, kind, token[kind])


def _read(stack: list[_Open], kind: int, word: str) -> None:
    if kind in _OPENING:
        stack.append(_Open(kind))
        return
    if kind in _CLOSING:
        if any(_OPENING[one.kind] == kind for one in stack):
            while _OPENING[stack.pop().kind] != kind:
                pass
            if stack:
                stack[-1].value()
        return
    if not stack:
        return
    top = stack[-1]
    if top.kind == t.OPEN and top.name is None:
        top.name = word if kind == t.WORD else ""
    elif kind == t.KEY:
        top.key = word
        top.given.append(word)
    else:
        top.value()


def _at(stack: list[_Open], start: int, end: int, prefix: str) -> Place:
    """What the bracket around has room for."""
    if not stack:
        return Place(At.STATEMENT, start, end, prefix)
    top = stack[-1]
    calls = [one for one in stack if one.kind == t.OPEN]
    call = calls[-1] if calls else _Open(t.OPEN)
    verb, given = call.name or "", tuple(call.given)
    if top.kind == t.OPEN and top.name is None:
        return Place(At.VERB, start, end, prefix)
    if top.kind == t.OPEN_LIST:
        is_direct = len(stack) > 1 and stack[-2] is call
        key = (call.key or "") if is_direct else ""
        return Place(At.VALUE, start, end, prefix, verb, key, given, is_item=True)
    if top.key == "as" and top.kind == t.OPEN:
        return Place(At.BINDING, start, end, prefix, verb, "as", given)
    if top.key is not None:
        key = top.key if top is call else ""
        return Place(At.VALUE, start, end, prefix, verb, key, given)
    if top.is_bound or top.kind == t.OPEN_MAP:
        return Place(At.NOTHING, start, end, prefix)
    return Place(At.KEY, start, end, prefix, verb, "", given)


def _within(text: str, stack: list[_Open], kind: int, start: int, offset: int) -> Place:
    """In the middle of a word, or at its end."""
    whole = t.TOKEN.match(text, start)
    assert whole is not None and whole.lastindex is not None
    prefix = text[start:offset]
    if kind in (t.STRING, t.UNCLOSED):
        end = whole.end() if whole.lastindex == t.STRING else offset
        found = _at(stack, start, end, t.unescaped(prefix[1:])[0])
        is_value = found.at is At.VALUE
        return _changed(found, found.at if is_value else At.NOTHING, is_text=True)
    end = max(whole.end(), offset)
    found = _at(stack, start, end, prefix)
    if prefix.startswith("@"):
        can = found.at in (At.VALUE, At.BINDING)
        at = found.at if found.at is At.BINDING else At.SYMBOL
        return _changed(found, at if can else At.NOTHING)
    if prefix.startswith(":"):
        # A key is begun, whether or not the one before has its value.
        is_call = bool(stack) and stack[-1].kind == t.OPEN and stack[-1].name is not None
        if not is_call or stack[-1].is_bound:
            return _changed(found, At.NOTHING)
        top = stack[-1]
        return Place(At.KEY, start, end, prefix, top.name or "", "", tuple(top.given))
    return found


def _is_whole(text: str, at: int, end: int) -> bool:
    """Does the string that seems to end here do so in the whole text?"""
    token = t.TOKEN.match(text, at)
    return token is not None and token.end() == end


def _changed(found: Place, at: At, *, is_text: bool = False) -> Place:
    return Place(
        at, found.start, found.end, found.prefix, found.verb, found.key, found.given,
        is_text, found.is_item,
    )  # fmt: skip


def statement_at(program: Program, offset: int) -> Call | None:
    """The statement around a place, when it could be read."""
    return next((one for one in program.statements if one.start <= offset <= one.end), None)
