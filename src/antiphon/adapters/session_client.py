"""One session, asked from the command line: through the server, or a desk of our own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import msgspec

from antiphon.adapters.front import Reply, Service, outcome
from antiphon.base.errors import Code, Refused
from antiphon.wire import dsl as d
from antiphon.wire import entities as e
from antiphon.wire import sessions as s

POLL_S, POLL_S_MAX = 0.05, 1.0  # while a run goes on


class Said(Refused):
    """A refusal that came as an answer, whole."""

    def __init__(self, reply: Reply) -> None:
        fields = msgspec.to_builtins(reply)
        super().__init__(Code(fields["error"]), str(fields.get("message", fields["error"])))
        self.reply = reply


@dataclass(slots=True)
class SessionClient:
    service: Service
    now: s.ChatResponse

    @classmethod
    async def begun(cls, service: Service) -> SessionClient:
        return cls(service, await _asked(service, "session.start"))

    @classmethod
    async def found(cls, service: Service, session_id: str) -> SessionClient:
        return cls(service, await _asked(service, "session.get", session_id=session_id))

    async def ask(self, operation: str, **fields: object) -> s.ChatResponse:
        """The session after it; a refusal is raised and changes nothing."""
        self.now = await _asked(
            self.service, f"session.{operation}", session_id=self.now.session_id, **fields
        )
        return self.now

    @property
    def state(self) -> str:
        return self.now.session_state.state

    async def settled(self) -> s.ChatResponse:
        """The session when nothing runs in it any longer."""
        wait_s = POLL_S
        while self.state == "executing":
            await asyncio.sleep(wait_s)
            wait_s = min(POLL_S_MAX, wait_s * 1.5)
            await self.ask("get")
        return self.now

    async def verbs(self) -> list[str]:
        """What programs can call, each with what it does."""
        reply = await self.service.answer("dsl.complete", {"source": "(", "at": 1})
        if outcome(reply) != "ok":
            return []
        items = msgspec.convert(msgspec.to_builtins(reply), d.Completed).items
        width = max((len(one.label) for one in items), default=0)
        return [f"{one.label:<{width}}  {one.about}".rstrip() for one in items]

    async def search(self, entity_type: str, words: str, limit: int) -> list[e.Match]:
        reply = await self.service.answer(
            "entities.search", {"entity_type": entity_type, "query": words, "limit": limit}
        )
        if outcome(reply) != "ok":
            return []
        return msgspec.convert(msgspec.to_builtins(reply), e.Found).matches


async def _asked(service: Service, operation: str, **fields: object) -> s.ChatResponse:
    reply = await service.answer(operation, fields)
    if outcome(reply) != "ok":
        raise Said(reply)
    return msgspec.convert(msgspec.to_builtins(reply), s.ChatResponse)
