"""The words of a program: one regular expression, and what the text of a string stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator

NAME = r"[A-Za-z_][A-Za-z0-9_-]*+"
_END = r"(?=[\s()\[\]{}\";,]|\Z)"
_TEXT_END = r"(?=[\s()\[\]{}\";,:@]|\Z)"

# A string may go over line ends.  One whose closing quote is followed by more text, or that
# would run over a `(` in the first column, has lost its quote on the first line.
TOKEN = re.compile(
    rf"""
    (?: [ \t\r\n\f\v]++ | ;[^\n]*+ )*+
    (?: :({NAME})                                              # 1 a key
      | ("(?:[^"\\\n]++|\\.|\n(?!\())*+"{_TEXT_END})              # 2 a string
      | @({NAME}){_END}                                        # 3 a symbol
      | (\()                                                   # 4
      | (\))                                                   # 5
      | ({NAME}(?:\.{NAME})*+){_END}                           # 6 a word
      | (-?[0-9]++(?:\.[0-9]++)?){_END}                        # 7 a number
      | (\[)                                                   # 8
      | (\])                                                   # 9
      | (\{{)                                                  # 10
      | (\}})                                                  # 11
      | ("[^\n]*+)                                             # 12 a string without its end
      | (\Z)                                                   # 13
      | (,)                                                    # 14
      | ([^\s()\[\]{{}}";,]++ | .)                             # 15 anything else
    )
    """,
    re.VERBOSE | re.DOTALL,
)
(KEY, STRING, SYMBOL, OPEN, CLOSE, WORD, NUMBER) = range(1, 8)
(OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP, UNCLOSED, END, COMMA, OTHER) = range(8, 16)

# What editors and web pages put where a blank belongs.
FALSE_BLANKS = "\u00a0\u200b\u2007\u202f\u2028\u2029\u2060\u3000\ufeff\u0085"
CLOSERS = re.compile(r"[ \t\r\n\f\v)\]}]++")
OUTSIDE = re.compile(r"[^(\n;\"]++")  # what stands between statements and should not
DOTTED = re.compile(rf"{NAME}\.{NAME}")

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"'}
_HIGH, _LOW = range(0xD800, 0xDC00), range(0xDC00, 0xE000)


def pieces(body: str) -> Iterator[tuple[int, int, str | None]]:
    """The escapes of a string's inside: where each stands and its character, None for a bad one."""
    at = 0
    while found := _ESCAPE.search(body, at):
        start, at = found.span()
        code = int(found[1], 16) if found[1] else None
        if code is None:
            yield start, at, _NAMED.get(found[2])
        elif code in _HIGH:
            low = _ESCAPE.match(body, at)
            second = int(low[1], 16) if low and low[1] else 0
            if low and second in _LOW:
                at = low.end()
                yield start, at, chr(0x10000 + ((code - 0xD800) << 10) + second - 0xDC00)
            else:
                yield start, at, None
        else:
            yield start, at, None if code in _LOW else chr(code)


def unescaped(body: str) -> tuple[str, list[tuple[int, int]]]:
    """What a string's inside stands for, and the places of its bad escapes."""
    if "\\" not in body:
        return body, []
    parts: list[str] = []
    bad: list[tuple[int, int]] = []
    last = 0
    for start, end, character in pieces(body):
        parts.append(body[last:start])
        last = end
        if character is None:
            bad.append((start, end))
        else:
            parts.append(character)
    parts.append(body[last:])
    return "".join(parts), bad


_ESCAPED = {ord(character): f"\\{name}" for name, character in _NAMED.items()}
# What would move the cursor, hide text or turn its direction is written as a number.
_ESCAPED |= {
    code: f"\\u{code:04x}"
    for code in (
        *range(0x20), *range(0x7F, 0xA0), 0x61C, *range(0x200E, 0x2010),
        *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF, *range(0xD800, 0xE000),
    )
    if code not in _ESCAPED
}  # fmt: skip


def quoted(text: str) -> str:
    """A string of the language that stands for this text."""
    return f'"{text.translate(_ESCAPED)}"'
