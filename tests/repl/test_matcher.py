from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.dsl.tree import Text
from antiphon.repl.intents import Ambiguous, Confirmed, Intent, Nothing, faults, program
from antiphon.repl.matcher import Matcher
from antiphon.repl.shelf import Shelf
from tests.clauses import clause
from tests.repl.packs import pack

ACCURACY_MIN = 0.95
ANN_LEE = ':first-name "Ann" :last-name "Lee"'
ONBOARDING = pack("onboarding")
MATCHER = Matcher(ONBOARDING.vocabulary, Shelf(ONBOARDING).names)


FILES = ("utterances.txt", "heldout.txt", "outside.txt")


def utterances(file: str) -> list[tuple[str, str, str]]:
    """Pack, words and meaning of each line of a file."""
    found, name = list[tuple[str, str, str]](), ""
    for line in (Path(__file__).parent / file).read_text().splitlines():
        if line.startswith("# --- "):
            name = line.removeprefix("# --- ")
        elif line and not line.startswith("#"):
            words, meaning = line.rsplit(" => ", 1)
            found.append((name, words, meaning))
    return found


@cache
def matcher(name: str) -> Matcher:
    return Matcher(pack(name).vocabulary, Shelf(pack(name)).names)


def meaning(name: str, words: str) -> str:
    vocabulary = pack(name).vocabulary
    match matcher(name).extract(words):
        case Confirmed(intents):
            return program(intents, vocabulary).replace("\n", " ++ ")
        case Ambiguous(options):
            return f"? {' '.join(sorted(one.verb for one in options))}"
        case Nothing():
            return "-"


@clause("repl D12")
@pytest.mark.parametrize("file", FILES)
def test_what_people_say_is_understood(file: str) -> None:
    said = utterances(file)
    wrong = [
        (words, wanted, found)
        for name, words, wanted in said
        if (found := meaning(name, words)) not in wanted.split(" | ")
    ]
    assert len(said) >= 190 and {name for name, _, _ in said} == {"onboarding", "components"}
    assert len(wrong) <= (1 - ACCURACY_MIN) * len(said), wrong


@clause("repl D12")
def test_what_no_verb_is_for_is_never_taken_for_one() -> None:
    said = [(name, words) for file in FILES for name, words, wanted in utterances(file)
            if wanted == "-"]  # fmt: skip
    assert len(said) > 100
    assert [words for name, words in said if meaning(name, words) != "-"] == []


@clause("repl D12")
@pytest.mark.parametrize(
    "words",
    [
        "don't delete Apex Capital", "Don’t delete Apex Capital!", "do not delete Apex Capital",
        "please do NOT, under any circumstances, not delete Apex Capital",
        "you must never delete Apex Capital", "I don't want to delete Apex Capital",
        "delete Apex Capital, no, don't", "list cbus but do not delete Apex Capital",
        "avoid deleting Apex Capital", "without deleting anything, delete Apex Capital",
    ],
)  # fmt: skip
def test_what_shall_not_be_done_is_not_done(words: str) -> None:
    assert MATCHER.extract(words) == Nothing()


@clause("repl D12")
def test_a_name_may_say_no_in_quotes_or_with_a_capital() -> None:
    assert meaning("onboarding", 'delete cbu "do not delete"') == (
        '(cbu.delete :cbu-id "do not delete")'
    )
    assert meaning("onboarding", "create a fund called Never Land in LU") == (
        '(cbu.ensure :name "Never Land" :jurisdiction "LU")'
    )


@clause("repl D12")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("Apex Capital must be deleted", '(cbu.delete :cbu-id "Apex Capital")'),
        ("we're opening a fund called Tern in IE",
         '(cbu.ensure :name "Tern" :jurisdiction "IE")'),
        ("get rid of the fund Set Up Ltd", '(cbu.delete :cbu-id "Set Up Ltd")'),
        ("Ann Lee is going to be auditor of Apex",
         '(cbu.assign-role :cbu-id "Apex" :entity-id "Ann Lee" :role "auditor")'),
        ("give Ann Lee the role of trustee for Apex",
         '(cbu.assign-role :cbu-id "Apex" :entity-id "Ann Lee" :role "trustee")'),
        ("remove the trustee role from Ann Lee in Apex",
         '(cbu.remove-role :cbu-id "Apex" :entity-id "Ann Lee" :role "trustee")'),
        ("show the Irish funds", '(cbu.list :jurisdiction "Irish")'),
        ("list trust cbus", '(cbu.list :client-type "trust")'),
        ("how do I create a fund?", "-"),
        ("why was Apex Capital deleted", "-"),
        ("create a new entity", "? entity.create-limited-company entity.create-proper-person"),
    ],
)  # fmt: skip
def test_the_same_is_understood_in_another_form(words: str, wanted: str) -> None:
    assert meaning("onboarding", words) == wanted


@clause("repl D12")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("1. list cbus\n2. list documents", "(cbu.list) ++ (document.list)"),
        ("- list cbus\n- list documents\n", "(cbu.list) ++ (document.list)"),
        ("create company 'Fish and Chips' in GB",
         '(entity.create-limited-company :name "Fish and Chips" :jurisdiction "GB")'),
        ("create company `A; B` in GB",
         '(entity.create-limited-company :name "A; B" :jurisdiction "GB")'),
        ("create person Ann Lee born 1980/1/2",
         f'(entity.create-proper-person {ANN_LEE} :date-of-birth "1980-01-02")'),
        ("rename O'Neill's Trust to O'Hara's Trust",
         '(cbu.rename :cbu-id "O\'Neill\'s Trust" :name "O\'Hara\'s Trust")'),
    ],
)  # fmt: skip
def test_lists_quotes_dates_and_apostrophes(words: str, wanted: str) -> None:
    assert meaning("onboarding", words) == wanted


@clause("repl 5c")
def test_showing_an_allianz_unit_gives_the_program_with_the_word_in_its_place() -> None:
    assert meaning("onboarding", "show allianz cbu") == '(session.set-cbu :cbu-id "allianz")'


@clause("repl d12b")
def test_what_lies_between_two_verbs_is_asked() -> None:
    found = MATCHER.extract("create entity")
    assert isinstance(found, Ambiguous)
    assert [one.verb for one in found.options] == [
        "entity.create-limited-company",
        "entity.create-proper-person",
    ]
    assert all(0 < len(one.label.split()) <= 5 and one.description for one in found.options)


@pytest.mark.parametrize("words", ["", " ", "?", "x " * 500, "a" * 5_000, "\x00\ud800", '«"“'])
def test_what_is_no_request_is_nothing(words: str) -> None:
    assert MATCHER.extract(words) == Nothing()


@given(st.text(max_size=60))
def test_any_message_has_one_meaning_and_always_the_same(words: str) -> None:
    found = MATCHER.extract(words)
    assert found == Matcher(ONBOARDING.vocabulary, Shelf(ONBOARDING).names).extract(words)
    if isinstance(found, Confirmed):
        assert faults(found.intents, ONBOARDING.vocabulary) == []


@clause("repl d5")
def test_a_program_is_made_of_intents_in_the_order_of_the_verb() -> None:
    vocabulary = ONBOARDING.vocabulary
    intent = Intent(
        "cbu.assign-role",
        {"role": Text('DIR"'), "colour": Text("x"), "cbu-id": Text("Apex")},
        {"entity-id": "john"},
        "link",
    )
    wanted = (
        '(cbu.assign-role :cbu-id "Apex" :entity-id @john :role "DIR\\"" :colour "x" :as @link)'
    )
    assert program([intent], vocabulary) == wanted
    assert program([intent, Intent("cbu.list")], vocabulary) == f"{wanted}\n(cbu.list)"


@clause("repl D12a")
@pytest.mark.parametrize(
    "intent",
    [
        Intent("cbu.destroy"),
        Intent("cbu.list) (cbu.delete"),
        Intent("cbu.show", {"cbu-id) (x.y": Text("a")}),
        Intent("cbu.show", {"as": Text("a")}),
        Intent("cbu.show", {"cbu-id": Text("a")}, {"cbu-id": "b"}),
        Intent("cbu.show", {}, {"cbu-id": "b)"}),
        Intent("cbu.list", bind="x y"),
    ],
)
def test_an_intent_that_no_verb_takes_is_told(intent: Intent) -> None:
    assert len(faults([intent], ONBOARDING.vocabulary)) == 1
