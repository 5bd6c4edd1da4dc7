"""The index follows the database, whoever writes to it, and is made anew when it must be."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from antiphon.base.errors import Broken
from antiphon.drivers import packs
from antiphon.drivers.following import FOLDER
from antiphon.drivers.sqlite import FILE
from antiphon.repl.pack import Pack, loaded
from antiphon.service.entities import Entities, Found

VERBS = """\
thing.list:
  description: Things.
  behavior: crud
  effect: read
  crud: {operation: select, table: things}
  returns: record_set
"""
ENTITIES = """\
thing:
  table: things
  key: {column: thing_id, type: uuid}
  display: "{name}"
  search: {default: name, keys: [name, kind]}
"""
SCHEMA = """\
CREATE TABLE things (
    thing_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT
);
"""
DATA = "thing_id,name,kind\n1,Alpha,a\n2,Beta,\n"


def pack(
    *, schema: str = SCHEMA, data: str = DATA, entities: str = ENTITIES, verbs: str = VERBS
) -> Pack:
    found = loaded(
        {
            "p/verbs/things.yaml": verbs, "p/entities.yaml": entities, "p/schema.sql": schema,
            "p/data/things.csv": data,
        }
    )  # fmt: skip
    assert found.pack is not None, found.problems
    return found.pack


@dataclass
class Place:
    url: str | None
    state: Path

    def open(self, pack: Pack) -> Entities:
        return asyncio.run(Entities.open(self.url, self.state, pack))

    def elsewhere(self, statement: str, *values: object) -> None:
        """Written by another program, which knows nothing of us."""
        if self.url is None:
            with closing(sqlite3.connect(self.state / FILE)) as connection, connection:
                connection.execute(statement, values)
        else:
            with psycopg.connect(self.url) as other:
                other.execute(statement.replace("?", "%s"), values)


@pytest.fixture
def place(database_url: str | None, tmp_path: Path) -> Place:
    return Place(database_url, tmp_path)


@pytest.fixture
def opened(place: Place) -> Iterator[Callable[..., Entities]]:
    made: list[Entities] = []

    def open_(one: Pack | None = None) -> Entities:
        while made:
            asyncio.run(made.pop().close())
        made.append(place.open(one or pack()))
        return made[-1]

    yield open_
    for one in made:
        asyncio.run(one.close())


def found(entities: Entities, words: str = "", **more: object) -> Found:
    return asyncio.run(entities.search(["thing"], words, **more))  # type: ignore[arg-type]


def names(entities: Entities, words: str = "") -> list[str]:
    return [one.display for one in found(entities, words).matches]


Opened = Callable[..., Entities]


def test_what_another_program_writes_is_found(place: Place, opened: Opened) -> None:
    entities = opened()
    assert names(entities) == ["Alpha", "Beta"]
    place.elsewhere("INSERT INTO things (thing_id, name) VALUES (?, ?)", "3", "Gamma")
    assert names(entities, "gama") == ["Gamma"]
    place.elsewhere(
        "UPDATE things SET name = ?, thing_id = ? WHERE thing_id = ?", "Delta", "4", "3"
    )
    assert names(entities) == ["Alpha", "Beta", "Delta"] and names(entities, "gamma") == []
    place.elsewhere("DELETE FROM things WHERE name <> ?", "Delta")
    assert names(entities) == ["Delta"]
    if place.url:
        place.elsewhere("TRUNCATE things")
        assert names(entities) == []


def test_what_was_written_while_nobody_looked_is_found_after_a_restart(
    place: Place, opened: Opened
) -> None:
    assert names(opened()) == ["Alpha", "Beta"]
    place.elsewhere("INSERT INTO things (thing_id, name) VALUES (?, ?)", "3", "Gamma")
    assert names(opened(), "gamma") == ["Gamma"]


@pytest.mark.parametrize("harm", ["gone", "torn", "nonsense", "another", "no position"])
def test_an_index_that_is_missing_or_damaged_is_made_anew(
    place: Place, opened: Opened, harm: str
) -> None:
    assert names(opened(), "alpha") == ["Alpha"]
    folder = place.state / FOLDER
    dice = random.Random(harm)
    for path in sorted(folder.iterdir()):
        if harm == "gone" or (harm == "no position" and path.name == "position"):
            path.unlink()
        elif harm == "torn":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        elif harm == "nonsense":
            path.write_bytes(dice.randbytes(100))
        elif harm == "another" and path.name == "position":
            path.write_text(f"{'0' * 64} 7\n")
    assert names(opened(), "alpha") == ["Alpha"]
    place.elsewhere("INSERT INTO things (thing_id, name) VALUES (?, ?)", "3", "Gamma")
    assert names(opened(), "gamma") == ["Gamma"]


def test_an_index_that_was_being_made_at_the_end_is_made_at_the_next_start(
    place: Place, opened: Opened
) -> None:
    asyncio.run(opened().close())
    ids = [f"{number:05}" for number in range(20_000)]
    if place.url is None:
        with closing(sqlite3.connect(place.state / FILE)) as connection, connection:
            connection.executemany(
                "INSERT INTO things (thing_id, name) VALUES (?, ?)", [(i, f"N{i}") for i in ids]
            )
    shutil.rmtree(place.state / FOLDER)
    entities = opened()
    asyncio.run(entities.close())  # at once, and it takes no longer than what was begun
    with pytest.raises(Broken):
        asyncio.run(entities.search(["thing"], "alpha"))
    assert names(opened(), "alpha") == ["Alpha"]
    if place.url is None:
        assert found(opened()).total == 2 + len(ids)


def test_an_older_database_put_back_is_followed(place: Place, opened: Opened) -> None:
    """A copy of before: the notes do not reach to where the index is."""
    if place.url is not None:
        return  # a server's copies are its operator's, and another one has other numbers
    entities = opened()
    assert names(entities, "alpha") == ["Alpha"]
    asyncio.run(entities.close())
    before = (place.state / FILE).read_bytes()
    entities = opened()
    place.elsewhere("INSERT INTO things (thing_id, name) VALUES (?, ?)", "3", "Gamma")
    assert names(entities, "gamma") == ["Gamma"]
    asyncio.run(entities.close())
    (place.state / FILE).write_bytes(before)
    assert names(opened()) == ["Alpha", "Beta"]


def test_writers_beside_each_other_lose_nothing(opened: Opened) -> None:
    entities = opened()
    made = [[str(uuid.uuid4()) for _ in range(15)] for _ in range(6)]

    def write(ids: list[str]) -> None:
        for one in ids:
            with entities.database.transaction() as tx:
                tx.execute(
                    "INSERT INTO things (thing_id, name) VALUES (?, ?)", [one, f"Zeta {one}"]
                )
            assert found(entities, f"Zeta {one}").matches[0].entity_id == one

    threads = [threading.Thread(target=write, args=(ids,)) for ids in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert found(entities).total == 2 + 6 * 15


def test_a_transaction_that_fails_leaves_nothing(opened: Opened) -> None:
    entities = opened()

    def fail() -> None:
        with entities.database.transaction() as tx:
            tx.execute("INSERT INTO things (thing_id, name) VALUES (?, ?)", ["3", "Gamma"])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert names(entities) == ["Alpha", "Beta"]
    with entities.database.transaction() as tx:
        tx.execute("INSERT INTO things (thing_id, name) VALUES (?, ?)", ["3", "Gamma"])
    assert names(entities) == ["Alpha", "Beta", "Gamma"]


def test_the_database_is_its_users_alone(place: Place, opened: Opened) -> None:
    opened()
    assert (place.state / FILE).exists() == (place.url is None)
    for path in place.state.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path


# --- packs that change -------------------------------------------------------


def test_opening_again_changes_nothing_and_says_nothing(place: Place, opened: Opened) -> None:
    opened()
    place.elsewhere("UPDATE things SET name = 'Changed' WHERE thing_id = '1'")
    place.elsewhere("DELETE FROM things WHERE thing_id = '2'")
    entities = opened()
    assert entities.kept.notes == () and names(entities) == ["Changed"]


def test_new_data_is_added_and_what_people_changed_stays(place: Place, opened: Opened) -> None:
    opened()
    place.elsewhere("UPDATE things SET name = 'Changed' WHERE thing_id = '1'")
    entities = opened(pack(data=f"{DATA}3,Gamma,\n"))
    assert names(entities) == ["Beta", "Changed", "Gamma"]
    (note,) = entities.kept.notes
    assert "things" in note and "rows added: 1," in note


def test_a_table_may_gain_a_column(place: Place, opened: Opened) -> None:
    opened()
    wider = SCHEMA.replace("kind TEXT", "kind TEXT,\n    colour TEXT")
    entities = opened(pack(schema=wider, entities=ENTITIES.replace("kind]", "kind, colour]")))
    (note,) = entities.kept.notes
    assert "`colour TEXT`" in note
    place.elsewhere("UPDATE things SET colour = 'red' WHERE thing_id = '1'")
    assert found(entities, filters={"colour": "red"}).total == 1
    # Laid out in another way it is the same.
    assert opened(pack(schema=wider.replace("\n", " "))).kept.notes == ()


def test_a_column_that_is_new_has_its_values_but_in_rows_that_people_wrote(
    place: Place, opened: Opened
) -> None:
    opened(pack(data=f"{DATA}3,Gamma,c\n"))
    place.elsewhere("UPDATE things SET name = 'Mine' WHERE thing_id = '3'")
    place.elsewhere("INSERT INTO things (thing_id, name) VALUES ('4', 'Also mine')")
    wider = SCHEMA.replace("kind TEXT", "kind TEXT, colour TEXT, size INTEGER NOT NULL DEFAULT 1")
    data = (
        "size,thing_id,name,kind,colour\n"
        "7,1,Alpha,a,red\n,2,Beta,,blue\n9,3,Gamma,c,red\n9,4,Delta,,red\n5,5,New,,red\n"
    )
    entities = ENTITIES.replace("kind]", "kind, colour]")
    changed = pack(schema=wider, data=data, entities=entities)
    assert found(opened(changed), filters={"colour": "blue"}).total == 1
    with opened(changed).database.reading() as tx:
        rows = tx.execute("SELECT thing_id, name, colour, size FROM things ORDER BY thing_id")
    assert [tuple(row.values()) for row in rows] == [
        ("1", "Alpha", "red", 7),
        ("2", "Beta", "blue", 1),
        ("3", "Mine", None, 1),
        ("4", "Also mine", None, 1),
        ("5", "New", "red", 5),
    ]
    # Once only: what people empty later stays empty.
    place.elsewhere("UPDATE things SET colour = NULL WHERE thing_id = '1'")
    assert found(opened(changed), filters={"colour": "red"}).total == 1
    again = pack(schema=wider, data=data + "3,6,Six,,red\n", entities=entities)
    assert found(opened(again), filters={"colour": "red"}).total == 2


def test_another_change_of_a_table_is_refused_and_nothing_is_lost(
    place: Place, opened: Opened
) -> None:
    opened()
    for changed in (
        SCHEMA.replace("name TEXT NOT NULL", "name TEXT"),
        SCHEMA.replace("kind TEXT", "sort TEXT"),
        SCHEMA.replace("kind TEXT", "kind TEXT, colour TEXT NOT NULL"),
    ):
        data = "thing_id,name\n1,Alpha\n"
        with pytest.raises(Broken, match="things has changed"):
            opened(pack(schema=changed, data=data, entities=ENTITIES.replace(", kind", "")))
        assert names(opened()) == ["Alpha", "Beta"]


def test_a_view_follows_its_tables(place: Place, opened: Opened) -> None:
    schema = f"{SCHEMA}CREATE VIEW seen AS SELECT * FROM things WHERE kind = 'a';\n"
    entities = opened(pack(schema=schema, entities=ENTITIES.replace("things", "seen")))
    assert names(entities) == ["Alpha"]
    place.elsewhere("UPDATE things SET kind = 'a' WHERE thing_id = '2'")
    assert names(entities) == ["Alpha", "Beta"]
    narrower = schema.replace("kind = 'a'", "name = 'Beta'")
    entities = opened(pack(schema=narrower, entities=ENTITIES.replace("things", "seen")))
    assert names(entities) == ["Beta"] and "view seen" in entities.kept.notes[0]


def test_an_address_of_no_database_is_told_without_its_password(tmp_path: Path) -> None:
    for url in ("postgresql://me:sesame@127.0.0.1:1/x", "mysql://me:sesame@host/x"):
        with pytest.raises(Broken) as caught:
            asyncio.run(Entities.open(url, tmp_path, packs.opened()))
        assert "sesame" not in str(caught.value)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"nonsense" * 1000)
    with pytest.raises(Broken, match=FILE.replace(".", "[.]")):
        asyncio.run(Entities.open(None, tmp_path, packs.opened()))
    assert (tmp_path / FILE).read_bytes() == b"nonsense" * 1000
