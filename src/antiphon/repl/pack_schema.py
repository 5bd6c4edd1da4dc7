"""A pack's schema.sql as the things it makes: tables, views and indexes, and nothing besides.

Only words and brackets are read here; whether a database takes a definition, it says itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"(?P<space>\s+|--[^\n]*|/\*.*?\*/)"
    r"|(?P<name>\"(?:[^\"]|\"\")*\"|`[^`]*`)"
    r"|(?P<text>'(?:[^']|'')*')"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
KINDS = ("table", "view", "index")


@dataclass(frozen=True, slots=True)
class Made:
    """One statement: what it makes, and its words with one blank between two."""

    kind: str
    name: str
    text: str
    line: int

    @property
    def items(self) -> tuple[str, ...]:
        """What stands between the brackets of a table, separated by commas."""
        return tuple(_items(self.text))


@dataclass(frozen=True, slots=True)
class NoSchema:
    line: int
    message: str


def statements(text: str) -> tuple[list[Made], list[NoSchema]]:
    made: list[Made] = []
    faults: list[NoSchema] = []
    words: list[str] = []
    begun = 1
    for found in TOKEN.finditer(text):
        if found.lastgroup == "space":
            continue
        if not words:
            begun = text.count("\n", 0, found.start()) + 1
        if found[0] == ";":
            _add(words, begun, made, faults)
            words = []
        else:
            words.append(found[0])
    if words:
        _add(words, begun, made, faults)
    return made, faults


def _add(words: list[str], line: int, made: list[Made], faults: list[NoSchema]) -> None:
    if not words:
        return
    rest = [word.lower() for word in words[:8]]
    at = 1
    if rest[0] != "create":
        faults.append(NoSchema(line, f"a schema makes tables, views and indexes: `{words[0]}`"))
        return
    while at < len(rest) and rest[at] in ("unique", "or", "replace"):
        at += 1
    kind = rest[at] if at < len(rest) else ""
    at += 1
    if rest[at : at + 3] == ["if", "not", "exists"]:
        at += 3
    if kind not in KINDS or at >= len(words):
        faults.append(NoSchema(line, f"a schema makes tables, views and indexes: `{kind}`"))
        return
    name = words[at]
    if name[0] in '"`':
        name = name[1:-1].replace('""', '"')
    if at + 1 < len(words) and words[at + 1] == ".":
        faults.append(NoSchema(line, f"`{name}` stands before a dot: a name has no schema here"))
        return
    kept = [*words[:at], *words[at:]]
    made.append(Made(kind, name, _joined(kept), line))


def _joined(words: list[str]) -> str:
    """One blank between two words; none around marks, so that layout makes no difference."""
    out: list[str] = []
    for word in words:
        is_word = bool(re.match(r"[\w\"'`]", word))
        if out and is_word and re.search(r"[\w\"'`]$", out[-1]):
            out.append(" ")
        out.append(word)
    return "".join(out)


def _items(text: str) -> list[str]:
    depth, items, current = 0, [], ""
    for found in TOKEN.finditer(text):
        word = found[0]
        if word == ")":
            depth -= 1
            if depth == 0:
                break
        if depth >= 1 and not (word == "," and depth == 1):
            current += word
        if word == "," and depth == 1:
            items.append(current.strip())
            current = ""
        if word == "(":
            depth += 1
    return [*items, current.strip()] if current.strip() else items
