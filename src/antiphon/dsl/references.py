"""References: strings that stand for an entity, where they stand, and what is known of them.

The verb's argument says of which type an entity is, never a name.  Who may look entities up
answers the questions that `questions` asks; this module looks nothing up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from antiphon.dsl.source import Span
from antiphon.dsl.tree import Call, List, Map, Program, Text, Value
from antiphon.dsl.verbs import Parameter, Vocabulary


class Standing(Enum):
    """What a string of a reference turned out to be."""

    KNOWN = "known"  # the id or the code of an entity of the type
    MISSING = "missing"  # a well-formed id of no entity
    OTHER_TYPE = "other_type"  # the id of an entity of another type
    OPEN = "open"  # words: somebody has to choose


@dataclass(frozen=True, slots=True)
class Question:
    entity_types: tuple[str, ...]
    value: str


@dataclass(frozen=True, slots=True)
class Answer:
    standing: Standing
    entity_id: str | None = None  # of a known one: a code in its canonical form
    entity_type: str | None = None
    display: str | None = None


Answers = Mapping[Question, Answer]
OPEN = Answer(Standing.OPEN)


@dataclass(frozen=True, slots=True)
class Mention:
    """A string in the place of a reference."""

    statement_index: int
    verb: str
    parameter: Parameter
    arg_path: str  # "cbu-id", "tags[1]", "owner/entity-id" within an inner call
    text: Text

    @property
    def question(self) -> Question:
        return Question(self.parameter.lookup, self.text.value)

    @property
    def ref_id(self) -> str:
        """Made of what it is and where, so that resolving another one leaves it as it was."""
        parts = str(self.statement_index), self.verb, self.arg_path, self.text.value
        return "ref-" + hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention that is open: somebody has to say which entity is meant."""

    ref_id: str
    statement_index: int
    verb: str
    arg_name: str
    arg_path: str
    span: Span
    search_value: str
    entity_types: tuple[str, ...]
    is_skipped: bool = False


def mentions(program: Program, vocabulary: Vocabulary) -> Iterator[Mention]:
    """In the order of the text."""
    for index, statement in enumerate(program.statements):
        yield from _of_call(index, statement, vocabulary, "")


def _of_call(index: int, call: Call, vocabulary: Vocabulary, path: str) -> Iterator[Mention]:
    verb = vocabulary.verbs.get(call.name)
    for arg in call.args:
        value = arg.value
        if isinstance(value, Text):
            parameter = verb.parameter(arg.key) if verb else None
            if parameter is not None and parameter.lookup:
                below = f"{path}/{arg.key}" if path else arg.key
                yield Mention(index, call.name, parameter, below, value)
        elif isinstance(value, Call | List | Map):
            parameter = verb.parameter(arg.key) if verb else None
            below = f"{path}/{arg.key}" if path else arg.key
            yield from _of_value(index, call.name, value, parameter, vocabulary, below)


def _of_value(
    index: int,
    verb: str,
    value: Value,
    parameter: Parameter | None,
    vocabulary: Vocabulary,
    path: str,
) -> Iterator[Mention]:
    match value:
        case Text():
            if parameter is not None and parameter.lookup:
                yield Mention(index, verb, parameter, path, value)
        case Call():
            yield from _of_call(index, value, vocabulary, path)
        case List(items):
            for number, item in enumerate(items):
                below = f"{path}[{number}]"
                yield from _of_value(index, verb, item, parameter, vocabulary, below)
        case Map(fields):
            for field in fields:
                below = f"{path}.{field.key}"
                yield from _of_value(index, verb, field.value, parameter, vocabulary, below)
        case _:
            pass


def questions(program: Program, vocabulary: Vocabulary) -> tuple[Question, ...]:
    """What must be looked up before the program can be checked: each question once."""
    return tuple(dict.fromkeys(mention.question for mention in mentions(program, vocabulary)))
