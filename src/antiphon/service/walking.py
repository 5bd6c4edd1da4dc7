"""A walk along a list, or a row, carried out: one arrow, the screen after it, the next."""

from __future__ import annotations

import asyncio

from antiphon.menu.abreast import Across
from antiphon.menu.seen import masked
from antiphon.menu.walk import NoMenu, Press, Step, Walk
from antiphon.service.program import Program

# A list that has no end after this long is not walked further.
_WALK_S_MAX = 60.0


async def walked(program: Program, walk: Walk | Across, hidden: frozenset[int]) -> Step:
    """What was found; no menu either when the program ended under our hands."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + _WALK_S_MAX
    start = walk.start
    step: Step = walk.begin()
    while isinstance(step, Press):
        if loop.time() > end_s:
            return NoMenu()
        offset = await program.press(step.key)
        after = await program.settled(offset)
        if program.has_ended:
            return NoMenu()
        if walk.doubts(masked(after, hidden)):
            after = await program.confirmed()
        if walk.steps == 0 and isinstance(walk, Walk):
            walk.redrawn_from(program.first_redrawn(start, offset))
        step = walk.saw(masked(after, hidden))
    return step
