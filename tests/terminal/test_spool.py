from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from antiphon.terminal.marks import PromptSeen
from antiphon.terminal.spool import Prompt, Spool, prompt_of, sentinel_line
from tests.clauses import clause
from tests.terminal.streams import cuts, pieces

PROMPT = PromptSeen(1_000, 3, 0, b"/tmp")
LINE = b"__FWS_PROMPT__ ts=1000 cwd_b64=L3RtcA== exit=3\n"
texts = st.text(alphabet="\r\r\nab", max_size=12).map(str.encode)


def written(parts: list[bytes | PromptSeen]) -> tuple[bytes, Spool]:
    """The one place that knows how a spool is fed."""
    spool, data = Spool(), b""
    for part in parts:
        if isinstance(part, bytes):
            data += spool.text(part)
        else:
            before, line, _ = spool.prompt(part)
            data += before + line
    return data, spool


def expected(text: bytes) -> bytes:
    """Line ends in one look at all of it."""
    return re.sub(rb"\r+\n", b"\n", text).rstrip(b"\r")


@given(texts, cuts)
@clause("terminal D4", "terminal D4a", "terminal 2.2a")
def test_line_ends_are_made_plain_however_the_text_is_cut(text: bytes, cuts: list[int]) -> None:
    data, spool = written(list(pieces(text, cuts)))
    assert data == expected(text)
    assert spool.size == len(data)
    assert spool.is_at_line_start is (data.endswith(b"\n") or not data)


@given(st.lists(texts, min_size=1, max_size=4), st.data())
@clause("terminal D6", "terminal D6a", "terminal d5")
def test_a_sentinel_is_a_line_of_its_own_however_the_text_is_cut(
    blocks: list[bytes], data: st.DataObject
) -> None:
    parts: list[bytes | PromptSeen] = []
    wanted = b""
    for text in blocks:
        parts += [*pieces(text, data.draw(cuts)), PROMPT]
        output = expected(text)
        needs_end = text.endswith(b"\r") or (output and not output.endswith(b"\n"))
        wanted += output + (b"\n" if needs_end else b"") + LINE
    made, spool = written(parts)
    assert made == wanted
    assert spool.size == len(made) and spool.is_at_line_start


@given(st.binary(max_size=40), st.integers(0, 1 << 44), st.integers(0, 255))
@clause("terminal 2.4")
def test_a_sentinel_is_read_as_it_was_written(cwd: bytes, ts: int, code: int) -> None:
    prompt = Prompt(ts, cwd, code)
    line = sentinel_line(prompt)
    assert prompt_of(line) == prompt
    assert re.fullmatch(rb"__FWS_PROMPT__ ts=\d+ cwd_b64=[A-Za-z0-9+/=]* exit=\d+\n", line)


def test_a_shell_without_a_clock_says_the_last_time_again() -> None:
    spool = Spool()
    spool.prompt(PROMPT)
    assert spool.prompt(PromptSeen(None, 0, 0, b"/"))[2].ts == 1_000


def test_returns_at_the_end_wait_for_what_follows() -> None:
    spool = Spool()
    assert (spool.text(b"50%\r"), spool.text(b"\r"), spool.size) == (b"50%", b"", 3)
    assert spool.text(b"100%\r") == b"\r\r100%"
    spool.drop_returns()
    assert spool.text(b"\n") == b"\n"
