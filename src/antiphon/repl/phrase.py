"""A phrase of a verb: words and `{slots}`; and the words of what somebody says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, permutations

SLOT = re.compile(r"\{([^{}]*)\}")
_QUOTED = (
    r"\"[^\"]*\"|«[^»]*»|“[^”]*”|„[^“”]*[“”]|`[^`]+`"
    r"|(?<![\w])'[^\s'](?:[^']|(?<=\w)'(?=\w))*'(?!\w)"
)
QUOTED = re.compile(_QUOTED)
WORD = re.compile(rf"{_QUOTED}|[^\s]+")
OPENING = frozenset("\"«“„`'")
AROUND = ".,;:!?()'’‘"  # what may stand at a word and is not part of it
ARTICLES = frozenset({"a", "an", "the"})
# Words that carry a sentence and say little of what is wanted.
# fmt: off
LIGHT = frozenset({
    "again", "all", "any", "are", "as", "at", "back", "be", "by", "each", "every",
    "for", "from",
    "has", "have", "how", "i", "in", "into", "is", "it", "its", "me", "my", "no", "not", "now",
    "of", "on", "onto", "our", "over", "please", "some", "that", "their", "there", "these", "this",
    "to", "up", "was", "we", "what", "when", "which", "who", "why", "with",
    "you",
})
# fmt: on


def folded(text: str) -> str:
    """Case, accents and width gone, so that equal words look equal."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(one for one in plain if not unicodedata.combining(one))


def shape(phrase: str) -> str:
    """What two phrases have in common when no message could tell them apart."""
    return " ".join(folded(SLOT.sub("{}", phrase)).split())


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a message: as it stands there, and as it is compared."""

    raw: str
    folded: str
    is_quoted: bool


def words(message: str) -> list[Word]:
    return [word(one) for one in WORD.findall(message.strip().rstrip(".!?"))]


def word(raw: str) -> Word:
    is_quoted = raw[:1] in OPENING and QUOTED.match(raw) is not None
    raw = raw if is_quoted else raw.strip(";!?") or raw
    plain = folded(raw.strip(AROUND)) or raw
    # «a, b and c», «a fund called A»: these are letters, and no articles.
    is_letter = plain in ARTICLES and (raw.endswith(",") or raw == "A")
    return Word(raw, raw if is_letter else plain, is_quoted)


@dataclass(frozen=True, slots=True)
class Literal:
    """A word that a phrase has, and how much it counts."""

    word: str
    weight: float


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that one or more words of the message fill."""

    name: str


Item = Literal | Slot


def items(phrase: str) -> tuple[Item, ...]:
    """The phrase without its articles, which people put and leave out as they like."""
    out: list[Item] = []
    for part in re.findall(r"\{[^{}]*\}|[^\s{}]+", phrase):
        if part.startswith("{"):
            out.append(Slot(part[1:-1]))
        elif (word := folded(part.strip(AROUND))) not in ARTICLES:
            out.append(Literal(word, 0.35 if word in LIGHT else 1.0))
    return tuple(out)


CONTENT_MIN = 2  # words that say something, of a phrase that loses one
TAILS_MAX = 12  # of one verb that others of its phrases may take over
PHRASES_MAX = 120  # of one verb, with what is put together


def extended(phrases: Iterable[str], codes: Sequence[str] = ()) -> list[tuple[Item, ...]]:
    """A verb's phrases, and those that follow from them.

    «… in {jurisdiction}» behind one phrase may stand behind the others too, and of two such tails
    either may come first.  Where one code is said, each of the verb's `codes` may be.
    """
    written = [items(phrase) for phrase in phrases]
    written += [other for one in written for other in _other_codes(one, codes)]
    written += [other for one in written for other in _noun_last(one, codes)]
    cut = [_cut(one) for one in written]
    tails = [tail for _, found in cut for tail in found] + [
        one for one in map(_end, written) if one
    ]
    tails = list(dict.fromkeys(tails))[:TAILS_MAX]
    made = dict.fromkeys(written)
    for head, own in cut:
        for order in permutations(own) if len(own) < 4 else (own,):
            made.setdefault((*head, *chain.from_iterable(order)))
    for phrase in list(made):
        for tail in tails:
            if not _slots(tail) & _slots(phrase):
                made.setdefault((*phrase, *tail))
    for phrase in list(made):
        made.setdefault(_without_nouns(phrase))
    return list(made)[:PHRASES_MAX]


def _other_codes(phrase: tuple[Item, ...], codes: Sequence[str]) -> Iterator[tuple[Item, ...]]:
    """«list {jurisdiction} funds» as «list {client-type} funds»."""
    places = [at for at, one in enumerate(phrase) if isinstance(one, Slot) and one.name in codes]
    if len(places) == 1:
        (at,) = places
        free = [name for name in codes if name not in _slots(phrase)]
        yield from ((*phrase[:at], Slot(name), *phrase[at + 1 :]) for name in free)


def _noun_last(phrase: tuple[Item, ...], codes: Sequence[str]) -> Iterator[tuple[Item, ...]]:
    """«remove role {role} from …» as «remove {role} role from …», where the slot takes a code."""
    for at, (one, slot) in enumerate(pairwise(phrase)):
        if not (isinstance(one, Literal) and isinstance(slot, Slot) and slot.name in codes):
            continue
        if one.word in slot.name.split("-"):
            yield (*phrase[:at], slot, one, *phrase[at + 2 :])


def _cut(phrase: tuple[Item, ...]) -> tuple[tuple[Item, ...], list[tuple[Item, ...]]]:
    """The head up to its first slot, and behind it what ends with a slot each."""
    first = next((at for at, one in enumerate(phrase) if isinstance(one, Slot)), None)
    if first is None:
        return phrase, []
    tails: list[tuple[Item, ...]] = []
    start = first + 1
    for at in range(start, len(phrase)):
        if isinstance(phrase[at], Slot):
            if at == start:
                return phrase, []  # two slots side by side belong together
            tails.append(phrase[start : at + 1])
            start = at + 1
    return (phrase, []) if start < len(phrase) else (phrase[: first + 1], tails)


def _end(phrase: tuple[Item, ...]) -> tuple[Item, ...]:
    """The «in {jurisdiction}» that a phrase with one slot ends with."""
    small, slot = phrase[-2:] if len(phrase) > CONTENT_MIN else (None, None)
    is_end = isinstance(small, Literal) and small.weight < 1 and isinstance(slot, Slot)
    return phrase[-2:] if is_end and len(_slots(phrase)) == 1 else ()


def _without_nouns(phrase: tuple[Item, ...]) -> tuple[Item, ...]:
    """«… in case {case-id}» as «… in {case-id}», where enough is said besides."""
    nouns = [
        at
        for at, (one, slot) in enumerate(pairwise(phrase))
        if isinstance(one, Literal) and isinstance(slot, Slot) and one.word in slot.name.split("-")
    ]
    left = tuple(one for at, one in enumerate(phrase) if at not in nouns)
    heard = sum(isinstance(one, Literal) and one.weight >= 1 for one in left)
    return left if heard >= CONTENT_MIN else phrase


def _slots(phrase: tuple[Item, ...]) -> set[str]:
    return {one.name for one in phrase if isinstance(one, Slot)}
