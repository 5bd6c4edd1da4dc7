"""The nearest of some names, for «did you mean»."""

from __future__ import annotations

from collections.abc import Iterable

NAME_CHARS_MAX = 64  # longer ones are no typing errors of a name


def nearest(wanted: str, names: Iterable[str]) -> str | None:
    """The one name that is a few slips of the finger away, the first by alphabet among equals."""
    wanted = wanted.casefold()
    slips_max = max(1, len(wanted) // 4)
    best: tuple[int, str] | None = None
    for name in names:
        if abs(len(name) - len(wanted)) <= slips_max and len(name) <= NAME_CHARS_MAX:
            slips = distance(wanted, name.casefold())
            if slips <= slips_max and (best is None or (slips, name) < best):
                best = slips, name
    return best[1] if best else None


def distance(one: str, other: str) -> int:
    """How many insertions, deletions, replacements and swaps lead from one to the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, mine in enumerate(one, 1):
        before, last, row = row, before, [i]
        for j, theirs in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (mine != theirs))
            if i > 1 and j > 1 and mine == other[j - 2] and one[i - 2] == theirs:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
