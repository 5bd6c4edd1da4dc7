"""Lines of a session: where they come from, and when one is not yet whole."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

from antiphon.dsl.diagnostics import Code
from antiphon.dsl.reader import read
from antiphon.dsl.source import Source

Ask = Callable[[str, str], Awaitable[str | None]]  # a prompt and what stands there -> a line


async def piped(prompt: str, text: str) -> str | None:  # noqa: ARG001 - nobody reads a prompt
    """A line, or the lines of a program up to its last bracket; what is no text, is refused."""
    lines: list[str] = []
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        lines.append(line.decode(errors="surrogateescape").rstrip("\n"))
        if not is_unfinished("\n".join(lines)) or not lines[-1].strip():
            return "\n".join(lines)
    return "\n".join(lines) if lines else None


def is_unfinished(text: str) -> bool:
    """A program whose last bracket or quote is missing: the next line may have it."""
    if not text.lstrip().startswith("("):
        return False
    found = read(Source(text)).findings.shown
    return any(one.code in (Code.UNCLOSED, Code.UNCLOSED_TEXT) for one in found)
