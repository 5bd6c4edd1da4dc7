"""Does each call say what its verb takes?  All that is wrong, at once.

What a symbol stands for is known from where it is bound, before or after its use; whether it
is bound at all is the planner's question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from antiphon.dsl import values
from antiphon.dsl.diagnostics import Applicability, Code, Notebook, shown
from antiphon.dsl.names import nearest
from antiphon.dsl.references import Answers, Mention, Standing, mentions
from antiphon.dsl.tree import (
    Arg,
    Call,
    List,
    Nil,
    Program,
    Symbol,
    Text,
    Value,
    calls,
    symbols,
)
from antiphon.dsl.verbs import Kind, Parameter, Verb, Vocabulary

MACHINE, MAYBE = Applicability.MACHINE, Applicability.MAYBE


@dataclass(frozen=True, slots=True)
class Known:
    """What the checker is told about the world."""

    vocabulary: Vocabulary
    answers: Answers
    bindings: Mapping[str, str | None]  # of the session: name -> entity type


class Checker:
    def __init__(self, program: Program, known: Known, notes: Notebook) -> None:
        self.program = program
        self.known = known
        self.notes = notes
        self.verbs = known.vocabulary.verbs
        self.types: dict[str, str | None] = dict(known.bindings)

    def check(self) -> None:
        self._bindings()
        for statement in self.program.statements:
            for call in calls(statement):
                self._call(call)
        for mention in mentions(self.program, self.known.vocabulary):
            self._mention(mention)

    # --- bindings -----------------------------------------------------------

    def _bindings(self) -> None:
        seen: dict[str, Symbol] = {}
        for statement in self.program.statements:
            for call in calls(statement):
                binding = call.binding
                if binding is None:
                    continue
                verb = self.verbs.get(call.name)
                self.types[binding.name] = verb.produces if verb else None
                if verb is not None and verb.produces is None:
                    self._makes_nothing(call, binding)
                first = seen.setdefault(binding.name, binding)
                if first is not binding:
                    self.notes.note(
                        Code.DUPLICATE_BINDING,
                        f"{shown(f'@{binding.name}')} is bound twice",
                        binding.start,
                        binding.end,
                        labels=((first.start, first.end, "bound here first"),),
                        advice="give one of the two another name",
                    )

    def _makes_nothing(self, call: Call, binding: Symbol) -> None:
        start = call.args[-1].value.end if call.args else call.name_end
        self.notes.note(
            Code.TYPE,
            f"`{call.name}` makes nothing that a name could be bound to",
            binding.start,
            binding.end,
            fixes=self.notes.fix("take the binding out", MAYBE, (start, binding.end, "")),
        )

    # --- one call -----------------------------------------------------------

    def _call(self, call: Call) -> None:
        verb = self.verbs.get(call.name)
        if verb is None:
            self._unknown_verb(call)
            return
        given: dict[str, Arg] = {}
        for arg in call.args:
            parameter = verb.parameter(arg.key)
            if parameter is None:
                self._unknown_argument(verb, call, arg)
            elif arg.key in given:
                self._twice(verb, arg, given[arg.key])
            else:
                given[arg.key] = arg
                self._value(parameter, arg.value)
        for parameter in verb.required:
            self._required(verb, call, parameter, given.get(parameter.name))

    def _required(self, verb: Verb, call: Call, parameter: Parameter, arg: Arg | None) -> None:
        if arg is None or isinstance(arg.value, Nil):
            start, end = (
                (call.name_start, call.name_end) if arg is None else (arg.start, arg.value.end)
            )
            self.notes.note(
                Code.MISSING_ARGUMENT,
                f"`{verb.name}` needs `:{parameter.name}`",
                start,
                end,
                advice=f"add `:{parameter.name} {values.example(parameter)}`",
            )

    def _unknown_verb(self, call: Call) -> None:
        if self.notes.is_full:
            self.notes.count += 1
            return
        domain = call.name.split(".")[0]
        meant = nearest(call.name, self.verbs)
        inside = sorted(name for name in self.verbs if name.startswith(f"{domain}."))
        advice = None
        if meant:
            advice = f"did you mean `{meant}`?"
        elif inside:
            advice = f"{shown(domain)} has: {', '.join(inside[:NAMES_MAX])}"
        elif self.verbs:
            domains = sorted({name.split(".")[0] for name in self.verbs})
            advice = f"the domains are: {', '.join(domains[:NAMES_MAX])}"
        place = call.name_start, call.name_end
        self.notes.note(
            Code.UNKNOWN_VERB,
            f"there is no verb {shown(call.name)}",
            *place,
            advice=advice,
            fixes=self.notes.fix(f"write `{meant}`", MAYBE, (*place, meant)) if meant else (),
        )

    def _unknown_argument(self, verb: Verb, call: Call, arg: Arg) -> None:
        if self.notes.is_full:
            self.notes.count += 1
            return
        given = {one.key for one in call.args}
        missing = [one.name for one in verb.parameters if one.name not in given]
        meant = nearest(arg.key, missing)
        takes = ", ".join(f":{one.name}" for one in verb.parameters) or "nothing"
        said = f"did you mean `:{meant}`? " if meant else ""
        fixes = self.notes.fix(
            f"write `:{meant}`", MAYBE, (arg.start, arg.end, f":{meant}")
        ) if meant else ()  # fmt: skip
        self.notes.note(
            Code.UNKNOWN_ARGUMENT,
            f"`{verb.name}` takes no {shown(f':{arg.key}')}",
            arg.start,
            arg.end,
            advice=f"{said}it takes {takes}",
            fixes=fixes,
        )

    def _twice(self, verb: Verb, arg: Arg, first: Arg) -> None:
        self.notes.note(
            Code.UNKNOWN_ARGUMENT,
            f"`{verb.name}` takes `:{arg.key}` once",
            arg.start,
            arg.end,
            labels=((first.start, first.end, "given here first"),),
        )

    # --- one value ----------------------------------------------------------

    def _value(self, parameter: Parameter, value: Value) -> None:
        match value:
            case Nil():
                pass  # as if it were not given
            case Symbol():
                made = self.types.get(value.name)
                if value.name in self.types:
                    self._made(parameter, value, made, shown(f"@{value.name}"))
            case Call():
                self._inner(parameter, value)
            case List(items) if parameter.lookup and parameter.kind is Kind.LIST:
                for item in items:
                    self._element(parameter, item)
            case _:
                self._literal(parameter, value)

    def _element(self, parameter: Parameter, item: Value) -> None:
        """One entity of a list of entities."""
        match item:
            case Text() | Nil():
                pass
            case Symbol():
                if item.name in self.types:
                    self._made(parameter, item, self.types[item.name], shown(f"@{item.name}"))
            case Call():
                self._inner(parameter, item)
            case _:
                self._wrong(parameter, item, values.found(item))

    def _inner(self, parameter: Parameter, call: Call) -> None:
        """A call in the place of a value: what it makes is the value."""
        verb = self.verbs.get(call.name)
        if verb is not None and verb.produces is None:
            self._wrong(parameter, call, f"`{verb.name}` makes nothing")
        elif verb is not None:
            self._made(parameter, call, verb.produces, f"`{verb.name}`")

    def _made(self, parameter: Parameter, value: Value, made: str | None, what: str) -> None:
        """A thing that another call makes, in the place of this argument."""
        takes = parameter.lookup or ((parameter.consumes,) if parameter.consumes else ())
        if takes:
            if made is not None and made not in takes:
                wanted = " or ".join(takes)
                self._wrong(parameter, value, f"{what} is a {made}", f"a {wanted}")
        elif parameter.kind not in (Kind.STRING, Kind.UUID):
            self._wrong(parameter, value, f"{what} is an entity")

    def _literal(self, parameter: Parameter, value: Value) -> None:
        if not values.is_of(parameter, value):
            self._wrong(parameter, value, values.found(value))
            return
        fault = values.fault(parameter, value)
        if fault is not None:
            place = value.start, value.end
            meant = fault.replacement
            fixes = self.notes.fix(
                f"write `{meant}`", MACHINE if fault.is_certain else MAYBE, (*place, meant)
            ) if meant else ()  # fmt: skip
            self.notes.note(
                Code.VALUE,
                f"`:{parameter.name}` {fault.message}",
                *place,
                advice=fault.advice,
                fixes=fixes,
            )

    def _wrong(self, parameter: Parameter, value: Value, found: str, wanted: str = "") -> None:
        wanted = wanted or values.wanted(parameter)
        meant = values.converted(parameter, value)
        place = value.start, value.end
        self.notes.note(
            Code.TYPE,
            f"`:{parameter.name}` takes {wanted}, and {found}",
            *place,
            fixes=self.notes.fix(f"write `{meant}`", MACHINE, (*place, meant)) if meant else (),
        )

    # --- references ---------------------------------------------------------

    def _mention(self, mention: Mention) -> None:
        answer = self.known.answers.get(mention.question)
        if answer is None or answer.standing in (Standing.KNOWN, Standing.OPEN):
            return
        wanted = " or ".join(mention.parameter.lookup)
        place = mention.text.start, mention.text.end
        if answer.standing is Standing.MISSING:
            self.notes.note(
                Code.NO_ENTITY,
                f"there is no {wanted} with this id",
                *place,
                advice="write its name instead, and it is looked up",
            )
        else:
            self.notes.note(
                Code.OTHER_ENTITY,
                f"`:{mention.parameter.name}` takes a {wanted}, and this is a {answer.entity_type}",
                *place,
            )


NAMES_MAX = 8  # of a list in a sentence


def unused(program: Program, notes: Notebook) -> None:
    """Bindings that no statement uses, as warnings."""
    used = {symbol.name for statement in program.statements for symbol in symbols(statement)}
    for statement in program.statements:
        for call in calls(statement):
            if call.binding is not None and call.binding.name not in used:
                start = call.args[-1].value.end if call.args else call.name_end
                notes.note(
                    Code.UNUSED_BINDING,
                    f"{shown(f'@{call.binding.name}')} is bound and not used in this program",
                    call.binding.start,
                    call.binding.end,
                    fixes=notes.fix(
                        "take the binding out", MAYBE, (start, call.binding.end, "")
                    ),
                )  # fmt: skip
