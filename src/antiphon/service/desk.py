"""The counter behind every door: an operation's name and arguments in, its answer out.

A refusal is an answer like any other; no exception of ours reaches a door.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import msgspec

from antiphon.base import ids
from antiphon.base.errors import Broken, Code, Refused
from antiphon.drivers import owner
from antiphon.drivers.dialogue_files import DialogueFiles
from antiphon.drivers.file import StorageFull
from antiphon.drivers.screen import prepare
from antiphon.drivers.session_store import Event
from antiphon.drivers.store import Durability
from antiphon.service import streams
from antiphon.service.actions import Actions
from antiphon.service.callouts import Callouts
from antiphon.service.catalogue import Catalogue
from antiphon.service.components import Components
from antiphon.service.conversation import Conversation
from antiphon.service.dialogues import Dialogues
from antiphon.service.domain import Domain
from antiphon.service.history import History
from antiphon.service.inbox import Inbox
from antiphon.service.menus import Menus
from antiphon.service.outside import Outside
from antiphon.service.reconciling import Reconciling
from antiphon.service.resolution import Tool
from antiphon.service.room import Rooms
from antiphon.service.session_desk import SessionDesk
from antiphon.service.terminals import Terminals
from antiphon.service.waiting import Waiting
from antiphon.wire import codec
from antiphon.wire.methods import METHODS, Method

Answer = msgspec.Struct | dict[str, object]
Handler = Callable[[msgspec.Struct], Awaitable[msgspec.Struct]]

# What was written reaches the disk, and a checkpoint is taken, this often while there is news.
SYNC_S = 1.0


class Desk:
    """All rooms of one state directory, which nobody else owns while it is open."""

    def __init__(
        self,
        ownership: owner.Ownership,
        rooms: Rooms,
        tool: Tool | None = None,
        domain: Domain | None = None,
    ) -> None:
        self.ownership = ownership
        self.rooms = rooms
        self.domain = domain or Domain(ownership.state_dir)
        terminals, waiting, history = Terminals(rooms), Waiting(rooms), History(rooms)
        files = DialogueFiles(ownership.state_dir)
        dialogues = Dialogues(files, Actions(files, terminals, waiting, history))
        self._menus = Menus(rooms, terminals)
        self.components = Components(rooms, terminals, tool)
        inbox = Inbox(self._menus, self.components)
        outside = Outside(terminals, waiting, history, self.components)
        self.sessions = SessionDesk(self.domain, outside)
        self._handlers = _handlers(
            {
                "pty": terminals,
                "blocks": history,
                "flow": dialogues,
                "interaction": dialogues,
                "menu": self._menus,
                "component": self.components,
                "entities": Catalogue(self.domain),
                "reconcile": Reconciling(self.domain),
                "session": self.sessions,
                "repl": self.sessions,
                "dsl": self.sessions,
                "pty.wait_for": waiting,
                "pty.wait_prompt": waiting,
                "pty.expect_send": waiting,
                "pty.read_spool": history,
                "pty.read_inputs": history,
                "menu.list": inbox,
                "menu.block": inbox,
                "callout": Callouts(inbox.list, self.sessions.list),
            }
        )
        loop = asyncio.get_running_loop()
        self._syncing = loop.create_task(self._sync())
        self._preparing = loop.run_in_executor(None, prepare)

    @classmethod
    async def open(
        cls,
        state_dir: Path,
        allowed: tuple[str, ...] = (),
        tool: Tool | None = None,
        domain: Domain | None = None,
        durability: Durability = Durability.PROCESS,
    ) -> Desk:
        """The desk of a state directory, or `owner.Owned`."""
        ownership = owner.take(state_dir, durability.value)
        _raise_file_limit()
        rooms = Rooms(state_dir / "conversations", allowed=allowed, durability=durability)
        desk = cls(ownership, rooms, tool, domain)
        desk.rooms.wake()
        return desk

    # --- operations ------------------------------------------------------------

    async def answer(self, name: str, arguments: dict[str, object]) -> Answer:
        method = METHODS.get(name)
        if method is None:
            known = ", ".join(METHODS)
            message = f"no operation is named {name[:80]!r}; there are: {known}"
            return codec.refusal(Refused(Code.NOT_FOUND, message))
        try:
            request = await self._request(method, arguments)
            return await self._handlers[name](request)
        except codec.CursorNoInteger as refused:
            return codec.refusal(self._with_cursor(refused, name, arguments))
        except Refused as refused:
            return codec.refusal(refused)
        except StorageFull as error:
            return codec.refusal(Refused(Code.STORAGE_FULL, f"the disk is full: {error}"))
        except Broken as broken:
            return codec.refusal(Refused(Code.HOST_UNAVAILABLE, str(broken)))

    async def _request(self, method: Method, arguments: dict[str, object]) -> msgspec.Struct:
        try:
            return codec.request(arguments, method.request)
        except Refused:
            if "session_id" in method.in_path:
                # A session that is not there is told before what is wrong with the rest.
                await self.sessions.check_known(arguments.get("session_id"))
            raise

    def _with_cursor(self, refused: Refused, name: str, arguments: dict[str, object]) -> Refused:
        try:
            # Whatever else is wrong is told first: there is no end without a conversation.
            codec.request({**arguments, "from_cursor": 0}, METHODS[name].request)
            room = self.rooms.known(ids.conversation(str(arguments["conversation_id"])))
        except Refused as other:
            return other
        store = room.conversation.store
        sizes = {"blocks.since": store.blocks.size, "pty.read_inputs": store.inputs.size}
        return Refused(
            refused.code, refused.message, resume_cursor=sizes.get(name, store.spool.size)
        )

    # --- the stream ------------------------------------------------------------

    def stream(self, conversation_id: str, from_cursor: int) -> AsyncIterator[bytes | str]:
        """The spool from a cursor on, and events; it goes on until the caller leaves."""
        return streams.spool(self._conversation(conversation_id), from_cursor)

    def live(self, conversation_id: str, from_cursor: int | None) -> AsyncIterator[bytes | str]:
        """What the terminal prints, as it prints it, and events."""
        return streams.live(self._conversation(conversation_id), from_cursor)

    async def events(self, session_id: str, heard: int | None) -> AsyncIterator[Event | None]:
        """What happens in a session, after the event that was heard last."""
        return await self.sessions.events(session_id, heard)

    def _conversation(self, conversation_id: str) -> Conversation:
        return self.rooms.known(ids.conversation(conversation_id)).conversation

    # --- keeping ---------------------------------------------------------------

    async def _sync(self) -> None:
        while True:
            await self.rooms.news.wait()
            await asyncio.sleep(SYNC_S)
            self.rooms.news.clear()
            for room in list(self.rooms.loaded.values()):
                store = room.conversation.store
                if not store.is_dirty:
                    continue
                with contextlib.suppress(StorageFull):  # the next round tries again
                    await asyncio.to_thread(store.sync)
                    room.conversation.save()
                if store.is_dirty:
                    self.rooms.news.set()

    def gauges(self) -> dict[str, float]:
        rooms = self.rooms.loaded.values()
        return {
            "conversations_loaded": len(rooms),
            "shells_open": sum(room.conversation.link is not None for room in rooms),
            "waits": sum(len(room.conversation.waits) for room in rooms),
            "viewers": sum(len(room.conversation.viewing.viewers) for room in rooms),
        }

    def part(self) -> None:
        """Whoever waits for a terminal is told that this server stops; runs leave it before."""
        self.sessions.part()
        for room in self.rooms.loaded.values():
            room.conversation.part()

    async def close(self) -> None:
        """The files are true and closed; shells live on."""
        self._syncing.cancel()
        await self._preparing
        await self._menus.leave()
        await self.components.leave()
        await self.sessions.leave()
        await self.domain.close()
        for room in self.rooms.loaded.values():
            room.call_off()
            room.conversation.close()
        self.rooms.loaded.clear()
        self.rooms.zygote.close()
        self.ownership.release()


def _handlers(owners: Mapping[str, object]) -> dict[str, Handler]:
    """Each operation's own method; what has it is named by the operation, or by its group."""
    return {
        name: getattr(owners.get(name) or owners[method.group], method.verb)
        for name, method in METHODS.items()
    }


def _raise_file_limit() -> None:
    """Each conversation has half a dozen files open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
