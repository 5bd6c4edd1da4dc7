"""What a session asks a person, as a block of numbered labels.

Its id is made of what is asked, so that the same question has the same id after a restart.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from antiphon.choice import offers
from antiphon.choice.question import Block, shown
from antiphon.dsl.references import Reference
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


@dataclass(frozen=True, slots=True)
class WordsAsked:
    """A question without options: what a name is, or what else to search for."""

    callout_id: str
    name: str
    question: str
    offered: str | None


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
            return _callout(session, "resolve", _which(ref), pairs, ref.ref_id) if pairs else None
        case State.CREATING if session.creation is not None:
            return _creating(session, session.creation)
        case State.READY_TO_RUN:
            pairs = [(id_, label) for id_, label, _ in RUN_OPTIONS]
            found_plan = session.program.compilation and session.program.compilation.plan
            plan_id = found_plan.plan_id if found_plan else ""
            return _callout(session, "run", "Run this program?", pairs, plan_id)
        case _:
            return None


def words_asked_of(session: Session) -> WordsAsked | None:
    """What is open and has no block; a person may say what they like, and it waits for them."""
    if callout_of(session) is not None:
        return None
    match session.state:
        case State.UNRESOLVED_REFS:
            ref = session.program.pending[0]
            question = f"{_which(ref)} Nothing is like it: say other words, «create new» or «skip»."
            callout_id = _id(session, "resolve", ref.ref_id, question)
            return WordsAsked(callout_id, "resolve", question, None)
        case State.CREATING if session.creation is not None:
            creation = session.creation
            about = f"{creation.ref_id} {creation.step}"
            made = creation.entity_type.replace("_", " ")
            question = f"New {made}: {creation.complaint}{creation.asked}"
            callout_id = _id(session, "create", about, question)
            return WordsAsked(callout_id, "create", question, creation.offered)
        case _:
            return None


def _which(ref: Reference) -> str:
    wanted = " or ".join(ref.entity_types).replace("_", " ")
    said = offers.plain(ref.search_value)[:VALUE_CHARS_MAX]
    asked = f"Which {wanted} is «{said}»?"
    return asked if offers.is_instruction(asked) else f"Which {wanted} is meant?"


def _creating(session: Session, creation: Creation) -> Callout | None:
    """A field that has codes to choose from, or the summary; what is said freely has no block."""
    found = creation.question
    if found is None:
        return None
    about = f"{creation.ref_id} {creation.step}"
    pairs = list(zip(found.ids, found.labels, strict=True))
    return _made(session, "create", found.text, pairs, about)


def _callout(
    session: Session, name: str, asked: str, pairs: list[tuple[str, str]], about: str = ""
) -> Callout:
    labels = offers.labels(tuple(label for _, label in pairs))
    block = shown(Block(offers.instruction(asked), labels))
    short = [(id_, label) for (id_, _), label in zip(pairs, labels, strict=True)]
    return _made(session, name, block, short, about)


def _made(
    session: Session, name: str, block: str, pairs: list[tuple[str, str]], about: str
) -> Callout:
    options = tuple(CalloutOption(n, id_, label) for n, (id_, label) in enumerate(pairs, 1))
    return Callout(_id(session, name, about, block), name, block, options)


def _id(session: Session, name: str, about: str, text: str) -> str:
    told = "\0".join([session.session_id, str(session.epoch), name, about, text])
    return f"callout-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
