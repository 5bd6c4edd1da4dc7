"""What the words in a slot stand for, and how badly they fit what the slot takes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from antiphon.dsl import values
from antiphon.dsl.names import NAME_CHARS_MAX, nearest
from antiphon.dsl.tree import Boolean, Integer, List, Text, Value
from antiphon.dsl.verbs import Kind, Parameter, Verb, Vocabulary
from antiphon.repl.phrase import ARTICLES, LIGHT, Item, Literal, Word, folded

WRONG = 0.35  # lost when a slot's words cannot be what it takes
UNLISTED, MISTYPED = 0.5, 0.04  # when they are no code that is known, or nearly one
SWALLOWED = 0.06  # for each word within that usually stands between two slots
HEAD = 0.12  # for each word that begins a request: «open Apex and list its documents»
ELSEWHERE = 0.2  # for what is known as a code of another kind: «the Irish funds»
MIXED = 0.2  # for a symbol or quotes among other words: each is a name by itself
FIELD = 0.15  # for a word within a text that names an argument: «…, jurisdiction Malta»
LOOSE = 0.15  # for a small word at either end
COMMON = 0.5  # for what has no name: «open the garage door»
STRAY = 0.15  # for a small word behind a capital: «Sarah Johnson down»
INNER_ARTICLE = 0.05  # rare within a name: «make John Smith a director»

SYMBOL = re.compile(r"@([A-Za-z_][A-Za-z0-9_-]*)")
SYMBOLIC = frozenset({Kind.STRING, Kind.UUID, Kind.LIST})
NAMING = frozenset({"called", "named"})
SMALL = LIGHT | ARTICLES | NAMING
QUANTIFIERS = frozenset({"all", "any", "both", "each", "every"})
OWNERS = frozenset({"my", "our", "your", "his", "her", "their"})
DETERMINERS = ARTICLES | OWNERS | {"some", "this", "that"}
CONNECTING = frozenset({"of", "and", "for", "the", "de", "la", "du", "van", "von", "der", "und"})
BETWEEN = frozenset({"in", "as", "to", "from", "with", "for", "by", "born", "named", "called"})
_NO_NOUNS = NAMING | {"new", "up", "all", "every", "name", "number", "role", "case"}

Codes = Callable[[str], Sequence[tuple[str, ...]]]  # of an entity type: each code and its names


@dataclass(frozen=True)
class Knowledge:
    """What is known of the things that slots take."""

    codes: Mapping[str, frozenset[str]] = field(default_factory=dict)  # type -> folded
    nouns: Mapping[str, AbstractSet[str]] = field(default_factory=dict)  # type -> what it is called
    heads: AbstractSet[str] = frozenset()  # words that requests begin with
    fields: AbstractSet[str] = frozenset()  # names of arguments
    synonyms: Mapping[str, str] = field(default_factory=dict)

    def is_listed(self, parameter: Parameter, text: str) -> bool:
        """Is it a code that is known?"""
        return any(_key(text) in self.codes.get(kind, ()) for kind in parameter.lookup)


def knowledge(
    vocabulary: Vocabulary,
    phrases: Sequence[tuple[Verb, Sequence[Item]]],
    codes: Codes,
    synonyms: Mapping[str, str],
) -> Knowledge:
    types = {kind for verb in vocabulary.verbs.values() for kind in _types(verb)}
    nouns: dict[str, set[str]] = {kind: set(folded(kind).split("_")) for kind in types}
    for verb, items in phrases:
        before = [one.word for one in _before_slot(items)][1:]
        if verb.produces in nouns:
            nouns[verb.produces] |= {word for word in before if word not in LIGHT | _NO_NOUNS}
    listed = {
        kind: frozenset(_key(one) for pair in codes(kind) for one in pair if one) for kind in types
    }
    firsts = (items[0] for _, items in phrases)
    return Knowledge(
        {kind: known for kind, known in listed.items() if known},
        {kind: {synonyms.get(word, word) for word in words} for kind, words in nouns.items()},
        {one.word for one in firsts if isinstance(one, Literal) and one.weight >= 1},
        {one.name for verb in vocabulary.verbs.values() for one in verb.parameters},
        synonyms,
    )


def _types(verb: Verb) -> set[str]:
    return {kind for one in verb.parameters for kind in one.lookup} | (
        {verb.produces} if verb.produces else set()
    )


def _before_slot(items: Sequence[Item]) -> list[Literal]:
    found: list[Literal] = []
    for item in items:
        if not isinstance(item, Literal):
            return found
        found.append(item)
    return []


def _key(text: str) -> str:
    return folded(text).replace("_", " ").replace("-", " ")


def code_names(verb: Verb) -> tuple[str, ...]:
    """The arguments that take a code."""
    return tuple(one.name for one in verb.parameters if one.kind is Kind.CODE and one.lookup)


# --- how it fits ------------------------------------------------------------


Sort = tuple[object, ...]


def sort(parameter: Parameter, verb: Verb) -> Sort:
    """Slots of one sort lose the same with the same words."""
    return parameter.kind, parameter.lookup, parameter.values, _takes_date(verb)


def _takes_date(verb: Verb) -> bool:
    return any(one.kind is Kind.DATE for one in verb.parameters)


def loss(parameter: Parameter, filled: Sequence[Word], verb: Verb, known: Knowledge) -> float:
    text = said(parameter, filled, known)
    if SYMBOL.fullmatch(text):
        return 0.0 if parameter.kind in SYMBOLIC and not parameter.values else WRONG
    if len(filled) > 1 and any(one.is_quoted or SYMBOL.fullmatch(one.raw) for one in filled):
        mixed = [one for one in filled if not _leads(one, parameter, known, is_chosen=True)]
        if len(mixed) > 1:
            return MIXED + _worded(parameter, filled, verb, known)
    return _worded(parameter, filled, verb, known)


def is_common(
    parameter: Parameter, heard: Sequence[Word], at: int, end: int, known: Knowledge
) -> bool:
    """«the garage door», «my account»: a thing of the world, and none with a name.

    With the noun of its kind it may be meant: «the allianz fund».
    """
    if any(kind in known.codes for kind in parameter.lookup):
        return False
    if not parameter.lookup:
        near = {one.folded for one in heard[max(0, at - 1) : at + 1]}
        is_plain = all(one.raw.islower() and one.raw.isalpha() for one in heard[at:end])
        return is_plain and parameter.kind is Kind.STRING and bool(near & OWNERS)
    if _is_of_another_kind(parameter, heard[max(0, at - 2) : at], known):
        return True
    if not {one.folded for one in heard[max(0, at - 1) : end]} & DETERMINERS:
        return False
    filled = [one for one in heard[at:end] if one.folded not in DETERMINERS]
    if any(_is_noun(one, parameter, known) for one in (*filled, *heard[end : end + 1])):
        return False
    if any(_key(one.raw) in codes for codes in known.codes.values() for one in filled):
        return False  # «the o'neill family trust»
    return all(one.raw.islower() and not any(map(str.isdigit, one.raw)) for one in filled)


def _is_of_another_kind(parameter: Parameter, before: Sequence[Word], known: Knowledge) -> bool:
    """«the file report.txt»: the word before a name says what it is, and it is none of ours."""
    if len(before) < 2 or before[0].folded not in ARTICLES:
        return False
    noun = before[1]
    is_word = noun.raw.islower() and noun.raw.isalpha() and noun.folded not in SMALL
    is_known = any(_key(noun.raw) in codes for codes in known.codes.values())
    return is_word and not is_known and not _is_noun(noun, parameter, known)


def _strays(parameter: Parameter, filled: Sequence[Word], known: Knowledge) -> int:
    """Small words behind a name with capitals that no name has there."""
    if not parameter.lookup or not filled[0].raw[:1].isupper():
        return 0
    behind = [one for one in filled[1:] if one.raw.isalpha() and one.raw.islower()]
    return sum(
        one.folded not in CONNECTING and not _is_noun(one, parameter, known) for one in behind
    )


def _codes_within(
    parameter: Parameter, filled: Sequence[Word], verb: Verb, known: Knowledge
) -> int:
    """«secretary for Apex Capital» in the place of a name, where a role has a place of its own."""
    if not parameter.lookup or parameter.kind is Kind.CODE or len(filled) < 2:
        return 0
    others = [one for one in verb.parameters if one.kind is Kind.CODE and one.lookup]
    small = [one for one in filled if one.raw.islower() and not one.is_quoted]
    return sum(known.is_listed(other, one.raw) for other in others for one in small)


def _worded(parameter: Parameter, filled: Sequence[Word], verb: Verb, known: Knowledge) -> float:
    text = said(parameter, filled, known)
    if _is_another(parameter, filled, known):
        return WRONG
    light = [not one.is_quoted and one.folded in SMALL for one in filled]
    is_empty = all(light) or not any(map(str.isalnum, text))
    lost = WRONG if is_empty else LOOSE * (light[-1] + (filled[0].folded in LIGHT))
    inner = [one for one in filled[1:] if not one.is_quoted]
    lost += INNER_ARTICLE * sum(one.folded in ARTICLES for one in inner)
    lost += SWALLOWED * sum(one.raw in BETWEEN and not one.is_quoted for one in filled)
    lost += HEAD * sum(one.raw in known.heads and not one.is_quoted for one in filled)
    lost += COMMON * (len(filled) > 1 and filled[0].raw in QUANTIFIERS)
    lost += STRAY * (
        _strays(parameter, filled, known) + _codes_within(parameter, filled, verb, known)
    )
    if parameter.kind is Kind.STRING and len(filled) > 1:
        lost += FIELD * sum(one.raw in known.fields for one in filled if not one.is_quoted)
    lost += WRONG * _holds_date(parameter, filled, verb)
    return lost + _misfit(parameter, text, known)


def _is_another(parameter: Parameter, filled: Sequence[Word], known: Knowledge) -> bool:
    """«company X» is no fund."""
    words = [one for one in filled if one.folded not in ARTICLES]
    if not parameter.lookup or len(words) < 2 or words[0].is_quoted or not words[0].raw.islower():
        return False
    noun = known.synonyms.get(words[0].folded, words[0].folded)
    if any(noun in known.nouns.get(kind, ()) for kind in parameter.lookup):
        return False
    return any(noun in nouns for nouns in known.nouns.values())


def _holds_date(parameter: Parameter, filled: Sequence[Word], verb: Verb) -> bool:
    """A date in the place of something else, where a date has a place of its own."""
    if parameter.kind is Kind.DATE or not _takes_date(verb):
        return False
    return any(values.LOOSE_DATE.fullmatch(one.raw.strip(",")) for one in filled)


def _misfit(parameter: Parameter, text: str, known: Knowledge) -> float:
    if parameter.values:
        return 0.0 if listed(parameter, text) else WRONG
    if parameter.lookup and parameter.kind is not Kind.LIST:
        codes = [known.codes[kind] for kind in parameter.lookup if kind in known.codes]
        if any(_key(text) in one for one in codes):
            return 0.0
        if len(codes) < len(parameter.lookup):
            return ELSEWHERE * any(_key(text) in one for one in known.codes.values())
        is_near = len(text) < NAME_CHARS_MAX and any(_near(_key(text), one) for one in codes)
        return MISTYPED if is_near else UNLISTED
    match parameter.kind:
        case Kind.DATE:
            is_right = values.LOOSE_DATE.fullmatch(text) is not None
        case Kind.INTEGER:
            is_right = values.WHOLE.fullmatch(text) is not None
        case Kind.BOOLEAN:
            is_right = text in ("true", "false")
        case Kind.UUID:
            is_right = values.UUID.fullmatch(text) is not None
        case _:
            is_right = True
    return 0.0 if is_right else WRONG


@functools.lru_cache(maxsize=1 << 12)
def _near(text: str, names: frozenset[str]) -> bool:
    return nearest(text, names) is not None


# --- what it is -------------------------------------------------------------


def said(parameter: Parameter, filled: Sequence[Word], known: Knowledge) -> str:
    """What stands in a slot, without the words that only lead to it: «the fund called»."""
    words = list(filled)
    is_chosen = bool(parameter.lookup or parameter.values)
    while len(words) > 1 and _leads(words[0], parameter, known, is_chosen=is_chosen):
        words.pop(0)
        if words[0].folded in ("of", "it", "is") and len(words) > 1:
            words.pop(0)  # «the role of trustee», «name it Tern»
    if is_chosen and len(words) > 1 and _follows(words, parameter, known):
        words.pop()
    if len(words) == 1 and words[0].is_quoted:
        return words[0].raw.rstrip(",.")[1:-1]
    return " ".join(one.raw for one in words).strip(",")


def _leads(word: Word, parameter: Parameter, known: Knowledge, *, is_chosen: bool) -> bool:
    if word.is_quoted:
        return False
    if word.folded in ARTICLES:
        return is_chosen or word.raw.islower()  # a name may begin with «The»
    if not word.raw.islower():
        return False
    is_field = word.folded in parameter.name.split("-")  # «registration number B12»
    return is_field or word.folded in NAMING or _is_noun(word, parameter, known)


def _follows(words: Sequence[Word], parameter: Parameter, known: Knowledge) -> bool:
    """«Apex Capital fund»: a small noun behind a name with capitals."""
    *name, last = words
    is_name = any(one.is_quoted or not one.raw.islower() for one in name)
    is_name = is_name or known.is_listed(parameter, " ".join(one.raw for one in name))
    return is_name and last.raw.islower() and _is_noun(last, parameter, known)


def _is_noun(word: Word, parameter: Parameter, known: Knowledge) -> bool:
    noun = known.synonyms.get(word.folded, word.folded)
    return any(noun in known.nouns.get(kind, ()) for kind in parameter.lookup)


def done(parameter: Parameter, said: Sequence[Word]) -> dict[str, Value]:
    """«close case 7» says of its status: CLOSED."""
    for one in said:
        for value_ in parameter.values if not one.is_quoted else ():
            if _key(value_) in (f"{one.folded}d", f"{one.folded}ed"):
                return {parameter.name: Text(value_)}
    return {}


def listed(parameter: Parameter, text: str) -> str | None:
    wanted = _key(text)
    return next((one for one in parameter.values if _key(one) == wanted), None)


def value(parameter: Parameter, text: str) -> Value:
    match parameter.kind:
        case Kind.INTEGER if values.WHOLE.fullmatch(text):
            return Integer(int(text))
        case Kind.BOOLEAN if text in ("true", "false"):
            return Boolean(text == "true")
        case Kind.LIST:
            parts = (part.strip(" ,") for part in re.split(r",|\band\b", text))
            return List(tuple(Text(part) for part in parts if part))
        case Kind.DATE if loose := values.LOOSE_DATE.fullmatch(text):
            return Text(f"{loose[1]}-{loose[2]:0>2}-{loose[3]:0>2}")
        case _:
            return Text(listed(parameter, text) or text)
