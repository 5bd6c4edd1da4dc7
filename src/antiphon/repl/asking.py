"""What a request is: which event, about which option, candidate or reference.

Words mean something by where the session is: a number picks, a bracket begins a program.
"""

from __future__ import annotations

from collections.abc import Sequence

from antiphon.base.errors import Code, Refused
from antiphon.dsl.references import Reference
from antiphon.entity.scoring import Candidate
from antiphon.repl import news as n
from antiphon.repl import staleness
from antiphon.repl.candidates import labels
from antiphon.repl.escapes import EVENTS, is_program, phrase_in
from antiphon.repl.intents import Option
from antiphon.repl.program import Program
from antiphon.repl.table import Event, State

RUN_OPTIONS = (("run", "Run", Event.RUN), ("clear", "Start over", Event.CLEAR))


def event_of(asked: n.Request, state: State, options: Sequence[Option], program: Program) -> Event:
    match asked:
        case n.Wish():
            return EVENTS[asked]
        case n.Said(text):
            return _event_of_words(text, state, options, program)
        case n.OptionChosen():
            return Event.SELECT_INTENT
        case n.IntentsProposed():
            return Event.MESSAGE
        case n.EntityChosen():
            return Event.RESOLVE_REF
        case n.SearchDone():
            return Event.SEARCH
        case n.EntityMade():
            return Event.CREATE_OK
        case n.RunWanted():
            return Event.RUN
        case n.ProgramWritten():
            return Event.EDIT


def _event_of_words(text: str, state: State, options: Sequence[Option], program: Program) -> Event:
    wish = phrase_in(text)
    if wish is not None:
        return EVENTS[wish]
    if is_program(text):
        return Event.EDIT
    if state is State.INTENT_CLARIFY and option_in(options, text):
        return Event.SELECT_INTENT
    if state is State.UNRESOLVED_REFS:
        return Event.RESOLVE_REF if picked(program, text) else Event.SEARCH
    if state is State.READY_TO_RUN:
        numbers = {str(at): event for at, (_, _, event) in enumerate(RUN_OPTIONS, 1)}
        return numbers.get(text.strip(), Event.MESSAGE)
    return Event.MESSAGE


def words_of(asked: n.Request) -> str:
    match asked:
        case n.Said(text) | n.OptionChosen(text) | n.ProgramWritten(text):
            return text
        case _:
            raise AssertionError("only these have words")


def option_in(options: Sequence[Option], text: str) -> Option | None:
    """An option by its number, id or label."""
    said = " ".join(text.split()).casefold()
    for number, one in enumerate(options, 1):
        if said in (str(number), one.option_id.casefold(), one.label.casefold()):
            return one
    return None


def picked(program: Program, text: str) -> Candidate | None:
    """A candidate of the current reference, by its number, its label or its exact name."""
    said = " ".join(text.split()).casefold()
    shown = program.shown(program.pending[0].ref_id)
    for number, (one, label) in enumerate(zip(shown, labels(shown), strict=True), 1):
        if said in (str(number), label.casefold()):
            return one
    exact = [one for one in shown if one.display.casefold() == said]
    return exact[0] if len(exact) == 1 else None


def open_ref(program: Program, ref_id: str) -> Reference:
    """One that nobody has resolved; a skipped one can be resolved after all."""
    for one in program.refs:
        if one.ref_id == ref_id:
            return one
    raise Refused(Code.REF_NOT_FOUND, f"no reference {ref_id!r:.40} is open")


def is_repeated(program: Program, chosen: n.EntityChosen) -> bool:
    """Was this very entity chosen before?  Another one is refused."""
    before = program.resolved.get(chosen.ref_id)
    if before is None:
        return False
    if before.entity_id != chosen.entity_id:
        raise Refused(
            Code.REF_ALREADY_RESOLVED, f"it is {before.display}; undo that to choose again"
        )
    return True


def check_plan(program: Program, wanted: n.RunWanted) -> None:
    """Only the plan that was seen runs, and only if it is what the program means now.

    Who names the plan of now has it run, though another one was shown before.
    """
    assert program.compilation is not None and program.compilation.plan is not None, "it is ready"
    shown, fresh = program.compilation, wanted.fresh or program.compilation
    if fresh.plan is None:
        raise staleness.unrunnable(shown, fresh)
    if (wanted.named or program.compilation.plan.plan_id) != fresh.plan.plan_id:
        raise staleness.stale(shown, fresh)


def check_entity(program: Program, chosen: n.EntityChosen) -> None:
    """Only an entity that exists, has the type, and was offered for this reference."""
    ref = open_ref(program, chosen.ref_id)
    if chosen.found is None:
        raise Refused(Code.ENTITY_NOT_FOUND, f"there is no entity {chosen.entity_id!r:.60}")
    if chosen.found.entity_type not in ref.entity_types:
        wanted = " or ".join(ref.entity_types)
        raise Refused(
            Code.ENTITY_TYPE_MISMATCH, f"this is a {chosen.found.entity_type}, not a {wanted}"
        )
    if chosen.entity_id not in program.offered.get(chosen.ref_id, frozenset()):
        raise Refused(Code.NOT_OFFERED, "this entity was neither offered nor found")
