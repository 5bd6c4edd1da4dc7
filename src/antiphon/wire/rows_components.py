"""The operations of resolving a component: `component.…`, as tools `resolve_component_…`."""

from __future__ import annotations

from antiphon.base.errors import Code
from antiphon.wire import components as c
from antiphon.wire.method import Method

ROWS = (
    Method(
        "component.start", c.Start, c.Started,
        (Code.BUSY, Code.LIMIT_REACHED, Code.STORAGE_FULL),
        "Starts resolving an electronic component by its name and answers at once with a task.",
        "The local library is looked at first, then tsci searches and imports. Then ask "
        "resolve_component_status until it is selection_required, finished or failed. One at a "
        "time: refused with busy until the last one was closed.",
        destroys=True, tool="resolve_component_start",
    ),
    Method(
        "component.status", c.Status, c.Task, (Code.NOT_FOUND,),
        "Says how far the resolving is: what it asks, the file that was found, or why it failed.",
        "It never waits: ask again while the state is checking_local, checking_global or "
        "trying_import. finished has location and source.",
        reads_only=True, repeats_safely=True, tool="resolve_component_status",
    ),
    Method(
        "component.select", c.Select, c.Task,
        (Code.NOT_FOUND, Code.STALE_SELECTION, Code.NO_MATCH),
        "Chooses one of the options that resolving asks for, by its text.",
        "The option that equals selected_option counts, else the first that contains it. Use "
        "the selection_id of the newest resolve_component_status.",
        destroys=True, tool="resolve_component_select",
    ),
    Method(
        "component.close", c.Close, c.Closed, (Code.NOT_FOUND,),
        "Ends the resolving with all it started, and forgets the task.",
        "What was imported stays; the next component can be resolved.",
        destroys=True, tool="resolve_component_close",
    ),
)  # fmt: skip
