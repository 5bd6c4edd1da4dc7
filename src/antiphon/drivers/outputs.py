"""Files of blocks: each block has one, also where it printed nothing.

To make a file takes 20 µs, and on a full disk 600; a name of one takes 15 [measured].  So each
block begins with a name of one empty file, while its shell is at work.  The first that prints
keeps that file, and the next block finds another; those that print nothing share it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from antiphon.drivers.file import File, StorageFull


class Outputs:
    """The files of one conversation's blocks; the newest is open while it grows."""

    def __init__(self, folder: Path, open_file: Callable[[Path], File]) -> None:
        self._open_file = open_file
        self._folder = f"{folder}/blocks/"
        self._empty = f"{folder}/empty"
        self._is_taken = True  # the empty file is a block's own, for all we know
        self._newest: tuple[str, File] | None = None

    def path(self, block_id: str) -> str:
        return f"{self._folder}{block_id}.out"

    def begin(self, block_id: str) -> None:
        """On a full disk there is no file yet: what has none reads as empty."""
        self.end()
        try:
            if self._is_taken:
                self._renew()
            self._name(self.path(block_id))
        except (OSError, StorageFull):
            self._is_taken = True  # or it has as many names as a file can have

    def _renew(self) -> None:
        Path(self._empty).unlink(missing_ok=True)
        self._open_file(Path(self._empty)).close()
        self._is_taken = False

    def _name(self, path: str) -> None:
        try:
            os.link(self._empty, path)
        except FileExistsError:  # of a block that a crash has undone
            Path(path).unlink()
            os.link(self._empty, path)

    def of(self, block_id: str) -> File:
        """The file of a block that prints, to be written."""
        if self._newest is not None and self._newest[0] == block_id:
            return self._newest[1]
        self.end()
        path = Path(self.path(block_id))
        file = self._open_file(path)
        names = os.fstat(file.fd).st_nlink
        self._is_taken = self._is_taken or names > 1
        if names > 2 and not file.size:  # others that printed nothing have it too
            file.close()
            path.unlink()
            file = self._open_file(path)
        self._newest = (block_id, file)
        return file

    def end(self) -> None:
        """No more output of the newest block comes."""
        if self._newest is not None:
            self._newest[1].close()
            self._newest = None

    def put(self, block_id: str, output: bytes) -> None:
        """The whole output of a block, again."""
        file = self.of(block_id)
        file.write_at(0, output)
        file.cut(len(output))

    def read(self, block_id: str, start: int, end: int) -> bytes:
        """Bytes of a block's output; the name is one that we made."""
        try:
            fd = os.open(self.path(block_id), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return b""  # a block without output, and a full disk or a crash before its empty file
        try:
            return os.pread(fd, end - start, start)
        finally:
            os.close(fd)
