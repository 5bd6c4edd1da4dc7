"""Facts that do not follow from the stream, with the place in the stream at which they came.

Together with `output.raw` they say everything that happened since the last checkpoint.
"""

from __future__ import annotations

import msgspec

from antiphon.drivers.store import Store
from antiphon.service.tail import sound_lines
from antiphon.terminal.facts import (
    BlockRequested,
    EndGivenUp,
    EndRequested,
    Fact,
    InterruptSent,
    SessionRequested,
)

_PLAIN: dict[str, type[InterruptSent | EndRequested | EndGivenUp]] = {
    "interrupt": InterruptSent,
    "end": EndRequested,
    "end_given_up": EndGivenUp,
}
_NAMES: dict[type[Fact], str] = {made: name for name, made in _PLAIN.items()}


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the journal."""

    serial: int
    at: int  # offset in output.raw
    kind: str
    command: str = ""
    number: int = 0
    ts_ms: int = 0
    cwd: bytes | None = None

    def fact(self) -> Fact:
        if self.kind in _PLAIN:
            return _PLAIN[self.kind]()
        made = SessionRequested if self.kind == "session" else BlockRequested
        return made(self.command, self.number, self.ts_ms, self.cwd)


def _entry(serial: int, at: int, fact: Fact) -> Entry:
    if isinstance(fact, BlockRequested):
        kind = "session" if isinstance(fact, SessionRequested) else "block"
        return Entry(serial, at, kind, fact.command, fact.number, fact.ts_ms, fact.cwd)
    return Entry(serial, at, _NAMES[type(fact)])


class Journal:
    """The entries since the last checkpoint."""

    def __init__(self, store: Store, serial: int) -> None:
        self.serial = serial  # of the next entry
        self._store = store
        self._file = store.open_file(store.folder / "journal")
        self._encode = msgspec.json.Encoder().encode

    def append(self, at: int, fact: Fact) -> None:
        self._file.append(self._encode(_entry(self.serial, at, fact)) + b"\n")
        self.serial += 1

    def entries(self) -> list[Entry]:
        """Those that the checkpoint does not know; a torn last line was never acted upon."""
        found = sound_lines(self._store, self._file, 0, Entry)
        return [entry for entry in found if entry.serial >= self.serial]

    def forget(self) -> None:
        """A checkpoint knows all of them."""
        self._file.cut(0)

    def close(self) -> None:
        self._file.close()
