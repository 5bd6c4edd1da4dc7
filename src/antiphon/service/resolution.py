"""One search for a component: the library first, then the tool's search and its import.

The table of component/resolving.py says what may follow what.  What the tool asks is presented
as it is; nothing is answered by us, and only what is there at the end is success.
"""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from antiphon.base import limits
from antiphon.base.errors import Broken, Code, Refused
from antiphon.component import listing
from antiphon.component import resolving as r
from antiphon.component.resolving import RESOLVING, State
from antiphon.drivers.library import Library, Stamp
from antiphon.menu import mediator as menus
from antiphon.menu.menu import Menu, Option, chosen
from antiphon.service.mediator import Mediator
from antiphon.service.menus import refuse_unless_there
from antiphon.service.presented import Presented, no_match, stale
from antiphon.service.program import Command
from antiphon.service.room import Room
from antiphon.service.terminals import Terminals

# A spinner would go on drawing over what the tool asks; a terminal that is called dumb has none.
_TERM = "dumb"
_NOT_STARTED = 127  # what a shell says of a program that is not there
Source = Literal["local", "global"]
_WHICH_FILE = "Which file of the library is meant?"


@dataclass(frozen=True, slots=True)
class Tool:
    """The command that is `tsci`, and the library that it works in."""

    words: tuple[str, ...]
    library: Library


class Resolution:
    """One task; what it asks is in `presented`, and what came of it in the fields below."""

    def __init__(self, terminals: Terminals, room: Room, name: str, tool: Tool) -> None:
        self._terminals = terminals
        self.room = room
        self.name = name
        self._tool = tool
        self._library = tool.library
        self.state = State.IDLE
        self.location: Path | None = None
        self.source: Source | None = None
        self.exit_code: int | None = None
        self.reason: str | None = None
        self.changed = asyncio.Event()  # set at each change; who waits clears it
        self._numbers = itertools.count(1)
        self._mediator: Mediator | None = None
        self._is_importing = False
        self._local: Presented | None = None
        self._living: asyncio.Task[None] | None = None

    # --- asked from outside ------------------------------------------------------

    def start(self) -> None:
        self._step(r.ResolveRequested())
        self._living = asyncio.get_running_loop().create_task(self._live())

    @property
    def presented(self) -> Presented | None:
        if self._local is not None:
            return self._local
        if self.state is not State.SELECTION_REQUIRED or self._mediator is None:
            return None
        return self._mediator.presented

    @property
    def error(self) -> str | None:
        return self._mediator.error if self._mediator is not None and self.presented else None

    @property
    def transcript_cursor(self) -> int:
        return self.room.conversation.store.spool.size

    def select(self, selection_id: str, words: str, index: int | None) -> None:
        """The answer is on its way, or a refusal and nothing has changed."""
        presented, state = self.presented, self.state.value
        if presented is None or presented.selection_id != selection_id:
            now = presented.selection_id if presented is not None else None
            raise stale(selection_id, now, state)
        if self._local is not None:
            assert isinstance(self._local.asked, Menu)
            texts = [one.text for one in self._local.asked.options]
            option = chosen(texts, words, index)
            if option is None:
                raise no_match(words, index, state, selection_id)
            self._local = None
            self._finish(r.LocalFileChosen(), Path(texts[option]), "local")
            return
        assert self._mediator is not None
        try:
            self._mediator.select(selection_id, words, index)
        except Refused as refused:
            raise Refused(
                refused.code, refused.message, **{**refused.facts, "state": state}
            ) from None
        self._step(r.OptionChosen())

    async def close(self) -> None:
        """What was started is gone, with all that came from it."""
        self._stop()
        if self._mediator is not None:
            await self._mediator.close()

    def leave(self) -> None:
        """The server goes."""
        self._stop()
        if self._mediator is not None:
            self._mediator.leave()

    def _stop(self) -> None:
        if self._living is not None:
            self._living.cancel()

    # --- its life ----------------------------------------------------------------

    def _step(self, fact: object) -> None:
        self.state = RESOLVING.step(self.state, fact)
        self.changed.set()

    async def _live(self) -> None:
        try:
            files = await asyncio.to_thread(self._library.named, self.name)
            if files:
                self._found(files)
                return
            self._step(r.NotFoundLocally())
            await asyncio.to_thread(self._library.made)
            if await self._search():
                await self._import()
        except Broken as broken:
            self._fail(r.LibraryUnreadable(), str(broken))
        except Refused as refused:
            code = _NOT_STARTED if refused.code is Code.SPAWN_FAILED else None
            self._fail(r.LibraryUnreadable(), refused.message, code)

    def _found(self, files: list[Path]) -> None:
        if len(files) == 1:
            self._finish(r.FoundLocally(), files[0], "local")
            return
        options = tuple(Option(str(path)) for path in files)
        asked = Menu(_WHICH_FILE, options, (), None, 0)
        self._local = Presented(f"sel-{next(self._numbers):03}", asked)
        self._step(r.SeveralFoundLocally())

    def _finish(self, fact: object, location: Path, source: Source) -> None:
        self.location, self.source = location, source
        self._step(fact)

    def _fail(self, fact: object, reason: str, exit_code: int | None = None) -> None:
        self.reason = reason or "the program ended and printed nothing"
        self.exit_code = exit_code
        self._step(fact)

    # --- the tool ----------------------------------------------------------------

    async def _run(self, *arguments: str) -> Mediator:
        """The tool, from its start to its end; what it asks meanwhile is presented."""
        words = (*self._tool.words, *arguments)
        cwd = str(self._library.root)
        refuse_unless_there(words[0], cwd, {})
        mediator = Mediator(
            self._terminals, self.room, Command(words, cwd, term=_TERM), self._told, self._numbers
        )
        self._mediator = mediator
        mediator.start()
        await mediator.ended()
        return mediator

    def _told(self) -> None:
        """What the tool asks has changed; its end is seen by who waits for it."""
        mediator = self._mediator
        assert mediator is not None
        if mediator.state is menus.State.SELECTION_REQUIRED and mediator.presented is not None:
            self._step(r.InputAwaited())
        elif mediator.state is menus.State.RUNNING and self.state is State.SELECTION_REQUIRED:
            self._step(r.ImportWentOn() if self._is_importing else r.SearchWentOn())

    async def _search(self) -> bool:
        """Whether there is something to import; if not, the task has ended."""
        before = await self._stamps()
        search = await self._run("search", self.name)
        if self._has_failed(search, r.NothingListed()):
            return False
        printed = search.printed(limits.LISTING_BYTES_MAX)
        if search.was_answered:
            # It asked, so it may have done more than search.
            appeared = await asyncio.to_thread(self._library.appeared, before, printed)
            if appeared is not None:
                self._finish(r.ArtefactAppeared(), appeared, "global")
                return False
        elif not listing.has_items(printed) and await self._is_empty(printed):
            self._fail(r.NothingListed(), search.printed(), 0)
            return False
        self._step(r.MatchesListed())
        return True

    async def _is_empty(self, printed: str) -> bool:
        """What shows no list is asked for in JSON, where the tool has it."""
        again = await self._run("search", self.name, "--json")
        if again.state is menus.State.COMPLETED:
            count = listing.count_in_json(again.printed(limits.LISTING_BYTES_MAX))
            if count is not None:
                return count == 0
        return listing.says_nothing(printed)

    async def _import(self) -> None:
        self._is_importing = True
        before = await self._stamps()
        ended = await self._run("import", self.name)
        if self._has_failed(ended, r.ImportFailed()):
            return
        printed = ended.printed(limits.LISTING_BYTES_MAX)
        appeared = await asyncio.to_thread(self._library.appeared, before, printed)
        if appeared is None:
            self._fail(r.ImportFailed(), ended.printed(), 0)
        else:
            self._finish(r.ArtefactAppeared(), appeared, "global")

    async def _stamps(self) -> dict[Path, Stamp]:
        return await asyncio.to_thread(self._library.stamps)

    def _has_failed(self, mediator: Mediator, fact: object) -> bool:
        if mediator.state is not menus.State.FAILED:
            return False
        self._fail(fact, mediator.reason or "", mediator.exit_code)
        return True
