from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.dsl.cursor import At, place
from tests.clauses import clause


@clause("repl 2g")
@pytest.mark.parametrize(
    ("text", "at", "written", "around"),
    [
        ("|", At.STATEMENT, "", ""),
        ("foo|", At.STATEMENT, "foo", ""),
        ("(a.b :x 1) |", At.STATEMENT, "", ""),
        ("(|", At.VERB, "", ""),
        ("(cbu.|)", At.VERB, "cbu.", ""),
        ("(cbu.en|sure :name 1)", At.VERB, "cbu.ensure", ""),
        ("(a.b |", At.KEY, "", "a.b"),
        ("(a.b :na|me 1)", At.KEY, ":name", "a.b"),
        ("(a.b :x :|", At.KEY, ":", "a.b x"),
        ('(a.b :x "y" |)', At.KEY, "", "a.b x"),
        ("(a.b :x (c.d :y 1) |", At.KEY, "", "a.b x"),
        ("(a.b :x |", At.VALUE, "", "a.b x"),
        ('(a.b :x "é|', At.VALUE, '"é', "a.b x"),
        ('(a.b :x "é|t\n  é" :y 2)', At.VALUE, '"ét\n  é"', "a.b x"),
        ('(a.b :x ["a" |', At.VALUE, "", "a.b x"),
        ("(a.b :x [(c.d :z |", At.VALUE, "", "c.d z"),
        ("(a.b :x {:k |", At.VALUE, "", "a.b x"),
        ("(a.b :x @fu|nd)", At.SYMBOL, "@fund", "a.b x"),
        ("(a.b :as @|", At.BINDING, "@", "a.b as"),
        ("(a.b :as @x |", At.NOTHING, "", ""),
        ('(a.b :x "y"|', At.NOTHING, "", ""),
        ("(a.b :x 1 ; (c|", At.NOTHING, "", ""),
        ("(a.b :x {:|", At.NOTHING, ":", ""),
        ("(a.b :x 1\n(c.d :y |", At.VALUE, "", "c.d y"),
    ],
)
def test_what_stands_at_a_place_is_known_in_broken_programs_too(
    text: str, at: At, written: str, around: str
) -> None:
    offset = text.index("|")
    text = text.replace("|", "", 1)
    found = place(text, offset)
    assert (found.at, text[found.start : found.end]) == (at, written)
    assert " ".join((found.verb, *found.given)).strip() == around


@given(st.text('ab.:@"\\()[]{}; \n', max_size=40), st.data())
def test_every_place_of_every_text_is_something(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    found = place(text, offset)
    assert 0 <= found.start <= offset <= found.end <= len(text)
