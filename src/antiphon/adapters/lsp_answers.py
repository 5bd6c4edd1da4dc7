"""What the language server says of a text: diagnostics, completions, hovers, fixes, outlines.

Values in, values of the protocol out; nothing here waits or looks anything up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

from antiphon.adapters.lsp_document import Text
from antiphon.base import limits
from antiphon.dsl.cursor import At, Place, place, statement_at
from antiphon.dsl.diagnostics import Applicability, Diagnostic, Fix, Severity
from antiphon.dsl.edits import comment
from antiphon.dsl.layout import laid_out
from antiphon.dsl.reader import read
from antiphon.dsl.references import Reference
from antiphon.dsl.stages import Compilation
from antiphon.dsl.tokens import quoted, unescaped
from antiphon.dsl.tree import Call, calls
from antiphon.dsl.verbs import Vocabulary
from antiphon.repl.suggestions import Sort, Suggestion, bound_in, described, signature

SOURCE = "antiphon"
KINDS = {
    Sort.VERB: lsp.CompletionItemKind.Function,
    Sort.ARGUMENT: lsp.CompletionItemKind.Field,
    Sort.VALUE: lsp.CompletionItemKind.EnumMember,
    Sort.SYMBOL: lsp.CompletionItemKind.Variable,
    Sort.ENTITY: lsp.CompletionItemKind.Reference,
}
SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
}
UNUSED = frozenset({"W002"})


@dataclass(frozen=True, slots=True)
class Entity:
    """One that can be written in the place of a reference."""

    entity_id: str
    display: str
    entity_type: str
    facts: str = ""  # what tells it from others

    @property
    def detail(self) -> str:
        return f"{self.entity_type} · {self.facts}" if self.facts else self.entity_type


# --- diagnostics --------------------------------------------------------------


def diagnostics(text: Text, uri: str, found: Compilation) -> list[lsp.Diagnostic]:
    """All that are written out, what is open, and how many more there are."""
    told = [_diagnostic(text, uri, one) for one in (*found.errors.shown, *found.warnings.shown)]
    told += [_open(text, ref) for ref in found.pending]
    hidden = found.errors.hidden + found.warnings.hidden
    if hidden:
        end = text.range(len(text.text), len(text.text))
        message = f"and {hidden:,} more"
        severity = lsp.DiagnosticSeverity.Information
        told.append(lsp.Diagnostic(end, message, severity, source=SOURCE))
    return told


def too_large(text: Text) -> lsp.Diagnostic:
    """Of a text that is not looked at."""
    message = f"a program has at most {limits.SOURCE_BYTES_MAX} bytes"
    severity = lsp.DiagnosticSeverity.Error
    return lsp.Diagnostic(text.range(0, 0), message, severity, source=SOURCE)


def _diagnostic(text: Text, uri: str, one: Diagnostic) -> lsp.Diagnostic:
    message = f"{one.message}\n{one.help}" if one.help else one.message
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(uri, text.range_of(label.span)), label.text)
        for label in one.labels
    ]
    tags = [lsp.DiagnosticTag.Unnecessary] if one.code.value in UNUSED else None
    return lsp.Diagnostic(
        text.range_of(one.span), message, SEVERITIES[one.severity], one.code.value,
        source=SOURCE, tags=tags, related_information=related or None,
    )  # fmt: skip


def _open(text: Text, ref: Reference) -> lsp.Diagnostic:
    kinds = " or ".join(ref.entity_types)
    message = f"which {kinds} {quoted(ref.search_value)} is will be asked"
    severity = lsp.DiagnosticSeverity.Information
    return lsp.Diagnostic(text.range_of(ref.span), message, severity, source=SOURCE)


# --- fixes --------------------------------------------------------------------


def actions(text: Text, uri: str, found: Compilation, at: lsp.Range) -> Iterator[lsp.CodeAction]:
    """The fixes of the diagnostics that a range touches."""
    start, end = text.offset(at.start), text.offset(at.end)
    for one in (*found.errors.shown, *found.warnings.shown):
        first = text.source.offset(one.span.start)
        last = text.source.offset(one.span.end)
        if first <= end and start <= last:
            for fix in one.fixes:
                yield _action(text, uri, one, fix)


def _action(text: Text, uri: str, one: Diagnostic, fix: Fix) -> lsp.CodeAction:
    edits = [lsp.TextEdit(text.range_of(edit.span), edit.text) for edit in fix.edits]
    return lsp.CodeAction(
        fix.title,
        lsp.CodeActionKind.QuickFix,
        [_diagnostic(text, uri, one)],
        is_preferred=fix.applicability is Applicability.MACHINE,
        edit=lsp.WorkspaceEdit({uri: edits}),
    )


def references_at(text: Text, found: Compilation, at: lsp.Range) -> list[Reference]:
    """The open references that a range touches."""
    start, end = text.offset(at.start), text.offset(at.end)
    return [
        ref
        for ref in found.pending
        if text.source.offset(ref.span.start) <= end and start <= text.source.offset(ref.span.end)
    ]


def resolutions(
    text: Text, uri: str, found: Compilation, ref: Reference, candidates: Iterable[Entity]
) -> Iterator[lsp.CodeAction]:
    """The id in the words' place, and the name behind the statement."""
    call = statement_at(found.program, text.source.offset(ref.span.start))
    for one in candidates:
        edits = [
            lsp.TextEdit(text.range_of(ref.span), quoted(one.entity_id)),
            *_note(text, call, one),
        ]
        yield lsp.CodeAction(
            f"{one.display} ({one.detail})",
            lsp.CodeActionKind.QuickFix,
            [_open(text, ref)],
            edit=lsp.WorkspaceEdit({uri: edits}),
        )


def _note(text: Text, call: Call | None, one: Entity) -> list[lsp.TextEdit]:
    """The name as a comment behind the statement, where a line ends there."""
    if call is None or one.entity_id == one.display:
        return []
    rest = text.text[call.end :].partition("\n")[0].strip()
    if rest:
        return []  # something stands there, and it stays
    return [lsp.TextEdit(text.range(call.end, call.end), comment([one.display]))]


# --- completion ---------------------------------------------------------------


def items(
    text: Text, at: Place, suggestions: Sequence[Suggestion], *, has_snippets: bool
) -> list[lsp.CompletionItem]:
    where = text.range(at.start, at.end)
    return [
        _item(where, one, number, text.text[at.start : at.end], has_snippets=has_snippets)
        for number, one in enumerate(suggestions)
    ]


def _item(
    where: lsp.Range, one: Suggestion, number: int, written: str, *, has_snippets: bool
) -> lsp.CompletionItem:
    is_snippet = has_snippets and one.snippet is not None
    new = one.snippet if is_snippet and one.snippet else one.text
    return lsp.CompletionItem(
        one.label,
        kind=KINDS[one.sort],
        detail=one.detail or None,
        documentation=one.about or None,
        sort_text=f"{number:05}",
        # The slips are known here: the editor shall not look at them again.
        filter_text=written if one.is_near else _filter(one),
        insert_text_format=lsp.InsertTextFormat.Snippet
        if is_snippet
        else lsp.InsertTextFormat.PlainText,
        text_edit=lsp.TextEdit(where, new),
    )


def _filter(one: Suggestion) -> str:
    """What an editor compares with what is written, quote and bracket included."""
    if one.text.startswith('"'):
        return quoted(one.found_by or one.label)
    return one.text.strip()


def entity_items(
    text: Text, at: Place, program_call: Call | None, found: Iterable[Entity]
) -> list[lsp.CompletionItem]:
    where = text.range(at.start, at.end)
    return [
        lsp.CompletionItem(
            one.display,
            kind=KINDS[Sort.ENTITY],
            detail=one.detail,
            sort_text=f"e{number:05}",
            # The search has chosen them, typing errors and all: the editor shall not again.
            filter_text=text.text[at.start : at.end] or quoted(one.display),
            text_edit=lsp.TextEdit(where, quoted(one.entity_id)),
            additional_text_edits=_note(text, program_call, one) or None,
        )
        for number, one in enumerate(found)
    ]


# --- the rest -----------------------------------------------------------------


def hover(text: Text, vocabulary: Vocabulary, offset: int) -> tuple[str, int, int] | None:
    """What a verb or an argument is, in Markdown, and where it stands."""
    at = place(text.text, offset)
    if at.at is At.VERB:
        verb = vocabulary.verbs.get(text.text[at.start : at.end])
        if verb is None:
            return None
        lines = [f"```\n{signature(verb)}\n```", verb.description, f"*{verb.effect.value}*"]
        lines += [
            f"- `:{one.name}` {described(one)}. {one.description}".rstrip()
            for one in verb.parameters
        ]
        return "\n\n".join(lines[:3]) + "\n\n" + "\n".join(lines[3:]), at.start, at.end
    if at.at is At.KEY and at.end > at.start:
        verb = vocabulary.verbs.get(at.verb)
        parameter = verb.parameter(text.text[at.start + 1 : at.end]) if verb else None
        if parameter is None:
            return None
        said = f"`:{parameter.name}` {described(parameter)}"
        return f"{said}\n\n{parameter.description}".rstrip(), at.start, at.end
    if at.at is At.SYMBOL:
        name = text.text[at.start + 1 : at.end]
        known = dict(bound_in(read(text.source).program, vocabulary))
        if name in known:
            kind = known[name]
            return f"`@{name}`" + (f" is a {kind}" if kind else ""), at.start, at.end
    return None


def value_of(text: Text, at: Place) -> str:
    """The whole of the string around a place, as it is meant."""
    return unescaped(text.text[at.start : at.end].strip('"'))[0]


def entity_told(entity: Entity, facts: Mapping[str, str]) -> str:
    rows = [f"- {name}: {value}" for name, value in facts.items() if value != entity.display]
    return "\n".join([f"**{entity.display}**, a {entity.entity_type}", "", *rows]).rstrip()


def candidates_told(found: Sequence[Entity]) -> str:
    return "\n".join(f"- {one.display} ({one.detail})" for one in found)


def formatted(text: Text) -> list[lsp.TextEdit]:
    """The whole text laid out afresh; nothing when it is so already, or cannot be read."""
    new = laid_out(text.text)
    if new == text.text:
        return []
    return [lsp.TextEdit(text.range(0, len(text.text)), new)]


def symbols(text: Text, found: Compilation) -> list[lsp.DocumentSymbol]:
    """The statements, and what each binds."""
    return [
        lsp.DocumentSymbol(
            statement.name,
            lsp.SymbolKind.Function,
            text.range(statement.start, statement.end),
            text.range(statement.name_start, statement.name_end),
            detail=" ".join(f"@{one.binding.name}" for one in calls(statement) if one.binding)
            or None,
        )
        for statement in found.program.statements
    ]
