"""Packs: verbs, entity types and data of one domain, as files that people write.

Strict: an unknown field, a name twice, a phrase on two verbs, a reference to nothing are all
told, with file and line, and then there is no pack.  This module gets texts by their names and
opens no file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from antiphon.dsl.tokens import NAME
from antiphon.dsl.verbs import Verb, Vocabulary
from antiphon.entity.types import EntityType
from antiphon.repl import yaml
from antiphon.repl.fields import Page, Problem
from antiphon.repl.pack_entities import entity_type
from antiphon.repl.pack_schema import statements
from antiphon.repl.pack_verbs import verb
from antiphon.repl.phrase import SLOT, shape

OWN = "antiphon_"
Place = tuple[str, int]  # a file and a line


@dataclass(frozen=True, slots=True)
class Pack:
    """What the folders given hold together."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    entities: Mapping[str, EntityType] = field(default_factory=dict)
    schemas: tuple[str, ...] = ()
    data: Mapping[str, tuple[Mapping[str, str], ...]] = field(default_factory=dict)  # by table
    # Where each thing stands, by its kind and name, and the places of the schemas.
    places: Mapping[tuple[str, str], Place] = field(default_factory=dict)
    schema_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loading:
    pack: Pack | None  # nothing, where there is any problem
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Gathered:
    """What has been read so far, and where each thing stands."""

    verbs: dict[str, Verb] = field(default_factory=dict)
    entities: dict[str, EntityType] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    schemas: list[str] = field(default_factory=list)
    schema_files: list[str] = field(default_factory=list)
    data: dict[str, tuple[Mapping[str, str], ...]] = field(default_factory=dict)
    places: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def says(self, place: tuple[str, int], message: str) -> None:
        self.problems.append(Problem(*place, message))

    def is_new(self, kind: str, name: str, place: tuple[str, int]) -> bool:
        first = self.places.setdefault((kind, name), place)
        if first is not place:
            self.says(place, f"the {kind} `{name}` stands in {first[0]}:{first[1]} already")
        return first is place


def loaded(files: Mapping[str, str]) -> Loading:
    """The pack of these files, by paths that end as a pack's do: `onboarding/verbs/cbu.yaml`."""
    found = _Gathered()
    for file in sorted(files):
        _file(found, file, files[file])
    if not found.verbs and not found.problems:
        found.says((min(files, default="pack"), 1), "there is no verb: `verbs/*.yaml` is missing")
    _lookups(found)
    _phrases(found)
    _tables(found)
    if found.problems:
        return Loading(None, tuple(sorted(set(found.problems))))
    vocabulary = Vocabulary(dict(sorted(found.verbs.items())))
    pack = Pack(
        vocabulary,
        found.entities,
        tuple(found.schemas),
        found.data,
        found.places,
        tuple(found.schema_files),
    )
    return Loading(pack, ())


# --- files ------------------------------------------------------------------


def _file(found: _Gathered, file: str, text: str) -> None:
    folder, _, name = file.rpartition("/")
    if folder.rpartition("/")[2] == "verbs" and name.endswith((".yaml", ".yml")):
        _yaml(found, file, text, "verb")
    elif name in ("entities.yaml", "entities.yml"):
        _yaml(found, file, text, "entity type")
    elif name == "schema.sql":
        _schema(found, file, text)
    elif folder.rpartition("/")[2] == "data" and name.endswith(".csv"):
        _csv(found, file, text, name.removesuffix(".csv"))
    elif not name.lower().startswith(("readme", ".")):
        found.says((file, 1), "a pack has verbs/*.yaml, entities.yaml, schema.sql and data/*.csv")


def _schema(found: _Gathered, file: str, text: str) -> None:
    found.schemas.append(text)
    found.schema_files.append(file)
    made, faults = statements(text)
    for fault in faults:
        found.says((file, fault.line), fault.message)
    for one in made:
        if one.name.startswith(OWN):
            found.says((file, one.line), f"`{one.name}`: names with {OWN} are Antiphon's")
        elif found.is_new("table, view or index", one.name, (file, one.line)):
            found.tables |= {one.name} if one.kind != "index" else set()


def _yaml(found: _Gathered, file: str, text: str, kind: str) -> None:
    page = Page(file)
    node, faults = yaml.read(text)
    for fault in faults:
        page.says(fault.line, fault.message)
    if isinstance(node, yaml.Mapping):
        for key, value in node.entries:
            place = (file, key.line)
            if kind == "verb":
                if found.is_new(kind, key.text, place):
                    found.verbs[key.text] = verb(page, key, value)
            elif found.is_new(kind, key.text, place):
                found.entities[key.text] = entity_type(page, key, value)
    else:
        page.says(node.line, f"a map from the name of each {kind} to its fields is expected")
    found.problems += page.problems


def _csv(found: _Gathered, file: str, text: str, table: str) -> None:
    try:
        rows = list(csv.reader(io.StringIO(text), strict=True)) if text.strip() else []
    except csv.Error as error:
        found.says((file, 1), f"this is no CSV: {error}")
        return
    if not found.is_new("data", table, (file, 1)) or not rows:
        return
    head = rows[0]
    if len(set(head)) < len(head) or not all(re.fullmatch(NAME, column) for column in head):
        found.says((file, 1), "the first line names each column once")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(head):
            found.says((file, number), f"{len(row)} values for {len(head)} columns")
    found.data[table] = tuple(dict(zip(head, row, strict=False)) for row in rows[1:])


# --- what must fit together -------------------------------------------------


def _lookups(found: _Gathered) -> None:
    made = {verb.produces for verb in found.verbs.values()} | found.entities.keys()
    for name, verb_ in found.verbs.items():
        place = found.places["verb", name]
        for parameter in verb_.parameters:
            for wanted in parameter.lookup:
                if wanted not in found.entities:
                    found.says(
                        place,
                        f"`{parameter.name}` of `{name}` looks up `{wanted}`, which is no type",
                    )
            if parameter.consumes and parameter.consumes not in made:
                found.says(place, f"`{name}` consumes `{parameter.consumes}`, which nothing makes")
        if verb_.scope and verb_.scope not in found.entities:
            found.says(place, f"the scope `{verb_.scope}` of `{name}` is no entity type")
    for name, entity in found.entities.items():
        maker = found.verbs.get(entity.create or "")
        if entity.create and (maker is None or maker.produces != name):
            found.says(
                found.places["entity type", name],
                f"`create` of `{name}` is `{entity.create}`, which makes none",
            )


def _phrases(found: _Gathered) -> None:
    owners: dict[str, str] = {}
    for name, verb_ in found.verbs.items():
        place = found.places["verb", name]
        for phrase in verb_.phrases:
            for slot in SLOT.findall(phrase):
                if verb_.parameter(slot) is None:
                    found.says(place, f"`{{{slot}}}` of a phrase is no argument of `{name}`")
            owner = owners.setdefault(shape(phrase), name)
            if owner != name:
                found.says(place, f"the phrase «{phrase}» stands on `{owner}` and on `{name}`")


def _tables(found: _Gathered) -> None:
    wanted = [
        (found.places["verb", one.name], one.crud.table, f"`{one.name}`")
        for one in found.verbs.values()
        if one.crud is not None
    ]
    wanted += [
        (found.places["entity type", one.name], one.table, f"`{one.name}`")
        for one in found.entities.values()
    ]
    wanted += [(found.places["data", table], table, "this file") for table in found.data]
    for place, table, who in wanted:
        if table not in found.tables:
            found.says(place, f"{who} needs the table `{table}`, which schema.sql does not make")
