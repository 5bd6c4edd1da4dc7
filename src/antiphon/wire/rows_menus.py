"""The operations of driven programs: `menu.…`."""

from __future__ import annotations

from antiphon.base.errors import Code
from antiphon.wire import menus as m
from antiphon.wire import terminal as t
from antiphon.wire.method import Method

ROWS = (
    Method(
        "menu.start", m.Start, m.Started,
        (Code.SPAWN_FAILED, Code.LIMIT_REACHED, Code.STORAGE_FULL),
        "Starts an interactive program and answers at once with a task.",
        "command is a list: program and arguments. Then ask menu.status until it is "
        "selection_required, completed or failed.",
        destroys=True,
    ),
    Method(
        "menu.status", m.Status, m.Task, (Code.NOT_FOUND,),
        "Says how a task stands, and what its program asks: prompt and options.",
        "With input menu choose one of options; with input text the answer is typed. It never "
        "waits: ask again while the state is running.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "menu.select", m.Select, m.Task,
        (Code.NOT_FOUND, Code.STALE_SELECTION, Code.NO_MATCH),
        "Chooses an option by its text, or types the answer; the right keys are pressed.",
        "The option that equals selected_option counts, else the first that contains it. Use "
        "the selection_id of the newest menu.status.",
        destroys=True,
    ),
    Method(
        "menu.tick", m.Select, m.Task,
        (Code.NOT_FOUND, Code.STALE_SELECTION, Code.NO_MATCH),
        "Gives an option of a list in which several may be ticked its tick, or takes it away.",
        "The list is asked again under a new selection_id, as it is then. When all are ticked, "
        "menu.select on any option presses Enter.",
        destroys=True,
    ),
    Method(
        "menu.list", m.List, m.ListAnswer, (),
        "Lists the open tasks of menus and components, with what they ask.",
        "block is the selection as a question for the user: show its text as it is; the number "
        "typed is a place in choices, from 1, which says the option or the block that follows.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "menu.block", m.BlockOf, m.BlockShown,
        (Code.NOT_FOUND, Code.STALE_SELECTION, Code.NO_MATCH),
        "Writes what a task asks as a choice block for people, at most seven options at once.",
        "Of more than seven, at are the numbers chosen so far; a choice has an index, or an at.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "menu.screen", m.Screen, t.ScreenAnswer, (Code.NOT_FOUND,),
        "Shows the screen of a task's program as a person would see it.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "menu.close", m.Close, m.Closed, (Code.NOT_FOUND,),
        "Ends a task's program with all that came from it, and forgets the task.",
        "Its output stays readable as the conversation of the same name.",
        destroys=True,
    ),
)  # fmt: skip
