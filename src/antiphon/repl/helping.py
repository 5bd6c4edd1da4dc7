"""What «help» says: what can be said now, in each state, with phrases of the packs that are open.

It says nothing that the table would refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from antiphon.dsl.verbs import Effect, Verb, Vocabulary
from antiphon.repl.escapes import available_actions
from antiphon.repl.table import LISTENING, Event, State

HELP: Mapping[str, str] = {
    "new": "Say what you want, or write a program that starts with a bracket.",
    "intent_capture": "Say what you want in other words.",
    "intent_clarify": "Say the number of what you mean, «none of these», or something else.",
    "dsl_assembly": "The program is being made.",
    "syntax_validation": "The program is being read.",
    "syntax_error": "The program cannot be read: change it, or say what you want.",
    "semantic_validation": "The program is being checked.",
    "semantic_error": "The program has faults: change it, or say what you want.",
    "unresolved_refs": "Say the number of the one you mean, or other words to search for.",
    "dependency_resolution": "The order of the program is being found.",
    "dependency_error": "The program's statements cannot be ordered: change it.",
    "ready_to_run": "Say «run» to run the program, or what else you want.",
    "executing": "The program runs; «cancel» stops it where nothing is half done.",
    "executed": "The program has run. Say what you want next.",
    "cancelled": "This session was cancelled. Begin a new one.",
    "closed": "This session is closed. Begin a new one.",
}
_CREATING = "Answer what is asked, and the new one is made; «bail» ends the session."
_CREATING_CANCEL = "«cancel» goes back to the candidates"
_ACTIONS: Mapping[Event, str] = {
    Event.CLEAR: "«clear» begins anew",
    Event.UNDO: "«undo» takes back the last change",
    Event.CANCEL: "«cancel» ends the session",
    Event.SKIP: "«skip» leaves this one open",
    Event.CREATE_NEW: "«create new» makes what is not there",
    Event.EDIT: "a text that begins with ( is the new program",
}
EXAMPLES_MAX = 3
_SLOT = re.compile(r"\{([^{}]+)\}")


def help_text(state: State, vocabulary: Vocabulary, *, has_history: bool) -> str:
    """What can be said now; only a wish has examples, for elsewhere words mean other things."""
    lines = [_CREATING if state is State.CREATING else HELP[state.wire]]
    if shown := for_example(state, vocabulary):
        lines.append(shown)
    offered = [_said(state, one) for one in available_actions(state, has_history=has_history)]
    if offered and state is not State.EXECUTING:
        lines.append(f"Also: {'; '.join(offered)}.")
    return " ".join(lines)


def _said(state: State, action: Event) -> str:
    is_left = state is State.CREATING and action is Event.CANCEL
    return _CREATING_CANCEL if is_left else _ACTIONS[action]


def for_example(state: State, vocabulary: Vocabulary) -> str:
    """A sentence of wishes, where a wish is heard."""
    shown = examples(vocabulary) if state in LISTENING else []
    return f"For example {_listed(shown)}." if shown else ""


def examples(vocabulary: Vocabulary) -> list[str]:
    """A phrase each of up to three verbs: what reads, what makes something, what looks at it."""
    verbs = [one for one in vocabulary.verbs.values() if one.phrases]
    wanted: tuple[Callable[[Verb], bool], ...] = (
        lambda verb: verb.effect is Effect.READ and not verb.required,
        lambda verb: verb.produces is not None and not verb.consumes,
        lambda verb: verb.scope is not None,
        *[lambda _: True] * EXAMPLES_MAX,
    )
    shown: dict[str, str] = {}
    for fits in wanted:
        verb = next((one for one in verbs if fits(one) and one.name not in shown), None)
        if verb is not None and len(shown) < EXAMPLES_MAX:
            shown[verb.name] = f"«{_filled(_plainest(verb))}» ({verb.name})"
    return list(shown.values())


def _plainest(verb: Verb) -> str:
    """The shortest of the phrases that say most of what the verb must have."""
    needed = {one.name for one in verb.required}

    def rank(phrase: str) -> tuple[int, int]:
        slots = set(_SLOT.findall(phrase))
        return len(needed - slots), len(slots)

    return min(verb.phrases, key=rank)


def _filled(phrase: str) -> str:
    """What is to be filled in stands in capitals."""
    return _SLOT.sub(lambda slot: slot[1].removesuffix("-id").replace("-", " ").upper(), phrase)


def _listed(items: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(items[:-1]), items[-1])))
