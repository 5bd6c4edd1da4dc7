"""What a line says to a reader who has no terminal."""

from __future__ import annotations

import re

# ESC [ … letter; ESC ] … BEL or ST, and the other strings; ESC and what belongs to it.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: str) -> str:
    """Without escape sequences; of what was written over, the last that stood there."""
    lines = _ESCAPES.sub("", text).split("\n")
    return "\n".join(_CONTROLS.sub("", _last_written(line)) for line in lines)


def _last_written(line: str) -> str:
    """A carriage return goes back to the beginning: what comes after it is written over."""
    if "\r" not in line:
        return line
    written = ""
    for part in line.split("\r"):
        written = part + written[len(part) :]
    return written
