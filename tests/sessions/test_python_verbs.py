"""Verbs that a pack's own Python carries out, by a server that finds their module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clauses import clause
from tests.doors.doorways import Serving
from tests.sessions.talking import Talk

VERBS = """\
thing.make:
  description: A thing of this name.
  phrases: [make a thing called {name}]
  behavior: python
  effect: write
  handler: "thing_rules:make"
  args: {name: {type: string, required: true}, colour-name: {type: string, default: red}}
  returns: record
  produces: thing
thing.count:
  description: How many there are.
  behavior: python
  effect: read
  handler: "thing_rules:count"
  returns: record
thing.greet:
  description: A word to the world outside.
  behavior: python
  effect: external
  handler: "thing_rules:greet"
  args: {name: {type: string, required: true}}
  returns: record
thing.spoil:
  description: Goes wrong in a way of its own.
  behavior: python
  effect: read
  handler: "thing_rules:spoil"
  args: {how: {type: string, required: true}}
"""
ENTITIES = """\
thing:
  table: things
  key: {column: thing_id, type: uuid}
  display: "{name}"
  search: {default: name, keys: [name]}
"""
SCHEMA = "CREATE TABLE things (thing_id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
RULES = """\
import sys
import uuid


def make(tx, name, colour_name):
    made = str(uuid.uuid4())
    tx.execute("INSERT INTO things (thing_id, name) VALUES (?, ?)", [made, name])
    return {"id": made, "name": name, "colour": colour_name}


def count(tx):
    return tx.execute("SELECT count(*) AS things FROM things")[0]


def greet(name):
    return f"hello {name}"


def spoil(tx, how):
    if how == "exit":
        sys.exit(3)
    if how == "no text":
        return "\\ud800"
    raise ValueError(how)
"""


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder: Path = tmp_path_factory.mktemp("python")
    (folder / "pack" / "verbs").mkdir(parents=True)
    (folder / "pack" / "verbs" / "thing.yaml").write_text(VERBS)
    (folder / "pack" / "entities.yaml").write_text(ENTITIES)
    (folder / "pack" / "schema.sql").write_text(SCHEMA)
    (folder / "thing_rules.py").write_text(RULES)
    arguments = ("--pack", str(folder / "pack"))
    begun = Serving.begin(folder / "state", *arguments, PYTHONPATH=str(folder))
    yield begun
    assert begun.end() == 0


@clause("repl 5e")
def test_a_handler_acts_in_the_transaction_and_what_it_makes_can_be_bound(
    serving: Serving,
) -> None:
    talk = Talk.begin(serving)
    talk.say("make a thing called One", "run")
    (made,) = talk.answer["results"]
    assert made["value"]["colour"] == "red" and made["value"]["name"] == "One"
    talk.edit('(thing.make :name "Two" :as @two) (thing.count) (thing.greet :name @two)')
    talk.say("run")
    first, second, third = talk.answer["results"]
    assert second["value"] == {"things": 2}
    assert third["value"] == f"hello {first['bound']['id']}"


@clause("repl 5e")
@pytest.mark.parametrize(
    ("program", "code"),
    [
        ('(thing.spoil :how "a reason")', "handler_failed"),
        ('(thing.spoil :how "exit")', "handler_failed"),
        ('(thing.spoil :how "no text")', "handler_failed"),
        ('(thing.make :name "Three")', "refused_by_database"),
    ],
)
def test_a_handler_that_fails_is_its_statements_failure_and_nothing_is_written(
    serving: Serving, program: str, code: str
) -> None:
    talk = Talk.begin(serving)
    before = counted(talk)
    talk.edit(f'(thing.make :name "Three")\n{program}')
    talk.say("run")
    assert (talk.state, talk.answer["session_state"]["success"]) == ("executed", False)
    assert talk.answer["results"][1]["error"] == code
    assert counted(talk) == before


def counted(talk: Talk) -> object:
    talk.edit("(thing.count)")
    talk.say("run")
    return talk.answer["results"][0]["value"]
