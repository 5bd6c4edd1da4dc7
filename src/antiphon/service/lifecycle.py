"""How a conversation's shell begins, is found again, is replaced and ends.

A shell that dies by itself is followed by a fresh one in its last directory, and the record
says why; one that was closed is followed by none until somebody asks [D9].
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Broken, Code, Refused
from antiphon.drivers import processes
from antiphon.drivers.file import StorageFull
from antiphon.drivers.link import ShellRequest, Zygote, connect
from antiphon.service import shells
from antiphon.service.conversation import Conversation
from antiphon.terminal.facts import ShellStarted
from antiphon.terminal.marks import MarkReader
from antiphon.terminal.modes import Mode
from antiphon.wire import terminal as wire

_FILE = "shell"
# A shell that is late with its first prompt is lost when it was seen asleep so often in a row.
_ASLEEP_MAX = 10
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What kind of shell a conversation has; kept, so that the next one is the same."""

    kind: str = "bash"
    cwd: str = ""
    cols: int = limits.COLS_DEFAULT
    rows: int = limits.ROWS_DEFAULT
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Lifecycle:
    """The shells of one conversation, one after the other."""

    conversation: Conversation
    zygote: Zygote
    allowed: tuple[str, ...] = ()  # further names of our environment that shells see
    wanted: Wanted = field(default_factory=Wanted)
    _starting: asyncio.Task[None] | None = None
    _forking: asyncio.Future[None] | None = None  # done when the shell that starts can be ended
    _is_closing: bool = False

    def __post_init__(self) -> None:
        content = self.conversation.store.get(_FILE)
        if content:
            self.wanted = msgspec.json.decode(content, type=Wanted)
            self.conversation.viewing.restart(self.wanted.cols, self.wanted.rows, 0)
        self.conversation.on_death = self._died

    # --- beginning -------------------------------------------------------------

    async def ensure(self, wanted: Wanted | None = None) -> None:
        """A shell is there and has said its first prompt."""
        conversation = self.conversation
        if conversation.terminal.mode is Mode.CLOSED and self._starting is None:
            self.begin(wanted or self.wanted)
        if conversation.terminal.mode is Mode.STARTING and self._starting is None:
            self._await_start()
        if self._starting is not None:
            await asyncio.shield(self._starting)
        if conversation.is_storage_full:
            raise Refused(Code.STORAGE_FULL, "the disk is full: output waits until there is room")

    def _await_start(self) -> None:
        """A shell that the last server started has not yet said its first prompt."""
        prompted = self.conversation.prompted = asyncio.get_running_loop().create_future()
        self._starting = asyncio.get_running_loop().create_task(self._first_prompt(prompted))
        self._starting.add_done_callback(self._started)

    def begin(self, wanted: Wanted) -> None:
        forking = self._forking = asyncio.get_running_loop().create_future()
        self._starting = asyncio.get_running_loop().create_task(self._start(wanted, forking))
        self._starting.add_done_callback(self._started)

    def _started(self, task: asyncio.Task[None]) -> None:
        self._starting = None
        if not task.cancelled():
            task.exception()  # those who wait for it are told; nobody may be waiting

    async def _start(self, wanted: Wanted, forking: asyncio.Future[None]) -> None:
        try:
            prompted = await self._forked(wanted)
        finally:
            forking.set_result(None)
            self._forking = None
        await self._first_prompt(prompted)

    async def _forked(self, wanted: Wanted) -> asyncio.Future[None]:
        """The shell is there; its first prompt is to come."""
        conversation = self.conversation
        store = conversation.store
        cwd = wanted.cwd if os.path.isdir(wanted.cwd) else os.getcwd()
        variables = shells.environment(wanted.variables, self.allowed)
        request = shells.request(
            wanted.kind, store.folder, cwd, (wanted.cols, wanted.rows), variables
        )
        try:
            self._prepare(request, wanted)
        except StorageFull as error:
            raise Refused(Code.STORAGE_FULL, f"no shell was started: {error}") from None
        conversation.commit_fact(ShellStarted(shells.new_shell_id(), os.fsencode(cwd)))
        conversation.reader = MarkReader(request.key.encode())
        conversation.raw_offset = store.raw_size()
        conversation.viewing.restart(wanted.cols, wanted.rows, conversation.raw_offset)
        self._say_why()
        prompted = conversation.prompted = asyncio.get_running_loop().create_future()
        await self._fork(request)
        return prompted

    def _prepare(self, request: ShellRequest, wanted: Wanted) -> None:
        """What the shell finds when it starts."""
        conversation = self.conversation
        store = conversation.store
        store.drop("exit")
        store.make_ways()
        conversation.key = request.key
        conversation.messages.skip(conversation.next_token)
        store.write_run(conversation.messages.message("more", request.key.encode()))
        conversation.next_token = conversation.messages.next_token
        self.remember(wanted)
        store.note_size(wanted.cols, wanted.rows)

    def _say_why(self) -> None:
        """That it follows another, and a checkpoint with its key before there is a shell."""
        conversation = self.conversation
        reason, shell_id = conversation.reset_reason, conversation.terminal.shell_id
        try:
            if reason is not None and shell_id is not None:
                conversation.record(
                    wire.SessionReset(
                        conversation_id=conversation.id, reason=reason, shell_id=shell_id
                    )
                )
                conversation.reset_reason = None
        except Refused:
            conversation.give_up()
            raise
        if not conversation.save():
            conversation.give_up()
            raise Refused(Code.STORAGE_FULL, "no shell was started: the disk is full")

    async def _fork(self, request: ShellRequest) -> None:
        conversation = self.conversation
        try:
            await self.zygote.fork(request)
        except Broken as error:
            conversation.give_up()
            raise Refused(Code.SPAWN_FAILED, f"the shell did not start: {error}") from None
        link = connect(request.folder)
        if link is None:
            conversation.give_up()
            raise Refused(Code.SPAWN_FAILED, "the shell ended while it started")
        conversation.attach(link, conversation.reader)

    async def _first_prompt(self, prompted: asyncio.Future[None]) -> None:
        """A shell that had no turn yet, on a machine that has much to do, is waited for."""
        asleep, loop = 0, asyncio.get_running_loop()
        last_s = loop.time() + limits.SHELL_STARTING_MS_MAX / 1000
        await asyncio.wait({prompted}, timeout=limits.SHELL_START_MS_MAX / 1000)
        while not prompted.done() and asleep < _ASLEEP_MAX and loop.time() < last_s:
            link = self.conversation.link
            is_asleep = link is not None and processes.is_asleep(link.shell_pid)
            asleep = asleep + 1 if is_asleep else 0
            await asyncio.wait({prompted}, timeout=_LOOK_S)
        if not prompted.done():
            raise Refused(
                Code.SHELL_LOST,
                f"the shell said no prompt within {limits.SHELL_START_MS_MAX} ms; "
                "pty.reset starts a fresh one",
            )
        prompted.result()

    def remember(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.conversation.store.put(_FILE, msgspec.json.encode(wanted))

    # --- ending ----------------------------------------------------------------

    def _died(self, why: str) -> None:
        conversation = self.conversation
        if self._is_closing:
            return
        conversation.reset_reason = why
        was_ready = self._starting is None
        if was_ready and conversation.is_serving:
            cwd = os.fsdecode(conversation.terminal.cwd)
            self.begin(replace(self.wanted, cwd=cwd))

    async def end(self, *, reset_reason: str | None) -> None:
        """The shell and all that came from it are gone; with a reason, a fresh one follows."""
        conversation = self.conversation
        if self._forking is not None:  # one that is on its way would come after the end
            await asyncio.wait({self._forking})
        link = conversation.link
        conversation.reset_reason = reset_reason  # should we not live to say it, the next will
        self._is_closing = True
        try:
            if link is not None:
                gone = conversation.death()
                await processes.end_descendants(link.holder_pid)
                link.kill_shell()
                await gone
                if self._starting is not None:  # it has just been told that it has failed
                    await asyncio.wait({self._starting})
        finally:
            self._is_closing = False
        if reset_reason is None:
            conversation.save()
            return
        cwd = os.fsdecode(conversation.terminal.cwd)
        self.begin(replace(self.wanted, cwd=cwd))
        await self.ensure()
