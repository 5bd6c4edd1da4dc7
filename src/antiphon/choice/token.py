"""The state of a dialogue as text that its holder can keep and not change.

    payload.signature        both in the letters of a URL

The payload names the flow, the end of its life and the state; the signature covers it and the
principal, so that nobody else can use it.  The key, the time and the principal are given from
outside.  Whatever is not exactly what was made is refused with one word.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass

from antiphon.base.errors import Code, Refused
from antiphon.choice.dialogue import Stage, State

KEY_BYTES = 32
_VERSION = 1
_SIGNATURE_BYTES = 16
_STAGES = tuple(Stage)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a token says: which flow, until when, and where in it."""

    flow: str  # the flow's digest
    expires_ms: int
    state: State


def sealed(ticket: Ticket, principal: str, key: bytes) -> str:
    state = ticket.state
    fields = [
        _VERSION,
        ticket.flow,
        ticket.expires_ms,
        _STAGES.index(state.stage),
        state.step,
        state.path,
        state.picked,
        state.invalid_count,
        state.answers,
    ]
    payload = _letters(json.dumps(fields, separators=(",", ":")).encode())
    return f"{payload}.{_signature(payload, principal, key)}"


def opened(token: str, principal: str, key: bytes, now_ms: int) -> Ticket:
    """The ticket, or `state_invalid`."""
    payload, _, signature = token.partition(".")
    # Compared as letters, so that no other spelling of the same bytes passes.
    if not token.isascii() or not hmac.compare_digest(
        _signature(payload, principal, key), signature
    ):
        raise invalid("it is not a state that was given to this caller")
    version, flow, expires_ms, stage, step, path, picked, count, answers = json.loads(
        base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    )
    if version != _VERSION:
        raise invalid("it is of another version")
    if now_ms >= expires_ms:
        raise invalid("it has expired")
    chosen = tuple(None if one is None else tuple(one) for one in answers)
    state = State(_STAGES[stage], chosen, step, tuple(path), tuple(picked), count)
    return Ticket(flow, expires_ms, state)


def invalid(why: str) -> Refused:
    return Refused(Code.STATE_INVALID, f"the state cannot be used: {why}; start the flow again")


def _signature(payload: str, principal: str, key: bytes) -> str:
    # The principal's length is fixed by its digest, so no two pairs read alike.
    said = hashlib.sha256(principal.encode()).digest() + payload.encode()
    return _letters(hmac.digest(key, said, "sha256")[:_SIGNATURE_BYTES])


def _letters(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
