"""What the compiler says of a program, in the types of the wire."""

from __future__ import annotations

from collections.abc import Iterable

from antiphon.dsl import diagnostics as d
from antiphon.dsl import source as s
from antiphon.dsl.references import Reference
from antiphon.dsl.render import rendered
from antiphon.dsl.stages import Compilation
from antiphon.wire import language as wire
from antiphon.wire.dsl import CheckedRef, Location


def diagnoses(
    source: s.Source, findings: Iterable[d.Findings], name: str = "program"
) -> list[wire.Diagnostic]:
    """The diagnostics that are written out; how many more there are, `Findings.hidden` says."""
    return [diagnosis(source, one, name) for found in findings for one in found.shown]


def diagnosis(source: s.Source, one: d.Diagnostic, name: str = "program") -> wire.Diagnostic:
    return wire.Diagnostic(
        code=one.code.value,
        severity="error" if one.severity is d.Severity.ERROR else "warning",
        message=one.message,
        span=span(one.span),
        labels=[wire.Label(span=span(label.span), text=label.text) for label in one.labels],
        help=one.help,
        fixes=[_fix(fix) for fix in one.fixes],
        rendered=rendered(source, one, name),
    )


def span(of: s.Span) -> wire.Span:
    return wire.Span(start=of.start, end=of.end, line=of.line, column=of.column)


def open_refs(found: Compilation) -> list[CheckedRef]:
    """The references that somebody has to resolve, without candidates."""
    return [
        CheckedRef(
            ref_id=one.ref_id,
            location=location(one),
            search_value=one.search_value,
            entity_type=one.entity_types[0],
            entity_types=list(one.entity_types),
        )
        for one in found.pending
    ]


def location(ref: Reference) -> Location:
    return Location(
        statement_index=ref.statement_index,
        verb=ref.verb,
        arg_name=ref.arg_name,
        arg_path=ref.arg_path,
        span=span(ref.span),
    )


def _fix(fix: d.Fix) -> wire.Fix:
    return wire.Fix(
        title=fix.title,
        applicability="machine" if fix.applicability is d.Applicability.MACHINE else "maybe",
        edits=[wire.Edit(span=span(edit.span), text=edit.text) for edit in fix.edits],
    )
