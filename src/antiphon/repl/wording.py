"""Other ways to say the same: several words for one, and sentences that ask without an order.

What is asked for stays what it is; only its form changes.  Names are not touched: a word within
one has a capital, or stands in quotes and does not come here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from antiphon.repl.phrase import Word, word

_ONE_WORD = (
    (r"[Ss]et up", "create"),
    (r"[Kk]ick off|[Gg]et started (?:with|on)", "start"),
    (r"[Ll]ook for|[Ss]earch for", "find"),
    (r"[Gg]et rid of", "delete"),
    (r"[Ll]et me see", "show"),
    (r"no longer (?:is|be)", "is no longer"),
    (r"(?:is|are) (?:going )?to (?:be|become)|will (?:be|become)|(?:has|have) become", "is"),
    (r"(?:turned|turns) out(?: to be)?|(?:came|comes) back(?: as)?", "is"),
)
ONE_WORD = tuple((re.compile(rf"\b(?:{said})\b"), meant) for said, meant in _ONE_WORD)
SUBJECTS = frozenset({"i", "we"})
DUTIES = frozenset({"should", "must", "shall", "can", "to"})
NEEDS = frozenset({"needs", "need", "has", "have", "is", "ought"})


def in_one_word(text: str) -> str:
    for said, meant in ONE_WORD:
        text = said.sub(meant, text)
    return text


def turned(said: Sequence[Word], known: Set[str]) -> Iterator[list[Word]]:
    """As an order: «Apex should be renamed to X» as «rename Apex to X», each way it may be."""
    if len(said) > 2 and said[0].folded in SUBJECTS and said[1].folded in ("am", "are"):
        for stem in _stems(said[2], "ing", known):
            yield [stem, *said[3:]]
    at = next((at for at, one in enumerate(said) if one.folded == "be" and at > 1), None)
    if at is None or at + 1 >= len(said) or said[at - 1].folded not in DUTIES:
        return
    first = at - 2 if said[at - 2].folded in NEEDS else at - 1
    for stem in _stems(said[at + 1], "ed", known) if first else ():
        yield [stem, *said[:first], *said[at + 2 :]]


def _stems(found: Word, ending: str, known: Set[str]) -> Iterator[Word]:
    """«renamed» is «rename», «tagged» is «tag»: those that a phrase has."""
    if found.is_quoted or not found.folded.endswith(ending):
        return
    stem = found.folded.removesuffix(ending)
    tries = [stem, f"{stem}e", *([stem[:-1]] if stem[-2:-1] == stem[-1:] else [])]
    yield from (word(one) for one in tries if one in known)
