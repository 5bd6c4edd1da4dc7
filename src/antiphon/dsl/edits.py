"""Changes of a program's text on spans: every byte outside them stays as it was."""

from __future__ import annotations

from collections.abc import Iterable

from antiphon.dsl.diagnostics import Edit
from antiphon.dsl.source import Source
from antiphon.dsl.tokens import quoted
from antiphon.dsl.tree import Call, Text


def applied(source: Source, edits: Iterable[Edit]) -> str:
    """The text after these edits, none of which may touch another."""
    data = source.text.encode(errors="surrogatepass")
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end)):
        assert edit.span.start >= at, "two edits of one place"
        parts += [data[at : edit.span.start], edit.text.encode(errors="surrogatepass")]
        at = edit.span.end
    parts.append(data[at:])
    return b"".join(parts).decode(errors="surrogatepass")


def resolution(
    source: Source,
    statement: Call,
    chosen: Iterable[tuple[Text, str]],
    displays: Iterable[str],
    before: Iterable[str] = (),
) -> list[Edit]:
    """Put ids in the place of words, and the names behind the statement.

    `chosen` are the strings and the id for each; `displays` are all the names that then stand
    behind the statement, `before` those that stand there already.
    """
    edits = [
        Edit(source.span(text.start, text.end), quoted(entity_id)) for text, entity_id in chosen
    ]
    old, new = comment(before), comment(displays)
    end = statement.end
    if old and source.text.startswith(old, end):
        edits.append(Edit(source.span(end, end + len(old)), new))
    elif new:
        rest = source.text[end:].split("\n", 1)[0].strip()
        # A comment runs to the end of its line: what follows there moves to the next one.
        more = "\n" if rest and not rest.startswith(";") else ""
        edits.append(Edit(source.span(end, end), new + more))
    return edits


def comment(displays: Iterable[str]) -> str:
    """` ; NAME, NAME`: names that hold a line end or a semicolon get blanks there."""
    names = [" ".join("".join(map(_harmless, name)).split()) for name in displays]
    return f" ; {', '.join(names)}" if names else ""


def _harmless(character: str) -> str:
    return " " if character == ";" or not character.isprintable() else character


def appended(text: str, statements: str) -> str:
    """The program with more statements, which start on a line of their own."""
    if not text.strip():
        return statements
    between = "" if text.endswith("\n") else "\n"
    return f"{text}{between}{statements}"
