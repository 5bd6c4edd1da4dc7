"""What a session asks a person, as a block of numbered labels.

Its id is made of what is asked, so that the same question has the same id after a restart.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from antiphon.choice.judge import rendered
from antiphon.choice.question import Block, shown
from antiphon.repl.asking import RUN_OPTIONS
from antiphon.repl.candidates import labels
from antiphon.repl.creation import Creation
from antiphon.repl.session import Session
from antiphon.repl.table import State

VALUE_CHARS_MAX = 60  # of what somebody said, in a question about it


@dataclass(frozen=True, slots=True)
class CalloutOption:
    n: int
    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Callout:
    callout_id: str
    name: str
    block: str
    options: tuple[CalloutOption, ...]


def callout_of(session: Session) -> Callout | None:
    """The question that is open; none where a person may say what they like."""
    match session.state:
        case State.INTENT_CLARIFY:
            pairs = [(one.option_id, one.label) for one in session.options]
            return _callout(session, "clarify", "Which of these do you mean?", pairs)
        case State.UNRESOLVED_REFS:
            ref = session.program.pending[0]
            found = session.program.shown(ref.ref_id)
            pairs = [
                (one.entity_id, label) for one, label in zip(found, labels(found), strict=True)
            ]
            wanted = " or ".join(ref.entity_types).replace("_", " ")
            asked = _asked(wanted, ref.search_value)
            return _callout(session, "resolve", asked, pairs, ref.ref_id) if pairs else None
        case State.CREATING if session.creation is not None:
            return _creating(session, session.creation)
        case State.READY_TO_RUN:
            pairs = [(id_, label) for id_, label, _ in RUN_OPTIONS]
            found_plan = session.program.compilation and session.program.compilation.plan
            plan_id = found_plan.plan_id if found_plan else ""
            return _callout(session, "run", "Run this program?", pairs, plan_id)
        case _:
            return None


def _asked(wanted: str, words: str) -> str:
    """With the words that were said, where a sentence can hold them."""
    said = " ".join(words.split())
    if len(said) <= VALUE_CHARS_MAX:
        asked = f"Which {wanted} is «{said}»?"
        if not isinstance(rendered(asked, ("yes",)), list):
            return asked
    return f"Which {wanted} is meant?"


def _creating(session: Session, creation: Creation) -> Callout | None:
    """What has something to choose from; what is said freely has no block."""
    pairs = [(one.code, one.label) for one in creation.options]
    asked = creation.block.partition("\n\n")[0]
    about = f"{creation.ref_id} {creation.step}"
    return _callout(session, "create", asked, pairs, about) if pairs else None


def _callout(
    session: Session, name: str, asked: str, pairs: list[tuple[str, str]], about: str = ""
) -> Callout:
    options = tuple(CalloutOption(n, id_, label) for n, (id_, label) in enumerate(pairs, 1))
    block = shown(Block(asked, tuple(label for _, label in pairs)))
    told = "\0".join([session.session_id, str(session.epoch), name, about, block])
    callout_id = f"callout-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    return Callout(callout_id, name, block, options)
