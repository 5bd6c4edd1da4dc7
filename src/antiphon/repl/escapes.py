"""Control phrases: whole messages that mean one thing and never ask a model."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from antiphon.repl.news import Wish
from antiphon.repl.table import ENDED, Event, State, takes

PHRASES: Mapping[str, Wish] = {
    "clear": Wish.CLEAR,
    "start over": Wish.CLEAR,
    "cancel": Wish.CANCEL,
    "bail": Wish.BAIL,
    "undo": Wish.UNDO,
    "help": Wish.HELP,
    "what can i do": Wish.HELP,
    "run": Wish.RUN,
    "execute": Wish.RUN,
    "skip": Wish.SKIP,
    "create new": Wish.CREATE_NEW,
    "try different search": Wish.DIFFERENT_SEARCH,
    "none of these": Wish.NONE_OF_THESE,
    "something else": Wish.NONE_OF_THESE,
}
EVENTS: Mapping[Wish, Event] = {
    Wish.NONE_OF_THESE: Event.NONE_OF_THESE,
    Wish.SKIP: Event.SKIP,
    Wish.CREATE_NEW: Event.CREATE_NEW,
    Wish.CREATE_CANCEL: Event.CREATE_CANCEL,
    Wish.DIFFERENT_SEARCH: Event.SEARCH,
    Wish.RUN: Event.RUN,
    Wish.CLEAR: Event.CLEAR,
    Wish.UNDO: Event.UNDO,
    Wish.HELP: Event.HELP,
    Wish.CANCEL: Event.CANCEL,
    Wish.BAIL: Event.BAIL,
    Wish.CLOSE: Event.CLOSE,
}
# What a client may offer, in this order.
ACTIONS = (Event.CLEAR, Event.UNDO, Event.CANCEL, Event.SKIP, Event.CREATE_NEW, Event.EDIT)


def phrase_in(message: str) -> Wish | None:
    """The control phrase that the whole message is."""
    text = " ".join(unicodedata.normalize("NFKC", message).casefold().split())
    return PHRASES.get(text.rstrip(".!?").rstrip())


def is_program(message: str) -> bool:
    return message.lstrip().startswith("(")


def available_actions(state: State, *, has_history: bool) -> tuple[Event, ...]:
    """What the table allows now; an ended session, and a running one but for cancel, nothing."""
    if state in ENDED:
        return ()
    return tuple(
        event
        for event in ACTIONS
        if takes(state, event) and (event is not Event.UNDO or has_history)
    )


def misfit(state: State, event: Event, *, has_history: bool) -> str:
    """Why an event is refused, and what would be accepted."""
    what = f"{event.value} does not fit a session that is {state.wire}"
    if state in ENDED:
        return f"{what}; begin a new one"
    accepted = [
        one.value.replace("_", " ")
        for one in Event
        if takes(state, one) and (one is not Event.UNDO or has_history)
    ]
    return f"{what}; accepted is: {', '.join(accepted)}"
