from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from antiphon.choice import tables
from antiphon.choice.answer import (
    CancelSaid,
    FieldsGiven,
    InvalidSaid,
    NumbersChosen,
    Reason,
    TextSaid,
    answer_in,
    choice_of,
)
from tests.clauses import clause

KEYS = frozenset(("env", "region"))


def said(text: str, *, is_many: bool = False, count: int = 3) -> str:
    """The class of an answer in a word, with the reason of an invalid one."""
    match answer_in(text, count, is_many=is_many, keys=KEYS):
        case InvalidSaid(reason):
            return reason.value
        case NumbersChosen(numbers):
            return ",".join(map(str, numbers))
        case TextSaid(text):
            return "text"
        case FieldsGiven():
            return "fields"
        case CancelSaid():
            return "cancel"


# fmt: off
INVALID = {
    Reason.OUT_OF_RANGE: ["4", "9999999999999999999999", "9" * 5000, "1,4", "2026"],
    Reason.DUPLICATE: ["1,1", "2,3,2"],
    Reason.MULTI_NOT_ALLOWED: ["1,3", "3,1"],
    Reason.UNKNOWN_FIELD: ["foo=1", "ENV=2", "foo=1 bar=22", "foo=１"],
    Reason.COMPACT_MALFORMED: ["env=2  region=1", "env=2 please", " env=2", "env=2 ", "env=2=3",
                               "please env=2", "env=\t2 region=1 x"],
    Reason.EMPTY: ["", "  ", "\u200b", " \u200b\ufeff\t", "\n\n", "\u3000"],
    Reason.CONTROL_NEAR_MISS: ["Abort", "CANCEL", " cancel", "cancel.", "cancel\n\n", "«abort»",
                               "¡cancel!", "\u200bcancel", "cancel\t", '"Abort".'],
    Reason.SELECTION_MALFORMED: ["0", "01", "+1", "1, 3", "1,3 ", " 1", "1,", ",1", "1,,3", "1 2",
                                 "1;3", "1-3", "1/2", "1.", "1)", "(1)", "#1", "№2", "１", "١",
                                 "①", "1\ufe0f\u20e3", "²", "1\n2", "1\r", "10:30", "1\n\n",
                                 "Ⅲ", "½"],
    Reason.SELECTION_LIKE: ["option 2", "option 9", "I choose 1", "probably 3", "вариант 2",
                            "选1", "第1个", "env = 2", "take 1,3 please", "take 1&3", "a 1+2",
                            "deploy to 3 regions", "option #2", "option 2.", "the ２", "2番",
                            "1번", "x ①", "no \u200b2"],
}
FREE = ["two", "second", "the 1st one", "option2", "Да", "yes", "?", "отмена", "cancel it",
        "第二个", "我要v2版本", "feat/release-v0.2.9", "listen on port 8080", "PATH=/usr/bin",
        "in 2026", "v0.2.9", "release-2", "foo=bar", "canceled", "🙂", "=", "a=b=c", "Abortive"]
# fmt: on


@clause("interaction 2a", "interaction R21", "interaction R22", "interaction R18")
@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in INVALID.items() for text in texts]
)
def test_what_is_no_answer_says_why(reason: Reason, text: str) -> None:
    if text == "1\r":  # one final line end is removed, whichever it is
        assert said(text) == "1"
    else:
        assert said(text) == reason.value


@clause("interaction 2a", "interaction R19")
@pytest.mark.parametrize("text", FREE)
def test_free_text_is_passed_on_as_it_is(text: str) -> None:
    assert answer_in(text, 3, is_many=False, keys=KEYS) == TextSaid(text)


@clause("interaction 2a", "interaction R17")
@pytest.mark.parametrize("text", ["abort", "cancel", "cancel\n", "abort\r\n", "cancel\r"])
def test_a_control_word_cancels(text: str) -> None:
    assert said(text) == "cancel"


@clause("interaction R15", "interaction R16", "interaction R20")
def test_numbers_choose_in_the_order_of_the_options() -> None:
    assert [said(text) for text in ("1", "3", "1\n", "2\r\n")] == ["1", "3", "1", "2"]
    assert said("1,3", is_many=True) == said("3,1", is_many=True) == "1,3"
    assert said("2", is_many=True) == "2"
    assert said("1,3") == "multi_not_allowed"
    assert [said(text, is_many=True) for text in ("1,1", "1, 3", "1,", "１")] == [
        "duplicate", "selection_malformed", "selection_malformed", "selection_malformed",
    ]  # fmt: skip


@clause("interaction 1a", "interaction R23")
def test_one_final_line_end_is_removed_and_no_more() -> None:
    assert [said(text) for text in ("\n", "\r\n", "")] == ["empty"] * 3
    assert [said("2" + end) for end in ("\n", "\r\n", "\r")] == ["2"] * 3
    assert [said("2" + end) for end in ("\n\n", "\n\r", "\r\r", " \n")] == [
        "selection_malformed"
    ] * 4
    assert answer_in("say\n\n", 3, is_many=False, keys=()) == TextSaid("say\n")


@clause("interaction 2")
def test_a_field_is_known_by_its_exact_key() -> None:
    assert answer_in("env=2 foo=x", 3, is_many=False, keys=KEYS) == FieldsGiven(
        (("env", "2"), ("foo", "x"))
    )
    assert [said(text) for text in ("env=", "env=x", "env=2 env=1", "env=-", "region=1,3")] == [
        "fields"
    ] * 5


@clause("interaction 7.5")
def test_digits_are_those_of_every_script() -> None:
    for digit in "٣", "３", "③", "³", "Ⅲ", "𝟛", "㊂":
        expected = "selection_malformed"
        assert said(digit) == expected, digit
        assert said(f"take {digit} now") == "selection_like", digit
    assert said("三") == "text"  # a letter


@clause("interaction 2", "interaction R41")
@given(st.text(max_size=60), st.integers(1, 7), st.booleans())
@example("1\n", 1, False)
@example("9" * 4301, 7, True)
@example("env=" + "9" * 4301, 7, True)
@example("\ud800 1", 1, False)
def test_any_text_is_exactly_one_thing_and_only_the_grammar_chooses(
    text: str, count: int, is_many: bool
) -> None:
    answer = answer_in(text, count, is_many=is_many, keys=KEYS)
    if isinstance(answer, NumbersChosen):
        plain = text.removesuffix("\n").removesuffix("\r")
        assert set(plain) <= set("0123456789,")
        assert answer == choice_of(plain, count, is_many=is_many)
        assert all(1 <= number <= count for number in answer.numbers)
        assert is_many or len(answer.numbers) == 1
    if isinstance(answer, TextSaid):
        assert text.startswith(answer.text)
        assert len(text) - len(answer.text) <= 2


ALPHABET = st.sampled_from([*"0123,;&+.=- ()#\n\r\t", "１", "①", "选", "env", "region", "cancel",
                            "option", "\u200b", "é", "x"])  # fmt: skip


@clause("interaction 2")
@given(st.lists(ALPHABET, max_size=9).map("".join))
def test_a_text_with_a_digit_and_no_letter_is_never_free(text: str) -> None:
    if any(char.isdigit() for char in text) and not any(char.isalpha() for char in text):
        answer = answer_in(text, 3, is_many=True, keys=KEYS)
        assert isinstance(answer, NumbersChosen | InvalidSaid)


@clause("interaction 7.5")
def test_the_tables_are_those_that_the_script_prints() -> None:
    import subprocess
    import sys
    import unicodedata
    from pathlib import Path

    root = Path(__file__).parents[2]
    if unicodedata.unidata_version != tables.UNICODE_VERSION:
        # Another Python brings another Unicode; the tables stay what they are.
        return
    done = subprocess.run(
        [sys.executable, root / "scripts" / "unicode_tables"], capture_output=True, text=True
    )
    assert done.stdout == Path(tables.__file__).read_text(encoding="utf-8")
