"""Every verb of the shipped pack that reads or writes tables, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from antiphon.drivers import packs
from antiphon.drivers.crud import Done, Failed, carried_out
from antiphon.drivers.database import Database, Transaction
from antiphon.drivers.pack_tables import Kept, keep
from antiphon.dsl.verbs import Behavior
from tests.clauses import clause

PACK = packs.opened()
ALLIANZ_FUNDS = "fed371f6-471f-5090-a002-07961158a8ba"
JOHN_SMITH = "7f1e8f85-a37b-506a-a688-6174e301cc03"
NOBODY = "00000000-0000-4000-8000-000000000000"


@dataclass
class Run:
    tx: Transaction
    kept: Kept

    def ask(self, verb: str, **values: object) -> Done | Failed:
        said = {name.replace("_", "-"): value for name, value in values.items()}
        return carried_out(self.tx, PACK.vocabulary.verbs[verb], said, self.kept)

    def do(self, verb: str, **values: object) -> Done:
        found = self.ask(verb, **values)
        assert isinstance(found, Done), found
        return found

    def fail(self, verb: str, **values: object) -> str:
        found = self.ask(verb, **values)
        assert isinstance(found, Failed), found
        return found.reason

    def count(self, table: str) -> object:
        return self.tx.execute(f"SELECT count(*) AS n FROM {table}")[0]["n"]


@pytest.fixture
def run(database_url: str | None, tmp_path: Path) -> Iterator[Run]:
    database = Database.at(database_url, tmp_path)
    kept = keep(database, PACK)
    with database.transaction() as tx:
        yield Run(tx, kept)
    database.close()


def ensured(run: Run, **more: object) -> Done:
    return run.do("cbu.ensure", name="Test Fund", jurisdiction="LU", **more)


@clause("repl d20")
def test_a_chain_of_verbs_makes_each_thing_of_the_one_before(run: Run) -> None:
    fund = ensured(run)
    person = run.do("entity.create-proper-person", first_name="Jane", last_name="Doe",
                    date_of_birth="1975-08-22", nationality="GB")  # fmt: skip
    company = run.do("entity.create-limited-company", name="Acme Ltd", registration_number="1",
                     jurisdiction="GB")  # fmt: skip
    for one in (person, company):
        linked = run.do("cbu.assign-role", cbu_id=fund.entity_id, entity_id=one.entity_id,
                        role="DIRECTOR")  # fmt: skip
        assert linked == Done(1)
    case = run.do("kyc-case.create", cbu_id=fund.entity_id)
    stream = run.do("entity-workstream.create", case_id=case.entity_id, entity_id=person.entity_id)
    screening = run.do("case-screening.run", workstream_id=stream.entity_id, screening_type="PEP")
    done = run.do("case-screening.complete", screening_id=screening.entity_id, status="CLEAR")
    assert done == Done(1)
    assert run.do("kyc-case.set-status", case_id=case.entity_id, status="REVIEW") == Done(1)
    made = [fund, person, company, case, stream, screening]
    assert [one.entity_type for one in made] == [
        "cbu", "person", "company", "kyc_case", "workstream", "screening",
    ]  # fmt: skip
    assert len({one.entity_id for one in made}) == 6
    assert person.value == {
        "entity_id": person.entity_id, "first_name": "Jane", "last_name": "Doe",
        "name": "Jane Doe", "nationality": "GB", "date_of_birth": "1975-08-22",
    }  # fmt: skip
    rows = run.tx.execute("SELECT status, case_type FROM kyc_cases")
    assert rows == [{"status": "REVIEW", "case_type": "NEW_CLIENT"}]
    document = run.do("document.catalog", cbu_id=fund.entity_id, document_type="PASSPORT")
    assert document.entity_type == "document"
    listed = run.do("document.list", cbu_id=fund.entity_id).value
    assert isinstance(listed, list) and [one["document_id"] for one in listed] == [
        document.entity_id
    ]


def test_what_is_ensured_thrice_is_one_thing_and_keeps_what_was_not_said(run: Run) -> None:
    first = ensured(run, client_type="FUND", manco_name="Manager")
    second = ensured(run)
    third = ensured(run, manco_name="Another")
    assert first.entity_id == second.entity_id == third.entity_id
    assert isinstance(third.value, dict)
    assert third.value["client_type"] == "FUND" and third.value["manco_name"] == "Another"


def test_a_record_is_shown_renamed_and_deleted(run: Run) -> None:
    fund = ensured(run)
    assert run.do("cbu.rename", cbu_id=fund.entity_id, name="Other") == Done(1)
    shown = run.do("cbu.show", cbu_id=fund.entity_id).value
    assert isinstance(shown, dict) and shown["name"] == "Other"
    assert run.do("cbu.delete", cbu_id=fund.entity_id) == Done(1)
    for verb, more in (("cbu.show", {}), ("cbu.delete", {}), ("cbu.rename", {"name": "x"})):
        reason = run.fail(verb, cbu_id=fund.entity_id, **more)
        assert "nothing in cbus" in reason and str(fund.entity_id) in reason


def test_lists_and_maps_are_read_as_they_were_written(run: Run) -> None:
    tags = ["a", "b'; DROP TABLE cbus; --", 3, True, None, {"deep": [1]}]
    attributes = {"x": "ü", "n": 1}
    fund = ensured(run)
    run.do("cbu.tag", cbu_id=fund.entity_id, tags=tags, attributes=attributes)
    shown = run.do("cbu.show", cbu_id=fund.entity_id).value
    assert isinstance(shown, dict)
    assert (shown["tags"], shown["attributes"]) == (tags, attributes)
    # What is not said stays, and nil takes it away.
    run.do("cbu.tag", cbu_id=fund.entity_id, tags=None)
    shown = run.do("cbu.show", cbu_id=fund.entity_id).value
    assert isinstance(shown, dict)
    assert (shown["tags"], shown["attributes"]) == (None, attributes)
    assert run.do("cbu.tag", cbu_id=fund.entity_id) == Done(1)
    assert "nothing in cbus" in run.fail("cbu.tag", cbu_id=NOBODY)


def test_linking_twice_and_unlinking_twice_is_no_failure(run: Run) -> None:
    said = {"cbu_id": ALLIANZ_FUNDS, "entity_id": JOHN_SMITH, "role": "DIRECTOR"}
    assert [run.do("cbu.assign-role", **said).value for _ in range(2)] == [1, 0]
    roles = run.do("cbu.roles", cbu_id=ALLIANZ_FUNDS).value
    assert roles == [said]
    assert [run.do("cbu.remove-role", **said).value for _ in range(2)] == [1, 0]


def test_lists_are_whole_or_of_what_is_asked_for(run: Run) -> None:
    everything = run.do("cbu.list").value
    ours = run.do("cbu.list", jurisdiction="IE", client_type="FUND").value
    people = run.do("entity.list").value
    assert isinstance(everything, list) and len(everything) >= 204
    assert isinstance(ours, list) and 0 < len(ours) < len(everything)
    assert {(one["jurisdiction"], one["client_type"]) for one in ours} == {("IE", "FUND")}
    assert isinstance(people, list)
    assert {one["entity_type"] for one in people} == {"person", "company"}


def test_what_the_schema_forbids_is_told_and_the_transaction_goes_on(run: Run) -> None:
    before = run.count("cbus")
    assert run.fail("cbu.ensure", name="A", jurisdiction="XX") == (
        "jurisdiction 'XX' is not there: jurisdictions has none"
    )
    assert "'NOPE' is not there: cbus has none" in run.fail("kyc-case.create", cbu_id="NOPE")
    run.do("cbu.ensure", name="A", jurisdiction="IE")
    b = run.do("cbu.ensure", name="B", jurisdiction="IE")
    assert run.fail("cbu.rename", cbu_id=b.entity_id, name="A") == (
        "there is already one in cbus with name 'A'"
    )
    assert run.fail("cbu.rename", cbu_id=b.entity_id, name=None) == "cbus needs a value for name"
    assert run.count("cbus") == int(str(before)) + 2


def test_names_that_look_like_statements_are_names(run: Run) -> None:
    for name in ("'; DROP TABLE cbus; --", '"', "%s %(x)s ? ?", "\\", "a\nb", "${x}", "🦊" * 50):
        made = run.do("cbu.ensure", name=name, jurisdiction="LU")
        shown = run.do("cbu.show", cbu_id=made.entity_id).value
        assert isinstance(shown, dict) and shown["name"] == name
    assert "no text has" in run.fail("cbu.ensure", name="a\0b", jurisdiction="LU")


@clause("repl d20")
def test_every_verb_on_a_table_is_tried_here() -> None:
    crud = {name for name, one in PACK.vocabulary.verbs.items() if one.behavior is Behavior.CRUD}
    text = Path(__file__).read_text()
    assert {name for name in crud if f'"{name}"' not in text} == set()
