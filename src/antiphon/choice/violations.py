"""What may be wrong with the parts of a question, each with its code and its place.

A place is an offset in characters from the beginning of the judged text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from antiphon.choice.characters import HIDDEN, LETTER_OR_DIGIT
from antiphon.choice.phrases import ASKED_IN_PROSE, OTHER, OWN_TEXT, PREFIX, SOFT_OFFER
from antiphon.choice.question import OPTIONS_MAX
from antiphon.choice.split import LABEL_WORDS_MAX
from antiphon.choice.words import second_sentence, word_count

INSTRUCTION_WORDS_MAX = 15
# The first character is the instruction's own: no heading, bold, quote or code.
_MARKUP = re.compile(r"#{1,6}\s|\*{1,3}(?=\w)|_{2,3}(?=\w)|>\s?|`")


class Code(Enum):
    EDGE_SPACE = "F01"
    HIDDEN_CHARACTER = "F02"
    BLANK_LINE_MISSING = "F03"
    BLANK_LINE_EXTRA = "F04"
    OPTION_LINE = "F05"
    NO_INSTRUCTION = "F06"
    OPTION_COUNT = "F07"
    INSTRUCTION_WORDS = "F08"
    SENTENCES = "F09"
    LABEL_WORDS = "F10"
    LABEL_PREFIX = "F11"
    SOFT_OFFER = "F12"
    OTHER_OPTION = "F13"
    LABELS_ALIKE = "F14"
    NOT_EXHAUSTIVE = "F15"
    NOT_AS_PINNED = "F16"
    PROSE = "F17"
    NOT_THE_STATE = "F18"


@dataclass(frozen=True, slots=True, order=True)
class Violation:
    at: int
    code: str
    message: str


def violation(code: Code, at: int, message: str) -> Violation:
    return Violation(at, code.value, message)


Piece = tuple[int, str]  # where a text stands, and the text


def of_hidden(text: str, at: int = 0) -> Iterator[Violation]:
    for found in HIDDEN.finditer(text):
        is_half = "\ud800" <= found[0] <= "\udfff"
        unnamed = (
            "half a character, or a byte that is no UTF-8" if is_half else "a control character"
        )
        name = unicodedata.name(found[0], "").lower() or unnamed
        yield violation(
            Code.HIDDEN_CHARACTER,
            at + found.start(),
            f"U+{ord(found[0]):04X} ({name}) cannot be seen; leave it out",
        )


def of_edges(text: str, at: int = 0) -> Iterator[Violation]:
    """Of a text as a whole: it begins and ends with something one can see."""
    if text != text.lstrip():
        yield violation(Code.EDGE_SPACE, at, "the text begins with white space")
    end = len(text.rstrip())
    if 0 < end < len(text):
        yield violation(Code.EDGE_SPACE, at + end, "the text ends with white space")


def of_instruction(text: str, at: int = 0) -> Iterator[Violation]:
    if not LETTER_OR_DIGIT.search(text):
        yield violation(Code.NO_INSTRUCTION, at, "there is no instruction")
        return
    if markup := _MARKUP.match(text):
        yield violation(Code.PROSE, at, f"{markup[0].strip()!r} before the instruction is markup")
    count = word_count(text)
    if count > INSTRUCTION_WORDS_MAX:
        yield violation(
            Code.INSTRUCTION_WORDS,
            at,
            f"the instruction has {count} words; up to {INSTRUCTION_WORDS_MAX} are accepted",
        )
    second = second_sentence(text)
    if second is not None:
        yield violation(
            Code.SENTENCES, at + second, "a second sentence begins here; one is accepted"
        )
    if prefix := PREFIX.match(text):
        yield violation(
            Code.LABEL_PREFIX, at, f"{prefix[0].strip()!r} before the instruction; leave it out"
        )
    yield from of_offers(text, at)


def of_prose(text: str, at: int = 0) -> Iterator[Violation]:
    """Of a line outside a block: there a question offers too, for no options follow it."""
    yield from _of_offer(SOFT_OFFER.search(text) or ASKED_IN_PROSE.search(text), at)


def of_offers(text: str, at: int = 0) -> Iterator[Violation]:
    yield from _of_offer(SOFT_OFFER.search(text), at)


def _of_offer(offer: re.Match[str] | None, at: int) -> Iterator[Violation]:
    if offer:
        yield violation(
            Code.SOFT_OFFER,
            at + offer.start(),
            f"{offer[0]!r} offers an action in prose; ask with options",
        )


def of_label(text: str, at: int = 0) -> Iterator[Violation]:
    count = word_count(text)
    if count > LABEL_WORDS_MAX:
        yield violation(
            Code.LABEL_WORDS,
            at,
            f"the label has {count} words; up to {LABEL_WORDS_MAX} are accepted",
        )
    if OTHER.match(text) or OWN_TEXT.search(text):
        yield violation(
            Code.OTHER_OPTION,
            at,
            f"{text!r} offers what is not listed; list it, or leave it: free text is always open",
        )


def of_count(count: int, at: int = 0) -> Iterator[Violation]:
    if not 1 <= count <= OPTIONS_MAX:
        yield violation(
            Code.OPTION_COUNT, at, f"there are {count} options; 1 to {OPTIONS_MAX} are accepted"
        )


def of_labels(labels: Iterable[Piece]) -> Iterator[Violation]:
    """Of all labels of a question together: no two read alike."""
    seen: dict[str, str] = {}
    for at, label in labels:
        read = alike(label)
        if read in seen:
            yield violation(Code.LABELS_ALIKE, at, f"{label!r} reads like {seen[read]!r}")
        seen.setdefault(read, label)


def alike(label: str) -> str:
    """Equal for labels that differ in case and space alone."""
    return "".join(unicodedata.normalize("NFC", label).casefold().split())


def of_domain(labels: Sequence[str], domain: Sequence[str], at: int = 0) -> Iterator[Violation]:
    """Of a question that must reach each of these values, by itself or by its parts."""
    offered, possible = set(labels), set(domain)
    missing = [value for value in domain if value not in offered]
    if missing:
        listed = ", ".join(map(repr, missing[:5])) + (", …" if len(missing) > 5 else "")
        yield violation(Code.NOT_EXHAUSTIVE, at, f"no option leads to {listed}")
    strange = [label for label in labels if label not in possible]
    if strange:
        listed = ", ".join(map(repr, strange[:5])) + (", …" if len(strange) > 5 else "")
        yield violation(Code.NOT_EXHAUSTIVE, at, f"{listed} is no value of the domain")
