"""What the reader says when a bracket does not hold what it should.

A fault sets the statement aside; the reader goes on as if the likeliest thing stood there,
so that one slip is one fault.
"""

from __future__ import annotations

from antiphon.dsl import tokens as t
from antiphon.dsl.diagnostics import Applicability, Code, Fix, Labels, Notebook, shown
from antiphon.dsl.frames import Frame, Kind
from antiphon.dsl.source import Source

MACHINE, MAYBE = Applicability.MACHINE, Applicability.MAYBE
AS_TAKES = "`:as` takes a name: `:as @name`"


class Faults:
    """The part of the reader that speaks."""

    def __init__(self, source: Source) -> None:
        self.text = source.text
        self.notes = Notebook(source)
        self.stack: list[Frame] = []
        self.is_broken = False  # the open statement has a fault
        self.lacks_bracket = False  # by a fault that was told: its end is not missed again

    def fault(
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
        self.is_broken = True
        self.notes.note(code, message, start, end, labels=labels, advice=advice, fixes=fixes)

    def only_counts(self) -> bool:
        """Enough faults are told: one more is counted, and its sentence not even made."""
        if self.notes.is_full:
            self.notes.count += 1
            self.is_broken = True
        return self.notes.is_full

    def lacks_value(self, frame: Frame) -> None:
        if frame.is_guessed:
            return
        place = frame.key_start, frame.key_end
        self.fault(Code.UNEXPECTED, f"{shown(f':{frame.key}')} has no value", *place)

    def unexpected(self, start: int, end: int, expected: str = "") -> None:
        top = self.stack[-1]
        if top.is_lost or (top.is_stray and top.name is None):
            return  # it was told of the bracket around
        if not expected:
            expected = "a `:key` is expected here"
            if top.kind is Kind.CALL and top.name is None:
                expected, top.name = "a call starts with its verb, `domain.verb`", ""
        top.is_lost = top.kind is not Kind.LIST
        self.fault(
            Code.UNEXPECTED, f"unexpected {shown(self.text[start:end])}: {expected}", start, end
        )

    def not_a_key(self, top: Frame, kind: int, word: str, start: int, end: int) -> None:
        first = start - 1 if kind == t.SYMBOL else start
        if kind != t.WORD or "." in word or top.binding is not None:
            self.unexpected(first, end)
            self.lacks_bracket |= kind == t.UNCLOSED
            return
        self.fault(
            Code.UNEXPECTED,
            f"{shown(word)} stands where a `:key` is expected",
            start,
            end,
            fixes=self.notes.fix(f"write {shown(f':{word}')}", MAYBE, (start, start, ":")),
        )
        top.key, top.key_start, top.key_end, top.is_guessed = word, start, end, True
        # Beyond the count that is shown, one fault for each bracket or key will do.
        top.is_lost = self.notes.is_full

    def blank(self, word: str, start: int) -> None:
        """A character that looks like white space, and is none."""
        if self.only_counts():
            return
        self.fault(
            Code.UNEXPECTED,
            f"U+{ord(word[0]):04X} looks like white space and is none",
            start,
            start + len(word),
            fixes=self.notes.fix("write a blank", MACHINE, (start, start + len(word), " ")),
        )

    def comma(self, start: int, end: int) -> None:
        if not self.only_counts():
            self.fault(
                Code.UNEXPECTED,
                "white space alone stands between values",
                start,
                end,
                fixes=self.notes.fix("write a blank instead", MACHINE, (start, end, " ")),
            )

    def no_value(self, word: str, start: int, end: int) -> None:
        advice, fixes = None, tuple[Fix, ...]()
        top = self.stack[-1]
        if top.key == "as" and top.kind is Kind.CALL:
            top.key = None
            if self.only_counts():
                return
            fixes = self.notes.fix(f"write {shown(f'@{word}')}", MAYBE, (start, start, "@"))
            self.fault(Code.UNEXPECTED, AS_TAKES, start, end, fixes=fixes)
            return
        if self.only_counts():
            return
        if word == "@":
            advice = "a symbol has a name: `@fund`"
        else:
            advice = "text stands in quotes"
            fixes = self.notes.fix("quote it", MAYBE, (start, end, t.quoted(word)))
        self.fault(
            Code.UNEXPECTED, f"{shown(word)} is no value", start, end, advice=advice, fixes=fixes
        )

    def unclosed_text(self, word: str, start: int) -> None:
        body = word.rstrip()
        inside = body.rstrip(")]}")
        close = start + len(inside)
        self.fault(
            Code.UNCLOSED_TEXT,
            "this string is not closed on its line",
            start,
            start + len(body),
            advice="a line break within a string is written \\n",
            fixes=self.notes.fix('close it with `"`', MAYBE, (close, close, '"')),
        )
        self.lacks_bracket = True
