"""What an operation is at every door: its name, its shapes, what it may refuse, where it stands.

The rows are in rows_*.py, one module for each group, and methods.py puts them together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from antiphon.base.errors import Code

# Codes that any operation on a conversation can answer with.
COMMON = (Code.INVALID_REQUEST, Code.UNAUTHORIZED, Code.HOST_UNAVAILABLE)
# And any that begins a command.
EXEC = (Code.BUSY, Code.SHELL_LOST, Code.SPAWN_FAILED, Code.STORAGE_FULL, Code.LIMIT_REACHED)
_IN_PATH = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Method:
    """One operation: its name, its shapes, what it may refuse, what it does to the world."""

    name: str
    request: type[Struct]
    answer: type[Struct]
    refusals: tuple[Code, ...]
    sentence: str
    advice: str = ""  # for the model that reads the tool list
    reads_only: bool = False
    destroys: bool = False
    repeats_safely: bool = False
    route: str = ""  # where HTTP has it, when not under its name: "GET /api/session/{session_id}"
    has_statuses: bool = False  # a refusal has the HTTP status of its code, and is not 200
    tool: str = ""  # the name as a tool, where the specification gives one
    is_tool: bool = True  # it stands in the list of tools too
    makes: bool = False  # what it answers was made by it: 201

    @property
    def group(self) -> str:
        return self.name.split(".")[0]

    @property
    def verb(self) -> str:
        return self.name.split(".")[1]

    @property
    def underscored(self) -> str:
        return self.tool or self.name.replace(".", "_")

    @property
    def dotted(self) -> str:
        return self.tool or self.name

    @property
    def description(self) -> str:
        return f"{self.sentence} {self.advice}".strip()

    @cached_property
    def fields(self) -> tuple[str, ...]:
        return self.request.__struct_fields__

    @cached_property
    def http_verb(self) -> str:
        return self.route.partition(" ")[0] or "POST"

    @cached_property
    def path(self) -> str:
        """The route, with the fields that stand in it in braces."""
        if self.route:
            return self.route.partition(" ")[2]
        place = "{conversation_id}/" if "conversation_id" in self.fields else ""
        return f"/api/{self.group}/{place}{self.verb}"

    @property
    def listing(self) -> str | None:
        """Where a GET has it too: a list stands at its group's own path."""
        is_listed = self.verb == "list" and self.reads_only and not self.route
        return f"/api/{self.group}" if is_listed else None

    @cached_property
    def in_path(self) -> tuple[str, ...]:
        return tuple(_IN_PATH.findall(self.path))
