"""A state machine as a table of rows, and nothing besides.

It promises that a pair without a row is refused and that a refusal changes nothing.
It does not know what a state or a fact means.
"""

from __future__ import annotations

from enum import Enum
from typing import Generic, TypeVar

State = TypeVar("State", bound=Enum)


class NoRow(Exception):
    """This fact cannot come in this state."""


class Machine(Generic[State]):
    """Rows of (while, this comes, it becomes, because)."""

    def __init__(self, *rows: tuple[State, type, State, str]) -> None:
        self.rows = rows
        self._next = {(state, fact): become for state, fact, become, _ in rows}
        assert len(self._next) == len(rows), "two rows for one pair"

    def step(self, state: State, fact: object) -> State:
        try:
            return self._next[state, type(fact)]
        except KeyError:
            raise NoRow(f"{type(fact).__name__} while {state.value}") from None

    def allows(self, state: State, fact: type) -> bool:
        return (state, fact) in self._next

    def printed(self) -> str:
        """The table as Markdown, for docs/MACHINES.md."""
        head = "| while | this comes | it becomes | because |\n|---|---|---|---|\n"
        return head + "".join(
            f"| {state.value} | {fact.__name__} | {become.value} | {because} |\n"
            for state, fact, become, because in self.rows
        )
