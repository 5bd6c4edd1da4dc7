"""Errors by whose turn it is: the caller's, the other side's; ours are assertions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

Fact = str | int | None | Sequence[Mapping[str, str | int]]


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
    # of menus
    STALE_SELECTION = "stale_selection"
    NO_MATCH = "no_match"
    # of sessions
    INVALID_EVENT = "invalid_event"
    NOT_READY = "not_ready"
    SESSION_TERMINAL = "session_terminal"
    PLAN_CONSUMED = "plan_consumed"
    PLAN_STALE = "plan_stale"
    STALE_REV = "stale_rev"
    STALE_RESPONSE = "stale_response"
    NO_HISTORY = "no_history"
    SESSION_NOT_FOUND = "session_not_found"
    REF_NOT_FOUND = "ref_not_found"
    REF_ALREADY_RESOLVED = "ref_already_resolved"
    ENTITY_NOT_FOUND = "entity_not_found"
    ENTITY_TYPE_MISMATCH = "entity_type_mismatch"
    NOT_OFFERED = "not_offered"
    OPTION_NOT_FOUND = "option_not_found"
    SOURCE_FAILED = "source_failed"
    MODEL_FAILED = "model_failed"
    MODEL_TIMEOUT = "model_timeout"
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
