"""The component library on disk: which files go by a name, and what an import has added."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from antiphon.base import limits
from antiphon.base.errors import Broken
from antiphon.component import names

IMPORTS = "imports"
PACKAGES = os.path.join("node_modules", "@tsci")
Stamp = tuple[int, int, int]  # when it was written, its size, which file it is


@dataclass(frozen=True, slots=True)
class Library:
    """A folder of components; it need not be there yet."""

    root: Path

    def named(self, name: str) -> list[Path]:
        """The files that go by a name, in a fixed order."""
        if not self.root.is_dir():
            if self.root.exists():
                raise Broken(f"the library {self.root} is no folder")
            return []
        found = [self.root / path for path in _files(self.root) if names.goes_by(path, name)]
        return sorted(path for path in found if path.is_file())

    def made(self) -> Path:
        """The folder, which tools run in."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Broken(f"the library {self.root} cannot be made: {error.strerror}") from None
        return self.root

    def stamps(self) -> dict[Path, Stamp]:
        """What an import could add or change: files below `imports`, and packages."""
        found: dict[Path, Stamp] = {}
        imports = self.root / IMPORTS
        for path in _files(imports) if imports.is_dir() else ():
            _note(found, imports / path, imports / path)
        for package in _packages(self.root / PACKAGES):
            _note(found, package, package / "package.json")
        return found

    def appeared(self, before: Mapping[Path, Stamp], printed: str) -> Path | None:
        """What is new or changed since; of several the one that was named, else the newest."""
        now = self.stamps()
        changed = [path for path, stamp in now.items() if before.get(path) != stamp]
        if not changed:
            return None
        return max(changed, key=lambda path: (_is_component(path), path.name in printed,
                                              now[path][0], path))  # fmt: skip


def _is_component(path: Path) -> bool:
    return path.suffix in names.FILE_SUFFIXES or path.is_dir()


def _note(found: dict[Path, Stamp], path: Path, witness: Path) -> None:
    try:
        stat = os.stat(witness)
    except OSError:
        try:
            stat = os.stat(path)
        except OSError:
            return  # it went while we looked
    found[path] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)


def _files(root: Path) -> Iterator[PurePath]:
    """Names of files below a folder, relative to it, without hidden and installed ones."""
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(one for one in folders if one != "node_modules" and one[0] != ".")
        below = PurePath(os.path.relpath(folder, root))
        for file in files:
            count += 1
            if count > limits.LIBRARY_FILES_MAX:
                raise Broken(f"{root} has more files than are looked at (LIBRARY_FILES_MAX)")
            yield below / file


def _packages(folder: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return []
