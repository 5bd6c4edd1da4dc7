"""Pages: the Markdown of the project, its links, and its blocks as programs.

A `python` block runs; all those of one page run in order, as one program.  A `console` block
is a session: a line after `$ ` is typed, and so are those after `> ` where it has a `<<`; the
lines below are what came back, and `...` there stands for anything.  All the sessions of one page
are one shell.  A block in another language (`sh`, `json`, `text`) is read by people only.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("*/**/*.md")]
    if not {"node_modules", "fixtures"} & set(path.parts)
    and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)

PAGE_SECONDS_MAX = 600  # a page that takes longer hangs

FENCE = re.compile(r"^```(?P<language>[\w-]*)[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
FOREIGN = re.compile(r"^[a-z]+:")
CODE = re.compile(r"`+[^`\n]+`+")


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    line: int  # of its first line of text, from 1
    body: str


@dataclass(frozen=True, slots=True)
class Typed:
    command: str
    expected: str


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(text: str, language: str) -> list[Block]:
    return [
        Block(match["language"], text[: match.start("body")].count("\n") + 1, match["body"])
        for match in FENCE.finditer(text)
        if match["language"] == language
    ]


def links(text: str) -> list[str]:
    """The links of a page that lead to files of the project, without their anchors."""
    prose = CODE.sub("", FENCE.sub("", text))
    targets = (match["target"].partition("#")[0] for match in LINK.finditer(prose))
    return [target for target in targets if target and not FOREIGN.match(target)]


def program(text: str) -> str:
    """The page's python blocks at the lines where they stand, so that a traceback points there."""
    lines: list[str] = []
    for block in blocks(text, "python"):
        lines += [""] * (block.line - 1 - len(lines))
        lines += block.body.splitlines()
    return "\n".join(lines) + "\n" if lines else ""


def session(text: str) -> list[Typed]:
    typed: list[Typed] = []
    for block in blocks(text, "console"):
        for line in block.body.splitlines(keepends=True):
            if line.startswith("$ "):
                typed.append(Typed(line[2:].rstrip("\n"), ""))
            elif typed and line.startswith(">") and _goes_on(typed[-1]):
                typed[-1] = Typed(f"{typed[-1].command}\n{line[2:].rstrip()}", "")
            else:
                assert typed, f"line {block.line}: a console block begins with a command"
                typed[-1] = Typed(typed[-1].command, typed[-1].expected + line)
    return typed


def _goes_on(typed: Typed) -> bool:
    """Is its text still open, as behind `<<'END'`?"""
    opened = re.search(r"<<'?(\w+)'?$", typed.command.partition("\n")[0])
    lines = typed.command.split("\n")
    return opened is not None and not typed.expected and lines[-1] != opened[1]


def run_program(source: str, page: Path, folder: Path) -> None:
    """Run it as the file of that name, in a folder of its own."""
    command = [sys.executable, "-W", "error", "-c", "import sys; exec(compile(*sys.argv[1:]))"]
    done = _run([*command, source, str(page), "exec"], "", folder)
    assert done.returncode == 0, done.stdout


def differences(typed: list[Typed], folder: Path) -> list[str]:
    """What the shell answered where it is not what the page says."""
    mark = "-- end of an answer --"
    script = "".join(f"{one.command}\nprintf '%s\\n' {shlex.quote(mark)}\n" for one in typed)
    done = _run(["bash"], script, folder)
    answers = done.stdout.split(mark + "\n")
    assert len(answers) == len(typed) + 1, f"the session ended early:\n{done.stdout}"
    checker = doctest.OutputChecker()
    return [
        f"$ {one.command}\nthe page says:\n{one.expected}what came:\n{got}"
        for one, got in zip(typed, answers, strict=False)
        if not checker.check_output(one.expected, got, doctest.ELLIPSIS)
    ]


def _run(command: list[str], typed: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run with a state directory and a home of its own; nothing that it started stays."""
    state = folder / "state"
    programs = Path(sys.executable).parent
    environment = {
        **os.environ,
        "ANTIPHON_STATE_DIR": str(state),
        "HOME": str(folder),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
    }
    work = folder / "work"
    work.mkdir(exist_ok=True)
    try:
        return subprocess.run(
            command,
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=work,
            env=environment,
            timeout=PAGE_SECONDS_MAX,
        )
    finally:
        end_all_of(folder)


def end_all_of(folder: Path) -> None:
    """End the processes that name this folder: shells outlive a page and a server otherwise."""
    needle = os.fsencode(folder)
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            if needle in told and int(entry.name) != os.getpid():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:  # it ended meanwhile, or belongs to someone else
            continue
