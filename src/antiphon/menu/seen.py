"""A screen as one looks at it: lines of text, how each stretch looks, where the cursor is.

A place in a line is a column: a wide character has a second one behind it.

What a program draws around its text, box lines and scroll bars, is furniture and reads as blank.
This module does not know what a menu is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

# Lines and corners of boxes; a program draws them around what it says.
_BOX_LINES = re.compile("[─-╿]")
# Blocks at both ends of a line are the sides of a box, and a line of them is one of its edges.
_BLOCKS = re.compile("[▀-▟]")
_BLOCK_SIDES = re.compile("(\\s*)([▀-▟]+)(.*?)([▀-▟]+)(\\s*)")
_ASCII_RULE = re.compile(r"[-+=_|\s]{4,}")
_ASCII_SIDES = re.compile(r"(\s*)\|(.*)\|(\s*)")
# A scroll bar at the right edge stands apart from the text.
_SCROLL_BAR = re.compile(r"(\s[█▓▒░▐▲▼▮]|\s\s[↑↓■□#])$")
_CORNERS = frozenset("┌┐└┘╭╮╰╯╔╗╚╝┏┓┗┛├┤")
# The number of a colour of the text, or of its line, is none of what follows.
_COLOUR = re.compile(r"(?:38|58)[;:](?:5[;:]\d+|2(?:(?:;\d*){3}|(?::\d*){3,4}))")
# Reverse video, or a background of its own.
_STRONG = re.compile(r"(?:^|;)(?:7|4[0-7]|10[0-7]|48;[\d;]+)(?:;|$)")
_GROUND = re.compile(
    r"(?:^|;)(7|4[0-7]|10[0-7]|48[;:](?:5[;:]\d+|2(?:(?:;\d*){3}|(?::\d*){3,4})))(?=;|$)"
)
# Dimmed, or grey.
_FAINT = re.compile(r"(?:^|;)(?:2|90)(?:;|$)")
_GREY = "38;5;8"
_REVERSED = "7"
# The darker half of the greys: of the 256 colours, and of mixed ones.
_GREYS = (232, 243)
_GREY_SPREAD, _DARK_BELOW = 16, 128

# Arrows, triangles and dots before a row say that the list goes on.
PAGE_MARK = re.compile(
    r"^(?:[\u2190-\u21ff\u25b2-\u25c5\u2b00-\u2b4f\u2303\u2304…⋮]\ufe0e?|\.{2,3})\s+"
)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a line that looks one way: the parameters of its SGR sequence."""

    start: int
    end: int
    look: str

    @property
    def is_strong(self) -> bool:
        return _STRONG.search(_COLOUR.sub("", self.look)) is not None


@dataclass(frozen=True, slots=True)
class Row:
    """One line; what looks plain is in no run."""

    text: str
    runs: tuple[Run, ...] = ()

    def look_at(self, index: int) -> str:
        return next((run.look for run in self.runs if run.start <= index < run.end), "")

    def visible(self) -> tuple[Run, ...]:
        """The runs that have text in them."""
        return tuple(run for run in self.runs if self.text[run.start : run.end].strip())


@dataclass(frozen=True, slots=True)
class Seen:
    """A screen at one moment; rows and columns count from 0."""

    rows: tuple[Row, ...]
    cursor_row: int = 0
    cursor_col: int = 0
    is_cursor_shown: bool = True
    is_alternate: bool = False

    def text(self, row: int) -> str:
        return self.rows[row].text if 0 <= row < len(self.rows) else ""

    def is_blank(self) -> bool:
        return not any(row.text.strip() for row in self.rows)


def ground(look: str) -> str:
    """What a look says of the background."""
    return ";".join(_GROUND.findall(_COLOUR.sub("", look)))


def is_faint(look: str) -> bool:
    rest = _COLOUR.sub("", look)
    is_dim = look == _GREY or _FAINT.search(rest) is not None
    return is_dim and _STRONG.search(rest) is None


def is_dark(look: str) -> bool:
    """Its background is a dark grey, as of what is not chosen."""
    if (found := _GROUND.search(_COLOUR.sub("", look))) is None:
        return False
    numbers = [int(one) for one in re.findall(r"\d+", found[1])]
    match numbers:
        case [100] | [48, 5, 8]:
            return True
        case [48, 5, number]:
            return _GREYS[0] <= number <= _GREYS[1]
        case [48, 2, *_]:
            levels = numbers[-3:]
            return max(levels) - min(levels) <= _GREY_SPREAD and max(levels) < _DARK_BELOW
    return False


def bare(text: str) -> str:
    """The line without its furniture; every character stays in its place."""
    if is_rule(text):
        return ""
    text = _BOX_LINES.sub(" ", text)
    if sides := _BLOCK_SIDES.fullmatch(text):
        text = sides[1] + " " * len(sides[2]) + sides[3] + " " * len(sides[4]) + sides[5]
    if sides := _ASCII_SIDES.fullmatch(text):
        text = f"{sides[1]} {sides[2]} {sides[3]}"
    return _SCROLL_BAR.sub("", text.rstrip()).rstrip()


def is_rule(text: str) -> bool:
    """The upper or lower edge of a box, with or without a title, or a line across."""
    stripped = text.strip()
    if not stripped:
        return False
    if _ASCII_RULE.fullmatch(stripped):
        return True
    ends_in_corners = len(stripped) > 1 and stripped[0] in _CORNERS and stripped[-1] in _CORNERS
    return ends_in_corners or not _BLOCKS.sub("", _BOX_LINES.sub("", stripped))


def title(text: str) -> str:
    """What stands in the upper edge of a box."""
    words = _BOX_LINES.sub(" ", text).strip() if is_rule(text) else ""
    return words if any(map(str.isalnum, words)) else ""


def indent(text: str) -> int:
    """Where the text begins; its length when it is blank."""
    return len(text) - len(text.lstrip())


def is_mark(text: str) -> bool:
    """Signs and blanks only: no letter, no digit."""
    return bool(text.strip()) and not any(character.isalnum() for character in text)


def without_page_mark(text: str) -> str:
    """What a row says, however the list is paged."""
    return PAGE_MARK.sub("", bare(text).strip(), count=1)


def masked(seen: Seen, rows: frozenset[int]) -> Seen:
    """The screen without these rows."""
    if not rows:
        return seen
    return Seen(
        rows=tuple(Row("") if index in rows else row for index, row in enumerate(seen.rows)),
        cursor_row=seen.cursor_row,
        cursor_col=seen.cursor_col,
        is_cursor_shown=seen.is_cursor_shown,
        is_alternate=seen.is_alternate,
    )


def with_cursor(seen: Seen) -> Seen:
    """The row of the cursor looks reversed from there on, as if the program had marked it."""
    rows, at = list(seen.rows), seen.cursor_row
    if at < len(rows) and rows[at].text.strip():
        text = rows[at].text
        rows[at] = Row(text, (Run(seen.cursor_col, len(text), _REVERSED),))
    return replace(seen, rows=tuple(rows))


def changed_rows(before: Seen, after: Seen) -> int:
    shared = zip(before.rows, after.rows, strict=False)
    return sum(a != b for a, b in shared) + abs(len(before.rows) - len(after.rows))
