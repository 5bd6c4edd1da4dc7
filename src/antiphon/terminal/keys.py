"""Keys by name, and the bytes a terminal sends for them in its two cursor-key modes."""

from __future__ import annotations

import re

from antiphon.base.errors import Code, Refused

_CURSOR = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F"}
_PLAIN = {
    "Enter": b"\r",
    "Tab": b"\t",
    "Escape": b"\x1b",
    "Backspace": b"\x7f",
    "Delete": b"\x1b[3~",
    "PageUp": b"\x1b[5~",
    "PageDown": b"\x1b[6~",
    "F1": b"\x1bOP",
    "F2": b"\x1bOQ",
    "F3": b"\x1bOR",
    "F4": b"\x1bOS",
} | {
    f"F{number}": b"\x1b[%d~" % code
    for number, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)
}
_CONTROL = re.compile(r"C-([a-z])")
ACCEPTED = (
    "Enter Tab Escape Up Down Left Right Home End PageUp PageDown Backspace Delete F1..F12 C-a..C-z"
)


def key_bytes(name: str, *, application_cursor: bool) -> bytes:
    """The bytes of one key; the arrows depend on the mode the program has set."""
    if letter := _CURSOR.get(name):
        return (b"\x1bO" if application_cursor else b"\x1b[") + letter.encode()
    if plain := _PLAIN.get(name):
        return plain
    if control := _CONTROL.fullmatch(name):
        return bytes([ord(control[1]) - ord("a") + 1])
    raise Refused(Code.INVALID_REQUEST, f"no key is named {name[:40]!r}; there are: {ACCEPTED}")
