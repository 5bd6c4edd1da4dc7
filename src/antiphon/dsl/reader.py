"""Text in; a tree and every fault in the text out.  It never fails.

A statement with a fault is left out of the tree and the others stay.  After a fault the
reader goes on at the next key or bracket where it can, else at the next `(` in the first
column.  Time grows with the text alone.  This module knows no verbs.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass

from antiphon.dsl import tokens as t
from antiphon.dsl.diagnostics import Code, Findings, shown
from antiphon.dsl.faults import AS_TAKES, MACHINE, MAYBE, Faults
from antiphon.dsl.frames import CLOSING, Frame, Kind, made, made_call
from antiphon.dsl.source import Source
from antiphon.dsl.tree import (
    Arg,
    Boolean,
    Call,
    Decimal,
    Integer,
    Nil,
    Program,
    Symbol,
    Text,
    Value,
)

DEPTH_MAX = 256  # brackets within brackets; people write five
DIGITS_MAX = 100  # of one number: no database column holds more


@dataclass(frozen=True, slots=True)
class Reading:
    program: Program
    findings: Findings


def read(source: Source) -> Reading:
    return _Reader(source).whole()


class _Reader(Faults):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.statements: list[Call] = []
        self.open = dict.fromkeys(Kind, 0)  # how many of each stand in the stack
        self.within: list[Call] = []  # calls in the open statement that stand in column one

    # --- the loop -----------------------------------------------------------

    def whole(self) -> Reading:
        text, match, stack = self.text, t.TOKEN.match, self.stack
        at = 1 if text.startswith("\ufeff") else 0
        while True:
            token = match(text, at)
            assert token is not None and token.lastindex is not None, "every text is a token"
            kind, at = token.lastindex, token.end()
            if kind == t.END:
                break
            start = token.start(kind)
            if not stack:
                at = self._outside(kind, start, at)
            elif kind == t.KEY:
                self._key(token[1], start - 1, at)
            elif kind == t.CLOSE:
                self._close(Kind.CALL, start, at)
            elif kind == t.OPEN:
                at = self._open_call(start, at)
            elif kind == t.OPEN_LIST or kind == t.OPEN_MAP:
                at = self._open(Kind.LIST if kind == t.OPEN_LIST else Kind.MAP, start, at)
            elif kind == t.CLOSE_LIST or kind == t.CLOSE_MAP:
                self._close(Kind.LIST if kind == t.CLOSE_LIST else Kind.MAP, start, at)
            else:
                self._word(kind, token[kind], start, at)
        if stack:
            self._unclosed(len(text))
        return Reading(Program(tuple(self.statements)), self.notes.findings())

    def _outside(self, kind: int, start: int, end: int) -> int:
        """Between statements; answers where to go on."""
        if kind == t.OPEN:
            if self.notes.is_full and self.text.startswith(")", end):
                self.notes.count += 1
                return end + 1
            self._push(Kind.CALL, start)
            return end
        if kind in (t.CLOSE, t.CLOSE_LIST, t.CLOSE_MAP):
            return self._stray(start)
        if kind == t.OTHER and not self.text[start:end].strip(t.FALSE_BLANKS):
            self.blank(self.text[start:end], start)
            self.is_broken = False  # no statement is open
            return end
        if kind not in (t.STRING, t.UNCLOSED):
            found = t.OUTSIDE.match(self.text, start)
            end = found.end() if found else end
        if self.notes.is_full:
            self.notes.count += 1
            return end
        last = start + len(self.text[start:end].rstrip())
        self.notes.note(
            Code.UNEXPECTED,
            f"{shown(self.text[start:last])} stands outside a statement",
            start,
            last,
            advice="a statement is `(domain.verb :key value …)`; a comment starts with `;`",
        )
        return end

    def _stray(self, start: int) -> int:
        """Closing brackets that nothing opened: a fault each, however many there are."""
        run = t.CLOSERS.match(self.text, start)
        assert run is not None
        at = start
        while at < run.end() and not self.notes.is_full:
            if not self.text[at].isspace():
                self.notes.note(
                    Code.UNEXPECTED,
                    f"`{self.text[at]}` closes nothing",
                    at,
                    at + 1,
                    fixes=self.notes.fix("take it out", MACHINE, (at, at + 1, "")),
                )
            at += 1
        rest = self.text[at : run.end()]
        self.notes.count += sum(rest.count(closer) for closer in CLOSING.values())
        return run.end()

    # --- brackets -----------------------------------------------------------

    def _push(self, kind: Kind, start: int) -> None:
        self.stack.append(Frame(kind, start))
        self.open[kind] += 1

    def _open_call(self, start: int, end: int) -> int:
        top = self.stack[-1]
        if self.notes.is_full and top.name is None and len(self.stack) == 1:
            self.notes.count += 1  # a bracket that holds nothing: many of them must cost little
            top.start = start
            return end
        stands_first = start == 0 or self.text[start - 1] == "\n"
        if stands_first and not self._takes_value(top):
            self._unclosed(start)
            self._push(Kind.CALL, start)
            return end
        return self._open(Kind.CALL, start, end)

    def _open(self, kind: Kind, start: int, end: int) -> int:
        is_stray = not self._takes_value(self.stack[-1])
        if is_stray:
            self.unexpected(start, end)
        if len(self.stack) < DEPTH_MAX:
            self._push(kind, start)
            self.stack[-1].is_stray = is_stray
            return end
        self.fault(
            Code.NESTING,
            f"brackets stand {DEPTH_MAX} deep here, and no deeper is read",
            start,
            end,
            advice="bind an inner call with `:as @name` in a statement of its own",
        )
        self._abandon()
        found = self.text.find("\n(", end)
        return len(self.text) if found < 0 else found + 1

    def _close(self, kind: Kind, start: int, end: int) -> None:
        top = self.stack[-1]
        if self.notes.is_full and top.name is None and len(self.stack) == 1 and top.kind is kind:
            self.notes.count += not top.is_lost  # it held nothing: many of them must cost little
            self._abandon()
            return
        if top.kind is not kind:
            if self.open[kind] == 0:
                self.fault(
                    Code.UNEXPECTED,
                    f"`{CLOSING[kind]}` closes nothing; `{CLOSING[top.kind]}` is expected here",
                    start,
                    end,
                )
                self.lacks_bracket = True
                return
            self.fault(
                Code.UNCLOSED,
                f"`{top.kind.value}` is not closed",
                top.start,
                top.start + 1,
                labels=((start, end, f"`{CLOSING[top.kind]}` is expected before this"),),
                fixes=self.notes.fix(
                    f"close it with `{CLOSING[top.kind]}`", MAYBE,
                    (start, start, CLOSING[top.kind]),
                ),
            )  # fmt: skip
            while self.stack[-1].kind is not kind:
                self._finish(self.stack[-1], start)
            top = self.stack[-1]
        self._finish(top, end)

    def _finish(self, top: Frame, end: int) -> None:
        if top.key is not None and not top.is_lost:
            self.lacks_value(top)
        if top.kind is Kind.CALL and top.name is None and not top.is_lost and not top.is_stray:
            self.fault(
                Code.UNEXPECTED, "a call starts with its verb, `domain.verb`", top.start, end
            )
        self.stack.pop()
        self.open[top.kind] -= 1
        if self.stack:
            value = made(top, end)
            if isinstance(value, Call) and (top.start == 0 or self.text[top.start - 1] == "\n"):
                self.within.append(value)
            self._value(value)
        elif self.is_broken:
            self._abandon()
        else:
            self.statements.append(made_call(top, end))
            self.within.clear()
            self.lacks_bracket = False

    def _unclosed(self, at: int) -> None:
        """The text ends, or the next statement begins, while brackets are open."""
        if self.lacks_bracket:
            pass  # it was told why
        elif self.notes.is_full:
            self.notes.count += 1
        else:
            at = len(self.text[:at].rstrip())
            first, missing = self.stack[0], "".join(
                CLOSING[frame.kind] for frame in reversed(self.stack)
            )  # fmt: skip
            self.fault(
                Code.UNCLOSED,
                f"`{first.kind.value}` is not closed",
                first.start,
                first.start + 1,
                labels=((at, at, f"`{missing}` is missing before this"),),
                fixes=self.notes.fix(f"close it with `{missing}`", MAYBE, (at, at, missing)),
            )
        self._abandon()

    def _abandon(self) -> None:
        """Leave the statement; what was whole in it and began a line is kept."""
        self.statements.extend(self.within)
        self.within.clear()
        for frame in self.stack:
            self.open[frame.kind] -= 1
        self.stack.clear()
        self.is_broken = self.lacks_bracket = False

    # --- what stands in a bracket -------------------------------------------

    def _key(self, key: str, start: int, end: int) -> None:
        top = self.stack[-1]
        if top.kind is Kind.LIST:
            self.unexpected(start, end, "a list holds values only")
            return
        if top.kind is Kind.CALL and top.name is None:
            self.fault(
                Code.UNEXPECTED, f"{shown(f':{key}')} stands where the verb belongs, `domain.verb`",
                start, end,
            )  # fmt: skip
            top.name = ""  # as said
        if top.key is not None and not top.is_lost:
            self.lacks_value(top)
        if top.binding is not None and not top.is_lost:
            self.fault(
                Code.UNEXPECTED,
                f"{shown(f':{key}')} comes after the binding",
                start,
                end,
                labels=((top.binding.start, top.binding.end, "`:as` is the last of a call"),),
            )
        top.key, top.key_start, top.key_end = key, start, end
        top.is_lost = top.is_guessed = False

    def _word(self, kind: int, word: str, start: int, end: int) -> None:
        top = self.stack[-1]
        if kind == t.OTHER and not word.strip(t.FALSE_BLANKS):
            self.blank(word, start)
        elif top.kind is Kind.CALL and top.name is None:
            self._verb(top, kind, word, start, end)
        elif kind == t.COMMA:
            self.comma(start, end)
        elif top.is_lost:
            pass
        elif not self._takes_value(top):
            self.not_a_key(top, kind, word, start, end)
        elif kind == t.STRING:
            self._text(word, start, end)
        elif kind == t.SYMBOL:
            self._value(Symbol(word, start - 1, end))
        elif kind == t.NUMBER:
            self._number(word, start, end)
        elif kind == t.WORD and word in ("true", "false", "nil"):
            is_nil = word == "nil"
            self._value(Nil(start, end) if is_nil else Boolean(word == "true", start, end))
        elif kind == t.UNCLOSED:
            self.unclosed_text(word, start)
            self._value(Text(word[1:], start, end))
        elif top.kind is Kind.LIST and self.only_counts():
            pass  # its statement is left out, and nothing waits for this value
        else:
            self.no_value(word, start, end)
            self._value(Text(word, start, end))

    def _verb(self, top: Frame, kind: int, word: str, start: int, end: int) -> None:
        top.name, top.name_start, top.name_end = word, start, end
        if kind != t.WORD or word.count(".") != 1:
            top.name, top.is_lost = "", True
            first = start - 1 if kind == t.SYMBOL else start
            self.fault(
                Code.UNEXPECTED,
                f"{shown(self.text[first:end])} is no verb",
                first,
                end,
                advice="a verb has a domain and a name with one dot between: `cbu.ensure`",
            )
            self.lacks_bracket |= kind == t.UNCLOSED

    def _takes_value(self, frame: Frame) -> bool:
        return frame.kind is Kind.LIST or frame.key is not None

    def _value(self, value: Value) -> None:
        top = self.stack[-1]
        if top.kind is Kind.LIST:
            top.items.append(value)
        elif top.key == "as" and top.kind is Kind.CALL:
            if isinstance(value, Symbol):
                top.binding = value
            else:
                self.fault(Code.UNEXPECTED, AS_TAKES, value.start, value.end)
            top.key = None
        elif top.key is not None:
            top.args.append(Arg(top.key, value, top.key_start, top.key_end))
            top.key = None

    def _number(self, word: str, start: int, end: int) -> None:
        if len(word) > DIGITS_MAX:
            self.fault(Code.ESCAPE, f"a number has at most {DIGITS_MAX} digits", start, end)
            self._value(Integer(0, start, end))
        elif "." in word:
            self._value(Decimal(decimal.Decimal(word), start, end))
        else:
            self._value(Integer(int(word), start, end))

    def _text(self, word: str, start: int, end: int) -> None:
        value, bad = t.unescaped(word[1:-1])
        for first, last in bad:
            if self.only_counts():
                continue
            escape = word[first + 1 : last + 1]
            place = start + 1 + first
            self.fault(
                Code.ESCAPE,
                f"{shown(escape)} stands for no character",
                place,
                place + len(escape),
                advice='the escapes are \\n \\r \\t \\\\ \\" and \\uXXXX',
                fixes=self.notes.fix("write the backslash twice", MAYBE, (place, place, "\\")),
            )
        self._value(Text(value, start, end))
