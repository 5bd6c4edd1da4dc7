"""A row of a list as a walk finds it: what it says while the pointer is on it, and while not."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Item:
    identity: str
    text: str  # while the pointer is on it
    row: int
    resting: str | None = None  # while it is not
    skipped: list[str] = field(default_factory=list)  # rows between the one above and this one

    def says(self, text: str) -> bool:
        """A row may say more while the pointer is on it."""
        if not text or not self.identity.startswith(text):
            return False
        return not self.identity[len(text) : len(text) + 1].isalnum()
