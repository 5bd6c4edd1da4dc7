"""`antiphon lint`: texts and flow files against the contract, told as a compiler tells it."""

from __future__ import annotations

import argparse
from pathlib import Path

from antiphon.adapters.cli_ask import file_text
from antiphon.adapters.cli_exit import REFUSED, WELL
from antiphon.choice import loading
from antiphon.choice.judge import judged
from antiphon.choice.loading import NoFlow
from antiphon.wire import codec

FLOW_SUFFIXES = (".yaml", ".yml", ".json")

Finding = dict[str, object]


def lint(arguments: argparse.Namespace) -> int:
    """Exit 1 when anything was found."""
    files: list[Path] = arguments.files
    found = [finding for path in files for finding in _of_file(path)]
    if arguments.json:
        print(codec.encoded({"ok": not found, "findings": found}).decode())
    else:
        for one in found:
            place = f"{one['file']}:{one['line']}"
            if "column" in one:
                place += f":{one['column']}"
            code = f"{one['code']}: " if "code" in one else ""
            print(f"{place}: {code}{one['message']}")
    return REFUSED if found else WELL


def _of_file(path: Path) -> list[Finding]:
    text = file_text(path)
    if path.suffix in FLOW_SUFFIXES:
        return _of_flow(path, text)
    return _of_text(path, text.removesuffix("\n"))  # an editor ends a file with a line end


def _of_flow(path: Path, text: str) -> list[Finding]:
    try:
        loading.from_yaml(text)
    except NoFlow as error:
        return [
            {"file": str(path), "line": problem.line, "message": problem.message}
            for problem in error.problems
        ]
    return []


def _of_text(path: Path, text: str) -> list[Finding]:
    return [
        {
            "file": str(path),
            "line": text.count("\n", 0, one.at) + 1,
            "column": one.at - (text.rfind("\n", 0, one.at) + 1) + 1,
            "code": one.code,
            "message": one.message,
        }
        for one in judged(text)
    ]
