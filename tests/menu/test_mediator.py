from __future__ import annotations

import pytest

from antiphon.menu import mediator as m
from antiphon.menu.mediator import MEDIATOR, State, ending
from tests.clauses import clause

# The specification's own table, with what its events are here.
SPECIFIED = [
    ("idle", m.ProgramStarted, "running"),
    ("running", m.InputAwaited, "selection_required"),
    ("selection_required", m.OptionChosen, "running"),
    ("selection_required", m.NothingMatched, "selection_required"),
    ("running", m.ProgramSucceeded, "completed"),
    ("running", m.ProgramFailed, "failed"),
    ("running", m.ChoiceFailed, "selection_required"),
    ("idle", m.ProgramCrashed, "failed"),
    ("running", m.ProgramCrashed, "failed"),
    ("selection_required", m.ProgramCrashed, "failed"),
]


@clause("menus 11")
@pytest.mark.parametrize(("state", "fact", "become"), SPECIFIED)
def test_every_row_of_the_specification_is_a_row(state: str, fact: type, become: str) -> None:
    assert MEDIATOR.step(State(state), fact()) is State(become)


@pytest.mark.parametrize("state", [State.COMPLETED, State.FAILED])
def test_nothing_follows_an_end(state: State) -> None:
    assert [row for row in MEDIATOR.rows if row[0] is state] == []


@clause("menus 10")
@pytest.mark.parametrize(
    ("exit_code", "was_answered", "fact"),
    [
        (0, False, m.ProgramSucceeded), (0, True, m.ProgramSucceeded),
        (3, False, m.ProgramFailed), (3, True, m.ChoiceFailed),
        (-9, False, m.ProgramCrashed), (-9, True, m.ProgramCrashed),
        (None, True, m.ProgramCrashed),
    ],
)  # fmt: skip
def test_the_exit_code_alone_says_what_an_end_was(
    exit_code: int | None, was_answered: bool, fact: type
) -> None:
    assert ending(exit_code, was_answered=was_answered) == fact()
