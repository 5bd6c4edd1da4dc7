"""How many columns a character takes on a screen."""

from __future__ import annotations

import unicodedata


def width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def columns(text: str) -> int:
    return sum(map(width, text))
