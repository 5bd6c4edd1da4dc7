from __future__ import annotations

import random
from typing import Any

import pytest

from antiphon.menu.approach import Approach, Astray
from antiphon.menu.walk import Press
from tests.clauses import clause
from tests.menu.simulated import Simulated
from tests.real import pickers

# One row that turns into three, two whole pages in a circle, a circle of two alike: undecidable.
UNDECIDABLE = {2003, 2036, 2053}


@clause("components 2.2", "components 2.4")
@pytest.mark.parametrize("first", range(2000, 2120, 10))
def test_any_menu_is_walked_to_its_ends_and_left_as_it_was(first: int) -> None:
    for seed in set(range(first, first + 10)) - UNDECIDABLE:
        check(pickers.spec(seed, 60), seed)


@clause("components 2.2", "components V20")
@pytest.mark.parametrize("first", range(3000, 3090, 15))
def test_an_odd_pointer_is_learned_from_what_an_arrow_moves(first: int) -> None:
    for seed in range(first, first + 15):
        check(pickers.odd_spec(seed, 60), seed)


@clause("components 2.6")
def test_of_two_options_the_dimmed_one_is_not_pointed_at() -> None:
    check(pickers.odd_spec(5586, 60), 5586)


def check(spec: dict[str, Any], seed: int) -> None:
    """It is read as it is, left as it was, and an option of it is reached."""
    simulated = Simulated(spec)
    menu = simulated.menu()
    assert menu is not None, (seed, spec)
    texts = [option.text for option in menu.options]
    assert pickers.misread(spec, menu.prompt, texts) == [], (seed, spec)
    assert simulated.picker.at == spec["start"], seed
    target = random.Random(seed).randrange(len(texts))
    assert simulated.approached(menu, target) is None, seed
    assert spec["options"][simulated.picker.at] in texts[target], seed


@clause("components 2.6")
def test_a_lost_key_is_pressed_again_and_a_stuck_pointer_is_told() -> None:
    simulated = Simulated(pickers.spec(1, 60) | {"options": list("abcdef"), "page": 0, "start": 0})
    menu = simulated.menu()
    assert menu is not None
    approach = Approach(menu, 3)
    assert approach.begin(simulated.seen()) == Press("Down")
    assert approach.saw(simulated.seen()) == Press("Down")  # it did not arrive
    simulated.press("Down")
    assert approach.saw(simulated.seen()) == Press("Down")
    moves = [approach.saw(simulated.seen()) for _ in range(3)]
    assert moves[:2] == [Press("Down")] * 2 and isinstance(moves[2], Astray)
