from __future__ import annotations

import asyncio
import mmap
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from antiphon.base.errors import Code, Refused
from antiphon.service import search
from antiphon.service.lure import lure_of_text
from tests.clauses import clause

WORDS = ["error", "Error", "failed", "k", "straße", "é", "ab", "aab", "b ", "x=1", "", "\x1b[0m"]
TEXTS = ["error", "rror", "ab", "b", "é", "aße", "x=1 ", "[0m", "zz", "k"]
REGEXES = [
    "(error|failed)",
    "a+b",
    "^x",
    "b $",
    "err.r.*[0-9]",
    "[ab]b",
    "é.",
    "(?:ab|é)+k",
    "e{2}|k",
]


def found(
    content: bytes, sought: search.Needle, wanted: int, piece_bytes: int
) -> list[tuple[int, bytes]]:
    """The number and text of each hit."""
    with TemporaryDirectory() as place:
        path = Path(place) / "output"
        path.write_bytes(content)
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            spans = search.spans(data, sought, wanted, piece_bytes)
            numbers = list(search.numbers(data, spans))
            return [
                (number, data[start:end])
                for number, (start, end) in zip(numbers, spans, strict=True)
            ]


def expected(content: bytes, query: str, *, ignore_case: bool) -> list[tuple[int, bytes]]:
    sought = re.compile(query, re.IGNORECASE if ignore_case else 0)
    lines = content.split(b"\n")
    return [
        (number, line)
        for number, line in enumerate(lines, 1)
        if sought.search(line.decode(errors="surrogateescape"))
    ]


lines = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), min_size=1, max_size=40
)


@clause("terminal blocks.search")
@given(lines, st.sampled_from(TEXTS), st.booleans(), st.integers(1, 60), st.integers(1, 200))
@example(["k"], "K", True, 1, 1)
def test_a_text_is_found_in_the_lines_that_have_it(
    said: list[str], text: str, ignore_case: bool, wanted: int, piece_bytes: int
) -> None:
    content = "\n".join([*said, "."]).encode()
    sought = search.needle(text, "substring", ignore_case=ignore_case)
    wants = expected(content, re.escape(text), ignore_case=ignore_case)
    assert found(content, sought, wanted, piece_bytes) == wants[:wanted]


@clause("terminal blocks.search")
@given(lines, st.sampled_from(REGEXES), st.booleans(), st.integers(1, 60), st.integers(1, 200))
def test_a_regular_expression_is_found_in_the_lines_that_have_it(
    said: list[str], regex: str, ignore_case: bool, wanted: int, piece_bytes: int
) -> None:
    content = "\n".join([*said, "."]).encode()
    sought = search.needle(regex, "regex", ignore_case=ignore_case)
    wants = expected(content, regex, ignore_case=ignore_case)
    assert found(content, sought, wanted, piece_bytes) == wants[:wanted]


@given(st.binary(min_size=1, max_size=300), st.data())
def test_any_bytes_are_found_in_any_bytes(content: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content) - 1))
    text = content[start : start + data.draw(st.integers(1, 12))]
    sought = search.Needle(None, lure_of_text(text))
    wants = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if text in line]
    if b"\n" not in text:
        assert found(content, sought, 100, 64) == wants


def test_a_lure_that_leads_astray_all_the_time_hides_no_hit() -> None:
    """Every line has the text that the pattern must have, and one line matches."""
    content = b"an error: none\n" * 5_000 + b"an error: 7\n" + b"an error: none\n" * 5_000
    sought = search.needle("error: [0-9]", "regex", ignore_case=False)
    for piece_bytes in (1_000, 1 << 20):
        assert found(content, sought, 10, piece_bytes) == [(5_001, b"an error: 7")]


@pytest.mark.parametrize(
    ("query", "match_type"),
    [
        ("", "substring"),
        ("a\nb", "substring"),
        ("a*", "regex"),
        ("(", "regex"),
        ("x" * 5_000, "regex"),
    ],
)
def test_a_query_that_finds_no_lines_is_refused(query: str, match_type: str) -> None:
    with pytest.raises(Refused) as refused:
        search.needle(query, match_type, ignore_case=False)
    assert refused.value.code is Code.INVALID_PATTERN


@clause("terminal blocks.search")
def test_blocks_are_searched_in_the_order_given_up_to_the_limit(tmp_path: Path) -> None:
    large = b"far\n" * 600_000  # beyond what is searched at once
    for name, content in (("new", b"one\nnear far"), ("empty", b""), ("old", large)):
        (tmp_path / name).write_bytes(content)
    names = ("gone", "new", "empty", "old")
    sought = search.needle("far", "substring", ignore_case=False)
    answer = asyncio.run(search.hits([(name, tmp_path / name) for name in names], sought, 3))
    assert [(hit.block_id, hit.line, hit.cursor) for hit in answer.hits] == [
        ("new", 2, 4),
        ("old", 1, 0),
        ("old", 2, 4),
    ]
    assert answer.truncated and answer.hits[0].text == "near far"
