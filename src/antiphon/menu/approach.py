"""The way to one option: an arrow, a look, an arrow; Enter only on the option itself."""

from __future__ import annotations

from dataclasses import dataclass

from antiphon.menu.abreast import Abreast
from antiphon.menu.menu import Menu, identity
from antiphon.menu.pointer import place
from antiphon.menu.seen import Seen
from antiphon.menu.walk import Press


@dataclass(frozen=True, slots=True)
class Arrived:
    """The pointer stands on the option: Enter may follow."""


@dataclass(frozen=True, slots=True)
class Astray:
    """The pointer does not go where it is sent."""

    reason: str


Move = Press | Arrived | Astray
# How often the pointer may be elsewhere than where it was sent, and be sent on from there.
_STRAYS_MAX = 3


@dataclass(slots=True)
class Approach:
    menu: Menu
    target: int
    at: int = -1
    strays: int = 0

    def __post_init__(self) -> None:
        if self.at < 0:
            self.at = self.menu.at

    def begin(self, seen: Seen) -> Move:
        """The first move, from a screen that must be as it was when it was presented."""
        if not self.menu.options[self.target].is_reachable:
            return Astray(f"the pointer does not stop at {self.menu.options[self.target].text!r}")
        return self._next() if self.stands(seen) else self._lost()

    def saw(self, seen: Seen) -> Move:
        """The screen after an arrow, at rest."""
        was, self.at = self.at, self._following()
        if self.stands(seen):
            return self._next()
        self.at = was
        elsewhere = self._found(seen)
        if elsewhere is None or self.strays >= _STRAYS_MAX:
            return self._lost()
        # A key was lost, or somebody pressed one.
        self.strays, self.at = self.strays + 1, elsewhere
        return self._next()

    def doubts(self, seen: Seen) -> bool:
        """Whether the arrow has not done what it should: the screen may only be late."""
        return not Approach(self.menu, self.target, self._following()).stands(seen)

    def _following(self) -> int:
        step = 1 if self.target > self.at else -1
        at = self.at + step
        while not self.menu.options[at].is_reachable:
            at += step
        return at

    def _found(self, seen: Seen) -> int | None:
        """The option that the pointer stands on, if there is only one like it."""
        pointer = self.menu.pointer
        row = None if pointer is None else place(pointer, seen)
        if pointer is None or row is None:
            return None
        said = identity(seen.rows[row], pointer)
        alike = [at for at, one in enumerate(self.menu.options) if one.pointed == said]
        return alike[0] if said and len(alike) == 1 else None

    def _next(self) -> Move:
        if self.at == self.target:
            return Arrived()
        return Press("Down" if self.target > self.at else "Up")

    def stands(self, seen: Seen) -> bool:
        pointer = self.menu.pointer
        if pointer is None:
            return any(self.menu.options[0].pointed in row.text for row in seen.rows)
        row = place(pointer, seen)
        return row is not None and identity(seen.rows[row], pointer) == (
            self.menu.options[self.at].pointed
        )

    def _lost(self) -> Astray:
        return Astray(
            f"the pointer is not on {self.menu.options[self.target].text!r} after the arrow keys"
        )


@dataclass(slots=True)
class Sidestep:
    """The same along a row; where the mark stands is read from the screen each time."""

    menu: Abreast
    target: int
    at: int = -1
    strays: int = 0

    def begin(self, seen: Seen) -> Move:
        self.at = self.menu.at
        return self._next() if self.menu.marked(seen) == self.at else self._lost()

    def saw(self, seen: Seen) -> Move:
        wanted = self._following()
        found = self.menu.marked(seen)
        if found is None:
            return self._lost()
        if found != wanted:
            self.strays += 1
        self.at = found
        return self._lost() if self.strays > _STRAYS_MAX else self._next()

    def doubts(self, seen: Seen) -> bool:
        return self.menu.marked(seen) != self._following()

    def stands(self, seen: Seen) -> bool:
        """Where it was presented."""
        return self.menu.marked(seen) == self.menu.at

    def _following(self) -> int:
        return self.at + (1 if self.target > self.at else -1)

    def _next(self) -> Move:
        if self.at == self.target:
            return Arrived()
        return Press("Right" if self.target > self.at else "Left")

    def _lost(self) -> Astray:
        return Astray(
            f"the mark is not on {self.menu.options[self.target].text!r} after the arrow keys"
        )


def approach(menu: Menu, target: int) -> Approach | Sidestep:
    return Sidestep(menu, target) if isinstance(menu, Abreast) else Approach(menu, target)
