"""What somebody wants: a verb with values; and the program that says it.

Whoever finds intents (the phrases of the verbs, a model, an agent) gives these; the text of the
program is made here, the same for the same intents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from antiphon.dsl.printer import printed_value
from antiphon.dsl.tokens import NAME
from antiphon.dsl.tree import Arg, Call, Symbol, Value
from antiphon.dsl.verbs import Verb, Vocabulary

LABEL_WORDS_MAX = 5  # of an option that people choose by its number


@dataclass(frozen=True, slots=True)
class Intent:
    verb: str
    params: Mapping[str, Value] = field(default_factory=dict)
    refs: Mapping[str, str] = field(default_factory=dict)  # argument -> symbol, without the @
    bind: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One of several things that a message may mean."""

    option_id: str
    verb: str
    label: str
    description: str
    intent: Intent


@dataclass(frozen=True, slots=True)
class Confirmed:
    intents: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Nothing:
    """The message asks for nothing that a verb does."""


Outcome = Confirmed | Ambiguous | Nothing


def option(number: int, verb: Verb, intent: Intent) -> Option:
    return Option(f"option-{number}", verb.name, label(verb), verb.description, intent)


def label(verb: Verb) -> str:
    """A few words for a verb: `entity.create-proper-person` is «create proper person»."""
    domain, name = verb.name.split(".")
    words = [*name.split("-"), *(word for word in domain.split("-") if word not in name.split("-"))]
    return " ".join(words[:LABEL_WORDS_MAX])


def faults(intents: Iterable[Intent], vocabulary: Vocabulary) -> list[str]:
    """Why these cannot be made a program: what a model or an agent may have made up."""
    found: list[str] = []
    for intent in intents:
        if intent.verb not in vocabulary.verbs:
            found.append(f"there is no verb `{intent.verb}`")
        names = [*intent.params, *intent.refs]
        found += [f"`{name}` is no name of an argument" for name in names if not _is_name(name)]
        found += [f"`{name}` is given twice" for name in intent.params.keys() & intent.refs.keys()]
        symbols = [*intent.refs.values(), *([intent.bind] if intent.bind else [])]
        found += [f"`@{name}` is no symbol" for name in symbols if not re.fullmatch(NAME, name)]
    return found


def _is_name(name: str) -> bool:
    return name != "as" and re.fullmatch(NAME, name) is not None


def program(intents: Iterable[Intent], vocabulary: Vocabulary) -> str:
    """One statement a line; arguments in the order in which the verb declares them."""
    return "\n".join(printed_value(_call(intent, vocabulary)) for intent in intents)


def _call(intent: Intent, vocabulary: Vocabulary) -> Call:
    given: dict[str, Value] = dict(intent.params)
    given |= {name: Symbol(symbol) for name, symbol in intent.refs.items()}
    verb = vocabulary.verbs.get(intent.verb)
    order = [one.name for one in verb.parameters] if verb else []
    names = [name for name in order if name in given]
    names += sorted(name for name in given if name not in order)
    args = tuple(Arg(name, given[name]) for name in names)
    return Call(intent.verb, args, Symbol(intent.bind) if intent.bind else None)
