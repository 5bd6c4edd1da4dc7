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
from dataclasses import dataclass

import msgspec

from antiphon.base.errors import Code, Refused
from antiphon.choice.dialogue import Stage, State

KEY_BYTES = 32
_SIGNATURE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a token says: which flow, until when, and where in it."""

    flow: str  # the flow's digest
    expires_ms: int
    state: State


class _Payload(msgspec.Struct, array_like=True, frozen=True):
    """Its first field is its version: another one does not decode."""

    version: int
    flow: str
    expires_ms: int
    stage: Stage
    answers: tuple[tuple[int, ...] | None, ...]
    step: int
    path: tuple[int, ...]
    picked: tuple[int, ...]
    invalid_count: int


_VERSION = 1
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Payload).decode


class Seal:
    """A principal's own seal: the key and the name, mixed once."""

    def __init__(self, principal: str, key: bytes) -> None:
        assert len(key) == KEY_BYTES, "a key is made, not chosen"
        self._key = hashlib.blake2b(principal.encode(), key=key, digest_size=32).digest()

    def sealed(self, ticket: Ticket) -> str:
        state = ticket.state
        payload = _encode(
            _Payload(
                _VERSION,
                ticket.flow,
                ticket.expires_ms,
                state.stage,
                state.answers,
                state.step,
                state.path,
                state.picked,
                state.invalid_count,
            )
        )
        letters = base64.urlsafe_b64encode(payload).rstrip(b"=")
        return (letters + b"." + self._signature(letters)).decode()

    def opened(self, token: str, now_ms: int) -> Ticket:
        """The ticket, or `state_invalid`."""
        letters, _, signature = token.encode("utf-8", "replace").partition(b".")
        # Compared as letters, so that no other spelling of the same bytes passes.
        if not hmac.compare_digest(self._signature(letters), signature):
            raise invalid("it is not a state that was given to this caller")
        said = _decode(base64.urlsafe_b64decode(letters + b"=" * (-len(letters) % 4)))
        if said.version != _VERSION:
            raise invalid("it is of another version")
        if now_ms >= said.expires_ms:
            raise invalid("it has expired")
        state = State(
            said.stage, said.answers, said.step, said.path, said.picked, said.invalid_count
        )
        return Ticket(said.flow, said.expires_ms, state)

    def _signature(self, letters: bytes) -> bytes:
        made = hashlib.blake2b(letters, key=self._key, digest_size=_SIGNATURE_BYTES).digest()
        return base64.urlsafe_b64encode(made).rstrip(b"=")


def invalid(why: str) -> Refused:
    return Refused(Code.STATE_INVALID, f"the state cannot be used: {why}; start the flow again")
