from __future__ import annotations

import ast

from tests.clauses import TESTS, marks, named, read

CLAUSES = read(TESTS / "clauses.toml")
NAMED = named(TESTS)
SHOWN = {mark.id for mark in NAMED}


def test_a_test_names_only_clauses_that_exist() -> None:
    assert [mark for mark in NAMED if mark.id not in CLAUSES.claims] == []


def test_every_clause_has_a_test_or_stands_among_the_gaps_or_is_pending() -> None:
    excused = {*CLAUSES.gaps, *CLAUSES.pending}
    assert [id_ for id_ in CLAUSES.claims if id_ not in SHOWN | excused] == []


def test_a_clause_with_a_test_is_no_longer_pending_and_no_gap() -> None:
    stale = {*CLAUSES.gaps, *CLAUSES.pending} & SHOWN
    assert sorted(map(str, stale)) == [], "take these out of `pending` or `gaps`"


def test_what_is_excused_is_a_clause_and_stands_once() -> None:
    excused = [*CLAUSES.gaps, *CLAUSES.pending]
    assert [id_ for id_ in excused if id_ not in CLAUSES.claims] == []
    assert len(excused) == len(set(excused))


def test_a_claim_and_a_reason_is_one_sentence() -> None:
    texts = [*CLAUSES.claims.values(), *CLAUSES.gaps.values()]
    assert [text for text in texts if not text.endswith(".") or ". " in text] == []


def test_marks_are_read_from_functions_and_classes_and_must_be_written_out() -> None:
    source = """
@clause("a 1", name)
async def test_one(): ...
@other("a 2")
@clause("a 3")
class TestTwo:
    @clause("a 4")
    def test_three(self): ...
"""
    assert {id_ for _, id_ in marks(ast.parse(source))} == {"a 1", None, "a 3", "a 4"}
