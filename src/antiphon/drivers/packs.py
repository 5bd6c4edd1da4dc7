"""Packs as folders: the shipped ones by their names, others by their paths.

It reads files and decides nothing; what is wrong with them, `repl/pack.py` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from antiphon.base import limits
from antiphon.base.errors import Broken
from antiphon.drivers import pack_trial
from antiphon.repl.fields import Problem
from antiphon.repl.pack import Loading, Pack, loaded

SHIPPED = Path(__file__).parent.parent / "packs"
DEFAULT = ("onboarding",)


def shipped() -> tuple[str, ...]:
    """The names of the packs that come with Antiphon."""
    return tuple(sorted(one.name for one in SHIPPED.iterdir() if (one / "verbs").is_dir()))


def load(names: Sequence[str] = ()) -> Loading:
    """The packs of these names or folders together; without any, the default one."""
    files: dict[str, str] = {}
    problems: list[Problem] = []
    folders: dict[Path, str] = {}
    for name in names or DEFAULT:
        folder = _folder(name)
        if folder is None:
            known = ", ".join(shipped())
            problems.append(Problem(name, 1, f"there is no such folder; shipped are: {known}"))
        else:
            folders.setdefault(folder.resolve(), name)  # the same one twice is one
    for folder, name in folders.items():
        for path in _paths(folder):
            label = f"{name.rstrip('/')}/{path.relative_to(folder).as_posix()}"
            if len(files) >= limits.PACK_FILES_MAX:
                problems.append(Problem(name, 1, f"more than {limits.PACK_FILES_MAX} files"))
                break
            text, problem = _text(path, label)
            files[label] = text
            if problem is not None:
                problems.append(problem)
    if problems:
        # What could not be read at all is told with what is wrong in the rest.
        found = loaded(files).problems if files else ()
        return Loading(None, tuple(sorted({*problems, *found})))
    loading = loaded(files)
    if loading.pack is None:
        return loading
    tried = pack_trial.problems(loading.pack, files)
    return Loading(None, tuple(sorted(set(tried)))) if tried else loading


def opened(names: Sequence[str] = ()) -> Pack:
    """The pack, or `Broken` with every problem on a line of its own."""
    found = load(names)
    if found.pack is None:
        told = (str(problem) for problem in found.problems)
        raise Broken("\n".join(["the pack cannot be used:", *told]))
    return found.pack


def _folder(name: str) -> Path | None:
    """What looks like a path is one; a bare name is a shipped pack first."""
    if "/" not in name and (SHIPPED / name / "verbs").is_dir():
        return SHIPPED / name
    path = Path(name).expanduser()
    return path if path.is_dir() else None


def _paths(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "__")) for part in parts):
            yield path


def _text(path: Path, label: str) -> tuple[str, Problem | None]:
    try:
        with open(path, "rb") as file:
            data = file.read(limits.PACK_FILE_BYTES_MAX + 1)
    except OSError as error:
        return "", Problem(label, 1, f"it cannot be read: {error.strerror}")
    if len(data) > limits.PACK_FILE_BYTES_MAX:
        return "", Problem(label, 1, f"more than {limits.PACK_FILE_BYTES_MAX} bytes")
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return "", Problem(label, line, f"this is no UTF-8: {error.reason}")
