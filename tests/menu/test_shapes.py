"""Screens as programs leave them, and which of their rows look pointed at."""

from __future__ import annotations

import pytest

from antiphon.menu.cursor import typing_at
from antiphon.menu.guess import guess, is_pointed_at_by_cursor
from antiphon.menu.pointer import Mark, learned, place
from antiphon.menu.seen import Row, Run, Seen, with_cursor
from tests.clauses import clause

PINK, FAINT, GREEN, REVERSE = "38;5;212", "2", "32", "7"
HIDDEN = None


def whole(text: str, look: str) -> Row:
    return Row(text, (Run(0, len(text), look),))


def screen(*rows: Row | str, cursor: tuple[int, int] | None) -> Seen:
    """The cursor where it is said, else hidden behind the last row."""
    lines = tuple(Row(row) if isinstance(row, str) else row for row in rows)
    at = cursor or (len(lines) - 1, len(lines[-1].text))
    return Seen(lines, *at, is_cursor_shown=cursor is not None)


TWO_LINES = (
    whole("\u2502 Pies", PINK), whole("\u2502 I bake them", PINK), "",
    "  Nougat", whole("  It is sweet", FAINT), "",
    "  Melon", whole("  It cools", FAINT),
)  # fmt: skip
LISTS = {
    "two rows, the cursor behind the last": (
        ("Which?", "", "> apple", "  pear"), (3, 6), {2},
    ),
    "two rows, one reversed, the cursor behind the last": (
        ("Which?", whole("apple", REVERSE), "pear"), (2, 4), {1},
    ),
    "two coloured rows, set in, the cursor below": (
        ("Which?", whole("  apple", GREEN), "  pear", ""), (3, 0), {1},
    ),
    "a colour among three, the cursor below": (
        ("Which?", "apple", whole("pear", GREEN), "plum", ""), (4, 0), {2},
    ),
    "a colour of two, the cursor hidden": (("Which?", whole("apple", GREEN), "pear"), HIDDEN, {1}),
    "a line over two rows of each": (("Foods", "", *TWO_LINES), HIDDEN, {2}),
    "a sign before signs": (
        ("Which?", "\u25cf \u25ef red", "\u25cb \u25ef green"), HIDDEN, {1, 2},
    ),
}  # fmt: skip
QUESTIONS = {
    "a name that is filled in": (("? Name", "  my-app"), (1, 8)),
    "a name under what was marked": (("> Name", "  my-app"), (1, 8)),
    "a blank before the cursor": (("Setup", "> Name", "  Password: "), (2, 12)),
    "a key, behind coloured output": (
        (whole("Installed a", GREEN), "Installed b", "Press any key..."), HIDDEN,
    ),
    "a key, over an empty line": (
        (whole("Installed a", GREEN), "Installed b", "Press any key", ""), (3, 0),
    ),
}  # fmt: skip


@clause("components 2.2")
@pytest.mark.parametrize("shape", LISTS)
def test_a_list_is_known_by_the_row_that_stands_out(shape: str) -> None:
    rows, cursor, pointed = LISTS[shape]
    seen = screen(*rows, cursor=cursor)
    assert typing_at(seen) is None
    assert guess(seen).pointed == pointed


POINTED_AT = {
    "before the words": (("Pick one:", "", "  apple", "  pear"), (2, 2)),
    "at the edge": (("Pick one:", "", "  apple", "  pear"), (3, 0)),
}
NOT_POINTED_AT = {
    "on the title": (("Pick one:", "", "apple", "pear"), (0, 0)),
    "before what may be typed": (("Name", whole("your name", FAINT), "enter to go on"), (1, 0)),
    "before a sentence": (("Installed", "a", "Press any key."), (1, 0)),
    "behind words": (("Pick one:", "", "  apple", "  pear"), (2, 7)),
}


@clause("components 2.2")
@pytest.mark.parametrize("place", [*POINTED_AT, *NOT_POINTED_AT])
def test_the_cursor_is_a_pointer_where_it_stands_before_a_row_of_a_list(place: str) -> None:
    rows, cursor = (POINTED_AT | NOT_POINTED_AT)[place]
    seen = screen(*rows, cursor=cursor)
    assert is_pointed_at_by_cursor(seen) is (place in POINTED_AT)
    if place in POINTED_AT:
        assert guess(with_cursor(seen)).pointed == {cursor[0]}


@clause("components 2.7")
@pytest.mark.parametrize("shape", QUESTIONS)
def test_a_question_gets_no_arrow_for_what_stands_over_it(shape: str) -> None:
    rows, cursor = QUESTIONS[shape]
    assert not guess(screen(*rows, cursor=cursor)).is_menu


@clause("components 2.2")
def test_what_is_said_about_the_pointed_row_alone_is_no_sign_of_it() -> None:
    def drawn(at: int) -> Seen:
        names = ("apple", "pear", "plum")
        said = (Row(f"\u276f {name} (good)", (Run(8, 15, FAINT),)) for name in names)
        rows = [row if at == here else Row(f"  {name}") for here, (row, name) in
                enumerate(zip(said, names, strict=True))]  # fmt: skip
        return screen("Which?", *rows, cursor=HIDDEN)

    pointer = learned(drawn(0), drawn(1), frozenset({1}))
    assert isinstance(pointer, Mark) and place(pointer, drawn(1)) == 2
