from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.repl.yaml import Mapping, Node, Scalar, Sequence, read

Plain = str | list["Plain"] | dict[str, "Plain"]


def plain(node: Node) -> Plain:
    match node:
        case Scalar(text):
            return text
        case Sequence(items):
            return [plain(one) for one in items]
        case Mapping(entries):
            return {key.text: plain(value) for key, value in entries}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: two words # comment\n", {"a": "1", "b": "two words"}),
        ("a:\n  b:\n    c: d\n  e: f\ng: h", {"a": {"b": {"c": "d"}, "e": "f"}, "g": "h"}),
        ("a:\n- 1\n- 2\nb:\n  - 3\n", {"a": ["1", "2"], "b": ["3"]}),
        (
            "- a: 1\n  b: 2\n-\n  c: 3\n- - 4\n  - 5\n",
            [{"a": "1", "b": "2"}, {"c": "3"}, ["4", "5"]],
        ),
        ("a: [b, {c: d, e: [f]},\n  'g, h']", {"a": ["b", {"c": "d", "e": ["f"]}, "g, h"]}),
        ("p: [make {a} of {b}, x]", {"p": ["make {a} of {b}", "x"]}),
        ("a: {b: , c: 'it''s'}", {"a": {"b": "", "c": "it's"}}),
        ('a: "\\u00e9 \\n # no comment"', {"a": "é \n # no comment"}),
        (
            "a: |\n  one\n   two\n\n  three\nb: >-\n  x\n  y\n",
            {"a": "one\n two\n\nthree\n", "b": "x y"},
        ),
        (
            "---\na: NO\nb: 1.10\nc: http://x\nd: a#b\n",
            {"a": "NO", "b": "1.10", "c": "http://x", "d": "a#b"},
        ),
        ("a: one\n  two\nb:\nc: ~\n", {"a": "one two", "b": "", "c": "~"}),
        ("a.b-c: 1\n'q: r': 2\n", {"a.b-c": "1", "q: r": "2"}),
        ("", {}),
        ("# nothing\n", {}),
    ],
)
def test_what_packs_write_is_read(text: str, value: Plain) -> None:
    node, faults = read(text)
    assert plain(node) == value and faults == []
    assert plain(read(text.replace("\n", "\r\n"))[0]) == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\na: 2", 2),
        ("a: {b: 1, b: 2}", 1),
        ("a: [1", 1),
        ("a:\n  [1,\n  2", 3),
        ('a: "x', 1),
        ("a:\n\tb: 1", 2),
        ("a: &x 1", 1),
        ("a: *x", 1),
        ("a: !!str x", 1),
        ("a: b: c", 1),
        ("a: 1\n  b: 2", 2),
        ("- a\nb: 1", 2),
        ("a:\n  - 1\n b: 2", 3),
        ("a: {b 1}", 1),
        ("a: [b c] d", 1),
        ('a: "\\q"', 1),
        ("a: |2\n  x", 1),
        ("a: " + "[" * 100, 1),
    ],
)
def test_what_is_not_read_is_told_with_its_line(text: str, line: int) -> None:
    assert [fault.line for fault in read(text)[1]] == [line]


@given(st.text("ab:-#[]{},\"'|> \n\t&\\", max_size=60))
def test_any_text_is_read_or_told(text: str) -> None:
    node, faults = read(text)
    assert node.line >= 1 and all(1 <= one.line <= text.count("\n") + 1 for one in faults)
