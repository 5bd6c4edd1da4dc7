"""A program laid out afresh: the same tree and the same comments, in lines that are read easily.

A statement that fits stands on one line; else each argument has its own.  A text with faults
in its syntax is left as it is.
"""

from __future__ import annotations

from antiphon.dsl import tokens as t
from antiphon.dsl.printer import printed_value
from antiphon.dsl.reader import read
from antiphon.dsl.source import Source
from antiphon.dsl.tree import Call

COLUMNS_MAX = 100


def laid_out(text: str) -> str:
    reading = read(Source(text))
    if reading.findings.count:
        return text
    out: list[str] = []
    at = 0
    for statement in reading.program.statements:
        same_line, above = _between(text[at : statement.start], is_first=at == 0)
        if out and same_line:
            out[-1] += f" {same_line}"
        out += above
        out += _statement(text, statement)
        at = statement.end
    same_line, above = _between(text[at:], is_first=at == 0)
    if out and same_line:
        out[-1] += f" {same_line}"
    while above and not above[-1]:
        above.pop()
    return "".join(f"{line}\n" for line in [*out, *above])


def _between(gap: str, *, is_first: bool) -> tuple[str, list[str]]:
    """The comment behind a statement, and the lines below it: comments, and single blank lines."""
    lines = [line.strip() for line in gap.lstrip("\ufeff").split("\n")]
    same_line = "" if is_first else lines.pop(0)
    if lines and not lines[-1]:
        lines.pop()  # what stands before the next statement on its own line
    below: list[str] = []
    for line in lines:
        if line or (below[-1] if below else not is_first):
            below.append(line)
    return same_line, below


def _statement(text: str, statement: Call) -> list[str]:
    own = text[statement.start : statement.end]
    if _has_comment(own):
        return own.split("\n")  # a comment within stands where its author put it
    line = printed_value(statement)
    if len(line) <= COLUMNS_MAX:
        return [line]
    rows = [f"  :{arg.key} {printed_value(arg.value)}" for arg in statement.args]
    if statement.binding:
        rows.append(f"  :as @{statement.binding.name}")
    rows[-1] += ")"
    return [f"({statement.name}", *rows]


def _has_comment(text: str) -> bool:
    at = 0
    while at < len(text):
        token = t.TOKEN.match(text, at)
        assert token is not None and token.lastindex is not None
        if ";" in text[at : token.start(token.lastindex)]:
            return True
        at = max(token.end(), at + 1)
    return False
