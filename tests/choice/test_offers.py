from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.choice import offers
from antiphon.choice.judge import judged
from tests.clauses import clause


def labels(*options: str) -> tuple[str, ...]:
    return offers.labels(options)


PROMPTS = [
    ("Multiple components found. Select one to import:", "Select one to import:"),
    ("? Select a part to import › - Use arrow-keys. Return to submit.", "Select a part to import"),
    ("Found 3. 2 are new. Which one do you want? Press Enter.", "Which one do you want?"),
    ("Choose: a target", "Which option?"),
    ("If you want, I can go on", "Which option?"),
    ("Which one?", "Which one?"),
    ("何にしますか", "何にしますか"),
    ("", "Which option?"),
    ("???", "Which option?"),
    (" ".join(["word"] * 40), " ".join(["word"] * 15) + " …"),
]


@pytest.mark.parametrize(("prompt", "instruction"), PROMPTS)
def test_the_prompt_becomes_one_short_sentence(prompt: str, instruction: str) -> None:
    assert offers.instruction(prompt) == instruction


@clause("components block")
def test_a_selection_is_a_choice_block_whose_numbers_carry_indices() -> None:
    found = offers.block("Which one?", ["one", "two"])
    assert found is not None
    assert found.text == "Which one?\n\n1) one\n2) two"
    assert [choice.index for choice in found.choices] == [0, 1]


def test_what_is_too_long_for_a_label_is_cut_and_what_is_alike_is_numbered() -> None:
    long = "BQ79616PAPRQ1 (C910001) - 16-S battery monitor, HTQFP-64"
    assert labels(long, "Other", "a\tb", "A B", "", "\x1b[31mred\x1b[0m") == (
        "BQ79616PAPRQ1 (C910001) - 16-S battery monitor …",
        "Option 2", "a b #3", "A B #4", "Option 5", "red",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["Install the recommended set of packages for Linux",
             "Install the recommended set of packages for macOS"],
            ("Install the … Linux", "Install the … macOS"),
        ),
        (
            ["one two three four five six", "one two three four five"],
            ("one two … six", "one two three four five"),
        ),
        (["same"] * 2 + ["same #1"], ("Option 1", "same #2", "same #1")),
        (["Option 2", "", "Option 2.1"], ("Option 2", "Option 2.2", "Option 2.1")),
        (["x" * 300], ("x" * 58 + " …",)),
        (["请选择要部署的环境和区域以及版本"], ("请选择要部署的环境和 …",)),
    ],
)  # fmt: skip
def test_labels_say_what_tells_options_apart(options: list[str], expected: tuple[str, ...]) -> None:
    assert labels(*options) == expected


def test_facts_tell_namesakes_apart() -> None:
    names = ("John Smith", "John Smith", "Ann Lee")
    facts = (("1965", "GB"), ("1980", "GB"), ("1990",))
    assert offers.labels(names, facts) == ("John Smith (1965)", "John Smith (1980)", "Ann Lee")
    same = (("1965",), ("1965",))
    assert offers.labels(names[:2], same) == ("John Smith #1", "John Smith #2")


@clause("components block")
@pytest.mark.parametrize("seed", range(40))
def test_every_option_of_any_selection_is_reached_by_numbers(seed: int) -> None:
    dice = random.Random(seed)
    count = dice.choice([1, 2, 7, 8, 20, 50, 300])
    words = ["alpha", "日本", "[ ] x", "no:", "1)", "Other", "- b", "…", "a" * 40, "x.", "\x1b", ""]
    options = [" ".join(dice.choices(words, k=dice.randint(0, 9))) for _ in range(count)]
    prompt = " ".join(dice.choices(words, k=dice.randint(0, 30)))
    seen: list[int] = []
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        found = offers.block(prompt, options, waiting.pop(0))
        assert found is not None
        assert judged(found.text) == [], found.text
        assert len(found.choices) <= 7
        seen += [choice.index for choice in found.choices if choice.index is not None]
        waiting += [choice.at for choice in found.choices if choice.index is None]
    assert sorted(seen) == list(range(count))


@pytest.mark.parametrize("at", [(8,), (1, 1), (1, 99)])
def test_no_block_stands_below_a_number_that_is_not_there(at: tuple[int, ...]) -> None:
    assert offers.block("Which?", [str(number) for number in range(20)], at) is None


WILD = st.text(max_size=40) | st.sampled_from(
    ["Other", "свой вариант", "a b c d e f", "a  b", "A B", "Option 2", "x #1", "a … b",
     "Items 1-4", "1) a", "Summary:", "Let me know", "…", "x" * 100, "日本" * 30, "a.b? c! d",
     "\x1b[1mb\x1b[0m"]
)  # fmt: skip


@clause("interaction R1", "interaction R6", "interaction R7", "interaction R13")
@given(WILD, st.lists(WILD, min_size=1, max_size=60), st.lists(st.lists(WILD, max_size=2)))
@settings(max_examples=150, deadline=None)
def test_whatever_is_offered_the_blocks_are_compliant_and_lead_to_each_option_once(
    prompt: str, options: list[str], facts: list[list[str]]
) -> None:
    seen: list[int] = []
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        at = waiting.pop()
        found = offers.block(prompt, options, at, facts)
        assert found is not None and judged(found.text) == []
        assert found == offers.block(prompt, list(options), at, facts)
        assert len(found.labels) == len(found.choices)
        seen += [choice.index for choice in found.choices if choice.index is not None]
        waiting += [choice.at for choice in found.choices if choice.index is None]
    assert sorted(seen) == list(range(len(options)))
