"""What a driven program asks now, under its id, and how an answer to it is refused."""

from __future__ import annotations

from dataclasses import dataclass

from antiphon.base.errors import Code, Refused
from antiphon.menu.menu import Asked


def stale(selection_id: str, now: str | None, state: str) -> Refused:
    return Refused(
        Code.STALE_SELECTION,
        f"{selection_id[:40]!r} is not what is asked now; "
        + (f"{now!r} is" if now else f"nothing is asked: the task is {state}"),
        state=state,
        selection_id=now,
    )


def no_match(words: str, index: int | None, state: str, selection_id: str) -> Refused:
    place = "" if index is None else f" at index {index}"
    return Refused(
        Code.NO_MATCH,
        f"no option{place} is or contains {words[:80]!r}; the options are in the selection",
        state=state,
        selection_id=selection_id,
    )


@dataclass(frozen=True, slots=True)
class Presented:
    """What is asked now, under its id."""

    selection_id: str
    asked: Asked
