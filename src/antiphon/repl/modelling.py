"""What a model is told and what its answer means: a tool whose arguments are intents.

Nothing that a model made up gets through: a verb that is not there, an id or a symbol that nobody
has named.  Entities are named in words, which the gateway looks up afterwards.
"""

from __future__ import annotations

import decimal
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from antiphon.dsl.tree import List, Map, Text, Value
from antiphon.dsl.values import UUID
from antiphon.dsl.verbs import Kind, Parameter, Verb, Vocabulary
from antiphon.repl.intents import Ambiguous, Confirmed, Intent, Nothing, Outcome, faults, option
from antiphon.repl.proposals import SYMBOL, proposed

TOOL = "propose_intents"
OPTIONS_MAX = 5
_JSON_TYPES = {
    Kind.INTEGER: "a whole number", Kind.DECIMAL: "a number", Kind.BOOLEAN: "true or false",
    Kind.LIST: "a list", Kind.MAP: "an object",
}  # fmt: skip

Json = dict[str, object]

RULES = """\
You turn one message into intents for a program, by calling the tool propose_intents once.
- An intent is a verb of the list below with values for its arguments. Use no other verb.
- Give the values in the words of the message. An entity is given by its name as it was said; \
never make up an id, a code or a value. Leave an argument out when the message does not say it.
- `params` has values; `refs` has symbols, as "@name". A symbol is one of the session, or one that \
another intent of the same call binds with `bind`.
- Several requests in one message are several intents, in their order.
- If the message can mean several verbs, set `is_ambiguous` to true: each intent is then one \
possible meaning, and the user is asked.
- If the message asks for nothing that a verb does, or asks that something not be done, give no \
intent at all.
- Do not answer in prose and do not write programs.
"""


@dataclass(frozen=True, slots=True)
class Asked:
    vocabulary: Vocabulary
    message: str
    bindings: Mapping[str, str | None]  # the session's symbols


@dataclass(frozen=True, slots=True)
class NoCall:
    """An answer without a readable call of the tool."""

    reason: str


def opening(asked: Asked) -> list[Json]:
    verbs = "\n".join(_told(verb) for _, verb in sorted(asked.vocabulary.verbs.items()))
    symbols = ", ".join(
        f"@{name}" + (f" (a {kind})" if kind else "")
        for name, kind in sorted(asked.bindings.items())
    )
    system = f"{RULES}\nVerbs:\n{verbs}\n\nSymbols of the session: {symbols or 'none'}\n"
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": asked.message},
    ]


def _told(verb: Verb) -> str:
    takes = "; ".join(_takes(one) for one in verb.parameters)
    makes = f" Makes a {verb.produces}." if verb.produces else ""
    return f"- {verb.name}: {verb.description}{makes} Arguments: {takes or 'none'}."


def _takes(one: Parameter) -> str:
    if one.lookup:
        kind = f"the name of a {' or '.join(one.lookup)}"
        kind = f"a list, each {kind}" if one.kind is Kind.LIST else kind
    elif one.consumes:
        kind = f"a symbol of a {one.consumes}"
    elif one.values:
        kind = f"one of {', '.join(one.values)}"
    elif one.kind is Kind.DATE:
        kind = "a date, YYYY-MM-DD"
    else:
        kind = _JSON_TYPES.get(one.kind, "text")
    required = ", required" if one.is_required and one.default is None else ""
    return f"{one.name} ({kind}{required})" + (f" {one.description}" if one.description else "")


def tool(asked: Asked) -> Json:
    """In the form of an OpenAI-compatible endpoint."""
    intent: Json = {
        "type": "object",
        "properties": {
            "verb": {"type": "string", "enum": sorted(asked.vocabulary.verbs)},
            "params": {"type": "object", "description": "argument name to value"},
            "refs": {
                "type": "object",
                "additionalProperties": {"type": "string", "pattern": "^@"},
                "description": "argument name to @symbol",
            },
            "bind": {"type": "string", "description": "a symbol for what this intent makes"},
        },
        "required": ["verb"],
        "additionalProperties": False,
    }
    parameters: Json = {
        "type": "object",
        "properties": {
            "intents": {"type": "array", "items": intent},
            "is_ambiguous": {"type": "boolean"},
        },
        "required": ["intents"],
        "additionalProperties": False,
    }
    description = "The intents of the message; none when it asks for nothing that a verb does."
    function: Json = {"name": TOOL, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def decoded(text: str) -> object:
    """The arguments of a call; decimals stay what they are."""
    return json.loads(text, parse_float=decimal.Decimal, parse_constant=_no_number)


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number")


def outcome(asked: Asked, answer: object) -> tuple[Outcome | None, list[str]]:
    """What the answer means, or nothing and what is wrong with it."""
    if isinstance(answer, NoCall):
        return None, [answer.reason]
    if not isinstance(answer, Mapping) or not isinstance(answer.get("intents"), list):
        return None, ["the arguments are an object with a list `intents`"]
    wrong = [
        f"`{name!s:.60}` is no argument of the tool"
        for name in answer
        if name not in ("intents", "is_ambiguous")
    ]
    is_ambiguous = answer.get("is_ambiguous", False)
    if not isinstance(is_ambiguous, bool):
        wrong.append("`is_ambiguous` is true or false")
    intents, more = proposed(answer["intents"])
    wrong += more
    if not wrong:
        wrong = [*faults(intents, asked.vocabulary), *_made_up(asked, intents)]
    if wrong:
        return None, wrong
    if not intents:
        return Nothing(), []
    if is_ambiguous and len(intents) > 1:
        options = [
            option(number, asked.vocabulary.verbs[one.verb], one)
            for number, one in enumerate(intents[:OPTIONS_MAX], 1)
        ]
        return Ambiguous(tuple(options)), []
    return Confirmed(intents), []


def _made_up(asked: Asked, intents: tuple[Intent, ...]) -> Iterator[str]:
    """Ids and symbols that nobody has named, and arguments that no verb takes."""
    bound = {one.bind for one in intents if one.bind}
    known = bound | asked.bindings.keys() | set(SYMBOL.findall(asked.message))
    said = asked.message.casefold()
    for intent in intents:
        verb = asked.vocabulary.verbs.get(intent.verb)
        if verb is None:
            continue  # as said
        for name in (*intent.params, *intent.refs):
            if verb.parameter(name) is None:
                takes = ", ".join(one.name for one in verb.parameters) or "nothing"
                yield f"`{verb.name}` takes no `{name}`; it takes {takes}"
        for symbol in intent.refs.values():
            if symbol not in known:
                yield f"`@{symbol}` is bound by nothing"
        if intent.bind and verb.produces is None:
            yield f"`{verb.name}` makes nothing that a name could be bound to"
        for text in _texts(intent.params.values()):
            ids = re.findall(UUID, text)
            if any(one.casefold() not in said for one in ids):
                yield f"{text!r:.80} holds an id that the message does not; give the name as said"
            symbol_in = SYMBOL.fullmatch(text)
            if symbol_in and symbol_in[1] in known:
                yield f"`{text}` is a symbol, and symbols stand in `refs`"


def _texts(values: Iterable[Value]) -> Iterator[str]:
    stack = list(values)
    while stack:
        match stack.pop():
            case Text(text):
                yield text
            case List(items):
                stack.extend(items)
            case Map(fields):
                stack.extend(field.value for field in fields)
            case _:
                pass
