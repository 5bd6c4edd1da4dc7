from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.menu.abreast import (
    Abreast,
    Across,
    choices_at,
    only_row,
    side_by_side,
    takes_text_unseen,
)
from antiphon.menu.approach import Arrived, Astray, Sidestep
from antiphon.menu.seen import Row, Run, Seen, ground
from antiphon.menu.walk import NoMenu, Press, Step
from tests.clauses import clause

ASKED = "Overwrite it?"
WORDS = ("Yes", "No", "Ask again")


def row(text: str, *marked: str, look: str = "7") -> Row:
    """A row in which these words have a look."""
    return Row(
        text, tuple(Run(text.index(one), text.index(one) + len(one), look) for one in marked)
    )


def screen(*rows: Row, cursor: tuple[int, int] | None = None) -> Seen:
    at = cursor or (0, 0)
    return Seen(tuple(rows), *at, is_cursor_shown=cursor is not None)


def words(at: int, hint: str = "") -> Seen:
    return screen(Row(ASKED), Row(""), row("  Yes   No   Ask again", WORDS[at]), Row(""), Row(hint))


def presented(seen: Seen) -> Abreast:
    """The menu of a row whose mark goes where it is sent."""
    found = side_by_side(seen)
    assert found is not None
    across = Across(seen, found, found.at, 0, None)
    at = found.at
    step: Step = across.begin()
    while isinstance(step, Press):
        at += 1 if step.key == "Right" else -1
        step = across.saw(words(at))
    assert isinstance(step, Abreast)
    return step


@clause("components 2.2")
@pytest.mark.parametrize(
    ("line", "texts", "at"),
    [
        (row("   <Yes>    <No>", "<No>"), ("Yes", "No"), 1),
        (row("[ OK ] [ Cancel ]", "[ OK ]"), ("OK", "Cancel"), 0),
        (row("  Yes / No", "Yes", look="36"), ("Yes", "No"), 0),
        (row("Yes | No | Maybe", "Maybe", look="1;34"), ("Yes", "No", "Maybe"), 2),
        (row(" Keep both   Replace ", " Replace "), ("Keep both", "Replace"), 1),
        (row("Stay    Leave", "Leave", look="2"), ("Stay", "Leave"), 0),
        (row("\u2502  <Yes>  <No>  \u2502", "<Yes>", look="44"), ("Yes", "No"), 0),
        (Row("\u276f Yes   No"), ("Yes", "No"), 0),
        (Row("   Yes > No   Always"), ("Yes", "No", "Always"), 1),
        (Row("(\u2022) Yes  ( ) No"), ("Yes", "No"), 0),
        (Row("\u2502  \u25cb Yes / \u25cf No"), ("Yes", "No"), 1),
        (Row(" Yes   [No]"), ("Yes", "No"), 1),
        (Row("  Yes    No  ", (Run(0, 7, "48;5;212"), Run(7, 13, "48;5;237"))), ("Yes", "No"), 0),
    ],
)
def test_one_of_the_choices_on_a_row_is_marked(line: Row, texts: tuple[str, ...], at: int) -> None:
    found = side_by_side(screen(Row(ASKED), line))
    assert found is not None and (found.texts, found.at, found.row) == (texts, at, 1)


@clause("components 2.7", "components 2.2")
@pytest.mark.parametrize(
    "line",
    [
        Row("  <Yes>   <No>"),
        row("  <Ok>  ", "<Ok>"),
        row("\u2191/\u2193 move   enter select", "move"),
        row("? Can? \u203a no / yes", "yes", look="36;4"),
        row("Sure?   Yes   No", "Yes"),
        row("  Yes   No", "Yes", "No"),
        row("Yes or No", "Yes"),
        row("[x]  [ ]", "[x]"),
        Row("Yes   No", (Run(0, 3, "44"), Run(6, 8, "47"))),
        row("Ready   Steady   Go", "Ready", "Go"),
        Row("? Yes   No"),
        Row("\u2191 up   \u2193 down"),
        Row("\u25cb Yes / \u25cb No"),
        Row("[Y]es   [N]o"),
    ],
    ids=lambda line: line.text.strip(),
)
def test_a_row_of_words_is_no_choice(line: Row) -> None:
    assert side_by_side(screen(Row(ASKED), line)) is None


def test_a_row_with_nothing_above_it_and_one_beside_a_field_are_no_choice() -> None:
    buttons = row("  <Ok>   <Cancel>", "<Ok>")
    assert side_by_side(screen(Row(""), buttons)) is None
    assert side_by_side(screen(Row("Name: Ann"), buttons, cursor=(0, 9))) is None
    assert side_by_side(screen(Row("Sure"), buttons, cursor=(1, 3))) is not None
    behind = screen(Row("Sure"), buttons, cursor=(1, 18))
    assert side_by_side(behind) is None
    assert side_by_side(replace(behind, is_alternate=True)) is not None


def test_two_rows_with_a_mark_are_no_choice_unless_one_is_strong() -> None:
    blue, strong = row("One   Two", "One", look="34"), row("Yes   No", "No")
    assert side_by_side(screen(Row(ASKED), blue, Row(""), blue)) is None
    found = side_by_side(screen(Row(ASKED), blue, Row(""), strong))
    assert found is not None and found.row == 3


def test_the_cursor_tells_which_of_two_colours_is_the_mark() -> None:
    both = Row("<Yes>   <No>", (Run(0, 5, "44"), Run(8, 12, "46")))
    assert choices_at(screen(Row(ASKED), both), 1) is None
    found = choices_at(screen(Row(ASKED), both, cursor=(1, 9)), 1)
    assert found is not None and found.at == 1


def test_a_background_is_told_from_the_colour_of_the_text() -> None:
    assert ground("1;38;5;7;48;5;4") == ground("48;5;4;38;5;3") == "48;5;4"
    assert ground("38;5;44") == "" and ground("1;7") == "7"


@clause("components 2.2")
def test_a_list_of_one_over_buttons_is_told_by_its_ground() -> None:
    def over(item: Row) -> Seen:
        box = tuple(Row("              ", (Run(0, 14, "47"),)) for _ in range(2))
        return screen(Row(ASKED), box[0], item, box[1], row(" <Ok>   <No> ", "<Ok>"))

    chosen = Row("   only one   ", (Run(0, 3, "47"), Run(3, 11, "44"), Run(11, 14, "47")))
    assert only_row(over(chosen)) == 2
    assert only_row(over(Row("   only one   ", (Run(0, 14, "47"),)))) is None
    partly = Row("   only one   ", (Run(0, 3, "47"), Run(3, 7, "44"), Run(7, 14, "47")))
    assert only_row(over(partly)) is None
    assert only_row(screen(Row(ASKED), chosen)) is None


@clause("components 2.4", "components 2.6")
@pytest.mark.parametrize("at", [0, 1, 2])
def test_the_mark_is_moved_and_brought_back(at: int) -> None:
    menu = presented(words(at))
    assert (menu.prompt, [one.text for one in menu.options], menu.at) == (ASKED, list(WORDS), at)


def test_what_stands_around_the_choices_is_their_context() -> None:
    rows = (Row("Copy"), Row(""), Row(ASKED), Row(""))
    start = screen(*rows, row("  Yes   No", "Yes"), Row("or q"))
    found = side_by_side(start)
    assert found is not None
    across = Across(start, found, 0, 0, None)
    across.saw(screen(*rows, row("  Yes   No", "No"), Row("or q")))
    menu = across.saw(start)
    assert isinstance(menu, Abreast) and (menu.prompt, menu.context) == (ASKED, ("Copy", "or q"))


def test_a_mark_that_an_arrow_for_a_list_moved_is_brought_back_too() -> None:
    found = side_by_side(words(1))
    assert found is not None
    across = Across(words(1), found, 0, 0, None)
    assert across.begin() == Press("Right")
    assert [across.saw(words(2)), across.saw(words(1))] == [Press("Left")] * 2
    assert isinstance(across.saw(words(0)), Abreast)


@clause("components 2.2")
def test_where_an_arrow_moves_no_mark_there_is_no_menu_and_it_is_undone() -> None:
    start = words(0)
    found = side_by_side(start)
    assert found is not None
    deaf = Across(start, found, 0, 0, None)
    assert [deaf.begin(), deaf.saw(start)] == [Press("Right"), Press("Left")]
    assert isinstance(deaf.saw(start), NoMenu)
    across = Across(start, found, 0, 0, None)
    assert across.begin() == Press("Right")
    assert across.saw(words(0, hint="no such key")) == Press("Left")
    assert isinstance(across.saw(start), NoMenu)


def test_a_mark_that_does_not_go_right_may_go_left() -> None:
    found = side_by_side(words(1))
    assert found is not None
    across = Across(words(1), found, 1, 0, None)
    assert [across.begin(), across.saw(words(1))] == [Press("Right"), Press("Left")]
    assert across.saw(words(0)) == Press("Right")
    menu = across.saw(words(1))
    assert isinstance(menu, Abreast) and menu.at == 1


@clause("components 2.6")
def test_enter_follows_only_on_the_choice_itself() -> None:
    way = Sidestep(presented(words(0)), 2)
    assert way.begin(words(0)) == Press("Right")
    assert way.saw(words(1)) == Press("Right")
    assert way.saw(words(1)) == Press("Right")  # a key was lost
    assert way.saw(words(2)) == Arrived()
    stuck = Sidestep(presented(words(0)), 1)
    moves = [stuck.begin(words(0)), *(stuck.saw(words(0)) for _ in range(4))]
    assert moves[:4] == [Press("Right")] * 4 and isinstance(moves[4], Astray)
    gone = Sidestep(presented(words(0)), 1)
    assert isinstance(gone.begin(screen(Row("Bye"))), Astray)
    assert isinstance(Sidestep(presented(words(0)), 1).begin(words(1)), Astray)


def test_only_behind_words_may_text_be_hidden() -> None:
    assert takes_text_unseen(screen(Row("Secret:"), cursor=(0, 8)))
    masked = Seen((Row("? Secret? [it is masked]"),), 0, 24, is_cursor_shown=False)
    assert takes_text_unseen(masked)
    toggle = Seen((Row("? Can? \u203a no / yes"),), 0, 17, is_cursor_shown=False)
    assert not takes_text_unseen(toggle)
    assert not takes_text_unseen(screen(Row("Sure?"), Row("and?")))
    buttons = row("  Yes   No", "Yes")
    assert not takes_text_unseen(screen(Row(ASKED), buttons, cursor=(1, 10)))
