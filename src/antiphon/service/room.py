"""One conversation with all that belongs to it, as the operations find it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.link import Zygote
from antiphon.drivers.store import Durability
from antiphon.service import checkpoint
from antiphon.service.conversation import Conversation
from antiphon.service.keyboard import Keyboard
from antiphon.service.lifecycle import Lifecycle
from antiphon.service.reading import BlockIndex
from antiphon.terminal.pattern import Span
from antiphon.wire.terminal import Listed

FOLDER = "agent_pty"


@dataclass(slots=True)
class Room:
    conversation: Conversation
    lifecycle: Lifecycle
    keyboard: Keyboard
    index: BlockIndex
    expecting: list[asyncio.Task[Span | None]] = field(default_factory=list)

    @classmethod
    def enter(
        cls,
        conversation_id: str,
        folder: Path,
        zygote: Zygote,
        allowed: tuple[str, ...],
        durability: Durability,
        on_news: Callable[[], None],
    ) -> Room:
        conversation = Conversation(conversation_id, folder, durability)
        conversation.store.on_news = on_news
        lifecycle = Lifecycle(conversation, zygote, allowed)
        room = cls(conversation, lifecycle, Keyboard(conversation), BlockIndex(conversation.store))
        conversation.resume()
        conversation.tell_damage()
        return room

    def call_off(self) -> None:
        """Those who hold the lock while they wait let go."""
        for waiting in self.expecting:
            waiting.cancel()


@dataclass(slots=True)
class Rooms:
    """All conversations of a state directory; one is loaded when it is first asked for."""

    root: Path  # <state>/conversations
    zygote: Zygote = field(default_factory=Zygote)
    allowed: tuple[str, ...] = ()
    durability: Durability = Durability.PROCESS
    loaded: dict[str, Room] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)  # there is something to be synced

    def folder(self, conversation_id: str) -> Path:
        return self.root / conversation_id / FOLDER

    def known(self, conversation_id: str) -> Room:
        """A conversation that there is, open or closed."""
        room = self.loaded.get(conversation_id)
        if room is not None:
            return room
        if not (self.folder(conversation_id) / "events.jsonl").exists():
            raise Refused(
                Code.NOT_FOUND,
                f"there is no conversation {conversation_id!r}; pty.list shows those there are",
            )
        return self.made(conversation_id)

    def made(self, conversation_id: str) -> Room:
        """The conversation, made if there is none."""
        room = self.loaded.get(conversation_id)
        if room is None:
            living = sum(one.conversation.link is not None for one in self.loaded.values())
            if living >= limits.SHELLS_MAX:
                raise Refused(
                    Code.LIMIT_REACHED,
                    f"{living} shells are open (SHELLS_MAX); close one with pty.close",
                )
            folder = self.folder(conversation_id)
            room = Room.enter(
                conversation_id,
                folder,
                self.zygote,
                self.allowed,
                self.durability,
                self.news.set,
            )
            self.loaded[conversation_id] = room
        return room

    def unused(self, prefix: str, count: int) -> tuple[str, int]:
        """The next id that no conversation has had, as `menu-001`, and its number."""
        while True:
            count += 1
            name = f"{prefix}-{count:03}"
            if name not in self.loaded and not self.folder(name).exists():
                return name, count

    def names(self) -> list[str]:
        if not self.root.is_dir():
            return []
        return sorted(
            entry.name
            for entry in self.root.iterdir()
            if (entry / FOLDER / "events.jsonl").exists()
        )

    def listed(self, name: str) -> Listed:
        """A line of `pty.list`; what is not loaded is not loaded for it."""
        room = self.loaded.get(name)
        if room is not None:
            conversation = room.conversation
            return Listed(
                conversation_id=name,
                mode=conversation.mode_on_the_wire(),
                shell_id=conversation.terminal.shell_id,
                resume_cursor=conversation.store.spool.size,
                last_activity=conversation.last_activity,
            )
        spool = (self.folder(name) / "output.spool").stat()
        return Listed(
            conversation_id=name,
            mode="idle",
            shell_id=None,
            resume_cursor=spool.st_size,
            last_activity=spool.st_mtime_ns // 1_000_000,
        )

    def wake(self) -> None:
        """Those that were open are loaded at once: what runs goes on, what ended is told."""
        for name in self.names():
            if not checkpoint.says_closed(self.folder(name)):
                self.made(name)
