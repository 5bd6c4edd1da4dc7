"""What is said about a program: a code, a place, what was found, and how it could be mended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from antiphon.dsl.source import Source, Span

Labels = tuple[tuple[int, int, str], ...]  # places and what stands under them
SHOWN_CHARS_MAX = 40  # of the program, in a sentence about it
ERRORS_MAX = 20  # a reader stops reading long before; the rest is a count


class Code(Enum):
    """The name by which a diagnostic is known; explain.py has a page on each."""

    ESCAPE = "E001"
    UNEXPECTED = "E002"
    UNCLOSED = "E003"
    UNCLOSED_TEXT = "E004"
    NESTING = "E005"
    UNKNOWN_VERB = "E010"
    MISSING_ARGUMENT = "E020"
    UNKNOWN_ARGUMENT = "E021"
    TYPE = "E022"
    VALUE = "E023"
    NO_ENTITY = "E040"
    OTHER_ENTITY = "E041"
    DUPLICATE_BINDING = "E051"
    UNKNOWN_SYMBOL = "E060"
    CYCLE = "E061"
    UNUSED_BINDING = "W002"
    SIMILAR_ENTITY = "W003"
    SKIPPED = "W005"
    REORDERED = "W006"
    EMPTY = "W007"
    NOT_ATOMIC = "W010"


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


class Applicability(Enum):
    MACHINE = "machine"  # applied as it is, the diagnostic is gone and nothing else changed
    MAYBE = "maybe"  # a person should look


@dataclass(frozen=True, slots=True)
class Edit:
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Label:
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    code: Code
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()

    @property
    def severity(self) -> Severity:
        return Severity.ERROR if self.code.value.startswith("E") else Severity.WARNING


@dataclass(frozen=True, slots=True)
class Findings:
    """The first diagnostics of a stage, in the order of the text, and how many there are."""

    shown: tuple[Diagnostic, ...] = ()
    count: int = 0

    @property
    def hidden(self) -> int:
        return self.count - len(self.shown)


class Notebook:
    """Where a stage writes down what it finds; beyond ERRORS_MAX it only counts."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.count = 0
        self._found: list[Diagnostic] = []

    @property
    def is_full(self) -> bool:
        return self.count >= ERRORS_MAX

    def note(
        self,
        code: Code,
        message: str,
        start: int,
        end: int,
        *,
        labels: Labels = (),
        advice: str | None = None,
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        self.count += 1
        if self.count <= ERRORS_MAX:
            span = self.source.span
            made = tuple(Label(span(first, last), text) for first, last, text in labels)
            self._found.append(Diagnostic(code, message, span(start, end), made, advice, fixes))

    def fix(
        self, title: str, applicability: Applicability, *edits: tuple[int, int, str]
    ) -> tuple[Fix, ...]:
        """One fix of these replacements, as `note` takes them; none once the notebook is full."""
        if self.is_full:
            return ()
        span = self.source.span
        made = tuple(Edit(span(start, end), text) for start, end, text in edits)
        return (Fix(title, applicability, made),)

    def findings(self) -> Findings:
        ordered = sorted(self._found, key=lambda found: (found.span.start, found.code.value))
        return Findings(tuple(ordered), self.count)


def shown(text: str) -> str:
    """A piece of the program within a sentence."""
    if len(text) > SHOWN_CHARS_MAX:
        text = text[: SHOWN_CHARS_MAX - 1] + "…"
    return "`" + "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text) + "`"
