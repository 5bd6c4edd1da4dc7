"""Making an entity that a reference lacks: its required fields one by one, then a summary.

A value: each answer makes another one.  Codes are chosen from blocks, everything else is said.
This module makes no entity; at its end stands the intent that does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from antiphon.choice.question import OPTIONS_MAX, SUMMARY_HEAD, Block, shown
from antiphon.dsl import values
from antiphon.dsl.tree import Decimal, Integer, Text, Value
from antiphon.dsl.verbs import Kind, Parameter, Verb
from antiphon.entity.folding import folded
from antiphon.repl.intents import Intent

CONFIRM_LABELS = ("Create", "Start again")


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
        """The codes to choose from, when they fit in a block."""
        if self.near:
            return self.near
        found = self._codes()
        return tuple(found) if len(found) <= OPTIONS_MAX else ()

    def _codes(self) -> list[CodeOption]:
        field_ = self.current
        if field_ is None:
            return []
        listed = [CodeOption(one, one) for one in field_.values]
        return listed or [one for kind in field_.lookup for one in self.codes.get(kind, ())]

    @property
    def block(self) -> str:
        """What is asked, as a block of labels or as one sentence."""
        field_ = self.current
        if field_ is None:
            lines = [f"{name}: {said(value)}" for name, value in self.given.items()]
            return shown(Block("\n".join([SUMMARY_HEAD, *lines]), CONFIRM_LABELS))
        name = field_.name.replace("-", " ")
        asked = f"{self.complaint}What is the {name}?"
        if self.options:
            return shown(Block(asked, tuple(one.label for one in self.options)))
        offered = f" ({self.offered})" if self.offered else ""
        return f"{asked}{offered}"

    def answered(self, text: str) -> Creation | Intent:
        """The next question, or the intent that makes the entity."""
        plain = " ".join(text.split())
        field_ = self.current
        if field_ is None:
            return self._confirmed(plain)
        if field_.values or self._codes():
            return self._chosen(field_, plain)
        value = _value(field_, plain)
        fault = values.fault(field_, value) if value else None
        if value is None or fault is not None or not plain:
            wanted = fault.advice if fault and fault.advice else f"it is {values.wanted(field_)}"
            return replace(self, complaint=f"{wanted}. ".capitalize())
        return self._with(field_, value)

    def _confirmed(self, plain: str) -> Creation | Intent:
        if plain.casefold() in ("1", CONFIRM_LABELS[0].casefold()):
            return Intent(self.verb.name, self.given)
        if plain.casefold() in ("2", CONFIRM_LABELS[1].casefold()):
            return replace(self, given={}, near=(), complaint="")
        return self

    def _chosen(self, field_: Parameter, plain: str) -> Creation:
        if plain.isascii() and plain.isdigit() and 1 <= int(plain[:4]) <= len(self.options):
            return self._with(field_, Text(self.options[int(plain[:4]) - 1].code))
        wanted, found = folded(plain), self._codes()
        for one in found:
            if wanted in (folded(one.code), folded(one.label)):
                return self._with(field_, Text(one.code))
        near = [one for one in found if wanted and wanted in folded(f"{one.code} {one.label}")]
        return replace(
            self, near=tuple(near[:OPTIONS_MAX]), complaint=f"{plain[:40]!r} is none of them. "
        )

    def _with(self, field_: Parameter, value: Value) -> Creation:
        return replace(self, given={**self.given, field_.name: value}, near=(), complaint="")


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
