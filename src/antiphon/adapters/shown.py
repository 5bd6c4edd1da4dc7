"""The output as a person wants to see it: without the line that marks each prompt."""

from __future__ import annotations

import re

from antiphon.service.plain import plain

# The whole mark; one that is longer than a path can be is somebody's text.
MARK = re.compile(rb"__FWS_PROMPT__ ts=\d+ cwd_b64=[A-Za-z0-9+/=]* exit=\d*\n")
HEAD = b"__FWS_PROMPT__ ts="
MARK_BYTES_MAX = 8 << 10
# The cursor goes back, something is erased, the other screen is left: what is drawn ends there.
_DRAWN = re.compile(r"\x1b(?:\[\d*[ABFJd]|\[[\d;]*[Hf]|\[\?(?:1049|1047|47)l|[8M])")


class Shown:
    """A filter over any cut of the stream: what may be the beginning of a mark waits."""

    def __init__(self) -> None:
        self.held = b""

    def next(self, data: bytes) -> bytes:
        text = MARK.sub(b"", self.held + data)
        cut = _mark_begins(text)
        self.held = text[cut:]
        return text[:cut]


def _mark_begins(text: bytes) -> int:
    """Where an unfinished mark begins at the end of the text, or the text's length."""
    line = text.rfind(b"\n") + 1
    found = text.find(HEAD, line)
    if found >= 0 and len(text) - found <= MARK_BYTES_MAX:
        return found
    for length in range(min(len(HEAD) - 1, len(text) - line), 0, -1):
        if HEAD.startswith(text[-length:]):
            return len(text) - length
    return len(text)


def last_words(printed: str, typed: str) -> str:
    """Of what a program printed after an answer, what stays to be read: no drawing, no echo."""
    *drawn, last = _DRAWN.split(printed)
    text = plain(MARK.sub(b"", last.encode()).decode())
    first, _, rest = text.partition("\n")
    is_echo = not drawn and typed and first.strip() == typed.strip()
    return (rest if is_echo else text).strip("\n")
