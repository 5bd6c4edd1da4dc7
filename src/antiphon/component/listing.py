"""What a search printed: whether there is anything in it.

The exit code says nothing: it is 0 with an empty list too.
"""

from __future__ import annotations

import json
import re

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
# A line of a list: numbered, or with a dot before it.
_ITEM = re.compile(r"\s*(?:\d+[.):]|[-*•])\s+\S")
_DENIED = re.compile(r"\b(?:no|not|none|nothing|0)\b", re.IGNORECASE)


def has_items(printed: str) -> bool:
    """A list with at least one line."""
    return any(_ITEM.match(line) for line in plain(printed).splitlines())


def count_in_json(printed: str) -> int | None:
    """How many results there are, where the answer is JSON; None where it is not."""
    text = plain(printed)
    decoder = json.JSONDecoder()
    for at in (place for place, character in enumerate(text) if character in "{["):
        try:
            found, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            lists = [value for value in found.values() if isinstance(value, list)]
            if lists:
                return len(lists[0])
        if isinstance(found, list) and (not found or isinstance(found[0], dict)):
            return len(found)
    return None


def says_nothing(printed: str) -> bool:
    """Text without a list: no line, or one that denies; anything else may be a match."""
    lines = [line for line in plain(printed).splitlines() if line.strip()]
    return not lines or _DENIED.search(lines[-1]) is not None


def plain(printed: str) -> str:
    return _ESCAPE.sub("", printed).replace("\r", "\n")
