"""The commands that work on the files of conversations: `export` and `fsck`."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, cast

from antiphon.adapters.cli_exit import REFUSED, WELL, print_json, say, state_dir_of
from antiphon.base import ids
from antiphon.base.errors import Broken, Code, Refused


class Export(Protocol):
    """`antiphon.service.export`: pieces of the file that is asked for."""

    def asciicast(self, folder: Path, block_id: str | None) -> Iterable[str]: ...

    def text(self, folder: Path, block_id: str | None) -> Iterable[str]: ...


class Fsck(Protocol):
    """`antiphon.service.fsck`: a line for each thing that is not as it should be."""

    def check(self, folder: Path) -> Iterable[str]: ...


def export(arguments: argparse.Namespace) -> int:
    folder = _folder(state_dir_of(arguments), arguments.conversation)
    exporter = cast(Export, _part("export"))
    write = exporter.asciicast if arguments.kind == "asciicast" else exporter.text
    pieces = write(folder, arguments.block)
    if arguments.output is None:
        for piece in pieces:
            sys.stdout.write(piece)
        return WELL
    try:
        with arguments.output.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
    except OSError as error:
        raise Broken(f"{arguments.output}: cannot be written: {error.strerror}") from error
    if arguments.json:
        print_json({"ok": True, "path": str(arguments.output)})
    return WELL


def fsck(arguments: argparse.Namespace) -> int:
    state_dir = state_dir_of(arguments)
    chosen = arguments.conversation
    folders = [_folder(state_dir, chosen)] if chosen else list(_folders(state_dir))
    checker = cast(Fsck, _part("fsck"))
    found = {folder.parent.name: list(checker.check(folder)) for folder in folders}
    if arguments.json:
        print_json({"ok": not any(found.values()), "found": found})
    for conversation_id, lines in found.items():
        for line in lines:
            say(f"{conversation_id}: {line}")
    return REFUSED if any(found.values()) else WELL


def _part(name: str) -> object:
    """A part of the service that only this command needs."""
    try:
        return importlib.import_module(f"antiphon.service.{name}")
    except ModuleNotFoundError as error:
        raise Broken(f"this build has no {name}: {error}") from error


def _folders(state_dir: Path) -> Iterator[Path]:
    yield from sorted((state_dir / "conversations").glob("*/agent_pty"))


def _folder(state_dir: Path, conversation_id: str) -> Path:
    folder = state_dir / "conversations" / ids.conversation(conversation_id) / "agent_pty"
    if not folder.is_dir():
        raise Refused(Code.NOT_FOUND, f"there is no conversation {conversation_id!r}")
    return folder
