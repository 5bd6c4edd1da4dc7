from __future__ import annotations

import pytest

from antiphon.dsl.reader import read
from antiphon.dsl.references import Question
from antiphon.dsl.render import rendered
from antiphon.dsl.similar import Similar, namings
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Compilation, Stage, World, compiled
from antiphon.entity.scoring import Candidate
from antiphon.repl.likeness import likest
from tests.clauses import clause
from tests.repl.packs import pack
from tests.repl.test_pack import answers

VOCABULARY = pack("onboarding").vocabulary


@pytest.mark.parametrize(
    ("name", "there", "is_like"),
    [
        ("Alianz Funds", "ALLIANZ FUNDS", True),
        ("Allianz Fund", "ALLIANZ FUNDS", True),
        ("Nordic Fund", "Nordic Growth Fund", False),
        ("Nordic Growth Fund", "Nordic Fund", False),
        ("Société Générale", "Societe Generale SA", True),
        ("Test Fund", "Apex Capital", False),
    ],
)
def test_a_slip_is_like_a_name_and_a_longer_name_is_another(
    name: str, there: str, is_like: bool
) -> None:
    found = likest(name, [Candidate("1", there, "cbu", 0)])
    assert (found is not None) == is_like
    assert found is None or not found.is_exact


def said(text: str, question: Question, similar: Similar) -> Compilation:
    found = compiled(text, World(VOCABULARY, answers(text), similar={question: similar}))
    assert not found.errors.count
    return found


@clause("repl 1l", "repl 1n")
def test_a_similar_entity_is_a_warning_at_its_name_and_the_program_runs() -> None:
    text = '(cbu.ensure :name "Alianz Funds" :jurisdiction "LU")'
    found = said(text, Question(("cbu",), "Alianz Funds"), Similar("ALLIANZ FUNDS", 67))
    (warning,) = found.warnings.shown
    assert warning.code.value == "W003" and found.stage is Stage.READY
    assert (
        rendered(found.source, warning)
        == """\
warning[W003]: there is a cbu with a name like this: "ALLIANZ FUNDS" (67 of 100)
 --> program:1:19
  |
1 | (cbu.ensure :name "Alianz Funds" :jurisdiction "LU")
  |                   ^^^^^^^^^^^^^^
  |
  = help: if it is meant, use it instead of making another one
  = fix (maybe): write `"ALLIANZ FUNDS"`
"""
    )


@clause("repl 1l")
def test_the_same_name_is_told_where_another_one_would_be_made() -> None:
    same = Similar("Apex Capital", 100, is_exact=True)
    upsert = '(cbu.ensure :name "Apex Capital" :jurisdiction "LU")'
    assert said(upsert, Question(("cbu",), "Apex Capital"), same).warnings.count == 0
    insert = '(entity.create-proper-person :first-name "Ann" :last-name "Lee" :date-of-birth nil)'
    found = said(insert, Question(("person",), "Ann Lee"), Similar("Ann Lee", 100, is_exact=True))
    (warning,) = found.warnings.shown
    assert (warning.message, warning.fixes) == ("there is a person of this name", ())
    place = insert[warning.span.start : warning.span.end]
    assert place == '"Ann" :last-name "Lee"'


def test_only_names_that_are_written_out_are_asked_for() -> None:
    text = """
    (cbu.ensure :name @x :jurisdiction "LU")
    (entity.create-proper-person :first-name "Ann")
    (document.catalog :cbu-id "Apex" :document-type "PASSPORT")
    (cbu.list)
    (cbu.show :cbu-id (cbu.ensure :name "Inner" :jurisdiction "LU"))
    """
    asked = [one.question for one in namings(read(Source(text)).program, VOCABULARY)]
    assert asked == [Question(("cbu",), "Inner")]
