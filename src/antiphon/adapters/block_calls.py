"""The library's `blocks.…`: each operation with its fields, awaited or blocking."""

from __future__ import annotations

from typing import Literal

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.calls import Verbs
from antiphon.wire import terminal as t


class Blocks(Verbs):
    """The operations `blocks.…`, each with its fields."""

    async def since(
        self, conversation_id: str, *, from_cursor: int = 0, limit: int = 50
    ) -> t.BlocksSinceAnswer:
        """Lists ended blocks from a cursor on, oldest first."""
        return await self._called(
            t.BlocksSinceAnswer,
            "blocks.since",
            conversation_id=conversation_id,
            from_cursor=from_cursor,
            limit=limit,
        )

    async def get(self, conversation_id: str, block_id: str) -> t.BlocksGetAnswer:
        """Shows one block: command, directory, times, status, exit code."""
        return await self._called(
            t.BlocksGetAnswer, "blocks.get", conversation_id=conversation_id, block_id=block_id
        )

    async def read(
        self,
        conversation_id: str,
        block_id: str,
        *,
        from_cursor: int = 0,
        max_bytes: int = 65_536,
        encoding: t.Encoding = "utf-8",
    ) -> t.ReadAnswer:
        """Reads the output of one block from a cursor on."""
        return await self._called(
            t.ReadAnswer,
            "blocks.read",
            conversation_id=conversation_id,
            block_id=block_id,
            from_cursor=from_cursor,
            max_bytes=max_bytes,
            encoding=encoding,
        )

    async def search(
        self,
        conversation_id: str,
        query: str,
        *,
        match_type: Literal["substring", "regex"] = "substring",
        block_id: str | None = None,
        ignore_case: bool = False,
        limit: int = 50,
    ) -> t.BlocksSearchAnswer:
        """Searches the output of all blocks, newest block first."""
        return await self._called(
            t.BlocksSearchAnswer,
            "blocks.search",
            conversation_id=conversation_id,
            query=query,
            match_type=match_type,
            block_id=block_id,
            ignore_case=ignore_case,
            limit=limit,
        )


class BlockingBlocks:
    """The operations `blocks.…`, each with its fields; they block."""

    def __init__(self, verbs: Blocks, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def since(
        self, conversation_id: str, *, from_cursor: int = 0, limit: int = 50
    ) -> t.BlocksSinceAnswer:
        """Lists ended blocks from a cursor on, oldest first."""
        return self._loop.result(
            self._verbs.since(conversation_id, from_cursor=from_cursor, limit=limit)
        )

    def get(self, conversation_id: str, block_id: str) -> t.BlocksGetAnswer:
        """Shows one block: command, directory, times, status, exit code."""
        return self._loop.result(self._verbs.get(conversation_id, block_id))

    def read(
        self,
        conversation_id: str,
        block_id: str,
        *,
        from_cursor: int = 0,
        max_bytes: int = 65_536,
        encoding: t.Encoding = "utf-8",
    ) -> t.ReadAnswer:
        """Reads the output of one block from a cursor on."""
        return self._loop.result(
            self._verbs.read(
                conversation_id,
                block_id,
                from_cursor=from_cursor,
                max_bytes=max_bytes,
                encoding=encoding,
            )
        )

    def search(
        self,
        conversation_id: str,
        query: str,
        *,
        match_type: Literal["substring", "regex"] = "substring",
        block_id: str | None = None,
        ignore_case: bool = False,
        limit: int = 50,
    ) -> t.BlocksSearchAnswer:
        """Searches the output of all blocks, newest block first."""
        return self._loop.result(
            self._verbs.search(
                conversation_id,
                query,
                match_type=match_type,
                block_id=block_id,
                ignore_case=ignore_case,
                limit=limit,
            )
        )
