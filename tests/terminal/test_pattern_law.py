"""The law of pattern.py, held against `re2` and `re` asked about every prefix in turn."""

from __future__ import annotations

import itertools
import os
import random
import re
from collections.abc import Callable

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.terminal.pattern import PatternRefused, Regex, Scanner, Span, compile_regex, substring
from antiphon.terminal.pattern_needle import needle_of
from antiphon.terminal.pattern_syntax import parse

IS_FULL = os.environ.get("ANTIPHON_FULL") == "1"
TRIPLE_COUNT = 100_000 if IS_FULL else 6_000
CHUNKING_COUNT = 1_000 if IS_FULL else 100
PROPERTY = settings(max_examples=5_000 if IS_FULL else 300)

Oracle = Callable[[bytes, int], Span | None]

ATOMS = [
    *("a", "b", "k", "s", "é", "€", "💡", ".", "[ab]", "[^a]", "[^é]", r"\w", r"\W", r"\d", r"\D"),
    *(r"\n", " ", "[a-z]", "(?s:.)", r"[\s\S]", "x", "1", r"\b", r"\B", "^", "$", r"\A", "ab"),
]
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}", "*?", "+?", "??"]
LETTERS = ["a", "b", "k", "s", "x", "1", "_", " ", "\n", "é", "€", "💡", "ſ", "\u212a"]
BYTES = [
    *(b"a", b"b", b"x", b"1", b" ", b"\n", b"\xc3", b"\xa9", b"\xe2", b"\x82", b"\xac", b"\xf0"),
    *(b"\x9f", b"\x92", b"\xff", b"\xed", b"\xa0", "é".encode(), "💡".encode()),
]


def open_bytes(prefix: bytes) -> int:
    """How many bytes at the end may still become a character."""
    for count in (1, 2, 3):
        tail = prefix[-count:]
        if len(tail) == count and tail[0] >= 0xC0:
            for fill in (b"\x80", b"\xbf"):
                for more in (1, 2, 3):
                    if is_text(tail + fill * more):
                        return count
    return 0


def is_text(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


def re2_oracle(pattern: str) -> Oracle:
    options = re2.Options()
    options.longest_match = True
    options.log_errors = False
    compiled = re2.compile(f"(?m){pattern}".encode(), options)

    def first(stream: bytes, cursor: int) -> Span | None:
        for end in range(cursor + 1, len(stream) + 1):
            prefix = stream[cursor:end]
            if open_bytes(prefix):
                continue
            match = compiled.search(prefix)
            if match and match.end() > match.start():
                return Span(cursor + match.start(), cursor + match.end())
        return None

    return first


def re_oracle(pattern: str) -> Oracle:
    """`re` on text in which each stray byte is one surrogate.  It has no longest match."""
    searches: dict[int, Callable[[str], re.Match[str] | None]] = {}

    def search(text: str, after: int) -> re.Match[str] | None:
        if after not in searches:
            source = rf"(?:{pattern})(?=[\s\S]{{{after}}}\Z)"
            searches[after] = re.compile(source, re.MULTILINE | re.ASCII).search
        return searches[after](text)

    def first(stream: bytes, cursor: int) -> Span | None:
        for end in range(cursor + 1, len(stream) + 1):
            prefix = stream[cursor:end]
            count = open_bytes(prefix)
            body = prefix[: len(prefix) - count].decode("utf-8", "surrogateescape")
            # What may become a character stands there as one that nothing may match.
            text = body + "\ue000" * (count > 0)
            found: list[tuple[int, int]] = []
            for after in range(count > 0, len(text)):
                match = search(text, after)
                if match and match.end() > match.start():
                    found.append((match.start(), -match.end()))
            if found:
                start, negative_end = min(found)
                return Span(*(cursor + size(text[:at]) for at in (start, -negative_end)))
        return None

    return first


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def found(scanner: Scanner, stream: bytes, cuts: list[int]) -> Span | None:
    edges = [scanner.position, *sorted(cut for cut in cuts if cut > scanner.position), len(stream)]
    for begin, end in itertools.pairwise(edges):
        span = scanner.feed(stream[begin:end], lambda first, last: stream[first:last])
        if span is not None:
            return span
    return None


def compiled(pattern: str) -> Regex | None:
    """None where it can match nothing; any other refusal is a mistake of this test or of ours."""
    try:
        return compile_regex(pattern)
    except PatternRefused as refused:
        if "nothing" not in refused.found:
            raise
        return None


def grown(atoms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
            st.tuples(inner, st.sampled_from(REPEATS)).map("(?:{0[0]}){0[1]}".format),
        ),
        max_leaves=6,
    )


PATTERNS = grown(st.sampled_from(ATOMS))
FLAGS = st.sampled_from(["", "", "(?i)", "(?s)"])
CUTS = st.lists(st.integers(0, 40), max_size=12)


@PROPERTY
@given(FLAGS, PATTERNS, st.lists(st.sampled_from(LETTERS), max_size=24), CUTS, st.integers(0, 6))
def test_text_is_matched_as_re2_would_match_the_shortest_prefix(
    flags: str, pattern: str, letters: list[str], cuts: list[int], skipped: int
) -> None:
    regex = compiled(flags + pattern)
    if regex is not None:
        stream = "".join(letters).encode()
        cursor = len("".join(letters[:skipped]).encode())
        want = re2_oracle(flags + pattern)(stream, cursor)
        assert found(regex.scanner(cursor), stream, cuts) == want


@PROPERTY
@given(PATTERNS, st.lists(st.sampled_from(BYTES), max_size=18), CUTS, st.integers(0, 6))
def test_any_bytes_are_matched_as_re_would_match_the_shortest_prefix(
    pattern: str, pieces: list[bytes], cuts: list[int], cursor: int
) -> None:
    regex = compiled(pattern)
    if regex is not None:
        stream = b"".join(pieces)
        cursor = min(cursor, len(stream))
        want = re_oracle(pattern)(stream, cursor)
        assert found(regex.scanner(cursor), stream, cuts) == want


@PROPERTY
@given(st.binary(min_size=1, max_size=5), st.binary(max_size=60), CUTS, st.integers(0, 9))
def test_a_substring_is_where_find_finds_it(
    needle: bytes, stream: bytes, cuts: list[int], cursor: int
) -> None:
    stream = bytes(byte % 3 for byte in stream)
    needle = bytes(byte % 3 for byte in needle)
    at = stream.find(needle, cursor)
    want = Span(at, at + len(needle)) if at >= 0 else None
    assert found(substring(needle, cursor), stream, cuts) == want


def random_pattern(dice: random.Random, depth: int) -> str:
    roll = dice.random()
    if depth == 0 or roll < 0.4:
        return dice.choice(ATOMS)
    one = random_pattern(dice, depth - 1)
    if roll < 0.65:
        return one + random_pattern(dice, depth - 1)
    if roll < 0.8:
        return f"(?:{one}|{random_pattern(dice, depth - 1)})"
    return f"(?:{one}){dice.choice(REPEATS)}"


def test_random_triples_of_chunking_pattern_and_cursor_agree_with_the_oracles() -> None:
    dice = random.Random(1)
    done = matched = 0
    while done < TRIPLE_COUNT:
        is_valid = dice.random() < 0.5
        pattern = dice.choice(["", "(?i)"] if is_valid else [""]) + random_pattern(dice, 3)
        regex = compiled(pattern)
        if regex is None:
            continue
        oracle = re2_oracle(pattern) if is_valid else re_oracle(pattern)
        for _ in range(10):
            units = [unit.encode() for unit in LETTERS] if is_valid else BYTES
            pieces = dice.choices(units, k=dice.randrange(1, 20))
            stream = b"".join(pieces)
            cursor = len(b"".join(pieces[: dice.choice([0, 0, 1, 3])]))
            want = oracle(stream, cursor)
            cuts = dice.sample(range(len(stream) + 1), dice.randrange(len(stream) + 1))
            assert found(regex.scanner(cursor), stream, cuts) == want, (pattern, stream, cursor)
            done += 1
            matched += want is not None
    assert matched > done // 3  # a test in which little matches shows little


@pytest.mark.parametrize(
    ("pattern", "stream"),
    [
        ("a+b", b"xaaabb"),
        (r"a\B|b$", b"a ab b"),
        ("x..y", b"x\xf0\x9f\xe2\x82\xacy x\xe2\x82y"),
        (r"AB\s*CD", b"AB AB\n CD"),
        (r"\d+ passed", b"12 x 7 passed"),
        ("(?i)yes/no|word:", "Paſs word Word:".encode()),
    ],
)
def test_every_way_to_cut_a_short_stream_gives_one_span(pattern: str, stream: bytes) -> None:
    regex = compile_regex(pattern)
    places = range(1, len(stream))
    ways = ([at for at in places if way >> at & 1] for way in range(0, 1 << len(stream), 2))
    spans = {found(regex.scanner(0), stream, cuts) for cuts in ways}
    assert len(spans) == 1 and spans != {None}


LONG_PATTERNS = [
    *(r"\d{3} passed", r"\d+ failed\b", r"(?i)error: .*$", r"START[\s\S]*END", r"^\S+ \$ $"),
    *(".*zz9", r"(?:warn|fail)ed: [^\n]*Q", r"é.{2,9}€", r"[^\x00-\x7f]{40}", "[a-f ]{30}"),
]


def long_stream(dice: random.Random) -> bytes:
    words = ["passed", "failed", "12", "345", "Error:", "é", "€", "a", "fade", "START", "\n", "💡"]
    text = " ".join(dice.choices(words, k=4_000)).encode()
    tail = b" zz9 345 failed: warned: Q END\nme@host $ "
    noise = b"".join(dice.choices(BYTES, k=2_000))
    return noise + text.replace(b"Error", b"Err") + noise + tail + "é".encode() * 41 + b"error: \n"


@pytest.mark.parametrize("pattern", LONG_PATTERNS)
def test_random_ways_to_cut_a_long_stream_give_one_span(pattern: str) -> None:
    dice = random.Random(pattern)
    stream = long_stream(dice)
    regex = compile_regex(pattern)
    spans = {found(regex.scanner(0), stream, [])}
    for _ in range(CHUNKING_COUNT // 10):
        cuts = dice.sample(range(len(stream)), dice.choice([1, 10, 100, 5_000]))
        spans.add(found(regex.scanner(0), stream, cuts))
    assert len(spans) == 1


@pytest.mark.parametrize("pattern", LONG_PATTERNS)
def test_skipping_to_a_needle_changes_no_span(pattern: str) -> None:
    dice = random.Random(pattern)
    for _ in range(3):
        stream = long_stream(dice)
        # An alternative that never matches and has no needle makes the whole have none.
        slow_pattern = rf"(?:{pattern})|[\x00\x01]"
        assert needle_of(parse(slow_pattern)) is None
        plain = compile_regex(slow_pattern)
        assert found(compile_regex(pattern).scanner(0), stream, []) == found(
            plain.scanner(0), stream, []
        )
