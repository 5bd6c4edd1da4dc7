from __future__ import annotations

import pytest

from antiphon.component import listing
from tests.clauses import clause

LISTS = ["1. BQ79616 (C1)\n2. other\n", "\x1b[32m1)\x1b[0m one\r\n", "- one\n", "Found 2:\n  * a\n"]
EMPTY = [
    "",
    "\n",
    'No results found for "NOPE" in X.\n',
    "Searching...\nNothing found\n",
    "0 hits\n",
]


@pytest.mark.parametrize("printed", LISTS)
def test_a_list_has_items(printed: str) -> None:
    assert listing.has_items(printed)


@clause("components 2.12")
@pytest.mark.parametrize("printed", EMPTY)
def test_a_search_without_a_list_says_nothing(printed: str) -> None:
    assert not listing.has_items(printed)
    assert listing.says_nothing(printed)


def test_a_line_that_denies_nothing_may_be_a_match() -> None:
    assert not listing.says_nothing("BQ79616PAPRQ1\n")


@pytest.mark.parametrize(
    ("printed", "count"),
    [
        ('{"query": "x", "results": []}', 0),
        ('- Searching...\r\n{"results": [{"a": [1]}, {"b": 2}]}\n', 2),
        ("[]", 0),
        ('[{"a": 1}]', 1),
        ("[x] done\n", None),
        ("no json", None),
        ("[" * 100_000, None),
    ],
)
def test_results_are_counted_where_the_answer_is_json(printed: str, count: int | None) -> None:
    assert listing.count_in_json(printed) == count
