"""Lists of curses, one looks for keys between two sleeps, one is pointed at by the cursor alone."""

from __future__ import annotations

import curses
import time

COLOURS = ["red", "green", "blue"]
STEPS = {curses.KEY_DOWN: 1, curses.KEY_UP: -1}


def glancing(screen: curses.window) -> str:
    curses.curs_set(0)
    screen.nodelay(True)
    at = 0
    while True:
        screen.addstr(0, 0, "Pick a colour")
        for row, colour in enumerate(COLOURS):
            screen.addstr(2 + row, 2, colour, curses.A_REVERSE if row == at else 0)
        key = screen.getch()
        if key in (10, 13):
            return COLOURS[at]
        at = min(max(0, at + STEPS.get(key, 0)), len(COLOURS) - 1)
        time.sleep(0.03)


def pointing(screen: curses.window) -> str:
    curses.curs_set(1)
    screen.nodelay(False)
    screen.clear()
    screen.addstr(0, 0, "Again?")
    at = 0
    for row, colour in enumerate(COLOURS):
        screen.addstr(2 + row, 2, colour)
    while True:
        screen.move(2 + at, 2)
        key = screen.getch()
        if key in (10, 13):
            return COLOURS[at]
        at = min(max(0, at + STEPS.get(key, 0)), len(COLOURS) - 1)


print("GOT", *(curses.wrapper(one) for one in (glancing, pointing)))
