"""Reading a map of a pack strictly: every key is asked for, and what nobody asked for is told.

Faults are gathered, so that all of a pack's are known at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import TypeVar

from antiphon.dsl.names import nearest
from antiphon.repl.yaml import Mapping, Node, Scalar, Sequence

Choice = TypeVar("Choice", bound=Enum)
Made = TypeVar("Made")
NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong with a pack, and where."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(slots=True)
class Page:
    """One file of a pack, and what is wrong with it."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    # Where each text stands, by its field: what does not fit another file is told there.
    lines: dict[tuple[str, str], int] = field(default_factory=dict)

    def says(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, message))


class Fields:
    """A map whose keys are taken one by one; `what` names it in messages."""

    def __init__(self, page: Page, node: Node, what: str, line: int | None = None) -> None:
        self.page, self.line, self.what = page, line or node.line, what
        self.left: dict[str, tuple[Scalar, Node]] = {}
        self.known: list[str] = []
        if isinstance(node, Mapping):
            self.left = {key.text: (key, value) for key, value in node.entries}
        else:
            page.says(node.line, f"{what} is a map of its fields, and this is none")

    def take(self, name: str, *, is_required: bool = False) -> Node | None:
        self.known.append(name)
        found = self.left.pop(name, None)
        if found is None or (isinstance(found[1], Scalar) and found[1].is_null):
            if is_required:
                self.page.says(self.line, f"{self.what} has no `{name}`")
            return None
        return found[1]

    def text(self, name: str, *, is_required: bool = False) -> str | None:
        node = self.take(name, is_required=is_required)
        return None if node is None else scalar(self.page, node, f"`{name}` of {self.what}")

    def texts(self, name: str) -> tuple[tuple[str, int], ...]:
        """A list of texts with their lines; one text alone is a list of it."""
        node = self.take(name)
        if node is None:
            return ()
        items = node.items if isinstance(node, Sequence) else (node,)
        found = ((scalar(self.page, one, f"`{name}` of {self.what}"), one.line) for one in items)
        return tuple((text, line) for text, line in found if text is not None)

    def plain_texts(self, name: str) -> tuple[str, ...]:
        return tuple(text for text, _ in self.texts(name))

    def truth(self, name: str) -> bool:
        text = self.text(name)
        if text not in (None, "true", "false"):
            self.page.says(self.line, f"`{name}` of {self.what} is true or false, not `{text}`")
        return text == "true"

    def number(self, name: str) -> Decimal | None:
        text = self.text(name)
        if text is None or NUMBER.fullmatch(text):
            return None if text is None else Decimal(text)
        self.page.says(self.line, f"`{name}` of {self.what} is a number, not `{text}`")
        return None

    def count(self, name: str) -> int | None:
        number = self.number(name)
        return None if number is None else int(number)

    def choice(
        self, name: str, choices: type[Choice], *, is_required: bool = False
    ) -> Choice | None:
        node = self.take(name, is_required=is_required)
        if node is None:
            return None
        text = scalar(self.page, node, f"`{name}` of {self.what}")
        values = {one.value: one for one in choices}
        if text is not None and text not in values:
            self.page.says(
                node.line, f"`{name}` of {self.what} is one of {', '.join(values)}, not `{text}`"
            )
        return values.get(text or "")

    def each(self, name: str, make: Callable[[str, Node], Made]) -> tuple[Made, ...]:
        """What is made of each entry of a map of maps."""
        node = self.take(name)
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.page.says(node.line, f"`{name}` of {self.what} is a map")
            return ()
        return tuple(make(key.text, value) for key, value in node.entries)

    def done(self) -> None:
        for name, (key, _) in self.left.items():
            meant = nearest(name, self.known)
            said = f"; did you mean `{meant}`?" if meant else f"; it has {', '.join(self.known)}"
            self.page.says(key.line, f"{self.what} has no field `{name}`{said}")


def scalar(page: Page, node: Node, what: str) -> str | None:
    if isinstance(node, Scalar):
        page.lines.setdefault((what, node.text), node.line)
        return node.text
    page.says(node.line, f"{what} is one value, and this is a {type(node).__name__.lower()}")
    return None
