"""Choices side by side on one row, of which one looks marked: buttons, or words apart.

Which one that is, is read from how they look against what is between them.  That they are choices
at all is learned as with a list: an arrow must move the mark, and it is brought back.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from antiphon.menu.cursor import typing_at
from antiphon.menu.menu import Menu, Option, heading, lines, shown
from antiphon.menu.pointer import is_hollow
from antiphon.menu.seen import Row, Seen, bare, changed_rows, ground, is_dark, is_faint
from antiphon.menu.walk import NoMenu, Press
from antiphon.menu.width import said

_BUTTON = re.compile(r"[<\[(]\s*([^\s<>\[\]()](?:[^<>\[\]()]*[^\s<>\[\]()])?)\s*[>\])]")
_BUTTONS = re.compile(rf"\s*(?:{_BUTTON.pattern}\s*){{2,}}")
# Words apart: by blanks, by a sign with blanks around it, or by the sign before the next.
_TICK = r"[\[(<].[\])>]"
_WORDS = re.compile(rf"(?:{_TICK}(?=\s)|(?!\s{{2}}|\s[/|·•]\s|\s(?:{_TICK}|[^\w\s]{{1,2}})\s).)+")
_SIGNS = " /|·•"
_LEAD = re.compile(rf"({_TICK}|[^\w\s?]{{1,2}})\s+(?=\S)")
_WORDS_LENGTH_MAX = 40
# Between the words of a question and its cursor.
_BLANKS_MAX = 3
# The row itself, and lines that tell of what is marked.
_MOVED_ROWS_MAX = 3


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    start: int
    end: int
    words: tuple[int, int]  # its columns without sign and brackets
    sign: str = ""  # before it, or what is around it


@dataclass(frozen=True, slots=True)
class Choices:
    """A row of them, and which one looks marked."""

    row: int
    texts: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Abreast(Menu):
    """A menu on one row, which Left and Right move along."""

    row: int = -1

    def marked(self, seen: Seen) -> int | None:
        """The option that is marked; None when its row is not as it was."""
        found = choices_at(seen, self.row)
        texts = tuple(one.text for one in self.options)
        return found.at if found is not None and found.texts == texts else None


def side_by_side(seen: Seen, old_rows: int = 0) -> Choices | None:
    """The one row of choices that a key could move along, if there is one."""
    at = typing_at(seen)
    found = []
    for row in range(max(old_rows, 1), len(seen.rows)):
        if at is not None and at[0] != row:
            continue
        choices = choices_at(seen, row)
        if choices is None or not any(bare(seen.text(one)).strip() for one in range(row)):
            continue
        if at is None or _may_be_marked_by(at[1], choices.at, seen, row):
            found.append(choices)
    strong = [one for one in found if _is_strong(seen.rows[one.row])]
    likely = strong or found
    return likely[0] if len(likely) == 1 else None


def only_row(seen: Seen) -> int | None:
    """The row of a list of one over buttons: all its words on a ground that no row beside has."""
    buttons = [at for at in range(len(seen.rows)) if _BUTTONS.fullmatch(bare(seen.text(at)))]
    at = typing_at(seen)
    if not buttons or at not in (None, (buttons[-1], seen.cursor_col)):
        return None
    found = [row for row in range(1, buttons[-1]) if _is_on_its_own_ground(seen, row)]
    return found[0] if len(found) == 1 else None


def _is_on_its_own_ground(seen: Seen, row: int) -> bool:
    line, text = seen.rows[row], bare(seen.text(row))
    places = [at for at, sign in enumerate(text) if sign.strip()]
    grounds = {ground(line.look_at(at)) for at in places}
    if len(grounds) != 1 or "" in grounds:
        return False
    around = {ground(seen.rows[row + step].look_at(places[0])) for step in (-1, 1)}
    return not grounds & around


def choices_at(seen: Seen, row: int) -> Choices | None:
    """What stands side by side on this row, with one of them marked."""
    if not 0 <= row < len(seen.rows):
        return None
    line = seen.rows[row]
    choices = _choices(line)
    if len(choices) < 2:
        return None
    has_cursor = seen.is_cursor_shown and seen.cursor_row == row
    at = _marked(line, choices, _choice_in(choices, seen.cursor_col) if has_cursor else None)
    return None if at is None else Choices(row, tuple(one.text for one in choices), at)


def takes_text_unseen(seen: Seen) -> bool:
    """What is typed may be hidden: the cursor stands behind words, and those are no choices."""
    at = typing_at(seen)
    if at is not None:
        return choices_at(seen, at[0]) is None
    text = bare(seen.text(seen.cursor_row))
    is_behind = bool(text) and 0 <= seen.cursor_col - len(text) <= _BLANKS_MAX
    is_one = len([one for one in _WORDS.findall(text) if one.strip(_SIGNS)]) == 1
    return is_behind and is_one and not seen.is_cursor_shown


def _choices(line: Row) -> list[Choice]:
    text = bare(line.text)
    if _BUTTONS.fullmatch(text):
        return [
            Choice(said(one[1]), one.start(), one.end(), one.span(1))
            for one in _BUTTON.finditer(text)
        ]
    found = []
    for one in _WORDS.finditer(text):
        words = one[0].strip(_SIGNS)
        if not words:
            continue
        choice = _choice(words, one.start() + one[0].index(words))
        if choice is None:
            return []
        found.append(choice)
    return found


def _choice(words: str, start: int) -> Choice | None:
    """Words with a sign before them, or with brackets around them, or as they are."""
    end, sign, begin, length = start + len(words), "", 0, len(words)
    if lead := _LEAD.match(words):
        sign, begin = lead[1], lead.end()
    elif button := _BUTTON.fullmatch(words):
        sign, begin, length = words[0], button.start(1), button.end(1)
    text = words[begin:length]
    inner = (start + begin, start + length)
    return Choice(said(text), start, end, inner, sign) if _is_choice(text) else None


def _is_choice(words: str) -> bool:
    """Neither a question, nor a sign or key with what it does."""
    return words[0].isalnum() and words[-1] not in "?:" and len(words) <= _WORDS_LENGTH_MAX


def _choice_in(choices: Sequence[Choice], col: int) -> int | None:
    return next((at for at, one in enumerate(choices) if one.start <= col < one.end), None)


def _may_be_marked_by(col: int, at: int, seen: Seen, row: int) -> bool:
    """The cursor stands in the marked one, or in a full screen where the drawing of them ended."""
    choices = _choices(seen.rows[row])
    is_behind = 0 <= col - choices[-1].end <= 1 and _is_strong(seen.rows[row])
    return _choice_in(choices, col) == at or (seen.is_alternate and is_behind)


def _is_strong(line: Row) -> bool:
    looks = [_usual(line, one, is_ground=True) for one in _choices(line)]
    return len(set(looks)) > 1


def _marked(line: Row, choices: Sequence[Choice], cursor: int | None) -> int | None:
    """By its sign, by its background, or where all have the same, by its look."""
    if any(one.sign for one in choices):
        at = _signed([one.sign for one in choices])
        return at if cursor in (None, at) else None
    for is_ground in (True, False):
        looks = [_usual(line, one, is_ground=is_ground) for one in choices]
        if len(set(looks)) == 1:
            continue
        at = _odd(looks, _between(line, choices, is_ground=is_ground))
        if at is None and cursor is not None and looks.count(looks[cursor]) == 1:
            return cursor
        return at if cursor in (None, at) else None
    return None


def _signed(signs: Sequence[str]) -> int | None:
    """The only one that has a sign, or whose sign is not an empty one."""
    filled = [at for at, sign in enumerate(signs) if sign and not is_hollow(sign)]
    is_told = len(filled) == 1 and len(set(signs)) == 2
    return filled[0] if is_told else None


def _odd(looks: Sequence[str], between: str) -> int | None:
    """The only one of its look: not that of what is between them, unless the others are faint.

    Of two, the other one must be faint or look like what is between them: else either could be it.
    """
    if len(set(looks)) != 2:
        return None
    for at, look in enumerate(looks):
        other = next(one for one in looks if one != look)
        if looks.count(look) > 1:
            continue
        if look == between and is_faint(other):
            return at
        is_dim = is_faint(other) or (is_dark(other) and not is_dark(look))
        is_told = other == between or len(looks) > 2 or is_dim
        if look != between and not is_faint(look) and is_told:
            return at
    return None


def _usual(line: Row, choice: Choice, *, is_ground: bool) -> str:
    """How most of its letters look."""
    places = [at for at in range(*choice.words) if line.text[at].strip()]
    return _most(line, places, is_ground=is_ground)


def _between(line: Row, choices: Sequence[Choice], *, is_ground: bool) -> str:
    """How it looks there, without what the choices are filled up with at their sides."""
    places: list[int] = []
    for one, following in itertools.pairwise(choices):
        gap = list(range(one.end, following.start))
        looks = [_usual(line, side, is_ground=is_ground) for side in (one, following)]
        bare_gap = [at for at in gap if _most(line, [at], is_ground=is_ground) not in looks]
        places += bare_gap or gap
    return _most(line, places, is_ground=is_ground)


def _most(line: Row, places: Sequence[int], *, is_ground: bool) -> str:
    """The look of more of them than any other."""
    looks = [line.look_at(at) for at in places]
    counted = Counter(map(ground, looks) if is_ground else looks).most_common(2)
    is_tie = len(counted) > 1 and counted[0][1] == counted[1][1]
    return "" if is_tie or not counted else counted[0][0]


class Across:
    """A step along the row and back; `home` is where the mark stood before any key."""

    def __init__(
        self, start: Seen, found: Choices, home: int, old_rows: int, frame_row: int | None
    ) -> None:
        self.start = self.last = start
        self.found = found
        self.home = home
        self.old_rows = old_rows
        self.frame_tops = [] if frame_row is None else [frame_row]
        self.at = found.at
        self.has_moved = self.is_given_up = False
        self.steps = 0
        self.key = "Right" if found.at + 1 < len(found.texts) else "Left"

    def begin(self) -> Press:
        return Press(self.key)

    def saw(self, seen: Seen) -> Press | Menu | NoMenu:
        """The screen after the key, at rest."""
        self.steps += 1
        if self.is_given_up:
            return NoMenu()
        at = self._read(seen)
        if not self.has_moved and not self._is_step(seen, at):
            return self._given_up(seen)
        self.has_moved, self.last = True, seen
        if at is None or self.steps > 2 * len(self.found.texts):
            return NoMenu()
        self.at = at
        if at == self.home:
            return self._menu(seen)
        self.key = "Right" if at < self.home else "Left"
        return Press(self.key)

    def doubts(self, seen: Seen) -> bool:
        """Whether the key has moved nothing: the screen may only be late."""
        return not self.is_given_up and self._read(seen) in (None, self.at)

    def _read(self, seen: Seen) -> int | None:
        found = choices_at(seen, self.found.row)
        return found.at if found is not None and found.texts == self.found.texts else None

    def _is_step(self, seen: Seen, at: int | None) -> bool:
        if at is None or changed_rows(self.start, seen) > _MOVED_ROWS_MAX:
            return False
        return at > self.at if self.key == "Right" else at < self.at

    def _given_up(self, seen: Seen) -> Press | NoMenu:
        """The other key may move it; what the first one has done to the screen it undoes."""
        if seen == self.last and self.steps > 1:
            return NoMenu()
        self.is_given_up = seen != self.last
        self.key = "Left" if self.key == "Right" else "Right"
        return Press(self.key)

    def _menu(self, seen: Seen) -> Menu | NoMenu:
        row = self.found.row
        head = heading(seen, row, self.frame_tops, self.old_rows)
        if head is None:
            return NoMenu()
        around = [one for one in range(self.old_rows, len(seen.rows)) if one not in (head, row)]
        options = tuple(Option(text, pointed=text) for text in self.found.texts)
        return Abreast(shown(seen, head), options, lines(seen, around), None, self.at, row)
