"""No pattern can stall: the work is counted, never timed.

A byte costs at most one step of the program, whatever the pattern; the steps are counted by
`Rows.step_count`, and all else is one list access for each byte or less.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

import pytest

from antiphon.terminal.pattern import Span, compile_regex
from antiphon.terminal.pattern_needle import needle_of
from antiphon.terminal.pattern_program import EDGE, STATE_COUNT_MAX, Program
from antiphon.terminal.pattern_rows import ROW_COUNT_MAX, Found, Rows, State
from antiphon.terminal.pattern_start import ENTRY_COUNT_MAX, Memory, leftmost_begin
from antiphon.terminal.pattern_syntax import parse

IS_FULL = os.environ.get("ANTIPHON_FULL") == "1"
STREAM_BYTES = 1 << 20 if IS_FULL else 1 << 14
CHUNK_BYTES = 4096

# Each is slow, or fatal, for an engine that goes back.  The text never matches.
BACKTRACKING = [
    *("(a+)+Q", "(a*)*Q", "(a|a)+Q", "(a|aa)+Q", "(a|a?)+Q", "(a+a+)+Q", "(a+)+(b+)+Q"),
    *("(.*)*Q", "(.*a){11}Q", "(.*a){25}Q", "(.+.+)+Q", "(.*.*)*Q", ".*.*.*.*.*.*Q"),
    *("(x+x+)+y", "([a-z]+)*Q", r"(\w+\s?)*Q", r"^(\w+\s?)*$Q", "(a?){30}a{30}Q", "(?:a?a?)*Q"),
    *("((a*)*)*Q", "(((a+)+)+)+Q", "(a|b|ab)*Q", "(aa|aab?)*Q", "([ab]+[ba]+)+Q", "(?:a+|b+)+Q"),
    *(r"^(([a-z])+.)+[A-Z]([a-z])+$Q", r"(?:[a-z0-9]+\.)*[a-z0-9]+@Q", r"(\d+|\w+)*Q"),
    *(r"([a-zA-Z0-9._-]+@)+([a-z]+\.)+Q", r"(?:\s*,?\s*\w+)+;Q", r"<(?:[^<>]*\s*)*>Q"),
    *(r'"(?:\\.|[^"])*"Q', r"/\*(?:.|\n)*\*/Q", r"(?:\r\n|\n|.)*Q", r"(\s+)+Q", r"\s+$\s+Q"),
    *("(a{1,10}){1,10}Q", "(?:a{0,20}b?){20}Q", "(?:a?b?c?){100}Q", "(?:a|ab|abc|abcd)+Q"),
    *(r"(\ba+\b\s*)+Q", r"(?:\B.)+Q", r"(^.*$\n?)+Q", r"[\s\S]*[\s\S]*Q", "(?s)(.*.*)+Q"),
]
# Each meets a new set of states at nearly every byte: no table of sets is ever hit twice.
EXPLODING = ["a.{25}Q", "[ab]*a[ab]{40}Q", "(?:a|ba)*a.{100}Q", "a.{1000}Q", "(?:a.{30}){9}Q"]


@dataclass
class Scan:
    """A scan of which the work is counted; the parts are those of `Regex`."""

    pattern: str
    rows: Rows = field(init=False)
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        self.program = Program(parse(self.pattern))
        self.rows = Rows(self.program)

    def read(self, stream: bytes) -> int:
        """The count of steps it took; the stream must not match."""
        before = self.rows.step_count
        state: State | Found = self.rows.begin()
        for at in range(0, len(stream), CHUNK_BYTES):
            assert isinstance(state, State)
            state, count = self.rows.run(state, stream[at : at + CHUNK_BYTES])
            assert count == len(stream[at : at + CHUNK_BYTES])
            assert self.rows.row_count <= ROW_COUNT_MAX
        return self.rows.step_count - before


def hostile(length: int) -> bytes:
    """Long runs of a, words, numbers and lines; no Q, no y after an x."""
    dice = random.Random(2)
    parts = [
        b"a" * 500,
        b"ab" * 200,
        b"abc" * 90,
        b"x" * 300,
        b'"\\' * 60,
        b"<a b ",
        b"/* ",
        b"a\n",
    ]
    words = [bytes(dice.choices(b"abc12. @,\n", k=40)) for _ in range(50)]
    stream = b""
    while len(stream) < length:
        stream += dice.choice(parts) + b" ".join(dice.choices(words, k=4))
    return stream[:length]


def test_the_corpus_has_fifty_patterns() -> None:
    assert len({*BACKTRACKING, *EXPLODING}) >= 50


@pytest.mark.parametrize("pattern", BACKTRACKING)
def test_a_pattern_that_makes_others_go_back_soon_takes_no_more_steps(pattern: str) -> None:
    scan = Scan(pattern)
    stream = hostile(STREAM_BYTES)
    assert scan.read(stream) <= STREAM_BYTES // 2
    # The same bytes again are known: not one step more, or as few as a full table asks for.
    assert scan.read(stream) <= STREAM_BYTES // 8


@pytest.mark.parametrize("pattern", EXPLODING)
def test_a_pattern_whose_sets_never_recur_takes_a_step_for_a_byte_and_no_more(pattern: str) -> None:
    scan = Scan(pattern)
    assert scan.read(hostile(STREAM_BYTES)) <= STREAM_BYTES


@pytest.mark.parametrize("pattern", [*BACKTRACKING, *EXPLODING])
def test_a_program_is_no_larger_than_its_limit(pattern: str) -> None:
    assert Program(parse(pattern)).state_count <= STATE_COUNT_MAX


def test_a_match_over_thousands_of_chunks_is_found() -> None:
    stream = b"noise START" + b"x\n" * (STREAM_BYTES // 2) + b"END tail"
    scan = Scan(r"START[^Q]*END")
    state: State | Found = scan.rows.begin()
    position = 0
    while isinstance(state, State):
        state, count = scan.rows.run(state, stream[position : position + 7])
        position += count
    (end,) = state.ends
    memory = Memory(scan.program)
    begin = leftmost_begin(memory, 0, EDGE, position, end[1], lambda a, b: stream[a:b])
    assert Span(begin or 0, position) == Span(6, len(stream) - len(b" tail"))


def test_the_way_back_reads_pieces_and_stops_where_no_begin_can_be() -> None:
    stream = b"a" * 1_000_000 + b"123 passed"
    asked: list[tuple[int, int]] = []

    def window(first: int, last: int) -> bytes:
        asked.append((first, last))
        return stream[first:last]

    program = Program(parse(r"\d+ passed"))
    begin = leftmost_begin(Memory(program), 0, EDGE, len(stream), EDGE, window)
    assert begin == 1_000_000
    assert len(asked) == 1 and asked[0][0] > len(stream) - 8192


def test_the_memory_of_the_way_back_is_bounded() -> None:
    text = "".join(chr(point) for point in range(0x4E00, 0x4E00 + ENTRY_COUNT_MAX + 5_000)) + "abcQ"
    data = text.encode()
    dots = Memory(Program(parse(r"[^Q]+Q")))
    assert leftmost_begin(dots, 0, EDGE, len(data), EDGE, lambda a, b: data[a:b]) == 0
    assert dots.entry_count <= ENTRY_COUNT_MAX


@pytest.mark.parametrize(
    ("pattern", "text", "place"),
    [
        ("needle", b"hay needle", 4),
        (r"\d+ passed", b"hay 12 passed", 6),
        ("[Pp]assword:", b"a Password:", 3),
        ("(?i)password:", b"a PASSWORD:", 6),  # the s has a third case, the long one
        ("yes|no", b"a no yes", 2),
        (r"(?:ab){2,}c", b"xx abab", 3),
        (r"\x{20ac}+", "a €".encode(), 2),
    ],
)
def test_a_needle_is_sought_where_a_match_must_have_it(
    pattern: str, text: bytes, place: int
) -> None:
    needle = needle_of(parse(pattern))
    assert needle is not None
    assert needle.find(text, 0) == place


@pytest.mark.parametrize("pattern", [r"\w+", "[a-z]x?|b", r"a\d|[0-9]+", "(?i)[ks]", r"[\s\S]+x"])
def test_a_pattern_that_needs_no_text_nearby_has_no_needle(pattern: str) -> None:
    assert needle_of(parse(pattern)) is None


@pytest.mark.parametrize("pattern", ["needle", r"\d+ passed", r"^.*failed: .*$", "yes/no|[Pp]ass"])
def test_a_wait_that_sees_no_needle_leaves_little_to_keep(pattern: str) -> None:
    scanner = compile_regex(pattern).scanner(0)
    stream = b"some other line of text 12\n" * 10_000
    for at in range(0, len(stream), CHUNK_BYTES):
        assert scanner.feed(stream[at : at + CHUNK_BYTES], lambda a, b: b"") is None
    assert len(stream) - scanner.lower_bound < CHUNK_BYTES
