"""Where a list begins that begins again at its end: what the jumps of its window tell."""

from __future__ import annotations

from collections.abc import Sequence


def beginning(length: int, jumps: Sequence[int], *, has_scrolled: bool) -> int:
    """The first item, by its distance from where the pointer stood; there was a jump.

    One that scrolls, or is shown whole, jumps there and nowhere else.  Of one that turns its
    pages a page that is shorter than the others is the last; without one the first is the page
    that was shown.
    """
    found = sorted(jumps)
    if has_scrolled or len(found) == 1:
        return found[-1]
    lengths = [
        (following - jump) % length or length
        for jump, following in zip(found, [*found[1:], found[0]], strict=True)
    ]
    if len(set(lengths)) > 1:
        return found[(lengths.index(min(lengths)) + 1) % len(found)]
    return found[0] if found[0] == 0 else found[-1]
