"""A walk along a list, or a row, carried out: one arrow, the screen after it, the next."""

from __future__ import annotations

from antiphon.menu.abreast import Across, choices_at, side_by_side
from antiphon.menu.menu import Menu
from antiphon.menu.seen import Seen, masked
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
            after = await program.confirmed(hidden)
        if walk.steps == 0 and isinstance(walk, Walk):
            walk.redrawn_from(program.first_redrawn(start, offset))
        step = walk.saw(masked(after, hidden))
    return step


async def across(
    program: Program,
    start: Seen,
    row: int | None,
    hidden: frozenset[int],
    tops: tuple[int, int | None],
) -> Menu | None:
    """A menu side by side, on this row where one is given; `tops`: old rows, the frame's row."""
    found = side_by_side(start, tops[0])
    if found is None or row not in (None, found.row) or program.has_ended:
        return None
    seen = masked(program.seen(), hidden)
    now = choices_at(seen, found.row)  # an arrow that was for a list may have moved it
    if now is None or now.texts != found.texts:
        return None
    step = await walked(program, Across(seen, now, found.at, *tops), hidden)
    return step if isinstance(step, Menu) else None
