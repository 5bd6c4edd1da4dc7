"""The answer to what a program asks, carried out: arrows and Enter, or text as it was given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from antiphon.menu.abreast import takes_text_unseen
from antiphon.menu.approach import Arrived, Astray, approach
from antiphon.menu.cursor import typing_at
from antiphon.menu.menu import Menu, Question
from antiphon.menu.seen import Seen, masked
from antiphon.menu.walk import Press
from antiphon.service.keyboard import input_bytes
from antiphon.service.program import Program

# Between two looks at a program that was typed to.
_LOOK_S = 0.02
# How long after typed text the same question may still be drawn.
TYPED_QUIET_S = 0.1
_TYPED_S_MAX = 3.0
# How long it may take until something of it is to be seen.
_CHANGED_S_MAX = 1.0
_TOOK_NO_TEXT = (
    "the program took no text: no words on its screen changed, and Enter was not pressed"
    " (an empty answer is Enter alone)"
)

Hidden = frozenset[int]  # rows that change by themselves


async def pick(
    program: Program, menu: Menu, option: int, hidden: Hidden, mark: Callable[[], None]
) -> str | None:
    """Arrows, then Enter; what went wrong when the option was not reached, and then no Enter."""
    fault = await _reach(program, menu, option, hidden)
    if fault is None:
        mark()
        await program.press("Enter")
    return fault


async def tick(program: Program, menu: Menu, option: int, hidden: Hidden) -> str | None:
    """Arrows, then a blank, and the program has drawn what it does; or what went wrong."""
    fault = await _reach(program, menu, option, hidden)
    if fault is None:
        await program.settled(await program.tick())
    return fault


async def _reach(program: Program, menu: Menu, option: int, hidden: Hidden) -> str | None:
    way = approach(menu, option)
    move = way.begin(masked(program.seen(), hidden))
    while isinstance(move, Press):
        offset = await program.press(move.key)
        seen = masked(await program.settled(offset), hidden)
        if way.doubts(seen):
            seen = masked(await program.confirmed(hidden), hidden)
        move = way.saw(seen)
    if isinstance(move, Astray):
        return move.reason
    assert isinstance(move, Arrived)
    return None


async def write(
    program: Program, asked: Question, words: str, hidden: Hidden, mark: Callable[[], None]
) -> str | None:
    """The text as it is; Enter where it is line by line, or where it still waits.

    What went wrong when the text has done nothing that can be seen: Enter would take whatever is
    marked there.  Only a secret is typed unseen.
    """
    data = input_bytes(words)
    look = program.look()
    is_line_mode = look is not None and look.is_line_mode
    before = masked(program.seen(), hidden)
    mark()
    if is_line_mode or not data:
        await program.type(data + b"\r")
        return None
    await program.type(data)
    if not await _still_waits(program, asked, words, hidden):
        return None
    if not takes_text_unseen(before):
        if not await _has_changed(program, before, hidden):
            program.unanswered()
            return _TOOK_NO_TEXT
        if not await _still_waits(program, asked, words, hidden):
            return None
    await program.press("Enter")
    return None


async def _has_changed(program: Program, before: Seen, hidden: Hidden) -> bool:
    """Whether the text has written anything, on a busy machine a little later.

    A look that went to other words is a list whose letters are keys: Enter would take it.
    """
    loop = asyncio.get_running_loop()
    end_s = loop.time() + _CHANGED_S_MAX
    while _written(masked(program.seen(), hidden)) == _written(before) and not program.has_ended:
        if loop.time() > end_s:
            return False
        await program.news(_LOOK_S)
    return True


def _written(seen: Seen) -> object:
    """What the screen says, and where more would be typed."""
    return [row.text for row in seen.rows], typing_at(seen)


async def _still_waits(program: Program, asked: Question, words: str, hidden: Hidden) -> bool:
    """Whether the same prompt waits after the text; some answer on the first key."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + _TYPED_S_MAX
    while not program.has_ended and loop.time() < end_s:
        await program.news(_LOOK_S)
        look = program.look()
        if look is None or look.unread:
            continue
        seen = masked(look.seen, hidden)
        if asked.is_left(seen) or not asked.still_asks(seen, words):
            if look.quiet_ms >= TYPED_QUIET_S * 1000:
                return False
            continue
        waits = look.reading.listens
        if waits and look.quiet_ms >= TYPED_QUIET_S * 1000:
            return True
    return False
