"""Making an entity that a reference lacks: its required fields one by one, then a summary.

A value: each answer makes another one.  Codes are chosen from blocks, everything else is said.
This module makes no entity; at its end stands the intent that does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from antiphon.choice.question import (
    EDIT_INSTRUCTION,
    OPTIONS_MAX,
    SUMMARY_LABELS,
    Block,
    remark,
    shown,
    summary,
)
from antiphon.choice.split import LABEL_WORDS_MAX, Part, children, labels_of
from antiphon.choice.words import word_count
from antiphon.dsl import values
from antiphon.dsl.tree import Decimal, Integer, Text, Value
from antiphon.dsl.verbs import Kind, Parameter, Verb
from antiphon.entity.folding import folded
from antiphon.repl.intents import Intent

CONFIRM, RESTART, EDIT = SUMMARY_LABELS


@dataclass(frozen=True, slots=True)
class CodeOption:
    code: str
    label: str


Codes = Mapping[str, Sequence[CodeOption]]  # by entity type


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
    part: Part | None = None  # of the codes, where they are too many for one block
    is_editing: bool = False  # which field should change is asked

    @property
    def fields(self) -> tuple[Parameter, ...]:
        return self.verb.required

    @property
    def current(self) -> Parameter | None:
        """The field that is asked for; none when all are there."""
        return next((one for one in self.fields if one.name not in self.given), None)

    @property
    def step(self) -> int:
        return len(self.given) + 1

    @property
    def offered(self) -> str | None:
        """The words that were searched for, for the first field that is a name."""
        field_ = self.current
        is_first = field_ is not None and field_ == self.fields[0]
        return self.search_value if is_first and field_ and field_.kind is Kind.STRING else None

    @property
    def options(self) -> tuple[CodeOption, ...]:
        """What the block lists: codes, parts of very many codes, fields, or what a summary has."""
        if self.current is None:
            listed = tuple(self.given) if self.is_editing else SUMMARY_LABELS
            return tuple(CodeOption(one.casefold(), one) for one in listed)
        if self.near:
            return self.near
        found = self._codes()
        first, size = self.part or (0, len(found))
        if size <= OPTIONS_MAX:
            return tuple(CodeOption(one.code, _short(one)) for one in found[first : first + size])
        labels = labels_of((first, size), [_short(one) for one in found])
        spans = [f"{at + 1}-{at + length}" for at, length in children((first, size))]
        return tuple(map(CodeOption, spans, labels))

    def _codes(self) -> list[CodeOption]:
        field_ = self.current
        if field_ is None:
            return []
        listed = [CodeOption(one, one) for one in field_.values]
        return listed or [one for kind in field_.lookup for one in self.codes.get(kind, ())]

    @property
    def asked(self) -> str:
        """The question itself, in one sentence."""
        field_ = self.current
        if field_ is None:
            return EDIT_INSTRUCTION
        return f"What is the {field_.name.replace('-', ' ')}?"

    @property
    def block(self) -> str:
        """What is asked, as a block of labels or as a sentence."""
        if self.current is None and not self.is_editing:
            return shown(summary([(name, said(value)) for name, value in self.given.items()]))
        if self.options:
            labels = tuple(one.label for one in self.options)
            again = remark(1 if self.complaint else 0, len(labels), is_many=False)
            return again + shown(Block(self.asked, labels))
        offered = f" ({self.offered})" if self.offered else ""
        return f"{self.complaint}{self.asked}{offered}"

    def answered(self, text: str) -> Creation | Intent:
        """The next question, or the intent that makes the entity."""
        plain = " ".join(text.split())
        field_ = self.current
        if field_ is None:
            return self._changed(plain) if self.is_editing else self._confirmed(plain)
        if field_.values or self._codes():
            return self._chosen(field_, plain)
        value = _value(field_, plain)
        fault = values.fault(field_, value) if value else None
        if value is None or fault is not None or not plain:
            wanted = fault.advice if fault and fault.advice else f"it is {values.wanted(field_)}"
            return replace(self, complaint=f"{wanted}. ".capitalize())
        return self._with(field_, value)

    def _confirmed(self, plain: str) -> Creation | Intent:
        match self._picked(plain):
            case CodeOption(_, label) if label == CONFIRM:
                return Intent(self.verb.name, self.given)
            case CodeOption(_, label) if label == RESTART:
                return replace(self, given={}, near=(), complaint="")
            case CodeOption():
                return replace(self, is_editing=True, complaint="")
            case None:
                return self

    def _changed(self, plain: str) -> Creation:
        """The field that should change is asked again; then comes the summary."""
        picked = self._picked(plain)
        if picked is None:
            return replace(self, complaint=f"{plain[:40]!r} is none of them. ")
        given = {name: value for name, value in self.given.items() if name != picked.label}
        return replace(self, given=given, is_editing=False, complaint="")

    def _picked(self, plain: str) -> CodeOption | None:
        """One of what the block lists, by its number or its label."""
        for number, one in enumerate(self.options, 1):
            if plain == str(number) or plain.casefold() == one.label.casefold():
                return one
        return None

    def _chosen(self, field_: Parameter, plain: str) -> Creation:
        found, wanted = self._codes(), folded(plain)
        if plain.isascii() and plain.isdigit() and 1 <= int(plain[:4]) <= len(self.options):
            number, part = int(plain[:4]) - 1, self.part or (0, len(found))
            if not self.near and part[1] > OPTIONS_MAX:
                return replace(self, part=children(part)[number], complaint="")
            return self._with(field_, Text(self.options[number].code))
        for one in found:
            if wanted in (folded(one.code), folded(one.label)):
                return self._with(field_, Text(one.code))
        near = [one for one in found if wanted and wanted in folded(f"{one.code} {one.label}")]
        return replace(
            self,
            near=tuple(CodeOption(one.code, _short(one)) for one in near[:OPTIONS_MAX]),
            complaint=f"{plain[:40]!r} is none of them. ",
        )

    def _with(self, field_: Parameter, value: Value) -> Creation:
        given = {**self.given, field_.name: value}
        ordered = {one.name: given[one.name] for one in self.fields if one.name in given}
        return replace(self, given=ordered, near=(), complaint="", part=None)


def _short(option: CodeOption) -> str:
    """A label of few words: the name, or the code where that is longer."""
    return option.label if 0 < word_count(option.label) <= LABEL_WORDS_MAX else option.code


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
