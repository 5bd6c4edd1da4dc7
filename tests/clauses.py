"""Clauses: what the specifications claim, and the mark by which a test says that it shows one.

    @clause("terminal 3.5", "terminal D8")
    def test_a_block_ends_once() -> None: ...

The ids and claims are data, in clauses.toml.  Which test names which clause is read from the
source, so that nothing has to run for it; the ids must therefore be written out as strings.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def clause(*ids: str) -> pytest.MarkDecorator:
    """The mark of a test that shows these clauses: `pytest -m clause` runs those that have one."""
    return pytest.mark.clause(*ids)


@dataclass(frozen=True, slots=True)
class Clauses:
    claims: dict[str, str]  # id -> claim
    gaps: dict[str, str]  # id -> reason
    pending: list[str]


def read(path: Path) -> Clauses:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Clauses(table["clauses"], table["gaps"], table["pending"])


@dataclass(frozen=True, slots=True)
class Named:
    """One place where a test names a clause; the id is None when it is not written out."""

    place: str
    id: str | None


def named(root: Path) -> list[Named]:
    return [
        Named(f"{path.relative_to(root)}:{line}", id_)
        for path in sorted(root.rglob("*.py"))
        for line, id_ in marks(ast.parse(path.read_text(encoding="utf-8"), str(path)))
    ]


def marks(tree: ast.Module) -> Iterator[tuple[int, str | None]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                for decorator in node.decorator_list:
                    match decorator:
                        case ast.Call(func=ast.Name(id="clause"), args=arguments):
                            yield from ((mark.lineno, written(mark)) for mark in arguments)


def written(node: ast.expr) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case _:
            return None
