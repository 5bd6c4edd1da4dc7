"""Intents from the phrases of the verbs: offline, and the same for the same message.

One verb that fits well and clearly better than the next is confirmed; several that fit are
asked; else there is nothing.  A message that asks for something not to be done is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from antiphon.dsl.tree import Value
from antiphon.dsl.verbs import Kind, Verb, Vocabulary
from antiphon.repl import hearing, slots, wording
from antiphon.repl.alignment import SLOT_WORD, SYNONYMS, Fit, Lost, fit, likeness_by
from antiphon.repl.intents import Ambiguous, Confirmed, Intent, Nothing, Option, Outcome, option
from antiphon.repl.phrase import Item, Literal, Slot, Word, extended, word, words
from antiphon.repl.wording import in_one_word

FLOOR = 0.55  # below it a verb is not meant
CLEAR = 0.08  # how much the best must be better than the next to need no question
JUST = 0.02  # below the floor is no request, and may still be meant beside one
NEAR = 0.25  # how far below the best an option may be
OPTIONS_MAX = 5
WORDS_MAX = 60  # of one message; what is longer is no request
NAMELESS = 0.75  # for a verb whose entity is not said, and would be asked for
TURNED = 0.03  # lost by a message that had to be turned around
OF = word("of")

CLEAR_PART = 0.85  # of a message with «and» in it: else the «and» belongs to a name


@dataclass(frozen=True)
class _Phrase:
    verb: Verb
    items: tuple[Item, ...]

    @cached_property
    def weights(self) -> list[tuple[str, float]]:
        return [(one.word, one.weight) for one in self.items if isinstance(one, Literal)]

    @cached_property
    def total(self) -> float:
        return sum(weight for _, weight in self.weights) or 1.0

    @cached_property
    def least(self) -> float:
        return (FLOOR - JUST) * self.total

    @cached_property
    def is_bare(self) -> bool:
        """Nothing but small words and slots: «{entity-id} is {role} of {cbu-id}»."""
        return all(weight < 1 for _, weight in self.weights)


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    verb: Verb
    intent: Intent


_Known = dict[tuple[slots.Sort, int], list[float]]  # by the place where the words begin


class Matcher:
    """The phrases of a vocabulary, ready to be compared."""

    def __init__(self, vocabulary: Vocabulary, codes: slots.Codes = lambda _: ()) -> None:
        self.phrases = [
            _Phrase(verb, phrase)
            for _, verb in sorted(vocabulary.verbs.items())
            for phrase in extended(map(in_one_word, verb.phrases), slots.code_names(verb))
        ]
        self.known = {word for phrase in self.phrases for word, _ in phrase.weights}
        synonyms = {**SYNONYMS, **vocabulary.synonyms}
        self.likeness = likeness_by(synonyms)
        self.stems = self.known | synonyms.keys()
        pairs = [(one.verb, one.items) for one in self.phrases]
        self.knowledge = slots.knowledge(vocabulary, pairs, codes, synonyms)

    def extract(self, message: str) -> Outcome:
        message = hearing.plain(message)
        if not message or len(words(message)) > WORDS_MAX:
            return Nothing()
        if hearing.is_negated(hearing.bare(message), self.known):
            return Nothing()
        for between, least in ((hearing.THEN, FLOOR), (hearing.AND, CLEAR_PART)):
            parts = [hearing.bare(part) for part in hearing.split(message, between)]
            parts = [part for part in parts if part]
            several = self._several(parts, least) if len(parts) > 1 else None
            if several is not None:
                return several
        return self._one(hearing.bare(message))

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
        best: dict[str, _Candidate] = {}
        said = words(message)
        turned = [*hearing.variants(said, OF), *wording.turned(said, self.stems)]
        turned += hearing.place_last(said)
        if wish := hearing.WISH.match(message):
            turned.append(words(message[wish.end() :]))
        for less, heard in ((0.0, said), *((TURNED, one) for one in turned)):
            losses: dict[str, Lost] = {}
            quantified = any(one.folded in slots.QUANTIFIERS for one in heard)
            known: _Known = {}
            for most, phrase in self._possible(heard):
                top = max((one.score for one in best.values()), default=0.0)
                if most - less < top - NEAR:
                    break  # neither this one nor those after it can be an option
                name = phrase.verb.name
                if name not in losses:
                    losses[name] = self._losses(phrase.verb, heard, known)
                found = fit(
                    phrase.items, heard, losses[name], self.likeness, 0 if phrase.is_bare else 1
                )
                score = found.score - less
                before = best.get(name)
                if phrase.is_bare and not self._is_told(phrase, found):
                    continue
                if self._lacks_entity(phrase.verb, found) and (quantified or score < NAMELESS):
                    continue
                if score >= FLOOR - JUST and (before is None or score > before.score):
                    best[name] = _Candidate(
                        score, phrase.verb, self._intent(phrase.verb, found, heard)
                    )
        ordered = sorted(best.values(), key=lambda one: (-one.score, one.verb.name))
        return ordered if ordered and ordered[0].score >= FLOOR else []

    def _lacks_entity(self, verb: Verb, found: Fit) -> bool:
        """«see every fund»: who speaks of all of them does not speak of one."""
        filled = {name for name, _ in found.slots}
        return any(
            one.lookup and one.kind is Kind.UUID and one.name not in filled for one in verb.required
        )

    def _is_told(self, phrase: _Phrase, found: Fit) -> bool:
        """Without words of its own a phrase is meant where all is said, and a code is known."""
        known = self.knowledge
        if len(found.slots) < sum(isinstance(item, Slot) for item in phrase.items):
            return False
        for name, filled in found.slots:
            parameter = phrase.verb.parameter(name)
            if parameter and known.is_listed(parameter, slots.said(parameter, filled, known)):
                return True
        return False

    def _losses(self, verb: Verb, heard: Sequence[Word], known: _Known) -> Lost:
        """What the verb's slots lose with the words of this message, each looked at once."""
        sorts = {one.name: slots.sort(one, verb) for one in verb.parameters}

        def lost(name: str, at: int) -> Sequence[float]:
            key = sorts[name], at
            if key not in known:
                parameter = verb.parameter(name)
                assert parameter is not None, "a pack's slots are arguments"
                known[key] = [0.0] * (at + 1) + [
                    SLOT_WORD * (end - at)
                    + slots.loss(parameter, heard[at:end], verb, self.knowledge)
                    + slots.COMMON * slots.is_common(parameter, heard, at, end, self.knowledge)
                    for end in range(at + 1, len(heard) + 1)
                ]
            return known[key]

        return lost

    def _intent(self, verb: Verb, found: Fit, heard: Sequence[Word]) -> Intent:
        params: dict[str, Value] = {}
        refs: dict[str, str] = {}
        for name, filled in found.slots:
            parameter = verb.parameter(name)
            assert parameter is not None, "a pack's slots are arguments"
            text = slots.said(parameter, filled, self.knowledge)
            if symbol := slots.SYMBOL.fullmatch(text):
                refs[name] = symbol[1]
            else:
                params[name] = slots.value(parameter, text)
        for parameter in verb.required:
            if parameter.name not in params and parameter.name not in refs:
                params |= slots.done(parameter, heard)
        return Intent(verb.name, params, refs)

    def _possible(self, said: Sequence[Word]) -> list[tuple[float, _Phrase]]:
        """The phrases whose words are in the message often enough, those with the most first."""
        heard = {one.folded for one in said if not one.is_quoted}
        like = {
            known: max((self.likeness(word, known) for word in heard), default=0.0)
            for known in self.known
        }
        found: list[tuple[float, _Phrase]] = []
        for phrase in self.phrases:
            gain = sum([weight * like[word] for word, weight in phrase.weights])
            if gain >= phrase.least:
                found.append((gain / phrase.total, phrase))
        found.sort(key=lambda one: -one[0])  # those alike stay in their order
        return found


def _is_clear(candidates: Sequence[_Candidate]) -> bool:
    return len(candidates) == 1 or candidates[0].score - candidates[1].score >= CLEAR
