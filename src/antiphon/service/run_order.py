"""The order in which a plan is carried out, and which statements are one transaction."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from antiphon.dsl.stages import Plan


@dataclass(frozen=True, slots=True)
class Part:
    """Statements that are one transaction, or one that acts outside."""

    statements: tuple[int, ...]
    is_outside: bool


def order(plan: Plan) -> Iterator[int]:
    """As it is written, but for what needs something that is made below."""
    missing = {one.statement_index: set(one.needs) for one in plan.steps}
    ready = [index for index, needs in missing.items() if not needs]
    needed_by: dict[int, list[int]] = {}
    for index, needs in missing.items():
        for need in needs:
            needed_by.setdefault(need, []).append(index)
    heapq.heapify(ready)
    while ready:
        index = heapq.heappop(ready)
        yield index
        for later in needed_by.get(index, ()):
            missing[later].discard(index)
            if not missing[later]:
                heapq.heappush(ready, later)


def parts(plan: Plan, outside: frozenset[int]) -> Iterator[Part]:
    """What is done in one transaction, and what acts outside, one after the other."""
    inside: list[int] = []
    for index in order(plan):
        if index not in outside:
            inside.append(index)
            continue
        if inside:
            yield Part(tuple(inside), is_outside=False)
            inside = []
        yield Part((index,), is_outside=True)
    if inside:
        yield Part(tuple(inside), is_outside=False)
