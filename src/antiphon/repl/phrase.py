"""A phrase of a verb: words and `{slots}`; and the words of what somebody says."""

from __future__ import annotations

import re
import unicodedata

SLOT = re.compile(r"\{([^{}]*)\}")
WORD = re.compile(r"\"[^\"]*\"|«[^»]*»|“[^”]*”|[^\s]+")


def folded(text: str) -> str:
    """Case, accents and width gone, so that equal words look equal."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(one for one in plain if not unicodedata.combining(one))


def shape(phrase: str) -> str:
    """What two phrases have in common when no message could tell them apart."""
    return " ".join(folded(SLOT.sub("{}", phrase)).split())
