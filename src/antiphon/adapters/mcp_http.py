"""`/mcp`: the MCP door over streamable HTTP, made when somebody first knocks.

Who may knock was decided before (http_security), so the SDK's own looser check stays off.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.types import Receive, Scope, Send

from antiphon.adapters.front import Front
from antiphon.adapters.mcp_rooms import Room
from antiphon.base import limits

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class McpDoor:
    def __init__(self, front: Front, rooms: Sequence[Room] = ()) -> None:
        self.front = front
        self.rooms = rooms
        self.is_wanted = asyncio.Event()
        self.is_closing = asyncio.Event()
        self.manager: asyncio.Future[StreamableHTTPSessionManager] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        self.manager = asyncio.get_running_loop().create_future()
        running = asyncio.create_task(self._run(self.manager))
        try:
            yield
        finally:
            self.is_closing.set()
            self.is_wanted.set()
            await running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.manager is not None, "the door opens with the application"
        self.is_wanted.set()
        manager = await asyncio.shield(self.manager)
        await manager.handle_request(scope, receive, send)

    async def _run(self, opened: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        """One task enters and leaves the manager: its task group wants that."""
        await self.is_wanted.wait()
        if self.is_closing.is_set():
            opened.cancel()
            return
        # In a thread, so that calls at the other doors go on during the import.
        await asyncio.to_thread(importlib.import_module, "antiphon.adapters.mcp")
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from antiphon.adapters import mcp

        manager = StreamableHTTPSessionManager(
            mcp.server(self.front, rooms=self.rooms), max_request_body_size=limits.BODY_BYTES_MAX
        )
        async with manager.run():
            opened.set_result(manager)
            await self.is_closing.wait()
