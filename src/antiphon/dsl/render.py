"""A diagnostic as a person reads it: the line, a mark under the place, and what to do.

Text in, text out; no colours.  Tabs become blanks and wide characters count as two, so that
the marks stand under what they mean; a long line is cut around the place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from antiphon.dsl.diagnostics import Applicability, Diagnostic, Findings, Label
from antiphon.dsl.edits import applied
from antiphon.dsl.source import Source, Span

COLUMNS_MAX = 96  # of a program's line
BEFORE_MAX = 40  # columns that stay before the place when a line is cut
TAB = "    "


def rendered(source: Source, diagnostic: Diagnostic, name: str = "program") -> str:
    span = diagnostic.span
    # A label at the very place stands beside the mark of the place.
    said = next((one.text for one in diagnostic.labels if one.span == span), "")
    places = [Label(span, said), *(one for one in diagnostic.labels if one.span != span)]
    margin = " " * len(str(max(place.span.line for place in places)))
    out = [
        f"{diagnostic.severity.value}[{diagnostic.code.value}]: {diagnostic.message}",
        f"{margin}--> {name}:{span.line}:{span.column}",
        f"{margin} |",
    ]
    last = 0
    for number in sorted({place.span.line for place in places}):
        if last and number > last + 1:
            out.append("...")
        last = number
        on_line = [place for place in places if place.span.line == number]
        out += _line(source, number, on_line, span, margin)
    notes = [f"{margin} = help: {diagnostic.help}"] if diagnostic.help else []
    notes += [
        f"{margin} = fix{'' if sure(fix.applicability) else ' (maybe)'}: {fix.title}"
        for fix in diagnostic.fixes
    ]
    return "\n".join([*out, *([f"{margin} |"] if notes else []), *notes]) + "\n"


def sure(applicability: Applicability) -> bool:
    return applicability is Applicability.MACHINE


def report(source: Source, findings: Iterable[Findings], name: str = "program") -> str:
    """All of them, one after the other, and how many more there are."""
    parts = [rendered(source, one, name) for found in findings for one in found.shown]
    hidden = sum(found.hidden for found in findings)
    if hidden:
        parts.append(f"and {hidden} more\n")
    return "\n".join(parts)


def _line(
    source: Source, number: int, places: list[Label], primary: Span, margin: str
) -> list[str]:
    text = source.line(number)
    first = min(place.span.column for place in places) - 1
    cut = 0
    if first > BEFORE_MAX and (len(text) > COLUMNS_MAX or width(_shown(text)) > COLUMNS_MAX):
        cut = first - BEFORE_MAX
    text, lead = text[cut : cut + COLUMNS_MAX + 1], "…" if cut else ""
    shown = _shown(text)
    if width(shown) > COLUMNS_MAX:
        shown = _clipped(shown, COLUMNS_MAX) + "…"
    out = [f"{number!s:>{len(margin)}} | {lead}{shown}"]
    for place in sorted(places, key=lambda one: (one.span is not primary, one.span.column)):
        start = place.span.column - 1 - cut
        before = width(_shown(text[: max(start, 0)])) + len(lead)
        if not 0 <= start <= len(text) or before > COLUMNS_MAX:
            continue
        piece = text[start : start + _length(source, place.span)]
        mark = "^" if place.span is primary else "-"
        under = mark * max(1, min(width(_shown(piece)), COLUMNS_MAX - before))
        said = f" {place.text}" if place.text else ""
        out.append(f"{margin} | {' ' * before}{under}{said}")
    return out


def _length(source: Source, span: Span) -> int:
    """In code points, up to the end of its first line."""
    start = source.lines[span.line - 1] + span.column - 1
    return (
        min(source.offset(span.end), source.lines[span.line - 1] + len(source.line(span.line)))
        - start
    )


def _shown(text: str) -> str:
    return "".join(TAB if one == "\t" else one if one.isprintable() else "\ufffd" for one in text)


def width(text: str) -> int:
    """Columns of a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def _clipped(text: str, columns: int) -> str:
    while width(text) > columns:
        text = text[: max(columns // 2, len(text) - (width(text) - columns))]
    return text


def fixed(source: Source, diagnostic: Diagnostic) -> str:
    """The text after the first fix that a machine may apply, or as it was."""
    for fix in diagnostic.fixes:
        if sure(fix.applicability):
            return applied(source, fix.edits)
    return source.text
