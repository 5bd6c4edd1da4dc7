"""A list as people write it with curses: reverse video, a window of ten rows."""

from __future__ import annotations

import curses

COLOURS = ["red", "green", "blue", "cyan", *(f"colour {number}" for number in range(60))]
PAGE = 10


def picked(screen: curses.window) -> str:
    curses.curs_set(0)
    screen.keypad(True)
    at = top = 0
    while True:
        top = min(max(top, at - PAGE + 1), at)
        screen.erase()
        screen.addstr(0, 0, "Pick a colour", curses.A_BOLD)
        for row, colour in enumerate(COLOURS[top : top + PAGE]):
            screen.addstr(2 + row, 2, colour, curses.A_REVERSE if top + row == at else 0)
        screen.refresh()
        key = screen.getch()
        if key in (10, 13):
            return COLOURS[at]
        at = min(max(0, at + {curses.KEY_DOWN: 1, curses.KEY_UP: -1}.get(key, 0)), len(COLOURS) - 1)


print("GOT", curses.wrapper(picked))
