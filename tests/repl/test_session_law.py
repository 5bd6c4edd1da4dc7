"""Whatever is asked in whatever order: a refusal changes nothing, and the answer is coherent."""

from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.base.errors import Refused
from antiphon.dsl.stages import Stage
from antiphon.repl import news as n
from antiphon.repl.callout import callout_of
from antiphon.repl.table import ENDED, PASSING, Event, State
from tests.repl.play import Play, entity

MESSAGES = (
    "show allianz cbu", "show cbu apex", "list cbus", "create entity", "blub", "", "1", "2", "9",
    "thematica", "(cbu.list)", '(cbu.show :cbu-id "allianz")', "(cbu.list", "(cbu.lst)",
    '(cbu.assign-role :cbu-id "Apex" :entity-id "John Smith" :role "DIRECTOR") (cbu.list)',
    "(cbu.show :cbu-id @nobody)", "; nothing", "clear", "undo", "cancel", "bail", "skip", "run",
    "create new", "none of these", "try different search", "help", "Nirvana", "LU",
    "list cbus, then list people", '(cbu.show :cbu-id "Aviva Lux 9")',
)  # fmt: skip
CHOICES = (entity("ALLIANZ FUNDS"), entity("Apex Capital"), entity("John Smith", "person"))


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, int]]:
    kinds = st.sampled_from(["say", "say", "say", "say", "choose", "end", "fail", "close", "late"])
    return draw(st.lists(st.tuples(kinds, st.integers(0, len(MESSAGES) - 1)), max_size=14))


def act(play: Play, kind: str, number: int) -> None:
    match kind:
        case "say":
            play.say(MESSAGES[number])
        case "choose":
            refs = play.session.program.refs
            ref_id = refs[number % len(refs)].ref_id if refs else "ref-0"
            chosen = CHOICES[number % len(CHOICES)]
            play.ask(n.EntityChosen(ref_id, chosen.entity_id, chosen))
        case "end" | "fail":
            if any(isinstance(order, n.RunPlan) for order in play.waiting):
                play.end(n.RunOutcome.SUCCEEDED if kind == "end" else n.RunOutcome.FAILED)
        case "late":
            play.session.respond(n.ExtractionFailed("extract-0"))
        case _:
            play.ask(n.Wish.CLOSE)


@settings(max_examples=200)
@given(steps())
def test_a_session_is_coherent_whatever_is_asked(asked: list[tuple[str, int]]) -> None:
    play = Play()
    for kind, number in asked:
        before = copy.deepcopy(play.session)
        try:
            act(play, kind, number)
        except Refused:
            assert play.session == before
            continue
        assert 0 <= play.session.rev - before.rev <= 1
        check(play)


def check(play: Play) -> None:
    session, program = play.session, play.session.program
    assert session.state not in PASSING
    assert not session.trace or session.trace[-1] is session.state
    found = program.compilation
    stages = {
        State.SYNTAX_ERROR: Stage.PARSING,
        State.SEMANTIC_ERROR: Stage.SEMANTICS,
        State.UNRESOLVED_REFS: Stage.REFERENCES,
        State.CREATING: Stage.REFERENCES,
        State.DEPENDENCY_ERROR: Stage.DEPENDENCIES,
        State.READY_TO_RUN: Stage.READY,
        State.EXECUTING: Stage.READY,
    }
    if session.state in stages:
        assert found is not None and found.source.text == program.source
        reached = found.stage
        # Where references were skipped one by one, the compilation is from before the last.
        assert reached is stages[session.state], (session.state, reached)
    if session.state in (State.UNRESOLVED_REFS, State.CREATING):
        current, total = program.progress
        assert program.pending and 1 <= current <= total
    assert (session.creation is not None) == (session.state is State.CREATING)
    assert bool(session.history) == (Event.UNDO in session.available_actions) or (
        session.state in (*ENDED, State.EXECUTING)
    )
    asked = callout_of(session)
    if asked is not None:
        assert [one.n for one in asked.options] == list(range(1, len(asked.options) + 1))
        assert len({one.label for one in asked.options}) == len(asked.options)
