from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from antiphon.choice import split
from antiphon.choice.judge import judged, rendered
from tests.choice.driving import Driven, many, one, start, summary
from tests.clauses import clause

CITIES = [f"c{number}" for number in range(1, 24)]


@clause("interaction R13", "interaction split one")
def test_a_tree_is_balanced_as_the_contract_says() -> None:
    assert split.children((0, 8)) == [(0, 4), (4, 4)]
    assert split.children((0, 49)) == [(at, 7) for at in range(0, 49, 7)]
    assert [size for _, size in split.children((0, 50))] == [8, 7, 7, 7, 7, 7, 7]
    assert split.children((0, 8)) == split.children((0, 8))


@clause("interaction R13", "interaction split one")
@given(st.integers(1, 1000))
def test_every_option_is_in_exactly_one_leaf_and_sizes_differ_by_one(size: int) -> None:
    leaves = []
    for part in split.all_parts(size):
        if part[1] <= 7:
            leaves.append(part)
        else:
            sizes = [length for _, length in split.children(part)]
            assert 2 <= len(sizes) <= 7
            assert max(sizes) - min(sizes) <= 1
    reached = [at for first, length in sorted(leaves) for at in range(first, first + length)]
    assert reached == list(range(size))


def paths(driven: Driven) -> list[tuple[list[str], str]]:
    """Every sequence of numbers that answers the first step, and the summary it leads to."""
    found = []
    for number in range(1, 8):
        next_one = Driven(driven.flow, driven.state)
        output = next_one.say(str(number))
        assert output is not None
        assert judged(output) == []
        if output.startswith("Invalid"):
            break
        if output.startswith("Summary:"):
            found.append(([str(number)], output))
        else:
            found += [([str(number), *rest], end) for rest, end in paths(next_one)]
    return found


@clause("interaction R13", "interaction split one", "interaction R12")
def test_every_city_is_reached_by_numbers_and_by_its_flat_number() -> None:
    text = one(*CITIES, key="city", ask="Which city?")
    driven = start(text)
    assert driven.outputs == ["Which city?\n\n1) c1 … c6\n2) c7 … c12\n3) c13 … c18\n4) c19 … c23"]
    assert [end for _, end in paths(driven)] == [summary(f"city: {city}") for city in CITIES]
    assert start(text).say("city=23") == summary("city: c23")
    assert start(text).say("city=24").startswith("Invalid input")  # type: ignore[union-attr]


@clause("interaction split one", "interaction R36", "interaction 7.6")
def test_a_node_has_its_own_counter_and_opens_again_where_it_stopped() -> None:
    driven = start(one(*CITIES, key="city", ask="Which city?"))
    driven.say("0", "0", "4")
    leaf = "Which city?\n\n1) c19\n2) c20\n3) c21\n4) c22\n5) c23"
    assert driven.outputs[-1] == leaf
    assert driven.kinds() == [("SELECTED", "city", None)]
    assert driven.say("9", "9", "9", "9") == "STEP_ABORT"
    assert driven.reopen() == leaf
    assert driven.say("5") == summary("city: c23")


@clause("interaction split one", "interaction 7.6")
def test_a_node_is_named_by_its_ends_or_else_by_numbers() -> None:
    wordy = [f"very long name {number}" for number in range(8)]
    assert start(one(*wordy)).outputs == ["Which one?\n\n1) Items 1-4\n2) Items 5-8"]
    assert split.labels_of((0, 8), ["a", "b", "c", "d … e", *"fghi"]) == ("a … d … e", "f … i")


@clause("interaction split many", "interaction R13")
def test_many_are_asked_in_blocks_of_six_with_none_of_these() -> None:
    tags = [f"t{number}" for number in range(1, 11)]
    driven = start(many(*tags))
    first = "Which ones?\n\n1) t1\n2) t2\n3) t3\n4) t4\n5) t5\n6) None of these"
    second = "Which ones?\n\n1) t6\n2) t7\n3) t8\n4) t9\n5) t10\n6) None of these"
    assert driven.outputs == [first]
    assert driven.say("1,6") == f"Invalid input: {first}"
    assert driven.kinds() == [("INVALID", "x", "duplicate")]
    assert driven.say("2,4") == second
    assert driven.say("1,5") == summary("x: t2, t4, t6, t10")
    assert start(many(*tags)).say("x=1,10") == summary("x: t1, t10")


@clause("interaction split many", "interaction 7.7")
def test_none_of_all_asks_again_unless_it_may_be_left_out() -> None:
    tags = [f"t{number}" for number in range(1, 11)]
    required = start(many(*tags))
    assert required.say("6", "6") == required.outputs[0]
    optional = start(many(*tags, more=", required: false"))
    assert optional.say("6", "6") == summary("x: None of these")


@clause("interaction split many")
@given(st.integers(1, 100), st.booleans())
def test_blocks_of_a_row_cover_all_and_never_exceed_seven(size: int, is_required: bool) -> None:
    row = split.chunks(size, is_required=is_required)
    assert [at for first, length in row for at in range(first, first + length)] == list(range(size))
    options = [f"o{number}" for number in range(size)]
    for part in row:
        labels = split.chunk_labels(part, options, is_required=is_required)
        assert isinstance(rendered("Which?", labels), str)


@clause("interaction 7.6")
def test_the_edit_picker_splits_above_seven_fields() -> None:
    steps = "\n".join(
        f"  - {{key: k{number}, ask: 'Which?', select: one, options: [a, b]}}"
        for number in range(9)
    )
    driven = start(f"flow: long\nsteps:\n{steps}")
    driven.say(*["1"] * 9)
    assert driven.say("3") == "Which step should change?\n\n1) k0 … k4\n2) k5 … k8"
    assert driven.say("2") == "Which step should change?\n\n1) k5\n2) k6\n3) k7\n4) k8"
    assert driven.say("4", "2") == summary(*[f"k{n}: a" for n in range(8)], "k8: b")


@clause("interaction R46")
def test_compact_input_in_the_middle_of_a_tree_keeps_the_place() -> None:
    text = one(*CITIES, key="city") + "\n  - {key: y, ask: 'Why?', select: one, options: [a, b]}"
    driven = start(text)
    driven.say("4")
    assert driven.say("y=1") == "Which one?\n\n1) c19\n2) c20\n3) c21\n4) c22\n5) c23"
    assert driven.say("1") == summary("city: c19", "y: a")


def test_parts_are_as_even_as_can_be() -> None:
    for size, count in itertools.product(range(1, 60), range(1, 8)):
        sizes = [length for _, length in split.parts(0, size, count)]
        assert sum(sizes) == size
        assert max(sizes) - min(sizes) <= 1
