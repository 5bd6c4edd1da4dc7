"""The operations on what was: the spool, inputs, blocks, their output, and the search in it."""

from __future__ import annotations

from pathlib import Path

from antiphon.base import ids
from antiphon.base.errors import Code, Refused
from antiphon.service import reading, search
from antiphon.service.room import Room, Rooms
from antiphon.wire import inputs
from antiphon.wire import terminal as wire


class History:
    """`pty.read_spool`, `pty.read_inputs` and `blocks.*`."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def _known(self, conversation_id: str) -> Room:
        return self._rooms.known(ids.conversation(conversation_id))

    async def read_spool(self, request: wire.ReadSpool) -> wire.ReadAnswer:
        spool = self._known(request.conversation_id).conversation.store.spool
        piece = reading.piece(
            spool.read, spool.size, request.from_cursor, request.max_bytes, request.encoding
        )
        return wire.ReadAnswer(
            data=piece.data, cursor=request.from_cursor, resume_cursor=piece.resume_cursor
        )

    async def read_inputs(self, request: inputs.ReadInputs) -> inputs.ReadInputsAnswer:
        file = self._known(request.conversation_id).conversation.store.inputs
        items, end = reading.lines_since(file, request.from_cursor, request.limit, inputs.Input)
        return inputs.ReadInputsAnswer(items=items, cursor=request.from_cursor, resume_cursor=end)

    async def since(self, request: wire.BlocksSince) -> wire.BlocksSinceAnswer:
        store = self._known(request.conversation_id).conversation.store
        items, end = reading.lines_since(
            store.blocks, request.from_cursor, request.limit, wire.Block
        )
        return wire.BlocksSinceAnswer(items=items, cursor=request.from_cursor, resume_cursor=end)

    async def get(self, request: wire.BlocksGet) -> wire.BlocksGetAnswer:
        room = self._known(request.conversation_id)
        return wire.BlocksGetAnswer(block=_block(room, request.block_id))

    async def read(self, request: wire.BlocksRead) -> wire.ReadAnswer:
        room = self._known(request.conversation_id)
        block = _block(room, request.block_id)
        store = room.conversation.store

        def output(start: int, end: int) -> bytes:
            return store.outputs.read(block.block_id, start, end)

        piece = reading.piece(
            output, block.output_bytes, request.from_cursor, request.max_bytes, request.encoding
        )
        return wire.ReadAnswer(
            data=piece.data, cursor=request.from_cursor, resume_cursor=piece.resume_cursor
        )

    async def search(self, request: wire.BlocksSearch) -> wire.BlocksSearchAnswer:
        room = self._known(request.conversation_id)
        needle = search.needle(request.query, request.match_type, ignore_case=request.ignore_case)
        active = room.conversation.terminal.active
        if isinstance(request.block_id, str):
            names = [_block(room, request.block_id).block_id]
        else:
            names = [active.block_id] if active else []
            names += room.index.newest_first()
        store = room.conversation.store
        paths = [(name, Path(store.outputs.path(name))) for name in names]
        return await search.hits(paths, needle, request.limit)


def _block(room: Room, block_id: str) -> wire.Block:
    """An ended block, or the one that runs."""
    conversation = room.conversation
    active = conversation.terminal.active
    if active is not None and active.block_id == block_id:
        return conversation.recorder.shown(active)
    block = room.index.get(block_id)
    if block is None:
        raise Refused(
            Code.NOT_FOUND,
            f"there is no block {block_id[:80]!r} here; blocks.since lists those there are",
        )
    return block
