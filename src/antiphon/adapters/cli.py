"""The command line: what each command takes, and how every command ends.

Answers go to stdout, messages to stderr.  Exit codes: 0 it went well, 1 refused or failed,
2 wrong usage; `exec` ends with the command's own, `ask` with how its flow ended.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from antiphon.adapters.cli_exit import REFUSED, failed, open_streams, say
from antiphon.adapters.mcp_rooms import ROOMS
from antiphon.base.errors import Broken, Refused
from antiphon.drivers import owner
from antiphon.service.principal import hand

Run = Callable[[argparse.Namespace], int]
Command = argparse.ArgumentParser


@dataclass(frozen=True, slots=True)
class Row:
    """A command: where it is carried out, in a sentence what it does, what it takes."""

    module: str
    function: str
    sentence: str
    takes: Callable[[Command], None]
    optional: str = ""  # the words that may stand behind an option, or not at all


@dataclass(frozen=True, slots=True)
class Group:
    """Commands of two words that begin with the same one."""

    sentence: str
    rows: dict[str, Row]


def main(given: Sequence[str] | None = None) -> int:
    # Whatever this process makes is its user's alone, also what a library makes.
    os.umask(0o077)
    open_streams()
    top = parser()
    if not (sys.argv[1:] if given is None else given):
        top.print_help(sys.stderr)
        return 2
    arguments, left = top.parse_known_args(given)
    hand.set("person" if sys.stdin.isatty() else "program")
    row: Row = arguments.row
    if left and not _is_taken(row, arguments, left):
        top.error(f"unrecognized arguments: {' '.join(left)}")
    # A command imports what it needs and no more: `antiphon --help` needs none of it.
    run = cast(Run, vars(importlib.import_module(row.module))[row.function])
    try:
        return run(arguments)
    except (Refused, Broken, owner.Owned) as error:
        return failed(error, as_json=arguments.json)
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 130
    except OSError as error:
        # Whoever read us may have enough; then nobody is left to tell.
        if not isinstance(error, BrokenPipeError):
            place = f"{error.filename}: " if error.filename else ""
            say(f"{place}{error.strerror or error}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        try:
            sys.stderr.flush()
        except OSError:  # what it holds would be tried again at the exit, whose code it would be
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        return REFUSED


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="antiphon",
        description="Call and response between agents, people and the programs they drive.",
        epilog="Exit codes: 0 well, 1 refused or failed, 2 wrong usage; exec ends with the "
        "command's own.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="say which version this is")
    _add(top, COMMANDS)
    return top


class _Version(argparse.Action):
    """Looked up when it is asked for: the import takes longer than a command of a moment."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        found = importlib.import_module("importlib.metadata").version("antiphon")
        print(f"antiphon {found}")
        parser.exit()


def _is_taken(row: Row, arguments: argparse.Namespace, left: list[str]) -> bool:
    """argparse gives an optional word up at the first option before it [until Python 3.13]."""
    before = vars(arguments).get(row.optional)
    if any(word.startswith("-") for word in left):
        return False
    if isinstance(before, list):
        before.extend(left)
        return True
    if before is None and row.optional and len(left) == 1:
        vars(arguments)[row.optional] = left[0]
        return True
    return False


def _add(above: Command, rows: Mapping[str, Row | Group]) -> None:
    commands = above.add_subparsers(metavar="COMMAND", required=True)
    for name, row in rows.items():
        command = commands.add_parser(
            name, help=row.sentence, description=row.sentence, allow_abbrev=False
        )
        if isinstance(row, Group):
            _add(command, row.rows)
            continue
        command.add_argument(
            "--state-dir", type=Path, default=None, metavar="D",
            help="where conversations are kept (ANTIPHON_STATE_DIR, else ~/.cache/app_server)",
        )  # fmt: skip
        command.add_argument("--json", action="store_true", help="answer in JSON")
        row.takes(command)
        command.set_defaults(row=row)


def _serve(command: Command) -> None:
    command.add_argument("--host", default=None, help="default 127.0.0.1")
    command.add_argument("--port", type=int, default=None, help="default 8040; 0 picks one")
    command.add_argument(
        "--durability", choices=("process", "power"), default=None,
        help="power: what was told survives a power cut; slower (default process)",
    )  # fmt: skip
    _pack(command)
    command.add_argument(
        "--allow-remote", action="store_true", default=None,
        help="let other machines in; needs ANTIPHON_TOKEN",
    )  # fmt: skip


def _mcp(command: Command) -> None:
    command.add_argument(
        "--tool-names", choices=("dotted", "underscore"), default=None,
        help="pty.run or pty_run; either is taken in a call",
    )  # fmt: skip
    command.add_argument(
        "--rooms", dest="mcp_rooms", type=_rooms, default=None, metavar="ROOMS",
        help=f"only the tools of these, with commas between: {', '.join(ROOMS)}",
    )  # fmt: skip


def _rooms(text: str) -> list[str]:
    rooms = text.split(",")
    for room in rooms:
        if room not in ROOMS:
            raise argparse.ArgumentTypeError(f"{room[:80]!r} is no room: {', '.join(ROOMS)}")
    return rooms


def _conversation(command: Command) -> None:
    command.add_argument("conversation", metavar="CONVERSATION")


def _exec(command: Command) -> None:
    _conversation(command)
    command.add_argument(
        "--timeout-ms", type=int, default=None, metavar="N",
        help="wait no longer; the command goes on",
    )  # fmt: skip
    command.add_argument("--cwd", default=None, metavar="D", help="where the command runs")
    command.add_argument(
        "words", nargs="+", metavar="CMD",
        help="one word is shell text; several are words, and quoted as such",
    )  # fmt: skip


def _attach(command: Command) -> None:
    _conversation(command)
    command.add_argument("--from-cursor", type=int, default=None, metavar="N")


def _search(command: Command) -> None:
    _conversation(command)
    command.add_argument("query", metavar="QUERY")
    command.add_argument("--regex", action="store_true")
    command.add_argument("--ignore-case", action="store_true")
    command.add_argument("--limit", type=int, default=50, metavar="N")


def _tail(command: Command) -> None:
    _conversation(command)
    command.add_argument("-f", "--follow", action="store_true", help="go on as output comes")
    command.add_argument("--from-cursor", type=int, default=None, metavar="N")


def _export(command: Command) -> None:
    _conversation(command)
    command.add_argument("--block", default=None, metavar="ID")
    kind = command.add_mutually_exclusive_group(required=True)
    kind.add_argument("--asciicast", dest="kind", action="store_const", const="asciicast")
    kind.add_argument("--text", dest="kind", action="store_const", const="text")
    command.add_argument("-o", "--output", type=Path, default=None, metavar="FILE")


def _call(command: Command) -> None:
    command.add_argument("operation", metavar="OPERATION")
    command.add_argument("fields", nargs="?", default=None, metavar="JSON", help="- reads stdin")


def _fsck(command: Command) -> None:
    command.add_argument("conversation", nargs="?", default=None, metavar="CONVERSATION")


def _ask(command: Command) -> None:
    command.add_argument("flow", metavar="FLOW", help="a flow file, or a flow of the directory")
    command.add_argument(
        "--try", dest="trial", action="store_true",
        help="walk the flow: say what each input meant, run nothing, never end a step",
    )  # fmt: skip
    command.add_argument(
        "--values", default="{}", metavar="JSON",
        help="answers given beforehand: labels by field, or a list of labels",
    )  # fmt: skip
    command.epilog = (
        "Exit codes: 0 confirmed, 1 the flow's command was refused, 2 no flow or no such values, "
        "3 cancelled, 4 aborted, 5 input required."
    )


def _entities(command: Command) -> None:
    command.add_argument("entity_type", nargs="?", default=None, metavar="TYPE")
    command.add_argument("words", nargs="*", metavar="WORD", help="none lists what there is")
    command.add_argument("--key", default=None, metavar="K", help="the search key")
    for name, dest, what in (
        ("--filter", "filters", "only what has this value"),
        ("--known", "known", "what else is known; it counts in the score"),
    ):
        command.add_argument(
            name, dest=dest, action="append", default=[], metavar="NAME=VALUE", help=what
        )
    command.add_argument("--offset", type=int, default=0, metavar="N")
    command.add_argument("--limit", type=int, default=10, metavar="N")


def _lint(command: Command) -> None:
    command.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="a flow or a text; - is a text on stdin"
    )
    command.add_argument("--schema", action="store_true", help="print the JSON Schema of flows")
    command.epilog = "Exit codes: 0 nothing found, 1 violations, 2 a file cannot be read."


def _menu(command: Command) -> None:
    command.add_argument("--cwd", type=Path, default=None, metavar="D")
    command.add_argument("--term", default=None, metavar="TERM", help="default xterm-256color")
    command.add_argument("words", nargs="+", metavar="CMD", help="the program and its arguments")
    command.epilog = _PICKING


def _resolve(command: Command) -> None:
    command.add_argument("name", metavar="NAME", help="a part number such as BQ79616")
    command.epilog = _PICKING


def _nothing(command: Command) -> None:
    """No arguments besides those of every command."""


def _pack(command: Command) -> None:
    command.add_argument(
        "--pack", dest="packs", action="append", default=None, metavar="P",
        help="a folder, or a shipped pack; may be repeated; else those of the settings",
    )  # fmt: skip


def _program(command: Command) -> None:
    command.add_argument("file", metavar="FILE", help="- reads stdin")


def _dsl_check(command: Command) -> None:
    _pack(command)
    _program(command)
    command.epilog = "Exit codes: 0 it compiles, 1 it does not."


def _dsl_fmt(command: Command) -> None:
    command.add_argument(
        "--check",
        action="store_true",
        help="print nothing but whether it would change; exit 1 if so",
    )
    command.add_argument("-w", "--write", action="store_true", help="into the file itself")
    _program(command)
    command.epilog = "Exit codes: 0 well, 1 it would change (--check), or it cannot be read."


def _dsl_plan(command: Command) -> None:
    _program(command)
    command.epilog = "Exit codes: 0 it can be run, 1 it cannot as it is."


def _dsl_run(command: Command) -> None:
    _program(command)
    command.epilog = (
        "Exit codes: 0 every statement went well, 1 one failed or nothing was run, "
        "130 it was interrupted and stopped where nothing is half done."
    )


def _pack_check(command: Command) -> None:
    command.add_argument("folders", nargs="+", metavar="DIR", help="a folder, or a shipped pack")


def _lsp(command: Command) -> None:
    _pack(command)
    # Editors say so out of habit; there is no other way.
    command.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)
    command.add_argument("--clientProcessId", help=argparse.SUPPRESS)


def _repl(command: Command) -> None:
    _pack(command)
    command.add_argument(
        "--session", default=None, metavar="ID", help="go on with this one, instead of a new one"
    )
    command.epilog = (
        "Without a terminal each line is said in turn. Exit codes: 0 well, 1 anything was refused."
    )


def _explain(command: Command) -> None:
    command.add_argument("code", nargs="?", default=None, metavar="CODE", help="such as E061")


_PICKING = (
    "On a terminal you pick by number. Elsewhere a selection is a line of JSON, and a line of "
    "stdin its answer. Exit codes: 0 well, 1 failed, else the program's own, 3 cancelled, "
    "4 aborted, 5 input required: the task stays open."
)
ROOM = "antiphon.adapters"
LANGUAGE = f"{ROOM}.cli_language"
DSL = {
    "check": Row(LANGUAGE, "check", "Check a program.", _dsl_check),
    "fmt": Row(LANGUAGE, "fmt", "Lay a program out afresh.", _dsl_fmt),
    "plan": Row(f"{ROOM}.cli_sessions", "plan", "Show in which order it runs.", _dsl_plan),
    "run": Row(f"{ROOM}.cli_sessions", "run", "Run a program.", _dsl_run),
}
PACK = {
    "check": Row(LANGUAGE, "check_pack", "Check a pack's files.", _pack_check),
}
COMMANDS: dict[str, Row | Group] = {
    "serve": Row(f"{ROOM}.cli_serve", "serve", "Serve HTTP, WebSocket, MCP and the page.", _serve),
    "mcp": Row(f"{ROOM}.cli_serve", "mcp", "Speak MCP over stdin and stdout.", _mcp),
    "browse": Row(f"{ROOM}.cli_serve", "browse", "Print a new one-time browser address.", _nothing),
    "exec": Row(f"{ROOM}.cli_exec", "execute", "Run a command and show its output.", _exec),
    "attach": Row(f"{ROOM}.cli_attach", "attach", "Sit down at a conversation.", _attach),
    "ls": Row(f"{ROOM}.cli_read", "ls", "List the conversations.", _nothing),
    "blocks": Row(
        f"{ROOM}.cli_read", "blocks", "List a conversation's ended blocks.", _conversation
    ),
    "search": Row(f"{ROOM}.cli_read", "search", "Search the output of all blocks.", _search),
    "tail": Row(f"{ROOM}.cli_read", "tail", "Show the last output.", _tail),
    "export": Row(f"{ROOM}.cli_files", "export", "Write output as asciicast or text.", _export),
    "call": Row(f"{ROOM}.cli_read", "call", "Make one call and print its answer.", _call, "fields"),
    "ask": Row(f"{ROOM}.cli_ask", "ask", "Ask the questions of a flow.", _ask),
    "entities": Row(
        f"{ROOM}.cli_entities", "entities", "Find entities by words.", _entities, "words"
    ),
    "menu": Row(f"{ROOM}.cli_menu", "menu", "Drive a program, and pick what it asks.", _menu),
    "resolve": Row(f"{ROOM}.cli_menu", "resolve", "Find a component and import it.", _resolve),
    "keep": Row(f"{ROOM}.keeping", "keep", "Hold open tasks; menu and resolve do it.", _nothing),
    "lint": Row(f"{ROOM}.cli_lint", "lint", "Check texts and flow files.", _lint),
    "dsl": Group("Programs: check, lay out, plan, run.", DSL),
    "pack": Group("Packs of verbs, entities and data.", PACK),
    "repl": Row(f"{ROOM}.cli_repl", "repl", "Hold a session at a prompt.", _repl),
    "lsp": Row(f"{ROOM}.lsp", "serve", "A language server for editors, on stdio.", _lsp),
    "explain": Row(LANGUAGE, "explain", "Explain a code of a diagnostic.", _explain),
    "doctor": Row(f"{ROOM}.cli_doctor", "doctor", "Check what Antiphon stands on.", _nothing),
    "fsck": Row(f"{ROOM}.cli_files", "fsck", "Check the files of conversations.", _fsck),
}
