"""The end of a file of JSON lines as a crash may have left it: whole lines, then what is none."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from antiphon.drivers.file import File, StorageFull
from antiphon.drivers.store import Store

Shape = TypeVar("Shape", bound=msgspec.Struct)


def sound_lines(store: Store, file: File, start: int, shape: type[Shape]) -> list[Shape]:
    """The lines from an offset on; from the first that is none, the rest is cut off.

    What is cut off was never acted upon; it is kept beside the file, for people.
    """
    found: list[Shape] = []
    data = file.read(start, file.size) if start < file.size else b""
    at = 0
    decode = msgspec.json.Decoder(shape).decode
    while (end := data.find(b"\n", at)) >= 0:
        try:
            found.append(decode(data[at:end]))
        except (msgspec.DecodeError, UnicodeDecodeError):
            break
        at = end + 1
    if data[at:]:
        kept_beside(store, file, start + at)
    return found


def readable_lines(store: Store, file: File, shape: type[Shape]) -> list[Shape]:
    """All lines that can be read.  One in the middle that cannot is damaged, and stays there for
    people; what follows the last that can is no record, and is cut off.
    """
    found: list[Shape] = []
    data = file.read(0, file.size)
    decode = msgspec.json.Decoder(shape).decode
    at = sound = 0
    while (end := data.find(b"\n", at)) >= 0:
        try:
            found.append(decode(data[at:end]))
            sound = end + 1
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # the next one says whether this is the end
        at = end + 1
    if sound < len(data):
        kept_beside(store, file, sound)
    return found


def kept_beside(store: Store, file: File, start: int) -> None:
    """The file ends here; what followed is in another one, for people."""
    try:
        store.put(f"{file.path.name}.torn", file.read(start, file.size))
    except StorageFull:
        pass  # it is evidence, not record
    store.cut(file, start)
