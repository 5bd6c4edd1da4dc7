"""`antiphon lint`: texts and flow files against the contract, told as a compiler tells it.

    FILE:LINE[:COLUMN]: [CODE: ]MESSAGE

A file that cannot be read is told on stderr, and the others are judged all the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from antiphon.adapters.cli_ask import USAGE, file_text
from antiphon.adapters.cli_exit import REFUSED, WELL, print_json, say
from antiphon.base.errors import Refused
from antiphon.choice import loading
from antiphon.choice.judge import judged
from antiphon.choice.loading import NoFlow
from antiphon.choice.schema import flow_schema

FLOW_SUFFIXES = (".yaml", ".yml", ".json")
STDIN = Path("-")

Finding = dict[str, object]


def lint(arguments: argparse.Namespace) -> int:
    if arguments.schema:
        print(json.dumps(flow_schema(), indent=2, ensure_ascii=False))
        return WELL
    files: list[Path] = arguments.files
    if not files:
        say("lint takes a FILE, or several: flows and texts; --schema is for editors")
        return USAGE
    found: list[Finding] = []
    is_unread = False
    for path in files:
        try:
            found += _of_file(path)
        except Refused as refused:
            say(refused.message)
            is_unread = True
    if arguments.json:
        print_json({"ok": not (found or is_unread), "findings": found})
    else:
        for one in found:
            place = f"{one['file']}:{one['line']}"
            if "column" in one:
                place += f":{one['column']}"
            code = f"{one['code']}: " if "code" in one else ""
            print(f"{place}: {code}{one['message']}")
    if is_unread:
        return USAGE
    return REFUSED if found else WELL


def _of_file(path: Path) -> list[Finding]:
    if path == STDIN:
        text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    else:
        text = file_text(path)
    if path.suffix in FLOW_SUFFIXES:
        return _of_flow(path, text)
    return _of_text(path, text.removesuffix("\n"))  # an editor ends a file with a line end


def _of_flow(path: Path, text: str) -> list[Finding]:
    try:
        loading.from_yaml(text)
    except NoFlow as error:
        return [{**problem.fields(str(path))} for problem in error.problems]
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
