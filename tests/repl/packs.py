"""The shipped packs, as the tests read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import antiphon
from antiphon.repl.pack import Pack, loaded

PACKS = Path(antiphon.__file__).parent / "packs"


def files(name: str) -> dict[str, str]:
    folder = PACKS / name
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(PACKS)): path.read_text(encoding="utf-8") for path in paths}


@cache
def pack(*names: str) -> Pack:
    loading = loaded({file: text for name in names for file, text in files(name).items()})
    assert loading.pack is not None, loading.problems
    return loading.pack
