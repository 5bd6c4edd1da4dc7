"""The names things go by: which are allowed, and how ours are made."""

from __future__ import annotations

import re

from antiphon.base.errors import Code, Refused

CONVERSATION = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")


def conversation(text: str) -> str:
    """The id itself, or a refusal: nothing is mapped, so two ids never share a folder."""
    if CONVERSATION.fullmatch(text):
        return text
    raise Refused(
        Code.INVALID_REQUEST,
        f"conversation_id {text[:40]!r} is not allowed: it has 1 to 128 characters of "
        "A-Z a-z 0-9 . _ - and does not start with a dot",
    )


def block(conversation_id: str, seq: int) -> str:
    """Unique over all conversations: the part after the last dot is only digits."""
    return f"{conversation_id}.{seq}"


def session(block_id: str) -> str:
    return f"interactive:{block_id}"
