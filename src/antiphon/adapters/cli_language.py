"""`antiphon explain`, `dsl check`, `dsl fmt` and `pack check`: the language without a server.

A program is checked against the packs that are named, else those of the settings: which verbs
there are, and which ids and codes their data has.  Names are nobody's here, so they stay open.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec

from antiphon.adapters import settings
from antiphon.adapters.cli_exit import REFUSED, WELL, json_text, say, state_dir_of
from antiphon.base import limits
from antiphon.base.errors import Broken, Code, Refused
from antiphon.drivers import packs
from antiphon.dsl import explain as pages
from antiphon.dsl.diagnostics import Code as Kind
from antiphon.dsl.diagnostics import Diagnostic
from antiphon.dsl.layout import laid_out
from antiphon.dsl.names import nearest
from antiphon.dsl.reader import read
from antiphon.dsl.render import rendered
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Compilation, compiled
from antiphon.dsl.tokens import quoted
from antiphon.repl.pack import Pack
from antiphon.repl.shelf import Shelf
from antiphon.service.diagnoses import diagnoses, open_refs

STDIN = "-"


# --- explain ------------------------------------------------------------------


def explain(arguments: argparse.Namespace) -> int:
    if arguments.code is None:
        return _all_codes(as_json=arguments.json)
    wanted = arguments.code.strip().strip("[]").upper()
    found = next((one for one in Kind if one.value == wanted), None)
    if found is None:
        meant = nearest(wanted, [one.value for one in Kind])
        hint = f"did you mean {meant}? " if meant else ""
        raise Refused(
            Code.NOT_FOUND,
            f"there is no code {arguments.code[:40]!r}; {hint}`antiphon explain` lists them all",
        )
    page = pages.PAGES[found]
    if arguments.json:
        _print({"code": found.value, "title": page.title, "text": page.text,
                "wrong": page.wrong, "right": page.right})  # fmt: skip
    else:
        tell(pages.explained(found))
    return WELL


def _all_codes(*, as_json: bool) -> int:
    rows = [{"code": one.value, "title": pages.PAGES[one].title} for one in Kind]
    if as_json:
        _print({"codes": rows})
    else:
        for row in rows:
            tell(f"{row['code']}  {row['title']}\n")
    return WELL


# --- dsl check ----------------------------------------------------------------


def check(arguments: argparse.Namespace) -> int:
    """Exit 1 when the program does not compile; what is only open or odd is told."""
    text, name = source_text(arguments.file)
    found = checked(text, pack_of(arguments))
    is_well = found.errors.count == 0
    refs = open_refs(found)
    if arguments.json:
        told = [found.errors, found.warnings]
        _print({
            "ok": is_well,
            "file": name,
            "diagnostics": msgspec.to_builtins(diagnoses(found.source, told, name)),
            "more": sum(one.hidden for one in told),
            "statements": len(found.program.statements),
            "refs": msgspec.to_builtins(refs),
        })  # fmt: skip
        return WELL if is_well else REFUSED
    for one in (*found.errors.shown, *found.warnings.shown):
        tell(_told(found.source, one, name) + "\n")
    if hidden := found.errors.hidden + found.warnings.hidden:
        tell(f"{name}: and {hidden:,} more\n")
    for ref in refs:
        place = f"{name}:{ref.location.span.line}:{ref.location.span.column}"
        kinds = " or ".join(ref.entity_types)
        tell(f"{place}: open: which {kinds} {quoted(ref.search_value)} is will be asked\n")
    if found.errors.shown:
        say(f"`antiphon explain {found.errors.shown[0].code.value}` tells more")
    return WELL if is_well else REFUSED


def _told(source: Source, one: Diagnostic, name: str) -> str:
    return place_first(rendered(source, one), name)


def place_first(told: str, name: str) -> str:
    """The place first, so that editors and people can jump there; then the line and its marks."""
    head, where, *below = told.splitlines()
    _, line, column = where.rsplit(":", 2)
    return "\n".join([f"{name}:{line}:{column}: {head}", *below, ""])


def checked(text: str, pack: Pack) -> Compilation:
    shelf = Shelf(pack)
    return compiled(text, shelf.world(text))


# --- dsl fmt ------------------------------------------------------------------


def fmt(arguments: argparse.Namespace) -> int:
    """The program on stdout, or in its file with --write; a broken one is left alone."""
    text, name = source_text(arguments.file)
    findings = read(Source(text)).findings
    if findings.count:
        source = Source(text)
        for one in findings.shown:
            say(_told(source, one, name))
        say(f"{name} is left as it is: it cannot be read")
        return REFUSED
    new = laid_out(text)
    if arguments.json:
        _print({"ok": True, "file": name, "changed": new != text, "text": new})
    if arguments.check:
        if new != text and not arguments.json:
            tell(f"{name} would be laid out afresh\n")
        return REFUSED if new != text else WELL
    if arguments.write and arguments.file != STDIN:
        if new != text:
            _replace(Path(arguments.file), new)
    elif not arguments.json:
        tell(new)
    return WELL


def _replace(path: Path, text: str) -> None:
    """In one step, with the rights it had; where it is a link, the file that is meant."""
    path = path.resolve()
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        mode = path.stat().st_mode
        beside.write_bytes(text.encode())
        beside.chmod(mode & 0o7777)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise Broken(f"{path}: {error.strerror}") from None


# --- pack check ---------------------------------------------------------------


def check_pack(arguments: argparse.Namespace) -> int:
    """Exit 1 and every problem, `file:line: …`; several folders are looked at together."""
    found = packs.load(arguments.folders)
    if arguments.json:
        _print({
            "ok": found.pack is not None,
            "problems": [{"file": one.file, "line": one.line, "message": one.message}
                         for one in found.problems],
            "verbs": sorted(found.pack.vocabulary.verbs) if found.pack else [],
            "entity_types": sorted(found.pack.entities) if found.pack else [],
        })  # fmt: skip
    elif found.pack is None:
        for one in found.problems:
            tell(f"{one}\n")
    else:
        rows = sum(len(table) for table in found.pack.data.values())
        tell(
            f"{' '.join(arguments.folders)}: {len(found.pack.vocabulary.verbs)} verbs, "
            f"{len(found.pack.entities)} entity types, {rows} rows\n"
        )
    return WELL if found.pack is not None else REFUSED


# --- what they share ----------------------------------------------------------


def pack_of(arguments: argparse.Namespace) -> Pack:
    """The packs that are named, else those of the settings, else the default."""
    names = arguments.packs or settings.read(state_dir_of(arguments), os.environ, {}).packs
    return packs.opened(names)


def source_text(given: str) -> tuple[str, str]:
    """A program's text and what it is called: `-` is stdin.  What is no UTF-8 is refused."""
    name = "stdin" if given == STDIN else os.fsencode(given).decode(errors="replace")
    try:
        if given == STDIN:
            data = sys.stdin.buffer.read(limits.SOURCE_BYTES_MAX + 1)
        else:
            with Path(given).open("rb") as file:
                data = file.read(limits.SOURCE_BYTES_MAX + 1)
    except OSError as error:
        raise Refused(Code.NOT_FOUND, f"{given}: {error.strerror}") from None
    if len(data) > limits.SOURCE_BYTES_MAX:
        raise Refused(
            Code.LIMIT_REACHED, f"{name}: a program has at most {limits.SOURCE_BYTES_MAX} bytes"
        )
    try:
        return data.decode(), name
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"{name}:{line}:{column}: this is no UTF-8: {error.reason}"
        raise Refused(Code.INVALID_REQUEST, message) from None


def tell(text: str) -> None:
    """On stdout, in UTF-8 whatever the locale."""
    sys.stdout.buffer.write(text.encode(errors="backslashreplace"))
    sys.stdout.buffer.flush()


def _print(fields: dict[str, object]) -> None:
    tell(json_text(fields) + "\n")
