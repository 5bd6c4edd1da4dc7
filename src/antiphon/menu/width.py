"""How many columns a character takes on a screen."""

from __future__ import annotations

import unicodedata

# The second column of a wide character: no text has this one, which is no character [Unicode].
SECOND = "\ufdd0"


def width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def in_columns(text: str) -> str:
    """The text with something in every column, so that a place in it is a column."""
    if text.isascii():
        return text
    return "".join(one + SECOND if width(one) == 2 else one for one in text)


def said(text: str) -> str:
    """The text itself."""
    return text.replace(SECOND, "")
