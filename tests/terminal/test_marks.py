from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.terminal.marks import (
    MARK_BYTES_MAX,
    Arrival,
    EditorReady,
    MarkReader,
    PromptSeen,
    TextArrived,
    TypedBegun,
    token,
)
from tests.clauses import clause
from tests.terminal.streams import (
    EPOCH,
    KEY,
    arrived,
    cuts,
    editor,
    joined,
    marked,
    pieces,
    prompt,
    texts,
    typed,
)

MS = 1763500000123


def read(data: bytes, last_number: int = -1) -> list[Arrival]:
    return arrived(MarkReader(KEY, last_number), [data])


def is_text(data: bytes, last_number: int = -1) -> bool:
    return read(data, last_number) == [TextArrived(data)]


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[Arrival]]:
    """A stream, and what is in it: genuine marks, everything else is text."""
    data, facts, number = b"", list[Arrival](), 0
    old: list[bytes] = [b""]
    for kind in draw(st.lists(st.sampled_from("tttPPTRfrlbx"), max_size=10)):
        number += draw(st.integers(1, 9))
        what: list[Arrival]
        match kind:
            case "P":
                code = draw(st.integers(0, 255))
                cwd = draw(st.sampled_from([b"/", b"/a;b", "/\u00fc".encode()]))
                piece = prompt(number, number - 1, code, cwd)
                what = [PromptSeen(MS, code, number - 1, cwd)]
            case "T":
                piece, what = typed(number, "ls -l"), [TypedBegun(MS, "ls -l")]
            case "R":
                piece, what = editor(number), [EditorReady()]
            case "f":  # forged: a token of another key, or of another number
                key, by = draw(st.sampled_from([(b"other", 0), (KEY, 1)]))
                given = token(key, number + by)
                piece, what = b"\x1b]7770;%d;%s;P;;0;0;r;/\x07" % (number, given), []
            case "r":  # replayed
                piece, what = draw(st.sampled_from(old)), []
            case "l":  # a number that is not above the last one
                piece, what = prompt(0), []
                piece = piece if old != [b""] else b""
            case "b":  # broken off before its token is whole
                piece, what = prompt(number)[: draw(st.integers(1, 20))], []
            case "x":  # a body that says nothing
                piece, what = marked(number, b"Z;1"), []
            case _:
                piece, what = draw(texts), []
        if what:
            old.append(piece)
        elif piece:
            what = [TextArrived(piece)]
        data += piece
        facts += what
    return data, joined(facts)


@given(streams(), cuts)
@clause("terminal D6b", "terminal 3.4")
def test_only_genuine_marks_are_marks_and_no_byte_is_lost_however_the_stream_is_cut(
    stream: tuple[bytes, list[Arrival]], cuts: list[int]
) -> None:
    data, facts = stream
    assert arrived(MarkReader(KEY), pieces(data, cuts)) == facts


@given(streams())
def test_byte_by_byte_is_as_good_as_whole(stream: tuple[bytes, list[Arrival]]) -> None:
    data, facts = stream
    assert arrived(MarkReader(KEY), [bytes([byte]) for byte in data]) == facts


@given(streams(), cuts)
def test_what_is_held_back_is_the_end_of_what_was_fed(
    stream: tuple[bytes, list[Arrival]], cuts: list[int]
) -> None:
    data, _ = stream
    reader, fed = MarkReader(KEY), 0
    for piece in pieces(data, cuts):
        reader.feed(piece)
        fed += len(piece)
        held = reader.held_bytes
        again = MarkReader(KEY, reader.last_number)
        assert again.feed(data[fed - held : fed]) == [] and again.held_bytes == held


@given(st.integers(0, 300))
def test_a_mark_cut_off_by_the_end_of_the_stream_is_text(length: int) -> None:
    whole = prompt(7, cwd=b"/x" * 100)
    half = whole[: length % len(whole)]
    assert read(half) == ([TextArrived(half)] if half else [])


def test_the_facts_of_each_kind_of_mark_are_read() -> None:
    assert read(prompt(1, 4, 130, b"/a b")) == [PromptSeen(MS, 130, 4, b"/a b")]
    assert read(marked(1, b"P;;0;2;x;2f0a2f")) == [PromptSeen(None, 0, 2, b"/\n/")]
    assert read(marked(1, b"P;1763500000,123456;0;2;r;/")) == [PromptSeen(MS, 0, 2, b"/")]
    assert read(typed(1, "a  b\n c")) == [TypedBegun(MS, "a  b\n c")]
    assert read(editor(1)) == [EditorReady()]


@pytest.mark.parametrize(
    "body", [b"", b"P", b"P;;x;0;r;/", b"P;;0;;r;/", b"P;;-1;0;r;/", b"Q;", b"R2", b"p;;0;0;r;/"]
)
def test_a_right_token_before_nonsense_is_text(body: bytes) -> None:
    assert is_text(marked(1, body))


def test_nonsense_inside_a_genuine_mark_is_said_as_far_as_it_is_known() -> None:
    assert read(marked(1, b"P;soon;0;2;x;2")) == [PromptSeen(None, 0, 2, b"")]
    assert read(marked(1, b"T;;%%")) == [TypedBegun(None, "")]


def test_a_number_is_used_once_and_numbers_rise() -> None:
    first = prompt(5)
    assert read(first + first) == [PromptSeen(MS, 0, 0, b"/"), TextArrived(first)]
    assert is_text(first, last_number=5) and is_text(prompt(4), last_number=5)
    assert read(prompt(6), last_number=5) == [PromptSeen(MS, 0, 0, b"/")]


@pytest.mark.parametrize(
    "number", [b"", b"-1", b"+7", b"07" * 9, b"1" * 19, b"1" * 60, "\u0661".encode()]
)
def test_a_number_that_is_none_makes_no_mark(number: bytes) -> None:
    assert is_text(b"\x1b]7770;%s;%s;R\x07" % (number, token(KEY, 1)))


def test_marks_may_stand_side_by_side_and_inside_what_looks_like_one() -> None:
    assert read(editor(1) + editor(2)) == [EditorReady(), EditorReady()]
    opening = b"\x1b]7770;9;"
    assert read(opening + editor(1)) == [TextArrived(opening), EditorReady()]
    assert read(b"\x1b" + editor(1) + b"\x07") == [
        TextArrived(b"\x1b"), EditorReady(), TextArrived(b"\x07"),
    ]  # fmt: skip


@pytest.mark.parametrize("chunk_bytes", [1 << 30, 1 << 16, 5_000])
@pytest.mark.parametrize("over", [-1, 0, 1, 70_000])
def test_a_mark_has_a_longest_length_wherever_it_is_cut(chunk_bytes: int, over: int) -> None:
    head = b"P;;0;0;r;"
    data = marked(1, head + b"/" * (MARK_BYTES_MAX - len(head) + over)) + b"after"
    parts = [data[at : at + chunk_bytes] for at in range(0, len(data), chunk_bytes)]
    found = arrived(MarkReader(KEY), parts)
    assert isinstance(found[0], PromptSeen if over < 0 else TextArrived)
    assert MarkReader(KEY).feed(data[: MARK_BYTES_MAX // 2]) == []


def test_text_goes_on_at_once_when_it_can_be_no_mark() -> None:
    for text in (b"plain", b"\x1b[31mred", b"\x1b]0;title\x07", b"\x1b]7770;x", b"\x1b]7770;1;zz"):
        assert MarkReader(KEY).feed(text) == [TextArrived(text)]
    for open_end in (b"\x1b", b"\x1b]77", b"\x1b]7770;", b"\x1b]7770;12;ab"):
        reader = MarkReader(KEY)
        assert reader.feed(b"text" + open_end) == [TextArrived(b"text")]
        assert reader.held_bytes == len(open_end)


@given(st.integers(0, 1 << 40), st.integers(0, 1 << 40))
def test_two_numbers_have_two_tokens(one: int, other: int) -> None:
    assert (token(KEY, one) == token(KEY, other)) is (one == other)
    assert token(KEY, one) != token(b"another key", one)
    assert len(token(KEY, one)) == 16 and EPOCH
