"""What a person said, made plain: without politeness, contractions written out, parts apart.

What stands in quotes is never touched.  What somebody asks not to be done is known here, so that
«don't delete it» deletes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from antiphon.repl.alignment import PLACES
from antiphon.repl.phrase import QUOTED, Word
from antiphon.repl.phrase import word as plain_word
from antiphon.repl.wording import in_one_word

_LEAD = (
    r"please|pls|plz|kindly|hey|hi|hello|hi there|hello there|good (?:morning|afternoon|evening)"
    r"|thanks|thank you|ok|okay|alright|right|great|so|now|well|and|then|just|also|first|firstly"
    r"|next|finally|lastly|again|no|yes|yeah|actually|sorry|oh|um|maybe|go ahead and"
    r"|(?:can|could|would|will|may|might) (?:you|we|i)(?: (?:please|kindly|also|just|quickly))*"
    r"|i(?:'d| would) (?:like|love) (?:you )?to|i(?:'d| would) like|i want (?:you )?to"
    r"|i(?:'m| am) (?:going|trying|looking) to|i(?:'d| would) appreciate it if you (?:could|would)"
    r"|i need (?:you )?to|you (?:should|need to|have to|must|can)|do me a favou?r and"
    r"|let(?:'s| us| me)|we(?:'d| would) like to|we (?:need|want|have) to"
    r"|i (?:have|must|should) to"
    r"|(?:could|can|would) (?:you|we) (?:be so kind as to|help me(?: to)?)|help me(?: to)?"
    r"|it would be (?:nice|great|good) (?:if you could|to)|go and|make sure to|remember to"
)
LEAD = re.compile(rf"^(?:(?:{_LEAD})(?:[\s,:!]+|$))+", re.IGNORECASE)
TAIL = re.compile(
    r"(?:[\s,]+(?:please|pls|plz|thanks|thank you|thx|cheers|for me|for us|now|right now"
    r"|right away|asap|at once|will you|would you|could you|if you can|if possible"
    r"|if you don't mind|when you can|as well|too|ok|okay|today))+$",
    re.IGNORECASE,
)
WISH = re.compile(
    r"^(?:(?:i|we) (?:need|want|would like|'d like)|(?:show|give|tell|get)(?: me| us)?)\s+",
    re.IGNORECASE,
)
BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
THEN = re.compile(
    r"\s*;\s*|[.!?]\s+(?=\S)|,?\s+(?:and\s+)?(?:then|after that|afterwards)[,]?\s+", re.IGNORECASE
)
AND = re.compile(r",?\s+(?:and also|and|as well as)\s+", re.IGNORECASE)
ABBREVIATION = re.compile(r"(?:\b[A-Za-z]|\b(?:Mr|Mrs|Ms|Dr|St|Co|Ltd|Inc|No|vs|etc))$")
APOSTROPHE = re.compile(r"[’ʼ`´]")
CONTRACTIONS = (
    (re.compile(r"\b(who|what|where|which|how|there|that|it|here)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\b(i)'m\b", re.IGNORECASE), r"\1 am"),
    (re.compile(r"\b(i|we|you|they|who)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(we|you|they|who|what)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(i|we|you|they|it)'ll\b", re.IGNORECASE), r"\1 will"),
)
# Said in lower case, or first: «Never Land» is a name.
NOT = re.compile(
    r"^(?:Do(?:es)? not|Don't|Dont|Doesn't|Never|Not|Nobody|Nothing)\b|"
    r"\b(?:not|don't|dont|doesn't|didn't|won't|wouldn't|shouldn't|mustn't|can't|cannot|never"
    r"|neither|nor|instead of|rather than|without|avoid|refrain|stop|unless)\b"
)
# Who asks how or why something is done does not ask that it be done.
QUESTION = re.compile(
    r"^(?:how(?! many| much)|why|when|what (?:if|would|happens))\b", re.IGNORECASE
)
POSSESSIVE = re.compile(r"(?P<name>.+?)(?:'s|s')$")
PLACE_WORDS_MAX = 6  # of «in …,» before an order
OWNER_WORDS_MAX = 4  # of a name before «'s»


def unquoted(message: str) -> Iterator[tuple[str, bool]]:
    """The message in pieces, and whether each stands outside of quotes."""
    at = 0
    for found in QUOTED.finditer(message):
        yield message[at : found.start()], True
        yield found[0], False
        at = found.end()
    yield message[at:], True


def _written_out(piece: str) -> str:
    piece = APOSTROPHE.sub("'", piece)
    for short, long in CONTRACTIONS:
        piece = short.sub(long, piece)
    return in_one_word(piece)


def plain(message: str) -> str:
    """One line, with contractions written out."""
    lines = (BULLET.sub("", line).strip() for line in message.splitlines())
    joined = "; ".join(line.rstrip(";,.") if line else "" for line in lines if line)
    pieces = (_written_out(piece) if is_out else piece for piece, is_out in unquoted(joined))
    return " ".join("".join(pieces).split())


def bare(message: str) -> str:
    """The message without what is said out of politeness."""
    message = message.strip().rstrip(".!?… ").strip(" ,")
    while (shorter := TAIL.sub("", LEAD.sub("", message)).strip(" ,.!?")) != message:
        message = shorter
    return message


def is_negated(message: str, known: Set[str]) -> bool:
    """Something is asked not to be done, or only about; a phrase's own words do not count."""
    if QUESTION.match(message):
        return True
    outside = "".join(piece if is_out else "«»" for piece, is_out in unquoted(message))
    return any(found[0].casefold() not in known for found in NOT.finditer(outside))


def split(message: str, between: re.Pattern[str]) -> list[str]:
    """The parts of a message; what stands in quotes is not cut, nor is «S.A. in LU»."""
    spans = [found.span() for found in QUOTED.finditer(message)]
    parts, start = list[str](), 0
    for found in between.finditer(message):
        is_within = any(first <= found.start() < last for first, last in spans)
        before = message[start : found.start()]
        if is_within or (found[0].startswith(".") and ABBREVIATION.search(before)):
            continue
        parts.append(before)
        start = found.end()
    return [part for part in (*parts, message[start:]) if part.strip()]


def place_last(said: Sequence[Word]) -> Iterator[list[Word]]:
    """«In Ireland, create a fund» as «create a fund in Ireland»."""
    if not said or said[0].folded not in PLACES:
        return
    at = next((at for at, one in enumerate(said[:PLACE_WORDS_MAX]) if one.raw.endswith(",")), None)
    if at:
        yield [*said[at + 1 :], *said[:at], plain_word(said[at].raw.rstrip(","))]


def variants(said: Sequence[Word], of: Word) -> Iterator[list[Word]]:
    """«Apex Capital's roles» as «roles of Apex Capital»: each way that it can be meant."""
    for at, word in enumerate(said[:-1]):
        owner = POSSESSIVE.fullmatch(word.raw)
        if word.is_quoted or owner is None:
            continue
        last = plain_word(owner["name"])
        for owned in (1, 2):
            if at + owned >= len(said):
                break
            for first in range(max(0, at - OWNER_WORDS_MAX + 1), at + 1):
                yield [
                    *said[:first],
                    *said[at + 1 : at + 1 + owned],
                    of,
                    *said[first:at],
                    last,
                    *said[at + 1 + owned :],
                ]
