"""A file that is written at known offsets, so that a write may be done again."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from antiphon.base.errors import Broken

FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
# A full disk, and a limit of files that will pass.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE)


class StorageFull(Broken):
    """The disk took less than was given; the same write may be tried again."""


@dataclass(slots=True)
class File:
    """A file that grows; what lies behind `size` is not there yet."""

    path: Path
    fd: int
    size: int

    @classmethod
    def open(cls, path: Path) -> File:
        try:
            fd = os.open(path, FLAGS, 0o600)
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise StorageFull(f"{path.name}: {error.strerror}") from None
        return cls(path, fd, os.fstat(fd).st_size)

    def write_at(self, offset: int, data: bytes) -> None:
        try:
            written = os.pwrite(self.fd, data, offset)
            while written < len(data):
                written += os.pwrite(self.fd, data[written:], offset + written)
        except OSError as error:
            # Half a record would stand there, and a shorter one before the rest of it.
            os.ftruncate(self.fd, offset)
            raise StorageFull(f"{self.path.name}: {error.strerror}") from None

    def append(self, data: bytes) -> None:
        self.write_at(self.size, data)
        self.size += len(data)

    def read(self, start: int, end: int) -> bytes:
        return os.pread(self.fd, min(end, self.size) - start, start)

    def cut(self, size: int) -> None:
        os.ftruncate(self.fd, size)
        self.size = size

    def close(self) -> None:
        os.close(self.fd)
