"""The operation over all rooms that ask: `callout.list`."""

from __future__ import annotations

from antiphon.wire import callouts as c
from antiphon.wire.method import Method

ROWS = (
    Method(
        "callout.list", c.List, c.ListAnswer, (),
        "Lists every open question of menus, components and sessions in one inbox.",
        "Of sessions the 200 that changed last are looked at. Each says where it came from and "
        "what answers it. An answer to a question that is not open any more is refused.",
        reads_only=True, repeats_safely=True,
    ),
)  # fmt: skip
