"""Where text would be typed on a screen, if anywhere: a cursor, real or drawn, and its place."""

from __future__ import annotations

from antiphon.menu.rows import beside, words_from
from antiphon.menu.seen import Row, Run, Seen, bare, indent, is_mark

# Between the words of a question and its cursor.
_BLANKS_MAX = 3


def typing_at(seen: Seen) -> tuple[int, int] | None:
    """Where text would be typed: a cursor, real or drawn, behind some words of its line."""
    drawn = drawn_cursor(seen)
    if drawn is not None:
        return drawn
    if not seen.is_cursor_shown:
        return None
    line = seen.text(seen.cursor_row)
    before = bare(line)[: seen.cursor_col]
    if _is_filled_up_to(seen, seen.cursor_col):
        return None
    if not before.strip():
        return (seen.cursor_row, seen.cursor_col) if _is_an_empty_field(seen) else None
    if _is_in_a_mark(seen, seen.cursor_row, seen.cursor_col) or _ends_a_list(seen):
        return None
    return (seen.cursor_row, seen.cursor_col)


def _ends_a_list(seen: Seen) -> bool:
    """It is where the drawing of a list ended: right behind the words of the last row.

    A question leaves a blank or a sign before its cursor.  Above stands, in line, the row that is
    marked, and above that what is asked.
    """
    last = bare(seen.text(seen.cursor_row))
    if seen.cursor_col != len(last) or not is_drawn_up_to(seen):
        return False
    begin = indent(last)
    for row in range(seen.cursor_row - 1, 0, -1):
        text = bare(seen.text(row))
        if indent(text) == begin < len(text):
            if not any(run.is_strong for run in seen.rows[row].visible()):
                continue
        elif not text or words_from(text, indent(text)) != begin or "?" in text[:begin]:
            return False
        return any(bare(seen.text(above)).strip() for above in range(row))
    return False


def is_drawn_up_to(seen: Seen) -> bool:
    """The cursor is right behind a word: no sign asks for anything there."""
    before = bare(seen.text(seen.cursor_row))[: seen.cursor_col]
    return before[-1:].isalnum() or before[-1:] in (")", "]")


def _is_filled_up_to(seen: Seen, col: int) -> bool:
    """The cursor is where a row was filled up with blanks of its look: nothing is typed there."""
    row = seen.rows[seen.cursor_row] if seen.cursor_row < len(seen.rows) else Row("")
    behind = col - len(row.text[:col].rstrip())
    return behind > _BLANKS_MAX and any(
        run.start < col <= run.end + 1 and run.is_strong and run.end - behind >= run.start
        for run in row.runs
    )


def _is_an_empty_field(seen: Seen) -> bool:
    """The cursor stands at the beginning of a stretch of its own look, with nothing in it yet."""
    row = seen.rows[seen.cursor_row] if seen.cursor_row < len(seen.rows) else Row("")
    start = seen.cursor_col
    return any(
        run.start == start and run.end - run.start > 1 and run.is_strong
        for run in row.runs
        if not row.text[run.start : run.end].strip(" _")
    )


def _is_in_a_mark(seen: Seen, row: int, col: int) -> bool:
    """Dialogs put the cursor into the tick mark of the row that is pointed at."""
    text = bare(seen.text(row))
    start = indent(text)
    words = words_from(text, start)
    return start <= col <= words and any(
        words_from(bare(seen.text(other)), start) == words for other in beside(seen, row)
    )


def drawn_cursor(seen: Seen) -> tuple[int, int] | None:
    """One reversed cell: some programs hide the cursor and draw their own."""
    if seen.is_cursor_shown:
        return None
    found = [
        (index, run.start)
        for index, row in enumerate(seen.rows)
        for run in row.runs
        if run.end - run.start == 1 and run.is_strong and not _is_an_option(seen, index, run)
    ]
    return found[-1] if len(found) == 1 else None


def _is_an_option(seen: Seen, index: int, run: Run) -> bool:
    """An option of one letter: nothing else is in its row, and others stand in line with it."""
    text = seen.text(index)
    letter = text[run.start : run.end].strip()
    if bare(text).strip() != letter or is_mark(letter):
        return False
    return any(indent(bare(seen.text(other))) == run.start for other in beside(seen, index))
