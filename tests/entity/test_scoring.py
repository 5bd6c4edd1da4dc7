from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.entity.folding import folded
from antiphon.entity.scoring import Candidate, Wanted, ordered, scored, told_apart
from tests.clauses import clause

LONG = "Allianz Global Investors Fund – Europe Equity Growth"
WORDS = st.sampled_from(
    [
        "allianz",
        "global",
        "fund",
        "europe",
        "equity",
        "growth",
        "apex",
        "capital",
        "lux",
        "9",
        "smith",
    ]
)
NAMES = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("ALLIANZ  Funds", "allianz funds"),
        ("Société d'Épargne Lumière", "societe depargne lumiere"),
        ("Müller & Söhne GmbH", "muller and sohne gmbh"),
        ("O’Neill", "oneill"),
        ("Vega S.A.", "vega sa"),
        ("Straße", "strasse"),
        ("Łódź Ørsted Æther", "lodz orsted aether"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("Газпром", "gazprom"),
        ("Αθήνα", "athina"),
        ("三菱商事", "三 菱 商 事"),
        ("a-b_c/d (e)", "a b c d e"),
        ("\u200f…", ""),
    ],
)
def test_names_are_made_alike(text: str, plain: str) -> None:
    assert folded(text) == plain and folded(plain) == plain


@clause("repl D4")
@given(NAMES, NAMES, st.sampled_from(["", "1980", "US"]), st.sampled_from(["", "1980-01-20", "US"]))
def test_features_add_up_to_a_score_from_0_to_100(
    words: str, name: str, value: str, known: str
) -> None:
    wanted = {"a": Wanted(value, 0.7), "b": Wanted("GB", 0.95)} if value else {}
    score = scored(words, name, wanted, {"a": known, "b": "GB"})
    assert score.points == sum(one.points for one in score.features) and 0 <= score.points <= 100
    assert all(one.points >= 0 for one in score.features)
    assert scored(words, name).is_exact == (folded(words) == folded(name))


@clause("repl D4a")
@given(NAMES, NAMES, NAMES)
def test_a_name_that_resembles_never_stands_above_one_that_holds_the_words(
    words: str, before: str, after: str
) -> None:
    holds = scored(words, f"{before} {words} {after}").points
    typo = words[:-1] + "q"
    assert holds >= 74 > scored(typo, f"{before} {words}x").points
    assert scored("allianz", LONG).points > scored("allianz", "Alliance Bernstein").points > 0
    assert scored("allianz", LONG).points > scored("allianz", "Allians").points > 0


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("alianz", "ALLIANZ FUNDS"),
        ("allainz funds", "ALLIANZ FUNDS"),
        ("funds allianz", "ALLIANZ FUNDS"),
        ("thematca", "Allianz Thematica"),
        ("societe epargne", "Société d'Épargne Lumière"),
        ("газпром", "Gazprom"),
        ("allian", "Allianz Thematica"),
        ("海上", "東京海上ファンド"),
        ("삼성", "삼성전자"),
    ],
)
def test_slips_and_parts_are_forgiven(words: str, name: str) -> None:
    assert scored(words, name).points >= 40 > scored(words, "Apex Capital").points


def test_what_is_known_besides_the_name_decides_between_namesakes() -> None:
    facts = [
        {"nationality": "GB", "date_of_birth": "1965-03-15"},
        {"nationality": "US", "date_of_birth": "1980-01-20"},
    ]
    born = {"date_of_birth": Wanted("1980", 0.95)}
    first, second = (scored("john smith", "John Smith", born, known) for known in facts)
    assert (first.points, second.points) == (70, 100)
    assert not first.is_exact and second.is_exact
    assert [one.name for one in second.features] == ["exact", "date_of_birth"]
    both = {**born, "nationality": Wanted("US", 0.7)}
    assert scored("john smith", "John Smith", both, facts[1]).points == 100


@clause("repl D4")
def test_candidates_have_one_order_whatever_order_they_came_in() -> None:
    made = [
        Candidate(f"id-{number}", name, "cbu", score)
        for number, (name, score) in enumerate(
            [("b", 90), ("A", 90), ("a", 90), ("c", 100), ("É", 90), ("e", 90)]
        )
    ]
    wanted = ["c", "A", "a", "b", "É", "e"]
    for seed in range(20):
        mixed = random.Random(seed).sample(made, len(made))
        assert [one.display for one in ordered(mixed)] == wanted


@clause("repl D4b")
def test_what_differs_between_namesakes_comes_first() -> None:
    made = [
        Candidate(
            f"id-{year}", "John Smith", "person", 100,
            differs={"from": "GB", "born": year, "role": "none"},
        )
        for year in ("1965", "1980")
    ]  # fmt: skip
    assert [next(iter(one.differs.items())) for one in told_apart(made)] == [
        ("born", "1965"),
        ("born", "1980"),
    ]


@clause("repl D4b")
def test_namesakes_that_no_discriminator_tells_apart_are_told_apart_by_other_facts() -> None:
    def unit(number: int, jurisdiction: str, manager: str = "Apex") -> Candidate:
        facts = {"jurisdiction": jurisdiction, "client_type": "FUND"}
        return Candidate(
            f"id-{number}", "Alpha", "cbu", 100, differs={"manco_name": manager}, facts=facts
        )

    alike = told_apart([unit(1, "LU"), unit(2, "IE"), unit(3, "GB")])
    assert [list(one.differs.items()) for one in alike] == [
        [("jurisdiction", code), ("manco_name", "Apex")] for code in ("LU", "IE", "GB")
    ]
    told = told_apart([unit(1, "LU", "Apex"), unit(2, "IE", "Brix")])
    assert [dict(one.differs) for one in told] == [{"manco_name": "Apex"}, {"manco_name": "Brix"}]
    (alone,) = told_apart([unit(1, "LU")])
    assert alone.differs == {"manco_name": "Apex"} and not alone.facts
