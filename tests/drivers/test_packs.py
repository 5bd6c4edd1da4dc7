"""Packs as folders: every fault is told with its file and line, and then there is no pack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from antiphon.base.errors import Broken
from antiphon.drivers import packs
from tests.clauses import clause

VERBS = """\
thing.make:
  description: A thing.
  behavior: crud
  effect: write
  crud: {operation: upsert, table: things, key: thing_id, conflict_keys: [name]}
  args:
    name: {type: string, required: true}
  produces: thing
"""
ENTITIES = """\
thing:
  table: things
  key: {column: thing_id, type: uuid}
  display: "{name}"
  search: {default: name, keys: [name]}
"""
SCHEMA = """\
-- Things; a name stands once.
CREATE TABLE things (
    thing_id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
"""
DATA = "thing_id,name\n1,One\n2,Two\n"
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A pack in a folder, with some of its files another way."""

    def made(name: str = "mine", **files: str | bytes | None) -> Path:
        usual: dict[str, str | bytes | None] = {
            "verbs": VERBS, "entities": ENTITIES, "schema": SCHEMA, "data": DATA,
        }  # fmt: skip
        paths = {
            "verbs": "verbs/things.yaml", "entities": "entities.yaml", "schema": "schema.sql",
            "data": "data/things.csv",
        }  # fmt: skip
        folder = tmp_path / name
        for key, text in {**usual, **files}.items():
            path = folder / paths.get(key, key)
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(text, bytes):
                path.write_bytes(text)
            elif text is not None:
                path.write_text(text)
        return folder

    return made


def told(*folders: Path) -> list[str]:
    found = packs.load([str(folder) for folder in folders])
    assert (found.pack is None) == bool(found.problems)
    return [str(one).replace(f"{folders[0].parent}/", "") for one in found.problems]


def test_a_folder_is_a_pack(make: Make) -> None:
    assert told(make()) == []
    pack = packs.opened([str(make())])
    assert list(pack.vocabulary.verbs) == ["thing.make"]
    assert [row["name"] for row in pack.data["things"]] == ["One", "Two"]


@clause("repl 5b", "repl 5d", "repl d19")
def test_shipped_packs_go_by_their_names_and_the_default_is_onboarding() -> None:
    assert packs.shipped() == ("components", "onboarding")
    assert packs.opened() == packs.opened(["onboarding"])
    both = packs.opened(["onboarding", "components"])
    assert {"cbu.ensure", "part.find"} <= both.vocabulary.verbs.keys()
    # Given twice it is there once.
    assert packs.opened(["components", "components"]) == packs.opened(["components"])


@clause("repl 5a", "repl d19")
@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"verbs": VERBS.replace("effect:", "efect:")}, "mine/verbs/things.yaml:4: "),
        ({"verbs": "thing.make: [\n"}, "mine/verbs/things.yaml:2: "),
        ({"entities": ENTITIES + "  color: red\n"}, "mine/entities.yaml:6: "),
        ({"data": b"thing_id,name\n1,One\n2,\xff\n"}, "mine/data/things.csv:3: this is no UTF-8"),
        ({"data": "thing_id,name\n1\n"}, "mine/data/things.csv:2: 1 values for 2 columns"),
        ({"data": "thing_id,nom\n1,One\n"}, "mine/data/things.csv:1: `things` has no column `nom`"),
        ({"data": "thing_id,name\n1,One\n2,One\n"}, "mine/data/things.csv:3: this row is refused"),
        (
            {"data": 'thing_id,name\n1,"One\nand more"\n2,Two\n2,Three\n'},
            "mine/data/things.csv:5: this row is refused",
        ),
        ({"data": "thing_id,name\n1,\n"}, "mine/data/things.csv:2: this row is refused"),
        ({"schema": SCHEMA.replace("TABLE", "TABEL")}, "mine/schema.sql:2: "),
        ({"schema": SCHEMA + "DROP TABLE things;\n"}, "mine/schema.sql:6: a schema makes tables"),
        ({"schema": SCHEMA + "\nCREATE VIEW v AS SELECT x FROM y;\n"}, "mine/schema.sql:7: "),
        ({"schema": SCHEMA + "CREATE TABLE antiphon_x (a);"}, "mine/schema.sql:6: "),
        ({"schema": SCHEMA.replace(" UNIQUE", "")}, "mine/verbs/things.yaml:1: "),
        ({"schema": SCHEMA.replace("name TEXT", "nom TEXT")}, "mine/entities.yaml:1: "),
        (
            {"schema": SCHEMA.replace("UNIQUE", "UNIQUE, kind TEXT NOT NULL"), "data": None},
            "mine/verbs/things.yaml:1: `thing.make` gives no value for `kind`",
        ),
        ({"notes.txt": "x"}, "mine/notes.txt:1: a pack has"),
    ],
)  # fmt: skip
def test_a_fault_has_its_file_and_line(
    make: Make, files: dict[str, str | bytes | None], problem: str
) -> None:
    found = told(make(**files))
    assert any(one.startswith(problem) for one in found), found


@clause("repl 5a")
def test_all_faults_are_told_at_once(make: Make) -> None:
    found = told(make(verbs=VERBS + VERBS, entities=ENTITIES + "x: 1\n", data=b"\xff"))
    assert len({one.split(":")[0] for one in found}) == 3


def test_two_packs_do_not_make_the_same_table(make: Make) -> None:
    verbs = VERBS.replace("thing.make", "thing.another").replace("  produces: thing\n", "")
    other = make("other", verbs=verbs, entities=None, data=None)
    (found,) = told(make(), other)
    assert found.startswith(("other/schema.sql:2: ", "mine/schema.sql:2: "))
    assert "`things` stands in" in found


def test_what_is_hidden_or_a_readme_is_no_part_of_a_pack(make: Make) -> None:
    assert told(make(**{".git/config": "x", "README.md": "x", "verbs/.things.yaml.swp": "x"})) == []


def test_a_pack_that_is_not_there_is_told_with_those_that_ship() -> None:
    with pytest.raises(Broken, match=r"no/such/pack:1: .*components, onboarding"):
        packs.opened(["no/such/pack"])


@clause("repl 5a")
@pytest.mark.parametrize("handler", ["no_such_module:run", "json:no_such_function", "json:decoder"])
def test_a_handler_that_is_not_there_is_told(make: Make, handler: str) -> None:
    python = f"""\
thing.guess:
  description: Guesses.
  behavior: python
  effect: read
  handler: "{handler}"
"""
    found = packs.load([str(make(verbs=python + VERBS))])
    assert [(one.line, handler.partition(":")[0] in one.message) for one in found.problems] == [
        (1, True)
    ]
    assert packs.load([str(make(verbs=python.replace(handler, "json:dumps") + VERBS))]).pack
