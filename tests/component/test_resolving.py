from __future__ import annotations

import pytest

from antiphon.base.machine import NoRow
from antiphon.component import resolving as r
from antiphon.component.resolving import RESOLVING, State
from tests.clauses import clause

# The specification's own table, with what its events are here.
SPECIFIED = [
    ("idle", r.ResolveRequested, "checking_local"),
    ("checking_local", r.FoundLocally, "finished"),
    ("checking_local", r.NotFoundLocally, "checking_global"),
    ("checking_global", r.NothingListed, "failed"),
    ("checking_global", r.InputAwaited, "selection_required"),
    ("selection_required", r.OptionChosen, "trying_import"),
    ("trying_import", r.ArtefactAppeared, "finished"),
    ("trying_import", r.InputAwaited, "selection_required"),
    ("trying_import", r.ImportFailed, "failed"),
]


@clause("resolve 5")
@pytest.mark.parametrize(("state", "fact", "become"), SPECIFIED)
def test_every_row_of_the_specification_is_a_row(state: str, fact: type, become: str) -> None:
    assert RESOLVING.step(State(state), fact()) is State(become)


@clause("resolve 4")
def test_there_are_seven_states_and_no_other() -> None:
    assert [state.value for state in State] == [
        "idle", "checking_local", "checking_global", "selection_required", "trying_import",
        "finished", "failed",
    ]  # fmt: skip


@pytest.mark.parametrize("state", [State.FINISHED, State.FAILED])
def test_nothing_follows_an_end(state: State) -> None:
    assert [row for row in RESOLVING.rows if row[0] is state] == []


def test_a_second_request_is_refused_by_the_table() -> None:
    with pytest.raises(NoRow):
        RESOLVING.step(State.CHECKING_LOCAL, r.ResolveRequested())
