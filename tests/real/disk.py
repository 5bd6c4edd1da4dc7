"""A disk that can be filled and freed: a small tmpfs, or a limit on files where none is allowed."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

PAGE_BYTES = 4096
DISK_BYTES = 4 << 20


class Disk(Protocol):
    """Where a state directory lies."""

    place: Path

    def fill(self, free_bytes: int) -> None:
        """Only so much more can be written."""

    def free(self) -> None:
        """There is room again."""


class Mounted:
    """A tmpfs, and a file that takes what room there is."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._filler = place / "filler"

    def fill(self, free_bytes: int) -> None:
        while True:
            self.free()
            room = os.statvfs(self.place)
            size = room.f_bavail * room.f_frsize - free_bytes
            with self._filler.open("wb") as filler:
                try:
                    os.posix_fallocate(filler.fileno(), 0, max(size, PAGE_BYTES))
                except OSError as error:  # a program has printed since it was asked
                    if error.errno != errno.ENOSPC:
                        raise
                else:
                    return

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)


class Limited:
    """No file may grow longer than the longest there is, by our processes and their holders."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(self, free_bytes: int) -> None:
        longest = max(path.stat().st_size for path in self.place.rglob("*") if path.is_file())
        self._set(longest + free_bytes)

    def free(self) -> None:
        self._set(self._before[0])

    def _set(self, soft: int) -> None:
        for pid in (os.getpid(), *_holders(self.place)):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, self._before[1]))


def _holders(place: Path) -> list[int]:
    """Those who hold files there: they are not our children, but they came from our zygote."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"holder.py" in (entry / "cmdline").read_bytes():
                files = [str(one.readlink()) for one in (entry / "fd").iterdir()]
                found += [int(entry.name)] if any(str(place) in file for file in files) else []
        except OSError:
            continue  # it ended while we looked, or is somebody else's
    return found


@contextmanager
def small_disk(place: Path) -> Iterator[Disk]:
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", str(place)]
    can_mount = shutil.which("mount") is not None
    is_mounted = can_mount and subprocess.run(mount, capture_output=True).returncode == 0
    disk: Disk = Mounted(place) if is_mounted else Limited(place)
    try:
        yield disk
    finally:
        disk.free()
        if is_mounted:
            subprocess.run(["umount", "-l", str(place)], check=True)
