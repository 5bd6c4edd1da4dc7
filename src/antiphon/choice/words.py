"""How many words and sentences a text has, in any script.

A token between white space is one word when it holds a letter or digit.  Scripts that write
without spaces count half a word a letter, each run for itself.
"""

from __future__ import annotations

import re
import unicodedata

from antiphon.choice.characters import DENSE_LETTER, DENSE_MARK, LETTER_OR_DIGIT, SPACE

# A mark belongs to the letter before it and is no letter of its own.
_DENSE_RUN = re.compile(f"[{DENSE_LETTER}][{DENSE_LETTER}{DENSE_MARK}]*")
_DENSE = re.compile(f"[{DENSE_LETTER}]")
# Full stops of scripts with spaces end a sentence before a space; the wide ones anywhere.
_SENTENCE_END = re.compile(f"[.?!…][{SPACE}]+|[。！？]")


def word_count(text: str) -> int:
    composed = unicodedata.normalize("NFC", text)
    tokens = composed.split()
    if composed.isascii():
        return sum(any(char.isalnum() for char in token) for token in tokens)
    return sum(_words_of(token) for token in tokens)


def _words_of(token: str) -> int:
    if not _DENSE.search(token):
        return bool(LETTER_OR_DIGIT.search(token))
    dense = sum((len(_DENSE.findall(run)) + 1) // 2 for run in _DENSE_RUN.findall(token))
    others = _DENSE_RUN.split(token)
    return dense + sum(bool(LETTER_OR_DIGIT.search(other)) for other in others)


def second_sentence(text: str) -> int | None:
    """Where a second sentence begins, or None when there is but one."""
    end = _SENTENCE_END.search(text)
    following = LETTER_OR_DIGIT.search(text, end.end()) if end else None
    return following.start() if following else None
