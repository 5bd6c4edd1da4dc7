from __future__ import annotations

import random

import pytest

from antiphon.choice.judge import judged
from antiphon.menu import blocks
from tests.clauses import clause

PROMPTS = [
    ("Multiple components found. Select one to import:", "Multiple components found."),
    ("? Select a part to import › - Use arrow-keys. Return to submit.", "Select a part to import"),
    ("Which one?", "Which one?"),
    ("何にしますか", "何にしますか"),
    ("", "Which option?"),
    ("???", "Which option?"),
    (" ".join(["word"] * 40), " ".join(["word"] * 15)),
]


@pytest.mark.parametrize(("prompt", "instruction"), PROMPTS)
def test_the_prompt_becomes_one_short_sentence(prompt: str, instruction: str) -> None:
    assert blocks.instruction(prompt) == instruction


@clause("components block")
def test_a_selection_is_a_choice_block_whose_numbers_carry_indices() -> None:
    found = blocks.block("Which one?", ["one", "two"])
    assert found is not None
    assert found.text == "Which one?\n\n1) one\n2) two"
    assert [choice.index for choice in found.choices] == [0, 1]


def test_what_is_too_long_for_a_label_is_cut_and_what_is_alike_is_numbered() -> None:
    long = "BQ79616PAPRQ1 (C910001) - 16-S battery monitor, HTQFP-64"
    found = blocks.labels((long, long, "Other", "a\tb", "A B", ""))
    assert found[0] == "BQ79616PAPRQ1 (C910001) - 16-S battery monitor …"
    assert found[1] == "BQ79616PAPRQ1 (C910001) - 16-S battery …"
    assert found[2:] == ("Option 3", "a b", "A …", "Option 6")


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
        found = blocks.block(prompt, options, waiting.pop(0))
        assert found is not None
        assert judged(found.text) == [], found.text
        assert len(found.choices) <= 7
        seen += [choice.index for choice in found.choices if choice.index is not None]
        waiting += [choice.at for choice in found.choices if choice.index is None]
    assert sorted(seen) == list(range(count))


@pytest.mark.parametrize("at", [(8,), (1, 1), (1, 99)])
def test_no_block_stands_below_a_number_that_is_not_there(at: tuple[int, ...]) -> None:
    assert blocks.block("Which?", [str(number) for number in range(20)], at) is None
