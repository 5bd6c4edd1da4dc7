"""An event loop in a thread of its own, for callers that block: a person's terminal, a script."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Self, TypeVar

Result = TypeVar("Result")


class LoopThread:
    """Runs coroutines for a thread that waits for them; ended, it leaves nothing running."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        # A daemon: a caller that forgets to close it can still end.
        self.thread = threading.Thread(target=self._turn, name="antiphon", daemon=True)

    def _turn(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def start(self, work: Coroutine[object, object, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def result(self, work: Coroutine[object, object, Result]) -> Result:
        """The result; a Ctrl-C while waiting cancels the work."""
        running = self.start(work)
        try:
            return running.result()
        except BaseException:
            running.cancel()
            raise

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.result(self._ended())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _ended(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.loop.shutdown_asyncgens()
