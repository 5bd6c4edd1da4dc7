"""Streams of a terminal for tests: genuine marks, whatever only looks like one, and cuts."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable, Iterator

from hypothesis import strategies as st

from antiphon.terminal.marks import Arrival, MarkReader, TextArrived, token

KEY = b"0123456789abcdef0123456789abcdef"
EPOCH = b"1763500000.123456"


def marked(number: int, body: bytes, key: bytes = KEY) -> bytes:
    return b"\x1b]7770;%d;%s;%s\x07" % (number, token(key, number), body)


def prompt(
    number: int, command: int = 0, exit_code: int = 0, cwd: bytes = b"/", ts: bytes = EPOCH
) -> bytes:
    return marked(number, b"P;%s;%d;%d;r;%s" % (ts, exit_code, command, cwd))


def typed(number: int, line: str, ts: bytes = EPOCH) -> bytes:
    shown = base64.b64encode(f"   12  {line}\n".encode())
    return marked(number, b"T;%s;%s" % (ts, shown))


def editor(number: int) -> bytes:
    return marked(number, b"R")


def pieces(data: bytes, cuts: Iterable[int]) -> Iterator[bytes]:
    """The data, cut at these places (of whatever order and size)."""
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return (data[start:end] for start, end in itertools.pairwise(places))


def arrived(reader: MarkReader, parts: Iterable[bytes], *, is_over: bool = True) -> list[Arrival]:
    """What a reader makes of it, with neighbouring texts as one."""
    found: list[Arrival] = []
    for part in parts:
        found += reader.feed(part)
    if is_over:
        found += reader.flush()
    return joined(found)


def joined(arrivals: Iterable[Arrival]) -> list[Arrival]:
    found: list[Arrival] = []
    for one in arrivals:
        if isinstance(one, TextArrived) and found and isinstance(found[-1], TextArrived):
            found[-1] = TextArrived(found[-1].data + one.data)
        else:
            found.append(one)
    return found


cuts = st.lists(st.integers(0, 1 << 20), max_size=12)
# What programs print, rich in the bytes that matter here.
texts = st.lists(
    st.sampled_from(
        [b"\x1b", b"]", b"\x1b]7770;", b"7770", b";", b"\x07", b"\r", b"\n", b"\r\n", b"1", b"P",
         b"a", "\u00e9".encode(), "\u65e5".encode(), b"\xff", b"\x1b[31m", b"__FWS_PROMPT__ "]
    ),
    max_size=8,
).map(b"".join)  # fmt: skip
