"""The answer to what a program asks, carried out: arrows and Enter, or text as it was given."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from antiphon.menu.approach import Approach, Arrived, Astray
from antiphon.menu.menu import Menu, Question
from antiphon.menu.seen import masked
from antiphon.menu.waiting import Reading
from antiphon.menu.walk import Press
from antiphon.service.keyboard import input_bytes
from antiphon.service.program import Program

# Between two looks at a program that was typed to.
_LOOK_S = 0.02
# How long after typed text the same question may still be drawn.
TYPED_QUIET_S = 0.1
_TYPED_S_MAX = 3.0

Hidden = frozenset[int]  # rows that change by themselves


async def pick(
    program: Program, menu: Menu, option: int, hidden: Hidden, mark: Callable[[], None]
) -> str | None:
    """Arrows, then Enter; what went wrong when the option was not reached, and then no Enter."""
    approach = Approach(menu, option)
    move = approach.begin(masked(program.seen(), hidden))
    while isinstance(move, Press):
        offset = await program.press(move.key)
        seen = masked(await program.settled(offset), hidden)
        if approach.doubts(seen):
            seen = masked(await program.confirmed(), hidden)
        move = approach.saw(seen)
    if isinstance(move, Astray):
        return move.reason
    assert isinstance(move, Arrived)
    mark()
    await program.press("Enter")
    return None


async def write(
    program: Program, asked: Question, words: str, hidden: Hidden, mark: Callable[[], None]
) -> None:
    """The text as it is; Enter where it is line by line, or where it still waits."""
    data = input_bytes(words)
    look = program.look()
    is_line_mode = look is not None and look.is_line_mode
    mark()
    if is_line_mode or not data:
        await program.type(data + b"\r")
        return
    await program.type(data)
    if await _still_waits(program, asked, words, hidden):
        await program.press("Enter")


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
        waits = look.reading is not Reading.NOT
        if waits and look.quiet_ms >= TYPED_QUIET_S * 1000:
            return True
    return False
