from __future__ import annotations

import pytest

from antiphon.terminal.pattern import (
    PatternRefused,
    Scanner,
    Span,
    compile_regex,
    substring,
)
from antiphon.terminal.pattern_program import STATE_COUNT_MAX
from antiphon.terminal.pattern_syntax import GROUP_DEPTH_MAX, PATTERN_BYTES_MAX


def found(scanner: Scanner, stream: bytes, chunk_bytes: int) -> Span | None:
    """The one place that knows how a scanner is driven, and what it may ask for."""
    begin = scanner.position
    for at in range(begin, len(stream), chunk_bytes):
        data = stream[at : at + chunk_bytes]
        low, high = scanner.lower_bound, at + len(data)
        assert begin <= low <= at == scanner.position

        def window(first: int, last: int, low: int = low, high: int = high) -> bytes:
            # One byte before the lower bound tells what kind of byte stands there.
            assert max(begin, low - 1) <= first <= last <= high
            return stream[first:last]

        span = scanner.feed(data, window)
        if span is not None:
            assert low <= span.start < span.end <= scanner.position
            return span
    assert scanner.position == max(begin, len(stream))
    return None


def check(pattern: str, stream: bytes | str, match: bytes | str | None, cursor: int = 0) -> None:
    """The match has this text and is the same for whole streams, halves and single bytes."""
    data = stream if isinstance(stream, bytes) else stream.encode()
    text = match if isinstance(match, bytes | None) else match.encode()
    regex = compile_regex(pattern)
    spans = {found(regex.scanner(cursor), data, size) for size in (1, 2, 3, 7, len(data) + 1)}
    assert len(spans) == 1
    span = spans.pop()
    assert (None if span is None else data[span.start : span.end]) == text


@pytest.mark.parametrize("chunk_bytes", [1, 2, 3, 5, 100])
def test_a_substring_is_found_however_the_stream_is_cut(chunk_bytes: int) -> None:
    stream = b"abababab needle needle"
    assert found(substring(b"needle", 0), stream, chunk_bytes) == Span(9, 15)
    assert found(substring(b"needle", 10), stream, chunk_bytes) == Span(16, 22)
    assert found(substring(b"n", 0), stream, chunk_bytes) == Span(9, 10)
    assert found(substring(b"abab n", 0), stream, chunk_bytes) == Span(4, 10)
    assert found(substring(b"absent", 0), stream, chunk_bytes) is None


def test_a_substring_may_be_any_bytes_and_longer_than_many_chunks() -> None:
    needle = bytes(range(256)) * 5
    assert found(substring(needle, 0), b"\xff" + needle, 3) == Span(1, 1 + len(needle))


def test_a_substring_wait_needs_only_the_bytes_a_match_can_begin_in() -> None:
    scanner = substring(b"needle", 100)
    assert scanner.feed(b"x" * 50, lambda a, b: b"") is None
    assert (scanner.position, scanner.lower_bound) == (150, 145)


def test_an_empty_substring_is_refused() -> None:
    with pytest.raises(PatternRefused):
        substring(b"", 0)


@pytest.mark.parametrize(
    ("pattern", "stream", "match"),
    [
        ("a+", "xaaa", "a"),  # the shortest prefix has one a
        ("a+b", "xaaab", "aaab"),  # and yet the begin is the leftmost
        ("b|ab+c", "abbc", "b"),
        ("abc|b", "abc", "b"),
        (".*b", "aaab\nb", "aaab"),
        (r"AB\s*CD", "AB \n\t CD", "AB \n\t CD"),
        (r"START[\s\S]*END", "START\n1\n2\nEND END", "START\n1\n2\nEND"),
        (r"(?s)b.*END", "aab\n1END", "b\n1END"),
        (r"[\s\S]*END", "a\nbEND", "a\nbEND"),
        ("(a|ab)(c|bcd)", "abcd", "abc"),
    ],
)
def test_the_match_is_the_leftmost_in_the_shortest_prefix(
    pattern: str, stream: str, match: str
) -> None:
    check(pattern, stream, match)


@pytest.mark.parametrize(
    ("pattern", "stream", "match"),
    [
        ("^b", "ab\nb", "b"),
        ("^a", "a", "a"),
        ("^a", "ba", None),
        (r"\Ab", "a\nb", None),
        ("a$", "ab", "a"),  # the text of the prefix "a" ends there
        ("a$\n", "ab a\n", "a\n"),
        ("(?-m)^b", "a\nb", None),
        (r"x\z", "xy", "x"),
        (r"\bb", "ab b", "b"),
        (r"a\B.", "a ab", "ab"),
        (r"a\B", "a ab", "a"),  # only the b after it shows it
        (r"!\b", "! !a", "!"),
        (r"(?:a\B|ab)", "ab", "ab"),  # the longest of two ends in one prefix
        (r"é\Bx", "éx", None),  # é is no word character, as in RE2
    ],
)
def test_assertions_look_at_the_units_beside_them(
    pattern: str, stream: str, match: str | None
) -> None:
    check(pattern, stream, match)


def test_the_cursor_counts_as_the_begin_of_the_text() -> None:
    check("^b", "ab", "b", cursor=1)
    check(r"\Ab", "ab", "b", cursor=1)
    check(r"\bb", "ab", "b", cursor=1)
    check(r"\Bb", "ab", None, cursor=1)


@pytest.mark.parametrize(
    ("pattern", "stream", "match"),
    [
        ("x.", "x€y", "x€".encode()),
        ("x.", b"x\xff", b"x\xff"),
        ("x.", b"x\xe2\x82a", b"x\xe2"),  # a byte is stray once the a has shown it
        ("x..", b"x\xe2\x82\xe2", b"x\xe2\x82"),
        ("x.", b"x\xe2\x82", None),  # what may become a character is none yet
        ("x.{3}y", b"x\xed\xa0\x80y", b"x\xed\xa0\x80y"),  # a surrogate is three stray bytes
        ("x.{2}y", b"x\xc0\xafy", b"x\xc0\xafy"),  # and an overlong form two
        ("x.{4}y", b"x\xf4\x90\x80\x80y", b"x\xf4\x90\x80\x80y"),
        ("x.y", "x\U0010ffffy", "x\U0010ffffy"),
        (r"\D\W\S", b"\xff\xfe\xfd", b"\xff\xfe\xfd"),
        (r"\PLx", b"\x80x", b"\x80x"),
        ("[^€]x", "€x", None),  # no match begins inside of a character
        ("é", b"\xc3\xc3\xa9", b"\xc3\xa9"),
        ("[à-ÿ]+z", "xéèz", "éèz"),
        ("\N{POUTING FACE}", "a\N{POUTING FACE}", "\N{POUTING FACE}"),
    ],
)
def test_a_dot_is_a_character_or_a_stray_byte(
    pattern: str, stream: bytes | str, match: bytes | str | None
) -> None:
    check(pattern, stream, match)


def test_a_cursor_inside_of_a_character_sees_stray_bytes() -> None:
    check("..x", "€x", "€x".encode()[1:], cursor=1)


@pytest.mark.parametrize(
    ("pattern", "stream", "match"),
    [
        ("(?i)k", "\N{KELVIN SIGN}", "\N{KELVIN SIGN}"),
        ("(?i)\N{KELVIN SIGN}", "k", "k"),
        ("(?i)mis", "MI\N{LATIN SMALL LETTER LONG S}", "MI\N{LATIN SMALL LETTER LONG S}"),
        ("(?i)σ", "ς", "ς"),
        ("(?i)straße", "STRAẞE", "STRAẞE"),
        ("(?i:a)b", "Ab", "Ab"),
        ("(?i:a)b", "AB", None),
        ("(?i)a(?-i)b", "Ab", "Ab"),
        ("(?i)[^k]", "\N{KELVIN SIGN}K", None),
        (r"(?i)password:", "PassWord:", "PassWord:"),
        (r"\Qa.b\E+", "axb a.bb", "a.b"),
        (r"\x41\x{e9}\101\n", "AéA\n", "AéA\n"),
        ("[[:alpha:]]+[[:^digit:]]", "1ab", "ab"),
        (r"\pL\p{Nd}\p{^L}", "é٣!", "é٣!"),
        ("[]a]]", "a]", "a]"),
        ("[a-]-", "--", "--"),
        ("a{,2}", "a{,2}", "a{,2}"),
        ("(?P<one>a)(?<two>b)", "ab", "ab"),
        ("(?U)a+?b", "aab", "aab"),
        ("a{2,3}b", "aaaab", "aaab"),
        ("(?:a?){3}b", "aaaab", "aaab"),
    ],
)
def test_the_syntax_is_that_of_re2(pattern: str, stream: str, match: str | None) -> None:
    check(pattern, stream, match)


@pytest.mark.parametrize(
    "pattern",
    ["", "a*", "a|", "(a|b?)*", "^", "$", r"\b", "^$", "(?:)", "a{0}", "(?i)", r"\Q\E", "()"],
)
def test_a_pattern_that_can_match_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(PatternRefused, match="nothing"):
        compile_regex(pattern)


@pytest.mark.parametrize(
    ("pattern", "position", "word"),
    [
        ("ab(?=c)", 2, "look-around"),
        ("(?<!a)b", 0, "look-around"),
        (r"(a)\1", 3, "back-reference"),
        ("(a", 0, "not closed"),
        ("a)", 1, "closes nothing"),
        ("[a", 0, "not closed"),
        ("a**", 2, "repeat of a repeat"),
        ("*a", 0, "repeat of nothing"),
        ("a|+", 2, "repeat of nothing"),
        ("a{1001}", 1, "1000"),
        ("a{3,2}", 1, "n <= m"),
        ("[b-a]", 1, "b-a"),
        (r"\p{Greek}", 0, "general categories"),
        (r"a\q", 1, "escape"),
        (r"\x{110000}", 0, "10FFFF"),
        ("a\\", 2, "end of the pattern"),
        ("[[:foo:]]", 1, "foo"),
        ("(?x)a", 2, "flag"),
        ("(?P<n>a)(?P<n>b)", 12, "second group"),
        (r"a\C", 1, "escape"),
        ("a\ud800", 1, "surrogate"),
    ],
)
def test_a_refusal_says_what_was_found_and_where(pattern: str, position: int, word: str) -> None:
    with pytest.raises(PatternRefused, match=word) as refused:
        compile_regex(pattern)
    assert refused.value.position == position


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * (PATTERN_BYTES_MAX + 1),
        "(" * (GROUP_DEPTH_MAX + 1) + "a" + ")" * (GROUP_DEPTH_MAX + 1),
        "((a{1000}){1000}){1000}",
        f"(?:ab){{{STATE_COUNT_MAX // 20}}}" * 11,
        "a{" + "9" * 4000 + "}",
    ],
)
def test_a_pattern_over_a_limit_is_refused_at_once(pattern: str) -> None:
    with pytest.raises(PatternRefused):
        compile_regex(pattern)


def test_scanners_of_one_regex_do_not_disturb_each_other() -> None:
    regex = compile_regex("ab+c")
    first, second = regex.scanner(0), regex.scanner(5)
    first_stream, second_stream = b"xabbc", b".....abc"
    assert first.feed(b"xab", lambda a, b: first_stream[a:b]) is None
    assert second.feed(b"abc", lambda a, b: second_stream[a:b]) == Span(5, 8)
    assert first.feed(b"bc", lambda a, b: first_stream[a:b]) == Span(1, 5)
    assert found(regex.scanner(1), first_stream, 2) == Span(1, 5)
