from __future__ import annotations

import pytest

from antiphon.menu.cursor import typing_at
from antiphon.menu.guess import guess
from antiphon.menu.menu import Question, question
from antiphon.menu.seen import Row, Run, Seen


@pytest.mark.parametrize(
    ("look", "is_strong"),
    [
        ("7", True), ("1;7", True), ("44", True), ("100", True), ("48;5;3", True),
        ("38;5;7;48;5;1", True), ("38;5;102", False), ("38;5;7", False), ("58;5;7", False),
        ("38;2;7;7;7", False), ("38;2;7;7;7;7", True), ("1;38;5;61", False),
    ],
)  # fmt: skip
def test_a_background_is_strong_and_the_number_of_a_colour_is_no_look(
    look: str, is_strong: bool
) -> None:
    assert Run(0, 1, look).is_strong is is_strong


def screen(*rows: str, cursor: tuple[int, int] | None = None) -> Seen:
    """The cursor at the end of the last row, unless it is said."""
    row, col = cursor or (len(rows) - 1, len(rows[-1]))
    return Seen(tuple(map(Row, rows)), row, col)


def test_a_question_is_left_when_the_cursor_is_on_another_row() -> None:
    asked = question(screen("Sure?"), is_line_mode=False)
    same, gone = screen("Sure? y"), screen("Sure? y", "Really?")
    assert asked.still_asks(same, "y") and not asked.is_left(same)
    assert asked.still_asks(gone, "y") and asked.is_left(gone)


def test_a_question_that_was_answered_is_asked_again_only_where_nothing_followed() -> None:
    asked = Question("Pw:", (), ("Name: Ann", "Pw:"))
    old = screen("Name: Ann", "Pw:")
    assert asked.asks_again(screen("Name: Ann", "Pw:"), old)
    following = screen("Name: Ann", "Pw:", "Press any key", "", cursor=(3, 0))
    assert not asked.asks_again(following, old)


def test_an_old_list_over_a_question_is_no_menu() -> None:
    rows = (Row("Pick"), Row(" red"), Row("*blue", (Run(0, 5, "7"),)), Row(" teal"), Row("Sure? "))
    seen = Seen(rows, 4, 6)
    assert typing_at(seen) == (4, 6)
    assert guess(seen).is_menu and not guess(seen, old_rows=4).is_menu


def test_a_choice_within_a_line_and_a_question_of_one_line_are_no_menus() -> None:
    """Neither gets an arrow, whatever was answered above."""
    within = (Row("✔ Pick"), Row("blue"), Row(""), Row("❯ Sure?"), Row("● Yes / ○ No"))
    assert not guess(Seen(within, 5, 0, is_cursor_shown=False), 3).is_menu
    looks = Row("? Can? › no / yes", (Run(0, 1, "36"), Run(9, 11, "36;4")))
    toggle = (Row("✔ Pick › teal", (Run(0, 1, "32"),)), looks)
    assert not guess(Seen(toggle, 2, 0, is_cursor_shown=False), 1).is_menu
