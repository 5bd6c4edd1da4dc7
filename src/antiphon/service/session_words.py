"""What a session says to people, in each of its states."""

from __future__ import annotations

from antiphon.dsl.verbs import Effect
from antiphon.repl import news as n
from antiphon.repl.candidates import Candidates
from antiphon.repl.helping import HELP, for_example
from antiphon.repl.session import Session
from antiphon.repl.table import State
from antiphon.service.scene import Scene
from antiphon.wire import sessions as w

SAID_CHARS_MAX = 60  # of what somebody said, in a sentence about it


def told(session: Session, scene: Scene) -> str:
    """Where the session stands, and what can be done."""
    state = session.state
    match state:
        case State.INTENT_CLARIFY:
            count = len(session.options)
            return f"{_cut(session.original_message or '')} may mean {count} things. {_help(state)}"
        case State.SYNTAX_ERROR | State.SEMANTIC_ERROR | State.DEPENDENCY_ERROR:
            return f"{_first_error(session)} {_help(state)}"
        case State.UNRESOLVED_REFS:
            return _asking(session)
        case State.CREATING if session.creation is not None:
            return session.creation.told
        case State.READY_TO_RUN:
            return f"{_ready(session)} {_help(state)}"
        case State.EXECUTED:
            return _ran(session, scene)
        case _:
            return _help(state)


def nothing_found(session: Session, scene: Scene) -> str:
    """After a message that asks for nothing that a verb does: what would be understood."""
    said = f"That asks for nothing that I can do, and nothing has changed. {told(session, scene)}"
    shown = for_example(session.state, session.vocabulary)
    return f"{said} {shown}" if shown else said


def heard(session: Session, request: w.Change, asked: n.Request) -> str:
    """What somebody did, as they might have said it."""
    match request, asked:
        case w.Chat(message=message), _:
            return message
        case w.EditProgram(), _:
            return "edit"
        case w.Execute(), _:
            return "run"
        case w.Close(), _:
            return "close"
        case w.Act(action=action), _:
            return action.replace("_", " ")
        case w.Resolve(entity_id=entity_id), n.EntityChosen(found=found):
            return found.display if found else entity_id
        case w.Propose(), n.OptionChosen(option_id):
            labels = (one.label for one in session.options if one.option_id == option_id)
            return next(labels, option_id)
        case w.Propose(), n.IntentsProposed(intents):
            return ", ".join(one.verb for one in intents)
        case _:
            raise AssertionError(f"a change nobody can make: {request}")


def _help(state: State) -> str:
    return HELP[state.wire]


def _first_error(session: Session) -> str:
    found = session.program.compilation
    if found is None or not found.errors.shown:
        return ""
    first, count = found.errors.shown[0], found.errors.count
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"Line {first.span.line}: {first.message}{more}."


def _asking(session: Session) -> str:
    program = session.program
    ref = program.pending[0]
    current, total = program.progress
    found = program.found.get(ref.ref_id) or program.candidates.get(ref.ref_id) or Candidates()
    words = program.searches.get(ref.ref_id, ref.search_value)
    kind = " or ".join(ref.entity_types).replace("_", " ")
    place = f"{current} of {total}: " if total > 1 else ""
    if not found.total:
        return (
            f"{place}No {kind} is found for {_cut(words)}. Say other words, «create new» or «skip»."
        )
    noun = "candidate" if found.total == 1 else "candidates"
    return f"{place}{found.total} {noun} for the {kind} {_cut(words)}. {_help(session.state)}"


def _ready(session: Session) -> str:
    found = session.program.compilation
    assert found is not None and found.plan is not None, "a program that is ready has a plan"
    noun = "statement" if len(found.plan.steps) == 1 else "statements"
    warned = "".join(f" {one.code.value}: {one.message}." for one in found.warnings.shown[:3])
    return f"Ready: {len(found.plan.steps)} {noun}.{warned}"


def _ran(session: Session, scene: Scene) -> str:
    if session.last_run_succeeded:
        return f"{_help(session.state)}"
    failed = next((one for one in scene.results if one.status == "failed"), None)
    if failed is None:
        return "The run failed. Say what you want next."
    text = f"Statement {failed.statement_index + 1} ({failed.verb}) failed: {failed.message}."
    kept = _kept(session, scene)
    return f"{text} {kept or 'The database is as it was.'} «undo» brings the program back."


def _kept(session: Session, scene: Scene) -> str:
    """Which statements of a run that failed stay done: before it acted outside, parts are kept."""
    found = session.program.compilation
    steps = found.plan.steps if found is not None and found.plan is not None else ()
    acts = {one.statement_index for one in steps if one.effect is not Effect.READ}
    done = [one.statement_index + 1 for one in scene.results if one.status == "ok"
            and one.rolled_back is not True and one.statement_index in acts]  # fmt: skip
    if not done:
        return ""
    if len(done) == 1:
        return f"What statement {done[0]} did stays."
    return f"What statements {', '.join(map(str, done[:-1]))} and {done[-1]} did stays."


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    short = plain if len(plain) <= SAID_CHARS_MAX else plain[: SAID_CHARS_MAX - 1] + "…"
    return f"«{short}»"
