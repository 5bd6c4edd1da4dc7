from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "antiphon"
MODULES = sorted(PACKAGE.rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])

SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
PRAISE = re.compile(r"\b(simply|robust(ly)?|powerful|seamless(ly)?|blazing(ly)?)\b", re.IGNORECASE)
BROAD_MAX = 3  # the two outermost loops, and a pack's own function


def test_no_module_is_named_after_nothing() -> None:
    assert [path for path in MODULES if SAY_NOTHING & {path.stem, path.parent.name}] == []


def test_every_module_opens_with_what_it_is() -> None:
    trees = {path: ast.parse(path.read_text()) for path in MODULES}
    assert [path for path, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_the_init_of_a_room_is_one_docstring_line() -> None:
    rooms = [path for path in MODULES if path.name == "__init__.py" and path.parent != PACKAGE]
    assert [path for path in rooms if len(path.read_text().splitlines()) != 1] == []


def test_everything_is_caught_in_three_places_at_most() -> None:
    broad = re.compile(r"except (Base)?Exception\b|except:")
    found = [path for path in MODULES for _ in broad.findall(path.read_text())]
    assert len(found) <= BROAD_MAX, found


def test_no_type_is_ignored() -> None:
    assert [path for path in MODULES if "type: ignore" in path.read_text()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_not_praise(page: Path) -> None:
    assert [match[0] for match in PRAISE.finditer(page.read_text())] == []
