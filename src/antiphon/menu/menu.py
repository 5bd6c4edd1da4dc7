"""What a waiting program asks: a menu with its options, or a question that takes text.

The texts are the program's own.  Taken away are the pointer, the marks of a paged list, common
indentation and furniture; what every row carries stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from antiphon.menu.cursor import typing_at
from antiphon.menu.pointer import Mark, Pointer, place
from antiphon.menu.seen import (
    PAGE_MARK,
    Row,
    Seen,
    bare,
    indent,
    is_mark,
    title,
    without_page_mark,
)
from antiphon.menu.width import in_columns, said

CONTEXT_ROWS_MAX = 60


@dataclass(frozen=True, slots=True)
class Option:
    text: str
    is_reachable: bool = True
    pointed: str = ""  # its row while the pointer is on it


@dataclass(frozen=True, slots=True)
class Menu:
    """A list and where its pointer stands."""

    prompt: str
    options: tuple[Option, ...]
    context: tuple[str, ...]
    pointer: Pointer | None  # None: there is one option, and nothing can move
    at: int

    def is_like(self, other: Menu | Question) -> bool:
        """Whether it asks the same."""
        return (
            isinstance(other, Menu)
            and self.prompt == other.prompt
            and [one.text for one in self.options] == [one.text for one in other.options]
        )


@dataclass(frozen=True, slots=True)
class Question:
    """The answer is text; `head` are the rows that stay while it is typed.

    The last of them ends at the cursor; from `field` on it may be a default that typing replaces.
    """

    prompt: str
    context: tuple[str, ...]
    head: tuple[str, ...]
    field: int = 0

    def is_like(self, other: Menu | Question) -> bool:
        return isinstance(other, Question) and self.prompt == other.prompt

    def still_asks(self, seen: Seen, typed: str = "") -> bool:
        """The rows above, and the line up to where the text began, are as they were."""
        rows = [row.text for row in seen.rows[: len(self.head)]]
        if rows[:-1] != list(self.head[:-1]) or len(rows) < len(self.head):
            return False
        begin = self.head[-1][: self.field]
        has_replaced = bool(typed) and rows[-1].startswith(begin + in_columns(typed))
        return has_replaced or rows[-1].startswith(self.head[-1])

    def asks_again(self, seen: Seen, old: Seen) -> bool:
        """It is asked once more in its old place, and nothing was said below."""
        below = len(self.head)
        now, then = ([row.text for row in one.rows[below:]] for one in (seen, old))
        return now == then and self.still_asks(seen) and not self.is_left(seen)

    def is_answered_by(self, text: str, row: int) -> bool:
        """It is the line that was typed in, with the answer behind it."""
        return row == len(self.head) - 1 and text.startswith(self.head[-1])

    def is_left(self, seen: Seen) -> bool:
        """The cursor has gone on to another row: what stands there is asked now."""
        at = typing_at(seen)
        if at is None and not seen.is_cursor_shown:
            return False  # nobody knows where it is
        return (seen.cursor_row if at is None else at[0]) != len(self.head) - 1


Asked = Menu | Question


def chosen(texts: Sequence[str], words: str, index: int | None = None) -> int | None:
    """The option that equals the words, else the first that contains them; none for no words.

    With an index it is that one, if the words are in it: two options may say the same.
    """
    if not words:
        return None
    if index is not None:
        return index if index < len(texts) and words in texts[index] else None
    if words in texts:
        return texts.index(words)
    return next((at for at, text in enumerate(texts) if words in text), None)


# --- rows -----------------------------------------------------------------------


def identity(row: Row, pointer: Pointer) -> str:
    """What a row says, wherever the pointer is and however the list is paged."""
    return without_page_mark(pointer.rested(row))


def words(row: Row, pointer: Pointer) -> str:
    """The row without pointer and furniture, everything in its place."""
    return bare(pointer.text(row))


def unsigned(text: str, resting: str | None) -> str:
    """The words of a row without the signs that the pointer has put behind them."""
    if resting is None or not text.startswith(resting.rstrip()):
        return text
    return resting if is_mark(text[len(resting.rstrip()) :]) else text


def aligned(rows: Sequence[str]) -> list[str]:
    """Without page marks and common indentation."""
    begins = [indent(row) for row in rows if row.strip()]
    if not begins:
        return [row.strip() for row in rows]
    usual = next(
        (begin for begin in sorted(set(begins), reverse=True) if _are_marked(rows, begin)),
        max(set(begins), key=lambda begin: (begins.count(begin), begin)),
    )
    unmarked = [_without_page_mark(row, usual) for row in rows]
    common = min(indent(row) for row in unmarked if row.strip())
    return [row[common:].rstrip() for row in unmarked]


def aligned_behind(rows: Sequence[str], pointer: Pointer) -> list[str]:
    """The same where every row carries a sign in the pointer's place: it belongs to the option."""
    if not isinstance(pointer, Mark) or not pointer.rest.strip():
        return aligned(rows)
    end = pointer.column + len(pointer.sign)
    signs = (pointer.sign, pointer.rest)
    behind = [row[end:] if row[pointer.column : end] in signs else None for row in rows]
    words_of = iter(aligned([text for text in behind if text is not None]))
    joined = [
        row if text is None else f"{row[:end]} {next(words_of)}"
        for row, text in zip(rows, behind, strict=True)
    ]
    return aligned(joined)


def _are_marked(rows: Sequence[str], begin: int) -> bool:
    """Whether all rows that begin further left have a page mark there, and their words here."""
    left = [row for row in rows if row.strip() and indent(row) < begin]
    return all(PAGE_MARK.match(row[:begin].lstrip()) and indent(row[begin:]) == 0 for row in left)


def _without_page_mark(row: str, usual: int) -> str:
    """A sign to the left of where the rows begin, apart from the words."""
    mark = row[:usual]
    if usual > 1 and is_mark(mark) and len(mark.strip()) <= 1 and not mark[-1].strip():
        return " " * usual + row[usual:]
    return row


# --- what stands around ---------------------------------------------------------


def heading(seen: Seen, first: int, frame_tops: Sequence[int], old_rows: int) -> int | None:
    """The row of the prompt: the first of the frame, else of the lines over the list."""
    head = _above_filter(seen, _heading(seen, first, frame_tops, old_rows), old_rows)
    if head is None:
        head = next((row for row in range(first - 1, -1, -1) if title(seen.text(row))), None)
    return head


def _heading(seen: Seen, first: int, frame_tops: Sequence[int], old_rows: int) -> int | None:
    for top in frame_tops:
        for row in range(max(top, 0), first):
            if bare(seen.text(row)).strip():
                return row
    row = first - 1
    while row >= old_rows and not bare(seen.text(row)).strip():
        row -= 1
    if row < old_rows:
        row = first - 1
        while row >= 0 and not bare(seen.text(row)).strip():
            row -= 1
        return row if row >= 0 else None
    while row > old_rows and bare(seen.text(row - 1)).strip():
        row -= 1
    return row


def _above_filter(seen: Seen, head: int | None, old_rows: int) -> int | None:
    """The row over a line that filters the list, where that line has no words of its own."""
    at = typing_at(seen)
    if head is None or at is None or head != at[0]:
        return head
    before = seen.text(head)[: at[1]]
    is_wordless = not any(map(str.isalnum, before))
    has_above = head > old_rows and bare(seen.text(head - 1)).strip()
    return head - 1 if is_wordless and has_above else head


def alone(seen: Seen, row: int, head: int | None) -> Menu:
    """A list of one option, which nothing moves on."""
    text = bare(seen.text(row)).strip()
    sign, _, rest = text.partition(" ")
    name = rest.strip() if rest and not any(map(str.isalnum, sign)) else text
    prompt = "" if head is None else shown(seen, head)
    after = lines(seen, range(row + 1, len(seen.rows)))
    return Menu(prompt, (Option(said(name), pointed=name),), after, None, 0)


def shown(seen: Seen, row: int) -> str:
    """What a row says."""
    return said(bare(seen.text(row)).strip() or title(seen.text(row)))


def titled(menu: Menu, whole: Seen, hidden: frozenset[int]) -> Menu:
    """Under a title that changes by itself, as one with a clock in it does."""
    row = None if menu.prompt or menu.pointer is None else place(menu.pointer, whole)
    above = [one for one in hidden if row is not None and one < row and bare(whole.text(one))]
    return replace(menu, prompt=shown(whole, max(above))) if above else menu


def lines(seen: Seen, rows: Sequence[int]) -> tuple[str, ...]:
    found = [shown(seen, row) for row in rows]
    return tuple(text for text in found if text)[-CONTEXT_ROWS_MAX:]


def question(seen: Seen, *, is_line_mode: bool, old_rows: int = 0) -> Question:
    """A screen that waits for text."""
    at = typing_at(seen)
    row, col = at if at is not None else (seen.cursor_row, seen.cursor_col)
    before = bare(seen.text(row)[:col]).strip()
    prompt = row
    is_wordless = not seen.is_cursor_shown and not any(map(str.isalnum, before))
    if not before or is_wordless or _is_field(seen.rows[row]):
        above = [one for one in range(row) if bare(seen.text(one)).strip()]
        if above:
            prompt = (
                above[-1] if is_line_mode or at is not None else _first(seen, above[-1], old_rows)
            )
        elif not before:
            below = [one for one in range(row, len(seen.rows)) if bare(seen.text(one)).strip()]
            prompt = below[0] if below else row
    around = [one for one in range(old_rows, len(seen.rows)) if one != prompt]
    head = [one.text for one in seen.rows[:row]] + [seen.text(row)[:col].rstrip()]
    begins = [run.start for run in seen.rows[row].runs if run.start < col <= run.end]
    return Question(shown(seen, prompt), lines(seen, around), tuple(head), *begins[:1])


def _is_field(row: Row) -> bool:
    """Its words stand in a field of their own look."""
    shown = row.visible()
    return any(run.is_strong and run.end - run.start > 1 for run in shown) and len(row.runs) > 1


def _first(seen: Seen, row: int, old_rows: int) -> int:
    while row > old_rows and bare(seen.text(row - 1)).strip():
        row -= 1
    return row
