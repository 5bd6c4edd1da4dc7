"""Intents from the phrases of the verbs: offline, and the same for the same message.

One verb that fits well and clearly better than the next is confirmed; several that fit are
asked; else there is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from antiphon.dsl import values
from antiphon.dsl.tree import Boolean, Integer, List, Text, Value
from antiphon.dsl.verbs import Kind, Parameter, Verb, Vocabulary
from antiphon.repl.alignment import Fit, fit, likeness
from antiphon.repl.intents import Ambiguous, Confirmed, Intent, Nothing, Option, Outcome, option
from antiphon.repl.phrase import ARTICLES, LIGHT, QUOTES, Item, Literal, Word, folded, items, words

FLOOR = 0.55  # below it a verb is not meant
CLEAR = 0.08  # how much the best must be better than the next to need no question
NEAR = 0.25  # how far below the best an option may be
OPTIONS_MAX = 5
WORDS_MAX = 60  # of one message; what is longer is no request
WRONG_SLOT = 0.35  # lost when a slot's words cannot be what it takes

POLITE = re.compile(
    r"^(?:(?:please|kindly|hey|hi|hello|ok|okay|so|now|well|and|then|just"
    r"|(?:can|could|would|will) (?:you|we|i)|i(?:'d| would) like (?:you )?to"
    r"|i want (?:you )?to|i need (?:you )?to|let's|let us|we (?:need|want) to)[\s,]+)+",
    re.IGNORECASE,
)
AFTER = re.compile(
    r"(?:[\s,]+(?:please|thanks|thank you|for me|now|right away|asap|will you))+$", re.IGNORECASE
)
THEN = re.compile(r"\s*;\s*|[.!]\s+(?=\S)|,?\s+and then\s+|,?\s+then\s+", re.IGNORECASE)
AND = re.compile(r",?\s+and\s+", re.IGNORECASE)
SYMBOL = re.compile(r"@([A-Za-z_][A-Za-z0-9_-]*)")
CLEAR_PART = 0.85  # of a message with «and» in it: else the «and» belongs to a name


@dataclass(frozen=True, slots=True)
class _Phrase:
    verb: Verb
    items: tuple[Item, ...]

    @property
    def literals(self) -> list[Literal]:
        return [one for one in self.items if isinstance(one, Literal)]

    @property
    def least(self) -> float:
        return FLOOR * sum(one.weight for one in self.literals)


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    verb: Verb
    intent: Intent


class Matcher:
    """The phrases of a vocabulary, ready to be compared."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.phrases = [
            _Phrase(verb, items(phrase))
            for _, verb in sorted(vocabulary.verbs.items())
            for phrase in verb.phrases
        ]
        self.known = {one.word for phrase in self.phrases for one in phrase.literals}

    def extract(self, message: str) -> Outcome:
        message = _bare(message)
        if not message or len(words(message)) > WORDS_MAX:
            return Nothing()
        parts = [_bare(part) for part in _split(message, THEN)]
        if len(parts) > 1:
            several = self._several(parts, FLOOR)
            if several is not None:
                return several
        halves = [_bare(part) for part in _split(message, AND)]
        if len(halves) > 1:
            several = self._several(halves, CLEAR_PART)
            if several is not None:
                return several
        return self._one(message)

    def _several(self, parts: Sequence[str], least: float) -> Confirmed | None:
        """The intents of all parts, or nothing when one of them is none of its own."""
        found: list[Intent] = []
        for part in parts:
            candidates = self._candidates(part)
            if not candidates or candidates[0].score < least or not _is_clear(candidates):
                return None
            found.append(candidates[0].intent)
        return Confirmed(tuple(found))

    def _one(self, message: str) -> Outcome:
        candidates = self._candidates(message)
        if not candidates:
            return Nothing()
        if _is_clear(candidates):
            return Confirmed((candidates[0].intent,))
        near = [one for one in candidates if one.score >= candidates[0].score - NEAR]
        options: list[Option] = [
            option(number, one.verb, one.intent) for number, one in enumerate(near[:OPTIONS_MAX], 1)
        ]
        return Ambiguous(tuple(options))

    def _candidates(self, message: str) -> list[_Candidate]:
        """Each verb that may be meant, with its best phrase, the best verb first."""
        said = words(message)
        best: dict[str, _Candidate] = {}
        for phrase in self._possible(said):
            found = fit(phrase.items, said, _taker(phrase.verb))
            if found.score < FLOOR:
                continue
            before = best.get(phrase.verb.name)
            if before is None or found.score > before.score:
                intent = _intent(phrase.verb, found)
                best[phrase.verb.name] = _Candidate(found.score, phrase.verb, intent)
        return sorted(best.values(), key=lambda one: (-one.score, one.verb.name))

    def _possible(self, said: Sequence[Word]) -> list[_Phrase]:
        """The phrases whose words are in the message often enough to come up to the floor."""
        heard = {one.folded for one in said if not one.is_quoted}
        like = {
            known: max((likeness(word, known) for word in heard), default=0.0)
            for known in self.known
        }
        return [
            phrase
            for phrase in self.phrases
            if sum(one.weight * like[one.word] for one in phrase.literals) >= phrase.least
        ]


def _is_clear(candidates: Sequence[_Candidate]) -> bool:
    return len(candidates) == 1 or candidates[0].score - candidates[1].score >= CLEAR


def _bare(message: str) -> str:
    """The message without what is said out of politeness."""
    message = " ".join(message.split()).rstrip(".!? ")
    return AFTER.sub("", POLITE.sub("", message)).strip(" ,")


def _split(message: str, between: re.Pattern[str]) -> list[str]:
    """The parts of a message; what stands in quotes is not cut."""
    parts, start = list[str](), 0
    for found in between.finditer(message):
        before = message[: found.start()]
        if not any(before.count(pair[0]) > before.count(pair[1]) for pair in QUOTES) and (
            before.count('"') % 2 == 0
        ):
            parts.append(message[start : found.start()])
            start = found.end()
    return [part for part in (*parts, message[start:]) if part.strip()]


# --- slots ------------------------------------------------------------------


def _taker(verb: Verb) -> Callable[[str, Sequence[Word]], float]:
    def takes(name: str, filled: Sequence[Word]) -> float:
        parameter = verb.parameter(name)
        assert parameter is not None, "a pack's slots are arguments"
        return _loss(parameter, filled)

    return takes


def _loss(parameter: Parameter, filled: Sequence[Word]) -> float:
    text = said(parameter, filled)
    if SYMBOL.fullmatch(text):
        return 0.0
    light = [not one.is_quoted and one.folded in LIGHT | ARTICLES for one in filled]
    is_empty = all(light) or not any(map(str.isalnum, text))
    loss = WRONG_SLOT if is_empty else 0.1 * (light[-1] + (filled[0].folded in LIGHT))
    # An article within a name is rare: «make John Smith a director».
    loss += 0.05 * sum(one.folded in ARTICLES for one in filled[1:])
    if parameter.values:
        return loss + (0.0 if _listed(parameter, text) else WRONG_SLOT)
    match parameter.kind:
        case Kind.DATE:
            is_right = values.LOOSE_DATE.fullmatch(text) is not None
        case Kind.INTEGER:
            is_right = values.WHOLE.fullmatch(text) is not None
        case Kind.BOOLEAN:
            is_right = text in ("true", "false")
        case Kind.UUID if not parameter.lookup:
            is_right = values.UUID.fullmatch(text) is not None
        case _:
            is_right = True
    return loss if is_right else loss + WRONG_SLOT


def said(parameter: Parameter, filled: Sequence[Word]) -> str:
    """What stands in a slot, as it was said; an article before it goes, but not a name's «The»."""
    raw = [one.raw for one in filled]
    is_chosen = bool(parameter.lookup or parameter.values)
    if len(raw) > 1 and filled[0].folded in ARTICLES and (is_chosen or raw[0].islower()):
        raw = raw[1:]
    if len(raw) == 1 and filled[-1].is_quoted:
        return raw[0].rstrip(",")[1:-1]
    return " ".join(raw).strip(",")


def _listed(parameter: Parameter, text: str) -> str | None:
    wanted = folded(text).replace(" ", "_").replace("-", "_")
    return next((one for one in parameter.values if folded(one) == wanted), None)


def _intent(verb: Verb, found: Fit) -> Intent:
    params: dict[str, Value] = {}
    refs: dict[str, str] = {}
    for name, filled in found.slots:
        parameter = verb.parameter(name)
        assert parameter is not None, "a pack's slots are arguments"
        text = said(parameter, filled)
        if symbol := SYMBOL.fullmatch(text):
            refs[name] = symbol[1]
        else:
            params[name] = _value(parameter, text)
    return Intent(verb.name, params, refs)


def _value(parameter: Parameter, text: str) -> Value:
    match parameter.kind:
        case Kind.INTEGER if values.WHOLE.fullmatch(text):
            return Integer(int(text))
        case Kind.BOOLEAN if text in ("true", "false"):
            return Boolean(text == "true")
        case Kind.LIST:
            parts = (part.strip(" ,") for part in re.split(r",|\band\b", text))
            return List(tuple(Text(part) for part in parts if part))
        case _:
            return Text(_listed(parameter, text) or text)
