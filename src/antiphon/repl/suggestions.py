"""What can be written at a place of a program: verbs, arguments, codes, symbols.

Entities are asked for elsewhere: `wanted` says which, and by what words.  The order is the one in
which a person looks: what is required, then as it is declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from antiphon.dsl.cursor import At, Place
from antiphon.dsl.names import distance
from antiphon.dsl.tokens import quoted
from antiphon.dsl.tree import Program, calls
from antiphon.dsl.values import example, wanted
from antiphon.dsl.verbs import Kind, Parameter, Verb, Vocabulary
from antiphon.entity.folding import folded

NEAR_CHARS_MIN = 3  # below, nearly anything is near

Codes = Callable[[str], Sequence[tuple[str, str]]]  # of an entity type: code and what it is called


class Sort(Enum):
    VERB = "verb"
    ARGUMENT = "argument"
    VALUE = "value"
    SYMBOL = "symbol"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Suggestion:
    sort: Sort
    label: str  # what a list shows
    text: str  # what is written from `Place.start` to `Place.end`
    detail: str = ""
    about: str = ""
    snippet: str | None = None  # the text with `$1` where a person goes on
    found_by: str | None = None  # words that find it, where it is not the label
    is_near: bool = False  # what is written has slips, or begins a later part of the name


@dataclass(frozen=True, slots=True)
class Wanted:
    """Entities that could stand at the place."""

    entity_types: tuple[str, ...]
    words: str


def suggested(
    place: Place, vocabulary: Vocabulary, codes: Codes, symbols: Iterable[tuple[str, str | None]]
) -> list[Suggestion]:
    verb = vocabulary.verbs.get(place.verb)
    match place.at:
        case At.STATEMENT:
            return [_verb(one, is_whole=True) for _, one in sorted(vocabulary.verbs.items())]
        case At.VERB:
            return [_verb(one, is_whole=False) for _, one in sorted(vocabulary.verbs.items())]
        case At.KEY if verb is not None:
            return _keys(verb, place.given)
        case At.VALUE | At.SYMBOL if verb is not None:
            parameter = verb.parameter(place.key)
            if parameter is None:
                return []
            found = [] if place.at is At.SYMBOL else _values(parameter, place, codes)
            return found if place.is_text else [*found, *_symbols(parameter, place, symbols)]
        case At.BINDING if verb is not None and verb.produces:
            name = verb.produces.replace("_", "-")
            return [Suggestion(Sort.SYMBOL, f"@{name}", f"@{name}", f"a {verb.produces}")]
        case _:
            return []


def wanted_at(place: Place, vocabulary: Vocabulary) -> Wanted | None:
    verb = vocabulary.verbs.get(place.verb)
    parameter = verb.parameter(place.key) if verb else None
    if place.at is not At.VALUE or parameter is None or not parameter.lookup:
        return None
    return Wanted(parameter.lookup, place.prefix if place.is_text else "")


def bound_in(program: Program, vocabulary: Vocabulary) -> list[tuple[str, str | None]]:
    """The symbols that a program binds, and what each stands for."""
    found: dict[str, str | None] = {}
    for statement in program.statements:
        for call in calls(statement):
            if call.binding is not None:
                verb = vocabulary.verbs.get(call.name)
                found[call.binding.name] = verb.produces if verb else None
    return list(found.items())


def signature(verb: Verb) -> str:
    """`(cbu.ensure :name "…" :jurisdiction "…" [:client-type "…"])`, and what it makes."""
    parts = [verb.name]
    for one in verb.parameters:
        said = f":{one.name} {example(one)}"
        is_needed = one.is_required and one.default is None
        parts.append(said if is_needed else f"[{said}]")
    makes = f" → {verb.produces}" if verb.produces else ""
    return f"({' '.join(parts)}){makes}"


def described(parameter: Parameter) -> str:
    """What an argument takes, in a line."""
    is_needed = parameter.is_required and parameter.default is None
    parts = [wanted(parameter), "required" if is_needed else "optional"]
    if parameter.values:
        parts.append(f"one of {', '.join(parameter.values)}")
    if parameter.default is not None:
        parts.append(f"else {parameter.default}")
    if parameter.consumes:
        parts.append(f"a {parameter.consumes} that another call makes")
    return ", ".join(parts)


# --- what is written already ---------------------------------------------------


def fitting(suggestions: Iterable[Suggestion], place: Place, written: str) -> list[Suggestion]:
    """Those that begin with what is written; behind them those that nearly do, nearest first."""
    said = _plain(place.prefix if place.is_text else written.lstrip('(@:"'))
    begun: list[Suggestion] = []
    near: list[tuple[int, Suggestion]] = []
    for one in suggestions:
        slips = _slips(said, one)
        if slips == 0:
            begun.append(one)
        elif slips is not None:
            near.append((slips, replace(one, is_near=True)))
    return begun + [one for _, one in sorted(near, key=lambda pair: pair[0])]


def _slips(said: str, one: Suggestion) -> int | None:
    """How many lie between the words and a beginning of the name; nothing when too many do.

    A name is known by the words of its description too; one that only a later part of a name
    begins with, «ensure» of `cbu.ensure`, is near.
    """
    names = [_plain(one.label.lstrip(":@")), _plain(one.found_by or "")]
    if any(name.startswith(said) for name in names if name):
        return 0
    if f" {said}" in names[1]:
        return 0
    if len(said) < NEAR_CHARS_MIN:
        return None
    parts = [part for name in names for part in _later(name)]
    if any(part.startswith(said) for part in parts):
        return 1
    most = max(1, len(said) // 4)
    least = min((_distance(said, name) for name in (*names, *parts) if name), default=most + 1)
    return least if least <= most else None


def _plain(text: str) -> str:
    return folded(text.replace(".", " "))


def _later(name: str) -> list[str]:
    """The name from each of its later words on."""
    words = name.split()
    return [" ".join(words[at:]) for at in range(1, len(words))]


def _distance(said: str, name: str) -> int:
    """To the nearest beginning of the name."""
    sizes = range(max(1, len(said) - 1), len(said) + 2)
    return min(distance(said, name[:size]) for size in sizes)


# --- one sort after the other -------------------------------------------------


def _verb(verb: Verb, *, is_whole: bool) -> Suggestion:
    needed = [one for one in verb.parameters if one.is_required and one.default is None]
    gaps = " ".join(f":{one.name} {_gap(one, number)}" for number, one in enumerate(needed, 1))
    call = f"{verb.name} {gaps}" if gaps else verb.name
    text, snippet = (f"({verb.name})", f"({call})") if is_whole else (verb.name, call)
    return Suggestion(Sort.VERB, verb.name, text, signature(verb), verb.description, snippet)


def _gap(parameter: Parameter, number: int) -> str:
    is_quoted = example(parameter).startswith('"') and not parameter.consumes
    return f'"${number}"' if is_quoted else f"${number}"


def _keys(verb: Verb, given: Sequence[str]) -> list[Suggestion]:
    free = [one for one in verb.parameters if one.name not in given]
    free.sort(key=lambda one: not (one.is_required and one.default is None))
    found = [
        Suggestion(
            Sort.ARGUMENT, f":{one.name}", f":{one.name} ", described(one), one.description,
            f":{one.name} {_gap(one, 1)}",
        )
        for one in free
    ]  # fmt: skip
    if verb.produces and "as" not in given:
        about = "a name for what this call makes"
        found.append(Suggestion(Sort.ARGUMENT, ":as", ":as @", about, "", ":as @$1"))
    return found


def _values(parameter: Parameter, place: Place, codes: Codes) -> list[Suggestion]:
    if parameter.kind is Kind.BOOLEAN and not place.is_text:
        return [Suggestion(Sort.VALUE, one, one) for one in ("true", "false")]
    if parameter.kind is Kind.LIST and not place.is_item:
        return []
    listed = [(one, "") for one in parameter.values]
    for kind in parameter.lookup:
        listed += codes(kind)
    return [
        Suggestion(Sort.VALUE, code, quoted(code), name, found_by=f"{code} {name}".strip())
        for code, name in listed
    ]


def _symbols(
    parameter: Parameter, place: Place, symbols: Iterable[tuple[str, str | None]]
) -> list[Suggestion]:
    takes = parameter.lookup or ((parameter.consumes,) if parameter.consumes else ())
    if not takes and parameter.kind not in (Kind.STRING, Kind.UUID):
        return []
    if parameter.kind is Kind.LIST and not place.is_item:
        return []
    return [
        Suggestion(Sort.SYMBOL, f"@{name}", f"@{name}", f"a {kind}" if kind else "")
        for name, kind in symbols
        if not takes or kind is None or kind in takes
    ]
