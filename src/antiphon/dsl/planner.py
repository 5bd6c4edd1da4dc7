"""In which order the statements can run: after what they use, else as they are written.

A phase holds the statements whose needs are all met by the phases before it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass

from antiphon.dsl.diagnostics import Applicability, Code, Notebook, shown
from antiphon.dsl.names import nearest
from antiphon.dsl.tree import Program, Symbol, calls, symbols


@dataclass(frozen=True, slots=True)
class Ordering:
    needs: tuple[tuple[int, ...], ...]  # of each statement: those that must run before it
    phases: tuple[tuple[int, ...], ...]

    @property
    def is_reordered(self) -> bool:
        return any(need > index for index, needs in enumerate(self.needs) for need in needs)


def ordered(program: Program, bound: Set[str], notes: Notebook) -> Ordering | None:
    """The order, or nothing and the reasons in the notes; `bound` are the session's symbols."""
    needs = _needs(program, bound, notes)
    rounds = _rounds(needs)
    for ring in rounds:
        _note_cycle(program, ring, notes)
    if notes.count:
        return None
    depths = _depths(needs)
    phases: list[list[int]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for index, depth in enumerate(depths):
        phases[depth].append(index)
    return Ordering(tuple(needs), tuple(map(tuple, phases)))


def _needs(program: Program, bound: Set[str], notes: Notebook) -> list[tuple[int, ...]]:
    binder = {
        call.binding.name: index
        for index, statement in enumerate(program.statements)
        for call in calls(statement)
        if call.binding is not None
    }
    needs: list[tuple[int, ...]] = []
    for statement in program.statements:
        wanted: set[int] = set()
        for symbol in symbols(statement):
            index = binder.get(symbol.name)
            if index is not None:
                wanted.add(index)
            elif symbol.name not in bound:
                _note_unknown(symbol, binder.keys() | bound, notes)
        needs.append(tuple(sorted(wanted)))
    return needs


def _note_unknown(symbol: Symbol, names: Collection[str], notes: Notebook) -> None:
    if notes.is_full:
        notes.count += 1
        return
    meant = nearest(symbol.name, names)
    place = symbol.start, symbol.end
    advice = "bind it with `:as` in the call that makes it"
    notes.note(
        Code.UNKNOWN_SYMBOL,
        f"nothing is bound to {shown(f'@{symbol.name}')}",
        *place,
        advice=f"did you mean `@{meant}`?" if meant else advice,
        fixes=notes.fix(f"write `@{meant}`", Applicability.MAYBE, (*place, f"@{meant}"))
        if meant
        else (),
    )


def _depths(needs: Sequence[Sequence[int]]) -> list[int]:
    """How many statements must run one after the other before each; there is no cycle."""
    depths = [-1] * len(needs)
    for first in range(len(needs)):
        stack = [first]
        while stack:
            index = stack[-1]
            if depths[index] >= 0:
                stack.pop()
                continue
            waiting = [need for need in needs[index] if depths[need] < 0]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                depths[index] = 1 + max((depths[need] for need in needs[index]), default=-1)
                stack.pop()
    return depths


# --- cycles -----------------------------------------------------------------


def _rounds(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """One shortest cycle of each group of statements that wait for one another."""
    if all(index > need for index, below in enumerate(needs) for need in below):
        return []  # as most programs are: each uses what stands above it
    return [
        _ring(min(group), set(group), needs)
        for group in _groups(needs)
        if len(group) > 1 or group[0] in needs[group[0]]
    ]


def _groups(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected statements (Tarjan's way, without recursion)."""
    count = 0
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    groups: list[list[int]] = []
    for first in range(len(needs)):
        work = [(first, 0)] if first not in number else []
        while work:
            index, at = work.pop()
            if at == 0:
                number[index] = low[index] = count
                count += 1
                open_.append(index)
                is_open.add(index)
            else:
                low[index] = min(low[index], low[needs[index][at - 1]])
            while at < len(needs[index]) and needs[index][at] in number:
                if needs[index][at] in is_open:
                    low[index] = min(low[index], number[needs[index][at]])
                at += 1
            if at < len(needs[index]):
                work += [(index, at + 1), (needs[index][at], 0)]
            elif low[index] == number[index]:
                cut = _rindex(open_, index)
                groups.append(sorted(open_[cut:]))
                is_open.difference_update(open_[cut:])
                del open_[cut:]
    return groups


def _rindex(items: Sequence[int], wanted: int) -> int:
    at = len(items) - 1
    while items[at] != wanted:
        at -= 1
    return at


def _ring(start: int, group: Collection[int], needs: Sequence[Sequence[int]]) -> list[int]:
    """The shortest way from a statement over its needs back to itself."""
    came: dict[int, int] = {}
    row = [start]
    while start not in came:
        below: list[int] = []
        for index in row:
            for need in needs[index]:
                if need in group and need not in came:
                    came[need] = index
                    below.append(need)
        row = below
    ring, at = [start], came[start]
    while at != start:
        ring.append(at)
        at = came[at]
    return ring[::-1] if len(ring) == 1 else [ring[0], *ring[:0:-1]]


def _note_cycle(program: Program, ring: list[int], notes: Notebook) -> None:
    statements = [program.statements[index] for index in ring]
    names = [
        f"`{one.name}` (statement {index + 1})" for index, one in zip(ring, statements, strict=True)
    ]
    first = statements[0]
    if len(ring) == 1:
        notes.note(
            Code.CYCLE, f"{names[0]} waits for itself", first.name_start, first.name_end,
            advice="what a call binds can be used in later statements only",
        )  # fmt: skip
        return
    labels = [
        (one.name_start, one.name_end, f"waits for {names[(number + 1) % len(names)]}")
        for number, one in enumerate(statements)
    ]
    notes.note(
        Code.CYCLE,
        f"these statements wait for one another: {' → '.join([*names, names[0]])}",
        first.name_start,
        first.name_end,
        labels=tuple(labels),
        advice="write one of the values out instead of its symbol",
    )
