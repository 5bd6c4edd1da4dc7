"""What dialogues need on disk: one key, flows by their digest, accepted texts, and what was run.

    <state>/flows/NAME.yaml      flows that an operator put there
    <state>/dialogues/key        32 bytes, made once; states signed with it survive a restart
    <state>/dialogues/flow/…     each flow that was started, so that a state need not hold it
    <state>/dialogues/pin/…      texts of a model that were accepted
    <state>/dialogues/run/…      a confirmed action, which is begun once; env/… its variables
    <state>/dialogues/violations.jsonl    drafts that broke the contract, and what came of it;
                                          the older records in violations.jsonl.1

Every file is written whole or not at all, 0600, and belongs to the state directory's owner.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from antiphon.base import limits
from antiphon.base.errors import Broken
from antiphon.drivers.file import FULL, StorageFull

KEY_BYTES = 32
FLOW_FILE_BYTES_MAX = 256 << 10

Kind = Literal["flow", "pin", "run", "env"]


@dataclass(frozen=True, slots=True)
class DialogueFiles:
    state_dir: Path

    @property
    def folder(self) -> Path:
        return self.state_dir / "dialogues"

    def key(self) -> bytes:
        path = self.folder / "key"
        found = _read(path)
        if found is None:
            found = secrets.token_bytes(KEY_BYTES)
            _write(path, found)
        if len(found) != KEY_BYTES:
            raise Broken(f"{path} is no key of {KEY_BYTES} bytes; without it states mean nothing")
        return found

    def named_flow(self, name: str) -> str | None:
        """A flow's text; the name was checked, so it stays in its folder."""
        path = self.state_dir / "flows" / f"{name}.yaml"
        data = _read(path, FLOW_FILE_BYTES_MAX + 1)
        return None if data is None else data.decode("utf-8", "surrogateescape")

    def kept(self, kind: Kind, name: str) -> str | None:
        data = _read(self.folder / kind / name)
        return None if data is None else data.decode()

    def keep(self, kind: Kind, name: str, text: str) -> None:
        path = self.folder / kind / name
        if not path.exists():
            self._make_room(path.parent)
        _write(path, text.encode())

    def keep_first(self, kind: Kind, name: str, text: str) -> str:
        """What is kept under the name: this text, or what another kept there meanwhile."""
        path = self.folder / kind / name
        with suppress(FileExistsError):
            self._make_room(path.parent)
            _write(path, text.encode(), is_first=True)
        found = self.kept(kind, name)
        return text if found is None else found

    def touch(self, kind: Kind, name: str) -> bool:
        """It is used again; False when it is not there."""
        try:
            os.utime(self.folder / kind / name)
        except FileNotFoundError:
            return False
        return True

    def forget(self, kind: Kind, name: str) -> None:
        (self.folder / kind / name).unlink(missing_ok=True)

    def note(self, record: bytes) -> None:
        """Another line among the violations; the oldest half of them makes room."""
        path = self.folder / "violations.jsonl"
        with _full_disk_named(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _size(path) + len(record) > limits.VIOLATIONS_BYTES_MAX:
                path.replace(path.with_name("violations.jsonl.1"))
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(path, flags, 0o600)
            try:
                os.write(descriptor, record + b"\n")  # one write, so that lines stay whole
            finally:
                os.close(descriptor)

    def _make_room(self, folder: Path) -> None:
        if not folder.is_dir():
            return
        with os.scandir(folder) as entries:
            found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
        for _, path in sorted(found)[: len(found) + 1 - limits.DIALOGUE_FILES_MAX]:
            Path(path).unlink(missing_ok=True)


def _read(path: Path, bytes_max: int | None = None) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Broken(f"{path}: cannot be read: {error.strerror}") from error
    with open(descriptor, "rb") as file:
        return file.read(-1 if bytes_max is None else bytes_max)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _write(path: Path, data: bytes, *, is_first: bool = False) -> None:
    with _full_disk_named(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if is_first:
                path.hardlink_to(fresh)  # fails where there is one
            else:
                fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)


@contextmanager
def _full_disk_named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise StorageFull(f"{path.name}: {error.strerror}") from None
