"""The index of a database that was just opened, made before somebody waits for it.

A million names take some ten seconds.  What asks meanwhile waits here, and holds no thread that
others need; a part of the index would call the only one of several that it has «exact».
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from antiphon.drivers.following import Follower


class Indexing:
    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="index")
        self._first = self._thread.submit(follower.follow)

    async def ready(self) -> None:
        """The index has once been as true as the database; why not, the next search says."""
        first = asyncio.wrap_future(self._first)
        await asyncio.wait([first])
        first.exception()

    async def close(self) -> None:
        self.follower.stop()
        await self.ready()
        self._thread.shutdown()
