"""What stands behind every door: one service, counted, and nothing it raises gets through.

A door decodes, asks `Front`, encodes.  It does not know whether the service is a desk in this
process or a server in another one.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

from antiphon.base.errors import Code, Refused
from antiphon.drivers.session_store import Event
from antiphon.wire import codec
from antiphon.wire import terminal as t

Reply = msgspec.Struct | dict[str, object]

if TYPE_CHECKING:
    from antiphon.adapters.chat import Chat  # commands that ask no model need none of it

log = logging.getLogger("antiphon")


class Service(Protocol):
    async def answer(self, name: str, arguments: dict[str, object]) -> Reply: ...

    def stream(self, conversation_id: str, from_cursor: int) -> AsyncIterator[bytes | str]: ...

    def live(self, conversation_id: str, from_cursor: int | None) -> AsyncIterator[bytes | str]: ...

    async def close(self) -> None: ...


@runtime_checkable
class Gauged(Protocol):
    """A service that can say how much it holds."""

    def gauges(self) -> dict[str, float]: ...


@runtime_checkable
class Parting(Protocol):
    """A service that callers wait at."""

    def part(self) -> None: ...


@runtime_checkable
class TellsEvents(Protocol):
    """A service that has sessions itself."""

    async def events(self, session_id: str, heard: int | None) -> AsyncIterator[Event | None]: ...


def outcome(reply: Reply) -> str:
    """`ok`, or the code of the refusal."""
    if isinstance(reply, t.Answer):
        return "ok"
    fields = reply if isinstance(reply, dict) else msgspec.structs.asdict(reply)
    return "ok" if fields["ok"] is True or "error" not in fields else str(fields["error"])


class Front:
    """The service as doors see it: every call answered, every answer counted."""

    def __init__(self, service: Service, chat: Chat | None = None) -> None:
        self.service = service
        self.chat = chat  # what stands before a model, where this process has one
        self.counts: Counter[tuple[str, str]] = Counter()

    async def answer(self, name: str, arguments: dict[str, object]) -> Reply:
        try:
            reply = await self.service.answer(name, arguments)
        except Exception:  # the outermost loop: a client never sees our mistake
            log.exception("%s failed", name)
            reply = our_mistake()
        self.counts[name, outcome(reply)] += 1
        return reply

    def stream(self, conversation_id: str, from_cursor: int) -> AsyncIterator[bytes | str]:
        return self.service.stream(conversation_id, from_cursor)

    def live(self, conversation_id: str, from_cursor: int | None) -> AsyncIterator[bytes | str]:
        return self.service.live(conversation_id, from_cursor)

    async def events(self, session_id: str, heard: int | None) -> AsyncIterator[Event | None]:
        if not isinstance(self.service, TellsEvents):
            raise Refused(Code.NOT_FOUND, "events are told by the server that has the sessions")
        return await self.service.events(session_id, heard)

    def part(self) -> None:
        """Nobody is left waiting: this server stops."""
        if isinstance(self.service, Parting):
            self.service.part()

    def gauges(self) -> dict[str, float]:
        found = self.service.gauges() if isinstance(self.service, Gauged) else {}
        return {**found, "drafts_discarded": self.chat.discarded_count} if self.chat else found


def our_mistake() -> dict[str, object]:
    return codec.refusal(
        Refused(Code.HOST_UNAVAILABLE, "the server failed to answer; its log says why")
    )
