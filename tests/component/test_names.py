from __future__ import annotations

from pathlib import PurePath

import pytest

from antiphon.base.errors import Refused
from antiphon.component import names
from tests.clauses import clause


@pytest.mark.parametrize(
    "name", ["BQ79616", "C123", "TPS54331", "a b", "naïve", "x.y", "a-b", "123"]
)
def test_names_that_are_taken(name: str) -> None:
    assert names.checked(name) == name


@clause("components 2.11a")
@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "a\0b", "-x", "--help", "a\nb",
     "x..y", "\ud800", "a" * 201],
)  # fmt: skip
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(Refused) as refused:
        names.checked(name)
    assert refused.value.code.value == "invalid_request"


@clause("components 2.11")
@pytest.mark.parametrize(
    ("path", "name", "is_it"),
    [
        ("BQ79616.tsx", "BQ79616", True),
        ("bq79616.TSX", "BQ79616", False),
        ("bq79616.tsx", "BQ79616", True),
        ("TWO_1.tsx", "two-1", True),
        ("imports/TWO_1.kicad_mod", "TWO-1", True),
        ("BQ79616/index.tsx", "bq79616", True),
        ("BQ79616/other.tsx", "BQ79616", False),
        ("BQ79616.tsx/x.tsx", "BQ79616", False),
        ("BQ79616.json", "BQ79616", False),
        ("BQ79616A.tsx", "BQ79616", False),
        ("index.tsx", "index", True),
    ],
)
def test_a_file_goes_by_its_stem_and_a_folder_by_its_own_name(
    path: str, name: str, *, is_it: bool
) -> None:
    assert names.goes_by(PurePath(path), name) is is_it
