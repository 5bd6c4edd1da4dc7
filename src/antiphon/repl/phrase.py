"""A phrase of a verb: words and `{slots}`; and the words of what somebody says."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

SLOT = re.compile(r"\{([^{}]*)\}")
WORD = re.compile(r"\"[^\"]*\"|«[^»]*»|“[^”]*”|[^\s]+")
QUOTES = ('""', "«»", "“”")
AROUND = ".,;:!?()'’‘"  # what may stand at a word and is not part of it
ARTICLES = frozenset({"a", "an", "the"})
# Words that carry a sentence and say little of what is wanted.
# fmt: off
LIGHT = frozenset({
    "all", "any", "are", "as", "at", "be", "by", "for", "from", "has", "have", "i", "in", "is",
    "it", "me", "my", "no", "not", "now", "of", "on", "our", "please", "some", "that", "there",
    "these", "this", "to", "was", "we", "what", "which", "who", "with", "you",
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

    @property
    def is_quoted(self) -> bool:
        return self.raw[:1] in {pair[0] for pair in QUOTES} and len(self.raw) > 1


def words(message: str) -> list[Word]:
    return [_word(one) for one in WORD.findall(message.strip().rstrip(".!?"))]


def _word(raw: str) -> Word:
    raw = raw.strip(";!?") or raw
    plain = folded(raw.strip(AROUND)) or raw
    # «a, b and c», «a fund called A»: these are letters, and no articles.
    return Word(raw, raw if plain in ARTICLES and (raw.endswith(",") or raw == "A") else plain)


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
