from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from antiphon.dsl.diagnostics import Applicability, Code
from antiphon.dsl.edits import applied
from antiphon.dsl.explain import PAGES, explained
from antiphon.dsl.reader import read
from antiphon.dsl.references import Answer, Answers, Question, Standing, mentions
from antiphon.dsl.similar import Similar, namings
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Stage, World, compiled
from antiphon.dsl.verbs import Behavior, Effect
from antiphon.entity.scoring import Candidate
from antiphon.entity.types import KeyKind, Mode
from antiphon.repl.intents import Nothing
from antiphon.repl.likeness import likest
from antiphon.repl.matcher import Matcher
from antiphon.repl.pack import loaded
from tests.clauses import clause
from tests.repl.packs import pack

SCHEMA = "CREATE TABLE things (thing_id TEXT);"
ENTITIES = """\
thing:
  table: things
  key: {column: thing_id, type: uuid}
  display: "{name}"
  search: {default: name, keys: [name]}
"""
VERBS = """\
thing.make:
  description: A thing is there.
  phrases: [make thing {name}]
  behavior: crud
  effect: write
  crud: {operation: insert, table: things, key: thing_id}
  args:
    name: {type: string, required: true}
    owner: {type: uuid, lookup: {entity_type: thing}}
  produces: thing
"""


def problems(verbs: str = VERBS, entities: str = ENTITIES, schema: str = SCHEMA) -> list[str]:
    found = loaded(
        {"p/verbs/thing.yaml": verbs, "p/entities.yaml": entities, "p/schema.sql": schema}
    )
    assert (found.pack is None) == bool(found.problems)
    return [str(one) for one in found.problems]


def test_a_pack_without_a_fault_is_read() -> None:
    assert problems() == []


@clause("repl 5a")
@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("effect: write", "effekt: write", "p/verbs/thing.yaml:5:"),
        ("effect: write", "effect: wrote", "p/verbs/thing.yaml:5:"),
        ("  behavior: crud\n", "", "p/verbs/thing.yaml:1:"),
        ("behavior: crud", "behavior: python", "p/verbs/thing.yaml:1:"),
        ("type: string", "type: text", "p/verbs/thing.yaml:8:"),
        ("required: true", "requird: true", "p/verbs/thing.yaml:8:"),
        ("required: true", "required: yes", "p/verbs/thing.yaml:8:"),
        ("entity_type: thing", "entity_type: thang", "p/verbs/thing.yaml:9:"),
        ("entity_type: thing", "entitytype: thing", "p/verbs/thing.yaml:9:"),
        ("table: things", "table: thongs", "p/verbs/thing.yaml:6:"),
        ("{name}]", "{nome}]", "p/verbs/thing.yaml:3:"),
        ("operation: insert", "operation: upsert", "p/verbs/thing.yaml:6:"),
        ("thing.make:", "thingmake:", "p/verbs/thing.yaml:1:"),
        ("  args:", "  args: [", "p/verbs/thing.yaml:"),
        ("  produces: thing", "  produces: thing\n  produces: x", "p/verbs/thing.yaml:11:"),
        ("  produces: thing", "  consumes: {name: nothing}", "p/verbs/thing.yaml:10:"),
        ("  produces: thing", f"  produces: thing\n{VERBS}", "p/verbs/thing.yaml:11:"),
        ("name: {type: string", "as: {type: string", "p/verbs/thing.yaml:8:"),
        ("required: true", "default: [1]", "p/verbs/thing.yaml:8:"),
        ("required: true", 'validation: {pattern: "("}', "p/verbs/thing.yaml:8:"),
    ],
)
def test_a_fault_of_a_verb_is_told_with_its_line(old: str, new: str, place: str) -> None:
    assert old in VERBS
    found = problems(verbs=VERBS.replace(old, new, 1))
    assert any(one.startswith(place) for one in found), found


@clause("repl 5a")
@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("type: uuid", "type: guid", 3),
        ("display:", "displays:", 1),
        ('"{name}"', "name", 1),
        ("default: name", "default: nome", 5),
        ("[name]}", "[name]}\n  create: thing.break", 6),
        ("[name]}", "[name]}\n  discriminators: {age: {weight: 2}}", 6),
        ("table: things", "table: thongs", 2),
    ],
)
def test_a_fault_of_an_entity_type_is_told_with_its_line(old: str, new: str, line: int) -> None:
    found = problems(entities=ENTITIES.replace(old, new, 1))
    assert any(one.startswith(f"p/entities.yaml:{line}:") for one in found), found


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("thing: [item, object]\n", []),
        ("thing: item\n", ["p/words.yaml:1: `thing` has a list of the words"]),
        ("thing: [an item]\n", ["p/words.yaml:1: each word for `thing` is one word"]),
        ("thing: [item]\nobject: [item]\n", ["p/words.yaml:2: `item` is said for `thing` already"]),
        ("- thing\n", ["p/words.yaml:1: a map from a word"]),
    ],
)
def test_words_of_a_pack_stand_for_one_another(words: str, told: list[str]) -> None:
    files = {"p/verbs/thing.yaml": VERBS, "p/entities.yaml": ENTITIES, "p/schema.sql": SCHEMA}
    found = loaded({**files, "p/words.yaml": words})
    assert len(found.problems) == len(told)
    for problem, start in zip(found.problems, told, strict=True):
        assert str(problem).startswith(start)
    if found.pack is not None:
        assert Matcher(found.pack.vocabulary).extract("make item Lamp") != Nothing()
        without = loaded(files).pack
        assert without is not None
        assert Matcher(without.vocabulary).extract("make item Lamp") == Nothing()


@clause("repl 5a")
def test_a_phrase_on_two_verbs_is_told_and_all_faults_come_at_once() -> None:
    other = VERBS.replace("thing.make", "thing.build").replace("{name}]", "{owner}]")
    found = problems(verbs=VERBS + other)
    assert len(found) == 1 and found[0].startswith("p/verbs/thing.yaml:13:")
    assert len(problems(verbs="x: 1\ny.z: {a: 1}\n", schema="", entities="a: b")) >= 6


@clause("repl 5a")
def test_a_fault_of_form_hides_no_other_and_brings_no_others_with_it() -> None:
    broken = "thing:\n  table: [things\nother:\n  table: nothings\n"
    found = problems(entities=broken)
    assert {one.partition(":")[0] for one in found} == {"p/entities.yaml"}
    assert [one.split(":")[1] for one in found if "needs" in one] == ["4"]
    twice = VERBS.replace("effect: write", "effect: wrote")
    assert [one.split(":")[1] for one in problems(verbs=VERBS + twice)] == ["11", "15"]
    torn = problems(
        verbs=f"thing.make:\n  args: {{\n{VERBS.replace('make', 'build')}", entities="?"
    )
    assert len(torn) == 2, torn


@clause("repl 5a")
def test_files_of_a_pack_are_known_and_data_has_a_value_for_each_column() -> None:
    more = {"p/verbs/t.yaml": VERBS, "p/entities.yaml": ENTITIES, "p/schema.sql": SCHEMA}
    strange = loaded({**more, "p/verb/x.yaml": "", "p/data/things.csv": "a,b\n1\n"})
    assert [(one.file, one.line) for one in strange.problems] == [
        ("p/data/things.csv", 2),
        ("p/verb/x.yaml", 1),
    ]
    assert loaded({}).pack is None
    assert loaded({**more, "p/data/thongs.csv": "a\n1\n"}).pack is None
    assert loaded({**more, "p/data/things.csv": 'a\n"1\n'}).pack is None


# --- the packs that ship ----------------------------------------------------

VERB_ARGS = """\
session.set-cbu cbu-id
session.info
session.clear-scope
cbu.ensure name jurisdiction client-type manco-name
cbu.list
cbu.show cbu-id
cbu.rename cbu-id name
cbu.delete cbu-id
cbu.tag cbu-id tags attributes
cbu.assign-role cbu-id entity-id role
cbu.remove-role cbu-id entity-id role
cbu.roles cbu-id
entity.create-proper-person first-name last-name date-of-birth nationality
entity.create-limited-company name registration-number jurisdiction
entity.list
document.catalog cbu-id entity-id document-type
document.list
kyc-case.create cbu-id case-type
kyc-case.set-status case-id status
entity-workstream.create case-id entity-id
case-screening.run workstream-id screening-type
case-screening.complete screening-id status
terminal.run cmd cwd conversation check
component.resolve name
"""
BINDABLE = {
    "cbu.ensure", "entity.create-proper-person", "entity.create-limited-company",
    "document.catalog", "kyc-case.create", "entity-workstream.create", "case-screening.run",
}  # fmt: skip


@clause("repl d20", "repl 5b")
def test_onboarding_has_the_verbs_with_their_arguments() -> None:
    verbs = pack("onboarding").vocabulary.verbs
    wanted = {line.split()[0]: set(line.split()[1:]) for line in VERB_ARGS.splitlines()}
    assert verbs.keys() == wanted.keys()
    for name, arguments in wanted.items():
        assert arguments <= {one.name for one in verbs[name].parameters}, name
        assert verbs[name].phrases, name
    assert {name for name, one in verbs.items() if one.produces} == BINDABLE
    assert verbs["cbu.ensure"].crud is not None
    assert verbs["cbu.ensure"].crud.conflict_keys == ("name", "jurisdiction")


@clause("repl 5b")
def test_onboarding_has_the_types_and_the_data() -> None:
    entities, data = pack("onboarding").entities, pack("onboarding").data
    assert entities["cbu"].search_keys == ("name", "jurisdiction", "client_type")
    assert [one.name for one in entities["cbu"].discriminators] == ["manco_name"]
    assert [(one.name, one.weight) for one in entities["person"].discriminators] == [
        ("nationality", 0.7),
        ("date_of_birth", 0.95),
    ]
    codes = {name for name, one in entities.items() if one.key_kind is KeyKind.CODE}
    assert codes == {
        "role", "jurisdiction", "currency", "client_type", "document_type", "case_type",
        "screening_type",
    }  # fmt: skip
    assert all((one.mode is Mode.COMPLETE) == (name in codes) for name, one in entities.items())
    cbus = {(row["name"], row["jurisdiction"], row["client_type"]) for row in data["cbus"]}
    assert len(cbus) >= 204 and {
        ("ALLIANZ FUNDS", "LU", "FUND"), ("Allianz Thematica", "LU", "FUND"),
        ("Aviva Lux 9", "LU", "FUND"), ("Apex Capital", "IE", "FUND"),
    } <= cbus  # fmt: skip
    people = {
        (f"{row['first_name']} {row['last_name']}", row["nationality"], row["date_of_birth"])
        for row in data["persons"]
    }
    assert {
        ("John Smith", "GB", "1965-03-15"), ("John Smith", "US", "1980-01-20"),
        ("John A. Smith", "GB", "1975-07-08"),
    } <= people  # fmt: skip


@clause("repl 5b")
def test_the_data_of_onboarding_goes_into_its_tables() -> None:
    database = sqlite3.connect(":memory:")
    database.execute("PRAGMA foreign_keys = ON")
    for schema in pack("onboarding").schemas:
        database.executescript(schema)
    order = sorted(
        pack("onboarding").data, key=lambda table: table in ("cbus", "persons", "companies")
    )
    for table in order:
        for row in pack("onboarding").data[table]:
            marks = ", ".join("?" for _ in row)
            database.execute(
                f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})",
                [value or None for value in row.values()],
            )
    assert database.execute("SELECT count(*) FROM entities").fetchone() == (200,)
    database.close()


@clause("repl 5d")
def test_components_has_verbs_on_components_and_terminals_only() -> None:
    verbs = pack("components").vocabulary.verbs.values()
    assert {one.behavior for one in verbs} == {Behavior.COMPONENT, Behavior.TERMINAL}
    assert {one.effect for one in verbs} == {Effect.EXTERNAL}


@clause("repl 5b")
def test_both_packs_load_together() -> None:
    assert len(pack("onboarding", "components").vocabulary.verbs) == 28


# --- the pages on codes -----------------------------------------------------

NOBODY, SOMEBODY = (f"00000000-0000-4000-8000-00000000000{digit}" for digit in (0, 1))


def answers(text: str) -> Answers:
    """What a gateway over the pack's own data would say of ids, codes and exact names."""
    found: dict[Question, Answer] = {}
    shipped = pack("onboarding")
    for mention in mentions(read(Source(text)).program, shipped.vocabulary):
        question, value = mention.question, mention.text.value
        for name in question.entity_types:
            entity = shipped.entities[name]
            for row in shipped.data[entity.table]:
                if value in (row[entity.key], row.get("name")):
                    found[question] = Answer(Standing.KNOWN, row[entity.key])
        if value == NOBODY:
            found[question] = Answer(Standing.MISSING)
        if value == SOMEBODY:
            found[question] = Answer(Standing.OTHER_TYPE, value, "person")
    return found


def similar(text: str) -> dict[Question, Similar]:
    """What a gateway over the pack's own units would say of the names of new ones."""
    shipped = pack("onboarding")
    units = [Candidate(row["cbu_id"], row["name"], "cbu", 0) for row in shipped.data["cbus"]]
    return {
        naming.question: found
        for naming in namings(read(Source(text)).program, shipped.vocabulary)
        if (found := likest(naming.question.value, units))
    }


def found_codes(text: str) -> tuple[set[Code], Stage]:
    world = World(pack("onboarding").vocabulary, answers(text), similar=similar(text))
    found = compiled(text, world)
    skipped = frozenset(one.ref_id for one in found.pending)
    if skipped:
        found = compiled(text, replace(world, skipped=skipped))
    return {one.code for one in (*found.errors.shown, *found.warnings.shown)}, found.stage


@clause("repl 1m")
@pytest.mark.parametrize("code", list(Code))
def test_each_code_has_a_page_whose_examples_show_it(code: Code) -> None:
    page = PAGES[code]
    assert explained(code).startswith(f"{code.value}: {page.title}\n")
    assert code in found_codes(page.wrong)[0], page.wrong
    if page.right:
        codes, stage = found_codes(page.right)
        assert code not in codes and stage is Stage.READY, (page.right, codes)


@clause("repl 1n")
@pytest.mark.parametrize(
    "text",
    [
        '(cbu.tag :cbu-id @x :tags ["a", "b"])',
        "(cbu.list))",
        "(cbu.list\u00a0:jurisdiction nil)",
        '(kyc-case.set-status :case-id @c :status "Approved")',
        '(terminal.run :cmd "x" :check "true")',
        '(entity.create-proper-person :first-name "A" :last-name "B" :date-of-birth "1980/1/2")',
        "(terminal.run :cmd 5)",
    ],
)
def test_a_fix_for_a_machine_takes_its_diagnostic_away_and_nothing_else(text: str) -> None:
    found = compiled(text, World(pack("onboarding").vocabulary))
    (wrong,) = (one for one in found.errors.shown if one.fixes)
    (fix,) = wrong.fixes
    assert fix.applicability is Applicability.MACHINE
    mended = applied(found.source, fix.edits)
    again = compiled(mended, World(pack("onboarding").vocabulary))
    assert wrong.code not in {one.code for one in again.errors.shown}, again.errors
    data, (edit,) = text.encode(), fix.edits
    kept = data[: edit.span.start] + edit.text.encode() + data[edit.span.end :]
    assert mended.encode() == kept
