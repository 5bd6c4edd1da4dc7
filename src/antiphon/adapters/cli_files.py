"""The commands that work on the files of conversations: `export` and `fsck`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from antiphon.adapters.cli_exit import REFUSED, WELL, print_json, say, state_dir_of
from antiphon.base import ids
from antiphon.base.errors import Broken, Code, Refused
from antiphon.service import export as exporting
from antiphon.service import fsck as checking


def export(arguments: argparse.Namespace) -> int:
    folder = _folder(state_dir_of(arguments), arguments.conversation)
    write = exporting.asciicast if arguments.kind == "asciicast" else exporting.text
    pieces = write(folder, arguments.block)
    if arguments.output is None:
        if arguments.json and arguments.kind == "text":  # an asciicast is lines of JSON already
            print_json({"ok": True, "text": "".join(pieces)})
        else:
            sys.stdout.writelines(pieces)
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
    found = {folder.parent.name: list(checking.check(folder)) for folder in folders}
    if arguments.json:
        print_json({"ok": not any(found.values()), "found": found})
    for conversation_id, lines in found.items():
        for line in lines:
            say(f"{conversation_id}: {line}")
    if any(found.values()):
        return REFUSED
    if not arguments.json:
        one = "1 conversation looked at; its files agree"
        say(one if len(found) == 1 else f"{len(found)} conversations looked at; their files agree")
    return WELL


def _folders(state_dir: Path) -> Iterator[Path]:
    yield from sorted((state_dir / "conversations").glob("*/agent_pty"))


def _folder(state_dir: Path, conversation_id: str) -> Path:
    folder = state_dir / "conversations" / ids.conversation(conversation_id) / "agent_pty"
    if not folder.is_dir():
        raise Refused(Code.NOT_FOUND, f"there is no conversation {conversation_id!r}")
    return folder
