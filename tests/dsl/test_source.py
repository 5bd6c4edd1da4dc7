from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from antiphon.dsl.source import Source
from tests.clauses import clause

TEXTS = st.text("ab\n\r\té世🎉", max_size=40)


@clause("repl 1k")
@given(TEXTS, st.data())
def test_a_span_counts_bytes_lines_and_code_points(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    source = Source(text)
    span = source.span(start, end)
    assert text.encode()[span.start : span.end].decode() == text[start:end]
    before = text[:start]
    assert span.line == before.count("\n") + 1
    assert span.column == len(before) - (before.rfind("\n") + 1) + 1
    assert (source.offset(span.start), source.offset(span.end)) == (start, end)


def test_a_line_has_no_line_end() -> None:
    source = Source("one\r\ntwo\n\nfour")
    assert [source.line(number) for number in range(1, 5)] == ["one", "two", "", "four"]
