"""Kinds of entities, as packs declare them: where they stand and how they are searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class KeyKind(Enum):
    """What an entity is known by; it is also what a resolved reference holds."""

    UUID = "uuid"
    CODE = "code"


class Mode(Enum):
    """How a client lets people choose one."""

    SEARCH = "search_modal"
    COMPLETE = "autocomplete"  # of the few that there are


@dataclass(frozen=True, slots=True)
class Discriminator:
    """A column that tells namesakes apart, and how much it does, from 0 to 1."""

    name: str
    weight: float


@dataclass(frozen=True, slots=True)
class Source:
    """Another reconciliation service that knows entities of a type too."""

    url: str
    timeout_ms: int
    type: str | None = None  # as the service calls it
    key_file: str | None = None


@dataclass(frozen=True, slots=True)
class EntityType:
    name: str
    table: str
    key: str  # a column
    key_kind: KeyKind
    display: str  # "{name}", with columns in braces
    search_default: str
    search_keys: tuple[str, ...]
    discriminators: tuple[Discriminator, ...] = ()
    create: str | None = None  # the verb that makes one
    source: Source | None = None
    also: str | None = None  # a column with other names, `;` between two

    @property
    def mode(self) -> Mode:
        return Mode.COMPLETE if self.key_kind is KeyKind.CODE else Mode.SEARCH

    def other_names(self, facts: Mapping[str, str]) -> list[str]:
        """What else one is called; it is found by these as by its name."""
        said = facts.get(self.also, "") if self.also else ""
        return [name.strip() for name in said.split(";") if name.strip()]
