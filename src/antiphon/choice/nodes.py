"""A file or an object as a tree of texts, lists and tables, each with the line it stands on.

YAML is taken for its shape alone: `no` is the text «no», and what a scalar means is said by who
reads it.  Anchors, tags and repeated keys are refused, so a small file stays a small tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

# A flow of a thousand options fits; a parser's time for more would be an attack.
FILE_BYTES_MAX = 256 << 10
DEPTH_MAX = 16
NODES_MAX = 50_000


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    line: int  # from 1; 0 where there are no lines
    path: str
    code: str  # of the violations that any question may have; else empty
    message: str

    def told(self, file: str | None = None) -> str:
        """Behind its place: a line, of a file where there is one, else a path."""
        place = f"line {self.line}" if self.line else self.path
        parts = [f"{file}:{self.line}" if file else place, self.code, self.message]
        return ": ".join(filter(None, parts))

    def fields(self, file: str | None = None) -> dict[str, str | int]:
        """The same for programs; what there is nothing to say of is left out."""
        said = {"path": self.path, "code": self.code}
        found: dict[str, str | int] = {"file": file, "line": self.line} if file else {}
        return found | {name: one for name, one in said.items() if one} | {"message": self.message}


class Unreadable(Exception):
    """The text is no tree at all; `problem` says where and why."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.problem = Problem(line, "", "", message)


@dataclass(frozen=True, slots=True)
class Text:
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    line: int
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Table:
    line: int
    rows: tuple[tuple[Text, Node], ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """A boolean of JSON; in YAML it is a text like any other."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Other:
    """What no flow holds: a number, nothing."""

    line: int
    what: str


Node = Text | Items | Table | Truth | Other


def from_yaml(text: str) -> Node:
    """The one document of a text, or `Unreadable`."""
    if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
        raise Unreadable(1, "the file is no text in UTF-8")
    if len(text.encode()) > FILE_BYTES_MAX:
        raise Unreadable(1, f"the file has more than {FILE_BYTES_MAX} bytes")
    try:
        return _Tree(yaml.parse(text, Loader=yaml.CSafeLoader)).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unreadable(mark.line + 1 if mark else 1, _fault(error)) from None
    except yaml.YAMLError as error:
        raise Unreadable(1, str(error).split("\n", maxsplit=1)[0]) from None


# What authors of flows run into, and what they meant.
_HINTS = {
    "mapping values are not allowed in this context": (
        "a text with ': ' in it needs quotes, and the keys of a step begin in one column"
    ),
    "found character that cannot start any token": "a text that begins so needs quotes",
    "found unexpected end of stream": "a quote is not closed",
}


def _fault(error: yaml.MarkedYAMLError) -> str:
    problem = str(error.problem)
    said = [problem]
    if problem in _HINTS:
        said.append(_HINTS[problem])
    begun, met = error.context_mark, error.problem_mark
    if begun and met and begun.line != met.line:
        said.append(f"{error.context} that begins in line {begun.line + 1}")
    return "; ".join(said)


class _Tree:
    """Events into nodes, without recursion deeper than a file may nest."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self.events = (
            event
            for event in events
            if not isinstance(event, yaml.StreamStartEvent | yaml.StreamEndEvent)
        )

    def document(self) -> Node:
        start = next(self.events, None)
        if start is None:
            raise Unreadable(1, "the file is empty")
        found = self._node(next(self.events), 0)
        next(self.events)  # the document's end
        if another := next(self.events, None):
            raise Unreadable(_line(another), "a second document begins; one is accepted")
        return found

    def _node(self, event: yaml.Event, depth: int) -> Node:
        line = _line(event)
        if depth > DEPTH_MAX:
            raise Unreadable(line, f"nested deeper than {DEPTH_MAX}")
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise Unreadable(line, "anchors and aliases are not accepted")
        if event.tag and event.tag != "!":
            raise Unreadable(line, f"the tag {event.tag} is not accepted")
        if isinstance(event, yaml.ScalarEvent):
            return Text(line, str(event.value))
        if isinstance(event, yaml.SequenceStartEvent):
            return Items(line, tuple(self._items(depth)))
        return Table(line, tuple(self._rows(depth)))

    def _items(self, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            yield self._node(event, depth + 1)

    def _rows(self, depth: int) -> Iterator[tuple[Text, Node]]:
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            if not isinstance(key, Text):
                raise Unreadable(key.line, "a key is a text")
            yield key, self._node(next(self.events), depth + 1)


def _line(event: yaml.Event) -> int:
    return int(event.start_mark.line) + 1


def from_object(value: object) -> Node:
    """An object of JSON, which has no lines."""
    return _Objects().node(value, 0)


class _Objects:
    def __init__(self) -> None:
        self.count = 0

    def node(self, value: object, depth: int) -> Node:
        self.count += 1
        if depth > DEPTH_MAX:
            raise Unreadable(0, f"nested deeper than {DEPTH_MAX}")
        if self.count > NODES_MAX:
            raise Unreadable(0, f"more than {NODES_MAX} values")
        match value:
            case str():
                return Text(0, value)
            case bool():
                return Truth(0, str(value).lower())
            case list():
                return Items(0, tuple(self.node(item, depth + 1) for item in value))
            case dict():
                return Table(
                    0,
                    tuple(
                        (Text(0, str(key)), self.node(item, depth + 1))
                        for key, item in value.items()
                    ),
                )
            case None:
                return Other(0, "nothing")
            case _:
                return Other(0, "a number")
