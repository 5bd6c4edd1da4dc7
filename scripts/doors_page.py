#!/usr/bin/env python3
"""Write into docs/DOORS.md what is declared elsewhere: operations, routes, commands, settings.

    .venv/bin/python scripts/doors_page.py            the page, brought up to date
    .venv/bin/python scripts/doors_page.py --check    exit 1 when it is not

Each part stands between `<!-- made: name -->` and `<!-- end -->`; the rest is written by hand.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from antiphon.adapters import cli, openapi, schemas, settings
from antiphon.base.errors import Code
from antiphon.wire import codec
from antiphon.wire.methods import COMMON, METHODS, Method

PAGE = Path(__file__).resolve().parent.parent / "docs" / "DOORS.md"
PART = re.compile(r"(?<=<!-- made: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)

Node = dict[str, object]
SESSION = "Session"  # what a change of one answers with
KINDS = {
    "string": "text", "integer": "whole number", "boolean": "true or false",
    "object": "object", "null": "null", "number": "number", "array": "list",
}  # fmt: skip
MEANINGS = {
    Code.BUSY: "Something runs; `mode` says what. Nothing is queued.",
    Code.NOT_FOUND: "No such conversation, block or operation.",
    Code.INVALID_REQUEST: "A field is missing, unknown, of another type or out of its bounds.",
    Code.INVALID_PATTERN: "No RE2 pattern, or one that can match nothing.",
    Code.CURSOR_OUT_OF_RANGE: "Negative, no whole number, or past the end; "
    "`resume_cursor` is the end.",
    Code.TIMEOUT: "What was waited for did not come in time.",
    Code.NOT_INTERACTIVE: "Nothing runs that could be ended.",
    Code.SESSION_MISMATCH: "Another session runs than the one named.",
    Code.BACKPRESSURE: "The program does not read its input; nothing was written.",
    Code.LIMIT_REACHED: "A bound was reached; the message names it.",
    Code.SHELL_LOST: "The shell died, or does not answer.",
    Code.SPAWN_FAILED: "A shell or a program could not be started.",
    Code.STORAGE_FULL: "The disk is full.",
    Code.UNAUTHORIZED: "No token, a wrong one, or a Host or Origin that is not the server's.",
    Code.HOST_UNAVAILABLE: "The server went away or failed; its log says why.",
    Code.CANCELLED: "Another call ended what this one waited for.",
    Code.STALE_SELECTION: "It is not what is asked now; `selection_id` is, if anything is.",
    Code.NO_MATCH: "No option is or contains the text; no key was pressed.",
    Code.STATE_INVALID: "The state was altered, has expired, or is another flow's or caller's.",
    Code.FLOW_TERMINAL: "The dialogue has ended.",
    Code.SOURCE_FAILED: "Another reconciliation service failed, and nothing was found without it.",
    Code.ENTITY_NOT_FOUND: "No entity has this id.",
    Code.SESSION_NOT_FOUND: "No session has this id.",
    Code.INVALID_EVENT: "This does not fit the session's `state`; `GET /api/repl/states` has all.",
    Code.NOT_READY: "There is no plan to run: the program has faults or open references.",
    Code.SESSION_TERMINAL: "The session was cancelled or closed.",
    Code.PLAN_CONSUMED: "The program has run; undo brings it back as a new one.",
    Code.PLAN_STALE: "The plan is another one now, or an entity in it has changed.",
    Code.STALE_REV: "The session has moved on; `rev` is where it is.",
    Code.STALE_RESPONSE: "Something else was asked meanwhile, and this is no longer waited for.",
    Code.NO_HISTORY: "There is nothing to undo.",
    Code.REF_NOT_FOUND: "No open reference of the program has this id.",
    Code.REF_ALREADY_RESOLVED: "The reference was resolved with another entity; undo that first.",
    Code.ENTITY_TYPE_MISMATCH: "The entity is of another type than the reference.",
    Code.NOT_OFFERED: "The entity was neither offered nor found by a search of this reference.",
    Code.OPTION_NOT_FOUND: "This option was not offered.",
    Code.MODEL_FAILED: "The model did not answer, or not with intents; nothing has changed.",
    Code.MODEL_TIMEOUT: "The model took too long; nothing has changed.",
    Code.CONTRACT_VIOLATION: "The text breaks the contract; `violations` say where and how.",
}


def operations() -> str:
    return "\n".join(map(_operation, METHODS.values()))


def _operation(method: Method) -> str:
    lines = [f"### `{method.name}`", "", method.description, ""]
    if method.tool:
        lines += [f"As a tool it is `{method.tool}`.", ""]
    fields = _properties(schemas.request_schema(method))
    required = cast(list[str], schemas.request_schema(method).get("required", []))
    if fields:
        lines += ["| request | | when left out |", "| --- | --- | --- |"]
        for name, node in fields.items():
            default = "it is required" if name in required else _default(node)
            lines.append(f"| `{name}` | {_kind(node)} | {default} |")
        lines.append("")
    refusals = ", ".join(f"`{code.value}`" for code in method.refusals)
    lines += [_answer(method), ""]
    lines += [f"Refuses with {refusals}." if refusals else "Refuses only what is no request.", ""]
    return "\n".join(lines)


def _answer(method: Method) -> str:
    """Its fields; those that every change of a session answers with have one name for all."""
    fields = {
        name: node
        for name, node in _properties(schemas.answer_schema(method)).items()
        if name != "ok"
    }
    if fields.items() >= _session().items():
        more = _listed({name: node for name, node in fields.items() if name not in _session()})
        return f"Answers with the fields of a {SESSION}{f', and {more}' if more else ''}."
    return f"Answers with {_listed(fields)}." if fields else "Answers with `ok` alone."


def _session() -> dict[str, Node]:
    fields = _properties(schemas.answer_schema(METHODS["session.get"]))
    return {name: node for name, node in fields.items() if name != "ok"}


def _listed(fields: dict[str, Node]) -> str:
    return ", ".join(f"`{name}` ({_kind(node)})" for name, node in fields.items())


def _properties(schema: Node) -> dict[str, Node]:
    return cast(dict[str, Node], schema["properties"])


def _default(node: Node) -> str:
    found = node.get("default")
    return "" if found is None else f"`{codec.encoded(cast(Node, found)).decode()}`"


def _kind(node: Node) -> str:
    match node:
        case {"enum": list(values)}:
            return " or ".join(f"`{value}`" for value in values)
        case {"const": value}:
            return f"`{value}`"
        case {"anyOf": list(kinds)}:
            return " or ".join(_kind(cast(Node, kind)) for kind in kinds)
        case {"type": "array", "items": dict(items)}:
            return f"list of {_kind(items)}"
        case {"type": "object", "title": str()}:
            return _names()[_key(node)]
        case {"type": "integer", "minimum": least, "maximum": most}:
            return f"{least:,} to {most:,}"
        case {"type": str(kind)}:
            return KINDS[kind]
    raise AssertionError(f"a kind without a word: {node}")


def shapes() -> str:
    """The objects within requests and answers, each once, and those within them."""
    lines = ["| object | its fields |", "| --- | --- |", f"| {SESSION} | {_listed(_session())} |"]
    for key, name in _names().items():
        fields = _properties(codec.decoded(key))
        lines.append(f"| {name} | {_listed(fields)} |")
    return "\n".join(lines) + "\n"


@functools.cache
def _names() -> dict[bytes, str]:
    """Every object by what it is; where two rooms call theirs alike, the room is named too."""
    found: dict[bytes, tuple[str, str]] = {}
    for method in METHODS.values():
        for schema in (schemas.request_schema(method), schemas.answer_schema(method)):
            for node in _objects(schema["properties"]):
                found.setdefault(_key(node), (str(node["title"]), method.name.partition(".")[0]))
    titles = Counter(title for title, _ in found.values())
    return {
        key: f"{title} ({room})" if titles[title] > 1 else title
        for key, (title, room) in found.items()
    }


def _objects(node: object) -> Iterator[Node]:
    """In the order in which one meets them, the outer ones first."""
    if isinstance(node, dict):
        if node.get("type") == "object" and "title" in node:
            yield node
        for inner in node.values():
            yield from _objects(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _objects(inner)


def _key(node: Node) -> bytes:
    """What an object is, whatever a field that has one says about it."""
    return codec.encoded({part: node[part] for part in ("title", "type", "properties")})


def refusals() -> str:
    lines = ["| code | it says | operations |", "| --- | --- | --- |"]
    for code in Code:
        names = [f"`{method.name}`" for method in METHODS.values() if code in method.refusals]
        where = "any" if code in COMMON else ", ".join(names)
        if not where and code not in MEANINGS:
            continue  # of a room that no operation leads to yet
        lines.append(f"| `{code.value}` | {MEANINGS[code]} | {where} |")
    return "\n".join(lines) + "\n"


def routes() -> str:
    paths = cast(dict[str, dict[str, Node]], codec.decoded(openapi.document())["paths"])
    lines = ["| route | it is |", "| --- | --- |"]
    for path, verbs in paths.items():
        for verb, node in verbs.items():
            name = node.get("operationId")
            means = f"`{name}`" if name in METHODS else str(node["summary"])
            lines.append(f"| `{verb.upper()} {path}` | {means} |")
    return "\n".join(lines) + "\n"


def commands() -> str:
    os.environ["COLUMNS"] = "10000"  # argparse breaks lines by the terminal's width
    lines = ["| command | it does |", "| --- | --- |"]
    rows: dict[str, cli.Row] = {}
    for name, one in cli.COMMANDS.items():
        below = one.rows.items() if isinstance(one, cli.Group) else [("", one)]
        rows |= {f"{name} {second}".strip(): row for second, row in below}
    for name, row in rows.items():
        command = argparse.ArgumentParser(prog=f"antiphon {name}", add_help=False)
        row.takes(command)
        usage = command.format_usage().removeprefix("usage: ").strip().replace("|", "\\|")
        lines.append(f"| `{usage}` | {row.sentence} |")
    return "\n".join(lines) + "\n"


def options() -> str:
    lines = ["| setting | variable | default |", "| --- | --- | --- |"]
    defaults = settings.Settings()
    for name in settings.Settings.__struct_fields__:
        default = codec.encoded(getattr(defaults, name)).decode()
        lines.append(f"| `{name}` | `{settings.PREFIX}{name.upper()}` | `{default}` |")
    return "\n".join(lines) + "\n"


PARTS: dict[str, Callable[[], str]] = {
    "operations": operations,
    "shapes": shapes,
    "refusals": refusals,
    "routes": routes,
    "commands": commands,
    "settings": options,
}


def renewed(text: str) -> str:
    return PART.sub(lambda part: f"{part[1]}{part[2]}\n{PARTS[part[1]]()}\n", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit 1 when the page is stale")
    arguments = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    fresh = renewed(text)
    if arguments.check:
        return int(fresh != text)
    PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
