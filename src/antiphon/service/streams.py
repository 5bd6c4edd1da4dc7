"""What viewers of a conversation see: bytes as they come, and events between them.

An event stands behind the bytes that were there when it happened.  Bytes are fetched from the
files at the viewer's own pace, so that a slow one costs nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.service import reading
from antiphon.service.conversation import Conversation
from antiphon.service.viewing import Viewer

FRAME_BYTES = 64 << 10
# Enough for any screen to be drawn, and for some of what scrolled off it.
LIVE_BYTES = 256 << 10

Items = AsyncIterator[bytes | str]


async def spool(conversation: Conversation, from_cursor: int) -> Items:
    """Bytes of the spool from a cursor on; it goes on until the caller leaves."""
    file = conversation.store.spool
    cursor = reading.checked_cursor(from_cursor, file.size)
    with _viewer(conversation) as viewer:
        async for item in _following(viewer, cursor, lambda: file.size, file.read):
            yield item


async def live(conversation: Conversation, from_cursor: int | None) -> Items:
    """Bytes as the terminal printed them, for a terminal of the viewer's own.

    The first item says the size of the screen and where the bytes begin: at the cursor given,
    or so far back that the screen can be drawn.
    """
    store, viewing = conversation.store, conversation.viewing

    def size() -> int:
        return conversation.raw_offset

    def read(start: int, end: int) -> bytes:
        return store.read_raw(start, end - start)

    if from_cursor is None:
        cursor = max(viewing.start, size() - LIVE_BYTES)
        if cursor > viewing.start:  # not in the middle of a line, so hardly in an escape sequence
            cursor += read(cursor, min(size(), cursor + FRAME_BYTES)).find(b"\n") + 1
    else:
        cursor = reading.checked_cursor(from_cursor, size())
    with _viewer(conversation) as viewer:
        yield f'{{"type":"live","cursor":{cursor},"cols":{viewing.cols},"rows":{viewing.rows}}}'
        async for item in _following(viewer, cursor, size, read):
            yield item


@contextmanager
def _viewer(conversation: Conversation) -> Iterator[Viewer]:
    viewing = conversation.viewing
    if len(viewing.viewers) >= limits.VIEWERS_MAX:
        raise Refused(
            Code.LIMIT_REACHED,
            f"{limits.VIEWERS_MAX} viewers watch this conversation (VIEWERS_MAX)",
        )
    viewer = Viewer()
    viewer.put(viewing.mode_event(conversation.mode_on_the_wire()))
    viewing.viewers.append(viewer)
    try:
        yield viewer
    finally:
        viewing.viewers.remove(viewer)


async def _following(
    viewer: Viewer, cursor: int, size: Callable[[], int], read: Callable[[int, int], bytes]
) -> Items:
    while True:
        viewer.woken.clear()
        events = viewer.take()
        end = size()
        while cursor < end:
            data = read(cursor, min(end, cursor + FRAME_BYTES))
            cursor += len(data)
            yield data
        for event in events:
            yield event
        if cursor == size() and not viewer.has_events:
            await viewer.woken.wait()
