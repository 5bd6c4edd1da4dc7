"""The operations on shells, commands and input, over the rooms; no protocol."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from msgspec import UNSET, UnsetType

from antiphon.base import ids, limits
from antiphon.base.errors import Code, Refused
from antiphon.service import ending, reading, shells
from antiphon.service.keyboard import input_bytes, keys_bytes, refuse_if_too_long
from antiphon.service.lifecycle import Wanted
from antiphon.service.room import Room, Rooms
from antiphon.terminal.facts import Block, Kind
from antiphon.terminal.modes import Mode
from antiphon.wire import terminal as wire

# Shells that may end, one after the other, while a command waits for one.
SHELLS_TRIED_MAX = 3


class Terminals:
    """`pty.*` but for the waits (see waiting.py)."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def _known(self, conversation_id: str) -> Room:
        return self._rooms.known(ids.conversation(conversation_id))

    def _made(self, conversation_id: str) -> Room:
        return self._rooms.made(ids.conversation(conversation_id))

    # --- shells ----------------------------------------------------------------

    async def open(self, request: wire.Open) -> wire.Opened:
        conversation_id = ids.conversation(request.conversation_id)
        loaded = self._rooms.loaded.get(conversation_id)
        before = loaded.lifecycle.wanted if loaded else Wanted()
        wanted = _wanted(request, before)
        if wanted.kind in shells.KINDS:
            shells.program(wanted.kind)
        room = self._made(conversation_id)
        async with room.conversation.lock:
            if room.conversation.terminal.mode is not Mode.CLOSED:
                _refuse_other_shell(request, wanted, room.lifecycle.wanted)
                await room.lifecycle.ensure()
                self._resize(room, wanted.cols, wanted.rows)
            else:
                await room.lifecycle.ensure(_wanted(request, room.lifecycle.wanted))
        return _opened(room)

    async def reset(self, request: wire.Reset) -> wire.Opened:
        room = self._known(request.conversation_id)
        room.call_off()
        async with room.conversation.lock:
            await room.lifecycle.end(reset_reason="a client asked for a reset")
        return _opened(room)

    async def close(self, request: wire.Close) -> wire.Closed:
        room = self._known(request.conversation_id)
        room.call_off()
        async with room.conversation.lock:
            await room.lifecycle.end(reset_reason=None)
        return wire.Closed()

    async def end_session(self, request: wire.EndSession) -> wire.EndSessionAnswer:
        room = self._known(request.conversation_id)
        return await ending.end_session(room, request)

    async def status(self, request: wire.StatusOf) -> wire.StatusAnswer:
        conversation = self._known(request.conversation_id).conversation
        await conversation.settled()
        active = conversation.terminal.active
        is_session = active is not None and active.kind is Kind.SESSION
        return wire.StatusAnswer(
            mode=conversation.mode_on_the_wire(),
            active_session_id=ids.session(active.block_id) if active and is_session else None,
            active_block_id=active.block_id if active else None,
            shell_id=conversation.terminal.shell_id,
            resume_cursor=conversation.store.spool.size,
        )

    async def list(self, _request: wire.List) -> wire.ListAnswer:
        return wire.ListAnswer(
            conversations=[self._rooms.listed(name) for name in self._rooms.names()]
        )

    # --- commands --------------------------------------------------------------

    async def exec_block(self, request: wire.ExecBlock) -> wire.ExecBlockAnswer:
        _, block = await self._begin(request, is_session=False)
        return wire.ExecBlockAnswer(
            block_id=block.block_id, seq=block.seq, ts=block.ts_begin, resume_cursor=block.begin
        )

    async def exec_interactive(self, request: wire.ExecInteractive) -> wire.ExecInteractiveAnswer:
        _, block = await self._begin(request, is_session=True)
        return wire.ExecInteractiveAnswer(
            session_id=ids.session(block.block_id),
            block_id=block.block_id,
            ts_begin=block.ts_begin,
            resume_cursor=block.begin,
        )

    async def run(self, request: wire.Run) -> wire.RunAnswer | wire.RunTimeout:
        room, begun = await self._begin(request, is_session=False)
        conversation = room.conversation
        block = await conversation.end_of(begun, request.timeout_ms / 1000)
        shown = block or conversation.terminal.active or begun
        read = conversation.store.outputs.read

        def output(start: int, end: int) -> bytes:
            return read(shown.block_id, start, end) if end > start else b""

        data = reading.tail(output, shown.output_bytes, request.max_bytes)
        truncated = shown.output_bytes > request.max_bytes
        if block is None:
            return wire.RunTimeout(
                message=f"the block runs still, after {request.timeout_ms} ms; it goes on: wait "
                "with pty.wait_prompt from resume_cursor",
                block_id=shown.block_id,
                data=data,
                truncated=truncated,
                output_bytes=shown.output_bytes,
                resume_cursor=shown.begin + shown.output_bytes,
            )
        return wire.RunAnswer(
            block=conversation.recorder.shown(block),
            data=data,
            truncated=truncated,
            output_bytes=block.output_bytes,
            resume_cursor=conversation.waits.prompt_after(block.begin + block.output_bytes),
        )

    async def _begin(
        self, request: wire.ExecBlock | wire.ExecInteractive | wire.Run, *, is_session: bool
    ) -> tuple[Room, Block]:
        command = _command(request.cmd)
        if request.cwd is not UNSET and request.conversation_id not in self._rooms.loaded:
            shells.directory(request.cwd, b"/")  # refused before a folder is made
        room = self._made(request.conversation_id)
        conversation = room.conversation
        conversation.refuse_if_busy()
        async with conversation.lock:
            await _at_prompt(room)
            if conversation.is_storage_full:
                raise Refused(Code.STORAGE_FULL, "the disk is full; the command did not run")
            cwd = _directory(request.cwd, conversation.terminal.cwd)
            block = conversation.ask(command, cwd, is_session=is_session)
            conversation.inputs.asked(block.block_id)
            return room, block

    # --- input and screen ------------------------------------------------------

    async def send(self, request: wire.Send) -> wire.Sent:
        if (request.data is UNSET) is (request.keys is UNSET):
            raise Refused(
                Code.INVALID_REQUEST,
                "exactly one of data (raw text) and keys (names) is accepted",
            )
        # Refused before a folder is made; keys are made again for the mode of the screen.
        if not isinstance(request.data, UnsetType):
            data = input_bytes(request.data)
        else:
            assert not isinstance(request.keys, UnsetType)
            data = keys_bytes(request.keys)
        refuse_if_too_long(data)
        room = self._made(request.conversation_id)
        conversation = room.conversation
        async with conversation.lock:
            await room.lifecycle.ensure()
            if not isinstance(request.keys, UnsetType):
                data = room.keyboard.bytes_of(request.keys)
            await room.keyboard.send(data, is_secret=request.secret)
        return wire.Sent()

    async def screen(self, request: wire.ScreenOf) -> wire.ScreenAnswer:
        conversation = self._known(request.conversation_id).conversation
        viewing = conversation.viewing
        picture = viewing.screen().picture()
        return wire.ScreenAnswer(
            rows=picture.rows,
            cursor=wire.CursorAt(row=picture.cursor_row, col=picture.cursor_col),
            title=picture.title,
            alt_screen=picture.is_alternate,
            cols=viewing.cols,
            rows_count=viewing.rows,
            resume_cursor=conversation.store.spool.size,
        )

    async def resize(self, request: wire.Resize) -> wire.Resized:
        room = self._known(request.conversation_id)
        self._resize(room, request.cols, request.rows)
        return wire.Resized(cols=request.cols, rows=request.rows)

    def _resize(self, room: Room, cols: int, rows: int) -> None:
        wanted = room.lifecycle.wanted
        if (wanted.cols, wanted.rows) == (cols, rows):
            return
        room.lifecycle.remember(replace(wanted, cols=cols, rows=rows))
        if room.conversation.link is not None:
            room.conversation.store.note_size(cols, rows)
            room.conversation.link.resize(cols, rows)
        room.conversation.viewing.resize(cols, rows)


async def _at_prompt(room: Room) -> None:
    """The shell can be told a command now; one that dies on the way here is followed by another."""
    conversation = room.conversation
    for _ in range(SHELLS_TRIED_MAX):
        conversation.refuse_if_busy()
        if conversation.terminal.mode is not Mode.IDLE:
            await room.lifecycle.ensure()
        if conversation.editing is not None:  # what was typed ahead comes first
            await asyncio.wait({conversation.editing}, timeout=limits.BEGIN_MS_MAX / 1000)
        await conversation.settled()
        conversation.refuse_if_busy()
        if conversation.terminal.is_in_editor:
            await room.keyboard.clear()
        if conversation.link is not None and conversation.link.has_signalled:
            await room.keyboard.heard()
        if conversation.terminal.mode is Mode.IDLE and conversation.link is not None:
            return
        conversation.refuse_if_busy()
    raise Refused(Code.SHELL_LOST, "the shell ends as soon as it has started; nothing was run")


def _wanted(request: wire.Open, before: Wanted) -> Wanted:
    """The shell that is asked for; what is not said stays as it was."""
    wanted = before
    if request.shell is not UNSET:
        wanted = replace(wanted, kind=request.shell)
    if not isinstance(request.cwd, UnsetType):
        wanted = replace(wanted, cwd=shells.directory(request.cwd, b"/").decode())
    if not isinstance(request.env, UnsetType):
        wanted = replace(wanted, variables=shells.checked_environment(request.env))
    if request.cols is not UNSET:
        wanted = replace(wanted, cols=request.cols)
    if request.rows is not UNSET:
        wanted = replace(wanted, rows=request.rows)
    return wanted


def _refuse_other_shell(request: wire.Open, wanted: Wanted, open_now: Wanted) -> None:
    asked = {"shell": request.shell, "cwd": request.cwd, "env": request.env}
    other = {
        "shell": wanted.kind != open_now.kind,
        "cwd": wanted.cwd != open_now.cwd,
        "env": wanted.variables != open_now.variables,
    }
    wrong = [name for name, value in asked.items() if value is not UNSET and other[name]]
    if wrong:
        raise Refused(
            Code.INVALID_REQUEST,
            f"a {open_now.kind} is open here with other {', '.join(wrong)}; these are taken when "
            "a shell opens: pty.close it first, or leave them out",
        )


def _opened(room: Room) -> wire.Opened:
    conversation = room.conversation
    shell_id = conversation.terminal.shell_id
    if shell_id is None:
        raise Refused(Code.SHELL_LOST, "the shell ended while it started")
    return wire.Opened(
        shell_id=shell_id,
        mode=conversation.mode_on_the_wire(),
        resume_cursor=conversation.store.spool.size,
    )


def _command(text: str) -> str:
    data = input_bytes(text)
    if len(data) > limits.COMMAND_BYTES_MAX:
        raise Refused(
            Code.LIMIT_REACHED,
            f"cmd has {len(data)} bytes; at most {limits.COMMAND_BYTES_MAX} are taken "
            "(COMMAND_BYTES_MAX)",
        )
    if "\0" in text:
        raise Refused(Code.INVALID_REQUEST, "cmd has a NUL, which no shell takes")
    return text


def _directory(cwd: str | UnsetType, base: bytes) -> bytes | None:
    return None if isinstance(cwd, UnsetType) else shells.directory(cwd, base)
