from __future__ import annotations

import argparse
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.pages import (
    PAGES,
    ROOT,
    Typed,
    blocks,
    differences,
    links,
    name,
    program,
    run_program,
    session,
)

THE_PAGES = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/GLOSSARY.md"]

LOCKS = sorted([*ROOT.glob("requirements*.lock"), *ROOT.glob("bench/*.lock")])
EVERY_LOCK = [
    ROOT / line
    for line in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    if line.endswith((".lock", "package-lock.json"))
]
each_page = pytest.mark.parametrize("page", PAGES, ids=name)


# --- every page -------------------------------------------------------------


@each_page
def test_a_link_leads_to_a_file(page: Path) -> None:
    missing = [link for link in links(page.read_text()) if not (page.parent / link).exists()]
    assert missing == []


@each_page
def test_a_picture_is_there_and_said_in_words_and_small(page: Path) -> None:
    shown = re.findall(r'(?:src|srcset)="([^"]+\.png)"', page.read_text())
    sizes = {one: (page.parent / one).stat().st_size for one in shown}
    assert [one for one, size in sizes.items() if size > 150_000] == []
    assert all(len(alt) > 20 for alt in re.findall(r'<img alt="([^"]*)"', page.read_text()))


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if program(p.read_text())], ids=name)
def test_the_python_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    run_program(program(page.read_text()), page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if session(p.read_text())], ids=name)
def test_a_console_block_shows_what_happens(page: Path, tmp_path: Path) -> None:
    assert differences(session(page.read_text()), tmp_path) == []


# --- what must be said somewhere --------------------------------------------


def test_the_pages_that_a_reader_looks_for_are_there() -> None:
    assert [page for page in THE_PAGES if not (ROOT / page).exists()] == []


def test_the_readme_says_first_how_to_run_and_how_to_test() -> None:
    commands = [
        line.removeprefix("$ ")
        for line in (ROOT / "README.md").read_text().splitlines()
        if re.match(r"(\$ )?scripts/", line)
    ]
    assert [command.split()[0] for command in commands[:2]] == ["scripts/run", "scripts/test"]


def test_the_changelog_opens_with_a_version() -> None:
    titles = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert titles and re.match(r"\[?(Unreleased|\d+\.\d+\.\d+)", titles[0])


def test_the_pack_that_its_page_makes_is_the_example() -> None:
    typed = [one.command for one in session((ROOT / "docs" / "PACKS.md").read_text())]
    files = [re.fullmatch(r"cat > (\S+) <<'END'\n(.*)\nEND", one, re.DOTALL) for one in typed]
    made = {found[1]: f"{found[2]}\n" for found in files if found}
    example = ROOT / "examples" / "library"
    there = {
        path.relative_to(example).as_posix(): path.read_text()
        for path in example.rglob("*")
        if path.is_file()
    }
    assert made == there


def documented() -> str:
    return "\n".join(page.read_text() for page in PAGES if page.is_relative_to(ROOT / "docs"))


def test_every_operation_is_documented() -> None:
    methods = import_module("antiphon.wire.methods").METHODS
    assert methods
    text = documented()
    assert [method for method in methods if f"`{method}`" not in text] == []


def test_every_subcommand_is_documented() -> None:
    if find_spec("antiphon.adapters.cli") is None:  # it is still to be written
        return
    parser = import_module("antiphon.adapters.cli").parser()
    text = documented()
    assert [command for command in subcommands(parser) if command not in text] == []


def subcommands(parser: argparse.ArgumentParser) -> list[str]:
    """`antiphon exec`, `antiphon dsl check`, and so on, as one types them."""
    tables = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    below = [sub for table in tables for sub in table.choices.values()]
    return [line for sub in below for line in [sub.prog, *subcommands(sub)]]


@pytest.mark.parametrize(
    "script",
    [
        "run",
        "test",
        "check",
        "bench",
        "house",
        "machines",
        "node",
        "page",
        "programs",
        "setup",
        "lock",
    ],
)
def test_every_script_is_named_in_a_line(script: str) -> None:
    assert f"| `scripts/{script}` |" in (ROOT / "scripts" / "README.md").read_text()


def test_the_page_of_the_tables_is_what_the_code_says() -> None:
    command: list[str | Path] = [sys.executable, ROOT / "scripts" / "machines", "--check"]
    seen = subprocess.run(command, capture_output=True, text=True)
    assert seen.returncode == 0, seen.stdout + seen.stderr


def test_every_direct_dependency_has_its_reason() -> None:
    declared = re.findall(
        r'^ {4}"([\w-]+)[><=]=', (ROOT / "pyproject.toml").read_text(), re.MULTILINE
    )
    text = (ROOT / "docs" / "DEPENDENCIES.md").read_text()
    assert len(declared) > 10
    assert [package for package in declared if f"**{package}**" not in text] == []


# --- locks ------------------------------------------------------------------


@pytest.mark.parametrize("lock", LOCKS, ids=name)
def test_a_lock_pins_by_hash_and_names_no_place(lock: Path) -> None:
    text = lock.read_text()
    entries = re.split(
        r"^(?=\w)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE
    )
    pinned = re.compile(
        r"[\w.-]+==[\w.+]+( ; [^\\\n]+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+"
    )
    assert [entry for entry in entries if entry and not pinned.fullmatch(entry)] == []
    assert not re.search(r"://|index-url|find-links|trusted-host", text)


@pytest.mark.parametrize("lock", EVERY_LOCK, ids=lambda lock: str(lock.relative_to(ROOT)))
def test_no_lock_has_an_address(lock: Path) -> None:
    assert "://" not in lock.read_text()


def test_the_two_locks_agree() -> None:
    def pins(path: str) -> set[str]:
        return set(re.findall(r"^[\w.-]+==[^ ]+", (ROOT / path).read_text(), re.MULTILINE))

    assert pins("requirements.lock") <= pins("requirements-dev.lock")


# --- the reader of pages ----------------------------------------------------

PAGE = """
A [link](there.md#part), `not [a](link)`, [outside](https://example.org/x).

```python
x = 1
```

```console
$ echo one; echo two
one
...
$ cat > y <<'END'
> one
>
> $ two
> END
$ printf x
x
```

```python
assert x == 1
```
"""


def test_a_page_is_read_into_links_a_program_and_a_session() -> None:
    assert links(PAGE) == ["there.md"]
    assert program(PAGE).splitlines()[4:] == ["x = 1", *[""] * 16, "assert x == 1"]
    assert [typed.command for typed in session(PAGE)] == [
        "echo one; echo two", "cat > y <<'END'\none\n\n$ two\nEND", "printf x",
    ]  # fmt: skip
    assert [block.line for block in blocks(PAGE, "python")] == [5, 22]


def test_a_session_that_differs_is_told(tmp_path: Path) -> None:
    assert differences([Typed("cd /; pwd", "/\n"), Typed("pwd", "...\n")], tmp_path) == []
    assert len(differences([Typed("echo a", "b\n")], tmp_path)) == 1


def test_a_program_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r'page.md", line 5'):
        run_program(program(PAGE.replace("x = 1", "y")), Path("page.md"), tmp_path)
