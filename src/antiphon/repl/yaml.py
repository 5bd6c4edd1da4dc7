"""The YAML that packs are written in: maps, lists and scalars, each with its line.

A strict part of YAML, read without surprises: a scalar is the text that stands there (`NO` is no
truth value, `1.10` no number), a key stands once, and anchors, tags and tabs are refused.  One
thing is easier than in YAML: a plain scalar in a `[list]` may hold a `{slot}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

DEPTH_MAX = 40  # of maps and lists in one another; a pack has five


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    line: int
    is_quoted: bool = False

    @property
    def is_null(self) -> bool:
        return not self.is_quoted and self.text in ("", "~", "null")


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Mapping:
    entries: tuple[tuple[Scalar, Node], ...]
    line: int


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Fault:
    line: int
    message: str
    key: str | None = None  # of the first map, whose value could not be read


class _Bad(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.fault = Fault(line, message)


def read(text: str) -> tuple[Node, list[Fault]]:
    """The document, and what is wrong with it.

    After a fault in its form it goes on at the next key of the first column.
    """
    reader = _Reader(text)
    try:
        return reader.document(), reader.faults
    except _Bad as bad:
        return Mapping((), 1), [*reader.faults, bad.fault]


_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")
_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'
        |[^\s\#\[\]{},"'&*!|>%@`-][^\#]*?|-[^\s\#][^\#]*?)\s*:(?=\s|$)""",
    re.VERBOSE,
)
_ITEM = re.compile(r"-(?=\s|$)")
_PLAIN_START = re.compile(r"[^\s&*!|>%@`\"'\[\]{},#?:-]|[?:-](?=\S)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "/": "/", "0": "\0", " ": " "}


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
        self.at = 0  # the line that is read
        self.depth = 0
        self.faults: list[Fault] = []

    def document(self) -> Node:
        if self._sees() and self.lines[self.at].rstrip() == "---":
            self.at += 1
        node: Node = self._block(0) if self._sees() else Mapping((), 1)
        if self._sees():
            raise self._bad("this does not belong to what stands above it")
        return node

    def _bad(self, message: str, line: int | None = None) -> _Bad:
        return _Bad(self.at + 1 if line is None else line, message)

    def _sees(self) -> bool:
        """Is there a line still, past blank lines and comments?"""
        while self.at < len(self.lines) and not _COMMENT.sub("", self.lines[self.at]).strip():
            self.at += 1
        return self.at < len(self.lines)

    def _indent(self) -> int:
        line = self.lines[self.at]
        blank = len(line) - len(line.lstrip(" \t"))
        if "\t" in line[:blank]:
            raise self._bad("a tab indents this line; write blanks")
        return blank

    # --- blocks -------------------------------------------------------------

    def _block(self, indent_min: int) -> Node:
        """The map, list or scalar that stands at the next line."""
        indent = self._indent()
        assert indent >= indent_min
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self._bad(f"maps and lists stand more than {DEPTH_MAX} deep in one another")
        rest = self.lines[self.at][indent:]
        if _ITEM.match(rest):
            node: Node = self._list(indent)
        elif _KEY.match(rest):
            node = self._map(indent)
        else:
            node = self._inline(indent, indent)
        self.depth -= 1
        return node

    def _list(self, indent: int) -> Sequence:
        first, items = self.at + 1, list[Node]()
        while self._sees() and self._indent() == indent:
            line = self.lines[self.at]
            if not _ITEM.match(line[indent:]):
                break
            rest = line[indent + 1 :]
            if not _COMMENT.sub("", rest).strip():
                number = self.at + 1
                self.at += 1
                is_deeper = self._sees() and self._indent() > indent
                items.append(self._block(indent + 1) if is_deeper else Scalar("", number))
            else:
                # The item's own block begins where its text does.
                self.lines[self.at] = " " * (indent + 1) + rest
                items.append(self._block(indent + 1))
        return Sequence(tuple(items), first)

    def _map(self, indent: int) -> Mapping:
        first, entries, seen = self.at + 1, list[tuple[Scalar, Node]](), dict[str, int]()
        while self._sees() and self._indent() == indent:
            line, number = self.lines[self.at], self.at + 1
            found = _KEY.match(line, indent)
            if found is None:
                if _ITEM.match(line[indent:]):
                    break
                raise self._bad("a key and a colon are expected here")
            key = self._key(found[1], number)
            if key.text in seen:
                self.faults.append(
                    Fault(number, f"`{key.text}` stands on line {seen[key.text]} already")
                )
            seen.setdefault(key.text, number)
            try:
                entries.append((key, self._value(found.end(), indent)))
            except _Bad as bad:
                if indent:
                    raise
                self.faults.append(replace(bad.fault, key=key.text))
                self._next_key(number)
        return Mapping(tuple(entries), first)

    def _next_key(self, at: int) -> None:
        """Past a value that cannot be read, to the next key of the first column."""
        self.depth = 1
        while at < len(self.lines) and not _KEY.match(self.lines[at]):
            at += 1
        self.at = at

    def _value(self, column: int, indent: int) -> Node:
        """What stands behind a key's colon, or on the lines below it."""
        number = self.at + 1
        if _COMMENT.sub("", self.lines[self.at][column:]).strip():
            return self._inline(column, indent + 1)
        self.at += 1
        if not self._sees():
            return Scalar("", number)
        below = self._indent()
        is_list = below == indent and _ITEM.match(self.lines[self.at][below:])
        return self._block(below) if below > indent or is_list else Scalar("", number)

    def _inline(self, column: int, indent: int) -> Node:
        line = self.lines[self.at]
        column += len(line[column:]) - len(line[column:].lstrip(" "))
        start = line[column]
        if start in "[{":
            flow = _Flow(self.lines, self.at, column)
            node = flow.node()
            self.faults += flow.faults
            self._rest(flow.at, flow.column)
            return node
        if start in "\"'":
            flow = _Flow(self.lines, self.at, column)
            scalar = flow.quoted()
            self._rest(flow.at, flow.column)
            return scalar
        if start in "|>":
            return self._literal(column, indent)
        if not _PLAIN_START.match(line, column):
            raise self._bad(f"`{start}` cannot begin a value here; quote it")
        return self._plain(column, indent)

    def _rest(self, at: int, column: int) -> None:
        self.at = at
        if _COMMENT.sub("", self.lines[at][column:]).strip():
            raise self._bad("nothing but a comment is expected after this value")
        self.at += 1

    def _plain(self, column: int, indent: int) -> Scalar:
        number = self.at + 1
        parts = [_COMMENT.sub("", self.lines[self.at][column:]).strip()]
        if re.search(r":(\s|$)", parts[0]):
            raise self._bad("a colon and a blank stand within a value; quote it")
        self.at += 1
        while self.at < len(self.lines) and self.lines[self.at].strip():
            line = self.lines[self.at]
            if self._indent() < indent or _COMMENT.match(line.strip()):
                break
            if _KEY.match(line.strip()) or _ITEM.match(line.strip()):
                break
            parts.append(_COMMENT.sub("", line).strip())
            self.at += 1
        return Scalar(" ".join(parts), number)

    def _literal(self, column: int, indent: int) -> Scalar:
        """`|` keeps line ends, `>` makes blanks of them; `-` drops the last one."""
        number, head = self.at + 1, _COMMENT.sub("", self.lines[self.at][column:]).strip()
        if not re.fullmatch(r"[|>][-+]?", head):
            raise self._bad(f"`{head}` is not read; `|`, `>`, `|-` and `>-` are")
        self.at += 1
        rows: list[str] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and len(line) - len(line.lstrip(" ")) < indent:
                break
            rows.append(line)
            self.at += 1
        while rows and not rows[-1].strip():
            rows.pop()
        cut = min((len(row) - len(row.lstrip(" ")) for row in rows if row.strip()), default=0)
        text = ("\n" if head[0] == "|" else " ").join(row[cut:] for row in rows)
        return Scalar(text + ("" if head.endswith("-") else "\n"), number, is_quoted=True)

    def _key(self, text: str, number: int) -> Scalar:
        if text[0] in "\"'":
            return _Flow([text], 0, 0, number - 1).quoted()
        return Scalar(text, number)


class _Flow:
    """`[lists]`, `{maps}` and quoted scalars, over as many lines as they take."""

    def __init__(self, lines: list[str], at: int, column: int, offset: int = 0) -> None:
        self.lines, self.at, self.column, self.offset = lines, at, column, offset
        self.depth = 0
        self.faults: list[Fault] = []

    @property
    def number(self) -> int:
        return self.at + 1 + self.offset

    def _next(self) -> str:
        """The next character past white space and comments."""
        while True:
            line = self.lines[self.at]
            while self.column < len(line) and line[self.column] in " \t":
                self.column += 1
            is_comment = line.startswith("#", self.column)
            if self.column < len(line) and not (is_comment and line[self.column - 1] in " \t"):
                return line[self.column]
            if self.at + 1 == len(self.lines):
                raise _Bad(self.number, "a bracket is not closed")
            self.at, self.column = self.at + 1, 0

    def node(self) -> Node:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise _Bad(self.number, f"brackets stand more than {DEPTH_MAX} deep")
        start = self._next()
        if start == "[":
            node: Node = self._list()
        elif start == "{":
            node = self._map()
        elif start in "\"'":
            node = self.quoted()
        else:
            node = self._plain()
        self.depth -= 1
        return node

    def _list(self) -> Sequence:
        number, items = self.number, list[Node]()
        self.column += 1
        while self._next() != "]":
            items.append(self.node())
            self._separator("]")
        self.column += 1
        return Sequence(tuple(items), number)

    def _map(self) -> Mapping:
        number, entries, seen = self.number, list[tuple[Scalar, Node]](), dict[str, int]()
        self.column += 1
        while self._next() != "}":
            key = self.quoted() if self._next() in "\"'" else self._plain()
            if self._next() != ":":
                raise _Bad(self.number, f"a colon is expected after `{key.text}`")
            self.column += 1
            if key.text in seen:
                self.faults.append(Fault(key.line, f"`{key.text}` stands here twice"))
            seen[key.text] = key.line
            has_value = self._next() not in ",}"
            entries.append((key, self.node() if has_value else Scalar("", key.line)))
            self._separator("}")
        self.column += 1
        return Mapping(tuple(entries), number)

    def _separator(self, closing: str) -> None:
        found = self._next()
        if found == ",":
            self.column += 1
        elif found != closing:
            raise _Bad(self.number, f"`,` or `{closing}` is expected, and `{found}` found")

    def _plain(self) -> Scalar:
        number, line, start = self.number, self.lines[self.at], self.column
        if not _PLAIN_START.match(line, start):
            raise _Bad(number, f"`{line[start]}` cannot begin a value here; quote it")
        end, slots = start, 0
        while end < len(line):
            one = line[end]
            if one == "{":
                slots += 1
            elif one == "}" and slots:
                slots -= 1
            elif (
                one in ",[]}"
                or (one == ":" and line[end + 1 : end + 2] in ("", " ", ",", "}"))
                or (one == "#" and line[end - 1] == " ")
            ):
                break
            end += 1
        self.column = end
        return Scalar(line[start:end].strip(), number)

    def quoted(self) -> Scalar:
        number, quote, out = self.number, self.lines[self.at][self.column], list[str]()
        self.column += 1
        while True:
            line = self.lines[self.at]
            if self.column >= len(line):
                if self.at + 1 == len(self.lines):
                    raise _Bad(number, "a quote is not closed")
                self.at += 1
                self.column = len(self.lines[self.at]) - len(self.lines[self.at].lstrip())
                out.append(" ")
                continue
            one = line[self.column]
            self.column += 1
            if one == quote == "'" and line.startswith("'", self.column):
                out.append("'")
                self.column += 1
            elif one == quote:
                return Scalar("".join(out), number, is_quoted=True)
            elif one == "\\" and quote == '"':
                out.append(self._escape(line))
            else:
                out.append(one)

    def _escape(self, line: str) -> str:
        found = re.compile(r"u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})").match(line, self.column)
        if found:
            self.column = found.end()
            return chr(int(found[1] or found[2], 16))
        one = line[self.column : self.column + 1]
        if one not in _ESCAPES:
            raise _Bad(self.number, f"`\\{one}` is no escape")
        self.column += 1
        return _ESCAPES[one]
