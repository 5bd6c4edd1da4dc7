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
from antiphon.repl.pack_words import group
from antiphon.repl.phrase import SLOT, shape

OWN = "antiphon_"
FILES = "verbs/*.yaml, words.yaml, entities.yaml, schema.sql and data/*.csv"
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
    places: dict[tuple[str, str], Place] = field(default_factory=dict)
    lines: dict[tuple[str, str], Place] = field(default_factory=dict)  # by a field's name and text
    # What may be there and could not be read: it is told once, and not again by who needs it.
    synonyms: dict[str, str] = field(default_factory=dict)
    lost: set[tuple[str, str]] = field(default_factory=set)
    lost_kinds: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def has(self, kind: str, name: str) -> bool:
        is_lost = kind in self.lost_kinds or (kind, name) in self.lost
        return is_lost or (kind, name) in self.places

    def place(self, what: str, text: str, usual: Place) -> Place:
        return self.lines.get((what, text), usual)

    def says(self, place: Place, message: str) -> None:
        self.problems.append(Problem(*place, message))

    def is_new(self, kind: str, name: str, place: Place) -> bool:
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
    vocabulary = Vocabulary(dict(sorted(found.verbs.items())), found.synonyms)
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
    elif name in ("words.yaml", "words.yml"):
        _words(found, file, text)
    elif name == "schema.sql":
        _schema(found, file, text)
    elif folder.rpartition("/")[2] == "data" and name.endswith(".csv"):
        _csv(found, file, text, name.removesuffix(".csv"))
    elif not name.lower().startswith(("readme", ".")):
        found.says((file, 1), f"a pack has {FILES}")


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
        if fault.key is not None:
            found.lost.add((kind, fault.key))
    if isinstance(node, yaml.Mapping):
        if not node.entries and any(fault.key is None for fault in faults):
            found.lost_kinds.add(kind)
        seen: set[str] = set()
        for key, value in node.entries:
            place = (file, key.line)
            # Twice in one file is told already; what else is wrong with it is told too.
            if key.text not in seen:
                found.is_new(kind, key.text, place)
            seen.add(key.text)
            if kind == "verb":
                found.verbs.setdefault(key.text, verb(page, key, value))
            else:
                found.entities.setdefault(key.text, entity_type(page, key, value))
    else:
        page.says(node.line, f"a map from the name of each {kind} to its fields is expected")
        found.lost_kinds.add(kind)
    found.lines |= {
        what: (file, line) for what, line in page.lines.items() if what not in found.lines
    }
    found.problems += page.problems


def _words(found: _Gathered, file: str, text: str) -> None:
    page = Page(file)
    node, faults = yaml.read(text)
    for fault in faults:
        page.says(fault.line, fault.message)
    if isinstance(node, yaml.Mapping):
        for key, value in node.entries:
            group(page, key, value, found.synonyms)
    elif not faults:
        page.says(node.line, "a map from a word to those that are said for it is expected")
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
    made = {verb.produces for verb in found.verbs.values()}
    for name, verb_ in found.verbs.items():
        usual = found.places["verb", name]
        for parameter in verb_.parameters:
            what = f"`entity_type` of `lookup` of the argument `{parameter.name}` of `{name}`"
            for wanted in parameter.lookup:
                if not found.has("entity type", wanted):
                    found.says(
                        found.place(what, wanted, usual),
                        f"`{parameter.name}` of `{name}` looks up `{wanted}`, which is no type",
                    )
            wanted = parameter.consumes or ""
            is_made = wanted in made or found.has("entity type", wanted)
            if wanted and not is_made and "verb" not in found.lost_kinds:
                place = found.place(f"`consumes` of `{name}`", wanted, usual)
                found.says(place, f"`{name}` consumes `{wanted}`, which nothing makes")
        if verb_.scope and not found.has("entity type", verb_.scope):
            place = found.place(f"`scope` of `{name}`", verb_.scope, usual)
            found.says(place, f"the scope `{verb_.scope}` of `{name}` is no entity type")
    for name, entity in found.entities.items():
        wanted = entity.create or ""
        maker = found.verbs.get(wanted)
        is_lost = maker is None and found.has("verb", wanted)
        if wanted and not is_lost and (maker is None or maker.produces != name):
            place = found.place(f"`create` of `{name}`", wanted, found.places["entity type", name])
            found.says(place, f"`create` of `{name}` is `{wanted}`, which makes none")


def _phrases(found: _Gathered) -> None:
    owners: dict[str, str] = {}
    for name, verb_ in found.verbs.items():
        for phrase in verb_.phrases:
            place = found.place(f"`phrases` of `{name}`", phrase, found.places["verb", name])
            for slot in SLOT.findall(phrase):
                if verb_.parameter(slot) is None:
                    found.says(place, f"`{{{slot}}}` of a phrase is no argument of `{name}`")
            owner = owners.setdefault(shape(phrase), name)
            if owner != name:
                found.says(place, f"the phrase «{phrase}» stands on `{owner}` and on `{name}`")


def _tables(found: _Gathered) -> None:
    needed = [(found.places["data", table], table, "this file") for table in found.data]
    for name, one in found.verbs.items():
        if one.crud is not None:
            what = f"`table` of `crud` of `{name}`"
            place = found.place(what, one.crud.table, found.places["verb", name])
            needed.append((place, one.crud.table, f"`{name}`"))
    for name, entity in found.entities.items():
        usual = found.places["entity type", name]
        place = found.place(f"`table` of `{name}`", entity.table, usual)
        needed.append((place, entity.table, f"`{name}`"))
    for place, table, who in needed:
        if table not in found.tables:
            found.says(place, f"{who} needs the table `{table}`, which schema.sql does not make")
