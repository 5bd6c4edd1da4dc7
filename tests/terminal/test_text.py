from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from antiphon.terminal.text import readable, stray_bytes, unfinished_bytes
from tests.clauses import clause
from tests.terminal.streams import cuts, pieces

# Rich in heads and tails of characters, whole and not.
bytes_near_text = st.lists(
    st.sampled_from(
        [b"a", "\u00e9".encode(), "\u65e5".encode(), "\U0001f600".encode(), b"\xe6", b"\x97",
         b"\xf0\x9f", b"\xff", b"\xc0", b"\xe0\x80", b"\xed\xa0", b"\xf4\x90", b"\xf5", b"\x80"]
    ),
    max_size=8,
).map(b"".join)  # fmt: skip


def deltas(data: bytes, cuts: list[int]) -> list[bytes]:
    """What is handed out piece by piece, the rest at the end."""
    given_out, waiting = [], b""
    for piece in pieces(data, cuts):
        waiting += piece
        size = len(waiting) - unfinished_bytes(waiting)
        given_out.append(waiting[:size])
        waiting = waiting[size:]
    return [*given_out, waiting]


@given(st.text(max_size=12), cuts)
@clause("terminal d3")
def test_no_delta_of_a_text_splits_a_character(text: str, cuts: list[int]) -> None:
    parts = deltas(text.encode(), cuts)
    assert "".join(part.decode() for part in parts) == text


@given(bytes_near_text | st.binary(max_size=12), cuts)
@clause("terminal D3a")
def test_bytes_read_the_same_in_pieces_as_whole(data: bytes, cuts: list[int]) -> None:
    parts = deltas(data, cuts)
    assert b"".join(parts) == data
    assert "".join(map(readable, parts)) == readable(data)


@given(bytes_near_text | st.binary(max_size=12))
def test_what_waits_is_less_than_a_character_and_may_become_one(data: bytes) -> None:
    waiting = data[len(data) - unfinished_bytes(data) :]
    assert len(waiting) < 4
    tails = [b"\x80", b"\x90", b"\x80\x80", b"\x90\x80", b"\x80\x80\x80", b"\x90\x80\x80"]
    assert not waiting or any(is_character(waiting + tail) for tail in tails)


def is_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


@given(st.text(min_size=1, max_size=8), st.integers(0, 40))
def test_a_tail_begins_with_a_whole_character(text: str, start: int) -> None:
    data = text.encode()
    tail = data[start % len(data) :]
    tail = tail[stray_bytes(tail) :]
    assert text.endswith(tail.decode())
    assert len(tail) > len(data) - start % len(data) - 4
