"""A walk along a list, or a row, carried out: one arrow, the screen after it, the next."""

from __future__ import annotations

from antiphon.menu.abreast import Across
from antiphon.menu.seen import masked
from antiphon.menu.walk import OPTIONS_MAX, NoMenu, Press, Step, Walk
from antiphon.service.program import Program

# There and back along the longest list, and as much again for what went astray.  No time is too
# long: on a busy machine a list of some hundred options takes minutes, and is one all the same.
_STEPS_MAX = 4 * OPTIONS_MAX


async def walked(program: Program, walk: Walk | Across, hidden: frozenset[int]) -> Step:
    """What was found; no menu either when the program ended under our hands."""
    start = walk.start
    step: Step = walk.begin()
    while isinstance(step, Press):
        if walk.steps > _STEPS_MAX:
            return NoMenu()
        offset = await program.press(step.key)
        after = await program.settled(offset)
        if program.has_ended or (program.glances and not program.takes_keys()):
            return NoMenu()
        if walk.doubts(masked(after, hidden)):
            after = await program.confirmed()
        if walk.steps == 0 and isinstance(walk, Walk):
            walk.redrawn_from(program.first_redrawn(start, offset))
        step = walk.saw(masked(after, hidden))
    return step
