"""The way to a state directory's service: the server that owns it, or a desk of our own.

It promises that callers need not know which, nor notice a change: when the owner goes, the next
call finds the next owner or becomes it.  A call that may have happened is never made twice.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from antiphon.adapters import limits
from antiphon.adapters.front import Front, Reply, Service, outcome
from antiphon.adapters.remote import Lost, NotSent, Remote
from antiphon.base.errors import Broken, Code, Refused
from antiphon.drivers import owner
from antiphon.wire import codec
from antiphon.wire.methods import METHODS

SOCKET_FILE = "server.sock"

log = logging.getLogger("antiphon")


async def open_desk(
    state_dir: Path, packs: Sequence[str] = (), durability: str | None = None
) -> Service:
    from antiphon.adapters import settings  # a client of a running server needs none of it
    from antiphon.service import components
    from antiphon.service.desk import Desk
    from antiphon.service.domain import Domain

    given = {"durability": durability} if durability else {}
    chosen = settings.read(state_dir, os.environ, given)
    tool = components.tool(chosen.tsci, chosen.library_dir)
    named = tuple(packs or chosen.packs)
    domain = Domain(state_dir, named, chosen.database_url, settings.model(chosen))
    return await Desk.open(state_dir, tool=tool, domain=domain, durability=chosen.durability)


@dataclass(slots=True)
class Nearest:
    """The service, wherever it is now.

    While this process is the owner, others of the same user may come in through it, from
    `shares_after_s` on; None lets nobody in.  A command of a moment does not pay for listening.
    """

    state_dir: Path
    shares_after_s: float | None
    opened: Callable[[Path], Awaitable[Service]] = open_desk
    service: Service | None = None
    finding: asyncio.Lock = field(default_factory=asyncio.Lock)
    sharing: asyncio.Task[None] | None = None
    durability: str | None = None  # at least this; None is content with any

    async def answer(self, name: str, arguments: dict[str, object]) -> Reply:
        try:
            codec.check_text(arguments)
        except Refused as refused:
            return codec.refusal(refused)
        for _ in range(2):
            try:
                service = await self.found()
            except Broken as broken:
                return codec.refusal(Refused(Code.HOST_UNAVAILABLE, str(broken)))
            try:
                reply = await service.answer(name, arguments)
                if not (isinstance(service, Remote) and _is_parting(name, reply)):
                    return reply
                await self._forget(service)
            except NotSent:
                await self._forget(service)
            except Lost as lost:
                await self._forget(service)
                method = METHODS.get(name)
                if method is None or not method.reads_only:
                    return codec.refusal(Refused(Code.HOST_UNAVAILABLE, str(lost)))
        return codec.refusal(Refused(Code.HOST_UNAVAILABLE, "the server went away"))

    async def stream(self, conversation_id: str, from_cursor: int) -> AsyncIterator[bytes | str]:
        service = await self.found()
        async for item in service.stream(conversation_id, from_cursor):
            yield item

    async def live(
        self, conversation_id: str, from_cursor: int | None
    ) -> AsyncIterator[bytes | str]:
        service = await self.found()
        async for item in service.live(conversation_id, from_cursor):
            yield item

    async def found(self) -> Service:
        async with self.finding:
            if self.service is None:
                self.service = await self._find()
            return self.service

    async def close(self) -> None:
        if self.sharing is not None:
            self.sharing.cancel()
            await asyncio.wait({self.sharing})
            self.sharing = None
        if self.service is not None:
            await self.service.close()
            self.service = None

    async def _forget(self, service: Service) -> None:
        async with self.finding:
            if self.service is service:
                self.service = None
                await service.close()

    async def _find(self) -> Service:
        deadline = time.monotonic() + limits.OWNER_WAIT_S_MAX
        while True:
            remote = remote_owner(self.state_dir)
            if remote is not None:
                _check_durability(self.state_dir, self.durability)
                return remote
            try:
                desk = await self.opened(self.state_dir)
            except owner.Owned as owned:
                # It may be about to say where it listens, or about to end.
                if time.monotonic() > deadline:
                    raise Broken(str(owned)) from None
                await asyncio.sleep(limits.OWNER_WAIT_STEP_S)
            else:
                if self.shares_after_s is not None:
                    share = _share(desk, self.state_dir, self.shares_after_s)
                    self.sharing = asyncio.create_task(share)
                return desk


def _is_parting(name: str, reply: Reply) -> bool:
    """A server that stops has told one who only reads; the next one may be asked the same."""
    return outcome(reply) == Code.HOST_UNAVAILABLE.value and METHODS[name].reads_only


def _check_durability(state_dir: Path, wanted: str | None) -> None:
    note = owner.owner_of(state_dir)
    if wanted == "power" and note is not None and note.durability != "power":
        raise Broken(
            f"the server that owns {state_dir} (process {note.pid}) keeps what was told through "
            "its own death only; start it with --durability power"
        )


def remote_owner(state_dir: Path) -> Remote | None:
    """A client of the server that owns the directory, if one does and listens."""
    note = owner.owner_of(state_dir)
    if note is None or note.address is None or note.pid == os.getpid():
        return None
    token = owner.kept_token(state_dir)
    return Remote(note.address, token) if token else None


async def _share(desk: Service, state_dir: Path, after_s: float) -> None:
    """Listens until it is cancelled.  Without it the desk serves its own process all the same."""
    await asyncio.sleep(after_s)
    # In a thread, so that the command goes on during the import.
    serving = await asyncio.to_thread(importlib.import_module, "antiphon.adapters.serving")
    token = owner.make_token(state_dir)
    try:
        listening = await serving.listen_at(Front(desk), (token,), state_dir / SOCKET_FILE)
    except Broken as broken:
        log.warning("others cannot come in: %s", broken)
        return
    owner.publish(state_dir, listening.address)
    try:
        await asyncio.wait({listening.task})
    finally:
        owner.forget_token(state_dir)
        await listening.stop()
