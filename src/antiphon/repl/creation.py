"""Making an entity that a reference lacks: its required fields one by one, then a summary.

A value: each answer makes another one.  Codes are chosen from blocks, everything else is said.
This module makes no entity; at its end stands the intent that does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from antiphon.choice import offers, question
from antiphon.choice.offers import Choice, plain
from antiphon.dsl import values
from antiphon.dsl.tree import Decimal, Integer, Text, Value
from antiphon.dsl.verbs import Kind, Parameter, Verb
from antiphon.entity.folding import folded
from antiphon.repl.intents import Intent


@dataclass(frozen=True, slots=True)
class CodeOption:
    code: str
    label: str


Codes = Mapping[str, Sequence[CodeOption]]  # by entity type


@dataclass(frozen=True, slots=True)
class Question:
    """A block, and what each of its numbers is: its id, its label, what it leads to."""

    text: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    choices: tuple[Choice, ...]

    def chosen(self, words: str) -> Choice | None:
        """By the number or the exact label."""
        for number, label in enumerate(self.labels, 1):
            if words == str(number) or words.casefold() == label.casefold():
                return self.choices[number - 1]
        return None


@dataclass(frozen=True, slots=True)
class Creation:
    entity_type: str
    ref_id: str
    search_value: str
    verb: Verb
    codes: Codes
    given: Mapping[str, Value] = field(default_factory=dict)
    near: tuple[CodeOption, ...] = ()  # what the last words may have meant
    complaint: str = ""  # why the last answer was not taken
    at: tuple[int, ...] = ()  # to a part of more than seven options
    is_picking: bool = False  # which field is to change

    @property
    def fields(self) -> tuple[Parameter, ...]:
        return self.verb.required

    @property
    def current(self) -> Parameter | None:
        """The field that is asked for; none when all are there."""
        return next((one for one in self.fields if one.name not in self.given), None)

    @property
    def step(self) -> int:
        return self.fields.index(self.current) + 1 if self.current else len(self.fields) + 1

    @property
    def offered(self) -> str | None:
        """The words that were searched for, for the first field that is a name."""
        field_ = self.current
        is_first = field_ is not None and field_ == self.fields[0]
        return self.search_value if is_first and field_ and field_.kind is Kind.STRING else None

    def _codes(self) -> list[CodeOption]:
        field_ = self.current
        if field_ is None:
            return []
        listed = [CodeOption(one, one) for one in field_.values]
        return listed or [one for kind in field_.lookup for one in self.codes.get(kind, ())]

    @property
    def asked(self) -> str:
        """What is wanted of the field, in a sentence."""
        name = self.current.name.replace("-", " ") if self.current else ""
        return f"What is the {name}?"

    @property
    def question(self) -> Question | None:
        """What numbers choose from; none where words are wanted."""
        if self.is_picking:
            names = [one.name for one in self.fields]
            return self._offered(question.EDIT_INSTRUCTION, names, names)
        if self.current is None:
            lines = [(one.name, plain(said(self.given[one.name]))) for one in self.fields]
            labels = question.SUMMARY_LABELS
            text = question.shown(question.summary(lines))
            ids = tuple(label.casefold() for label in labels)
            return Question(text, ids, labels, tuple(map(Choice, range(len(labels)))))
        found = self.near or self._codes()
        codes = [one.code for one in found]
        return self._offered(self.asked, codes, [one.label for one in found])

    def _offered(self, asked: str, ids: Sequence[str], options: Sequence[str]) -> Question | None:
        found = offers.block(asked, options, self.at)
        if found is None:
            return None
        remark = question.remark(1, len(options), is_many=False) if self.complaint else ""
        named = tuple(
            f"part {'.'.join(map(str, one.at))}" if one.index is None else ids[one.index]
            for one in found.choices
        )
        return Question(remark + found.text, named, found.labels, found.choices)

    @property
    def block(self) -> str:
        """What is asked, as a block of labels or as one sentence."""
        found = self.question
        if found is not None:
            return found.text
        offered = f" ({self.offered})" if self.offered else ""
        return f"{self.complaint}{self.asked}{offered}"

    @property
    def told(self) -> str:
        """The same in one line, with why the last answer was not taken."""
        if self.complaint and self.current is not None:
            return f"{self.complaint}{self.asked}"
        return self.block.partition("\n\n")[0]

    # --- answers ---------------------------------------------------------------

    def answered(self, text: str) -> Creation | Intent:
        """The next question, or the intent that makes the entity."""
        words = " ".join(text.split())
        found = self.question
        if found is None:
            assert self.current is not None, "a summary is a question"
            return self._said(self.current, words)
        chosen = found.chosen(words)
        if chosen is not None and chosen.index is None:
            return replace(self, at=chosen.at, complaint="")
        if self.is_picking:
            return self._unanswered() if chosen is None else self._changing(chosen.index)
        if self.current is not None:
            return self._code(self.current, words, chosen.index if chosen else None)
        match chosen.index if chosen else None:
            case 0:
                return Intent(self.verb.name, self.given)
            case 1:
                return self._fresh({})
            case 2:
                return replace(self, is_picking=True)
        return self

    def _said(self, field_: Parameter, words: str) -> Creation:
        value = _value(field_, words)
        fault = values.fault(field_, value) if value else None
        if value is None or fault is not None or not words:
            wanted = fault.advice if fault and fault.advice else f"it is {values.wanted(field_)}"
            return replace(self, complaint=f"{wanted}. ".capitalize())
        return self._with(field_, value)

    def _code(self, field_: Parameter, words: str, index: int | None) -> Creation:
        if index is not None:
            shown = self.near or self._codes()
            return self._with(field_, Text(shown[index].code))
        wanted, found = folded(words), self._codes()
        for one in found:
            if wanted in (folded(one.code), folded(one.label)):
                return self._with(field_, Text(one.code))
        near = [one for one in found if wanted and wanted in folded(f"{one.code} {one.label}")]
        if near:
            return replace(self, near=tuple(near), at=(), complaint="")
        return replace(self._unanswered(), near=(), at=())

    def _unanswered(self) -> Creation:
        return replace(self, complaint="That is none of them. ")

    def _changing(self, index: int | None) -> Creation:
        assert index is not None, "a part of the fields is not a field"
        name = self.fields[index].name
        return self._fresh({one: value for one, value in self.given.items() if one != name})

    def _with(self, field_: Parameter, value: Value) -> Creation:
        return self._fresh({**self.given, field_.name: value})

    def _fresh(self, given: Mapping[str, Value]) -> Creation:
        return replace(self, given=given, near=(), complaint="", at=(), is_picking=False)


def _value(field_: Parameter, plain: str) -> Value | None:
    match field_.kind:
        case Kind.INTEGER if values.WHOLE.fullmatch(plain):
            return Integer(int(plain))
        case Kind.STRING | Kind.DATE | Kind.CODE | Kind.UUID:
            return Text(plain)
        case _:
            return None


def said(value: Value) -> str:
    match value:
        case Text(text):
            return text
        case Integer(number) | Decimal(number):
            return str(number)
        case _:
            return ""
