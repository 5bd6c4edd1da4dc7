"""After the machine's end: the record says no more than what the terminal printed bears out.

What is written is on the disk in some order until it is synced, so the record may have survived
where the output that it tells of did not.  What is not borne out is taken off and kept
beside; it was synced by nobody, so nobody was promised it.
"""

from __future__ import annotations

import base64
import contextlib
from pathlib import Path

from antiphon.drivers import processes
from antiphon.drivers.file import StorageFull
from antiphon.drivers.store import Batch, Store
from antiphon.service import checkpoint
from antiphon.service.checkpoint import Known
from antiphon.service.stream import Stream
from antiphon.service.tail import kept_beside, sound_lines
from antiphon.terminal.facts import Order


class Rehearsal(Stream):
    """What the terminal printed since the checkpoint, read again into the spool alone."""

    def _write(self, batch: Batch, orders: list[Order]) -> None:  # noqa: ARG002 - nobody is told
        self.store.commit(Batch(spool=batch.spool))

    def rehearse(self) -> None:
        self.read_again(self.key.encode())

    def carry_out(self, order: Order) -> None:
        """It has been."""

    def answer_query(self, reply: bytes) -> None:
        """It was answered."""


def clamp(conversation_id: str, folder: Path) -> None:
    """Nothing, while the machine that wrote the checkpoint still runs."""
    if checkpoint.boot_of(folder) in (None, processes.boot()):
        return
    store = Store(folder)
    found = checkpoint.load(store)
    if found is None:  # it knows more than the files have
        store.close()
        return
    stream = Rehearsal(conversation_id, store)
    try:
        with contextlib.suppress(StorageFull):
            stream.rehearse()
            _take_off(store, found.events_size)
    finally:
        stream.let_go()


def _take_off(store: Store, start: int) -> None:
    at = start
    for event in sound_lines(store, store.events, start, Known):
        if not _is_borne_out(store, event):
            kept_beside(store, store.events, at)
            return
        at = store.events.read(at, store.events.size).index(b"\n") + 1 + at


def _is_borne_out(store: Store, event: Known) -> bool:
    if event.type != "agent_block_delta":
        return True
    said = event.delta.encode() or base64.b64decode(event.delta_b64)
    end = event.cursor + len(said)
    return end <= store.spool.size and store.spool.read(event.cursor, end) == said
