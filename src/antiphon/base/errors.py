"""Errors by whose turn it is: the caller's, the other side's; ours are assertions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

Fact = str | int | None


class Code(Enum):
    """The word by which a refusal is known at every door."""

    BUSY = "busy"
    NOT_FOUND = "not_found"
    INVALID_REQUEST = "invalid_request"
    INVALID_PATTERN = "invalid_pattern"
    CURSOR_OUT_OF_RANGE = "cursor_out_of_range"
    TIMEOUT = "timeout"
    NOT_INTERACTIVE = "not_interactive"
    SESSION_MISMATCH = "session_mismatch"
    BACKPRESSURE = "backpressure"
    LIMIT_REACHED = "limit_reached"
    SHELL_LOST = "shell_lost"
    SPAWN_FAILED = "spawn_failed"
    STORAGE_FULL = "storage_full"
    UNAUTHORIZED = "unauthorized"
    HOST_UNAVAILABLE = "host_unavailable"
    CANCELLED = "cancelled"
    STATE_INVALID = "state_invalid"
    FLOW_TERMINAL = "flow_terminal"
    CONTRACT_VIOLATION = "contract_violation"


class Refused(Exception):
    """The caller asked for what the rules forbid now.  Nothing has changed."""

    def __init__(self, code: Code, message: str, **facts: Fact) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.facts: Mapping[str, Fact] = facts


class Broken(Exception):
    """The other side (a program, a disk, a process) failed; the evidence is verbatim."""
