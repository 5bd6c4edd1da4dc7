"""A pack's own data as the world: which ids and codes there are, when no database is asked.

It knows what the pack brings along and nothing that was made later.  Names are not looked up
here: a string that is neither id nor code is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from antiphon.dsl.reader import read
from antiphon.dsl.references import OPEN, Answer, Answers, Question, Standing, questions
from antiphon.dsl.source import Source
from antiphon.dsl.stages import World
from antiphon.dsl.values import UUID
from antiphon.entity.folding import folded
from antiphon.entity.types import EntityType, KeyKind
from antiphon.repl.pack import Pack


class Shelf:
    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._ids: dict[str, list[tuple[str, str]]] = {}  # id -> types and keys
        self._codes: dict[str, dict[str, str]] = {}  # type -> folded code -> code
        for name, entity in pack.entities.items():
            rows = pack.data.get(entity.table, ())
            keys = [row[entity.key] for row in rows if row.get(entity.key)]
            if entity.key_kind is KeyKind.CODE:
                self._codes[name] = {folded(key): key for key in keys}
            else:
                for key in keys:
                    self._ids.setdefault(key.lower(), []).append((name, key))

    def answers(self, questions: Iterable[Question]) -> Answers:
        return {question: self._answer(question) for question in questions}

    def world(self, text: str) -> World:
        """What there is to know for this program."""
        program = read(Source(text)).program
        asked = questions(program, self._pack.vocabulary)
        return World(self._pack.vocabulary, self.answers(asked))

    def _answer(self, question: Question) -> Answer:
        for name in question.entity_types:
            code = self._codes.get(name, {}).get(folded(question.value))
            if code is not None:
                return Answer(Standing.KNOWN, code, name)
        if not UUID.fullmatch(question.value):
            return OPEN
        found = self._ids.get(question.value.lower(), [])
        for name, key in found:
            if name in question.entity_types:
                return Answer(Standing.KNOWN, key, name)
        if found:
            return Answer(Standing.OTHER_TYPE, found[0][1], found[0][0])
        return Answer(Standing.MISSING)

    def codes(self, entity_type: str) -> list[tuple[str, str]]:
        """The codes of a type and what each is called, in the order of the data."""
        return [(code, name) for code, name, *_ in self.names(entity_type)]

    def names(self, entity_type: str) -> list[tuple[str, ...]]:
        """Of each code of a type: the code, what it is called, and what else."""
        entity = self._pack.entities.get(entity_type)
        if entity is None or entity.key_kind is not KeyKind.CODE:
            return []
        rows = [row for row in self._pack.data.get(entity.table, ()) if row.get(entity.key)]
        return [(row[entity.key], _shown(entity, row), *entity.other_names(row)) for row in rows]


def _shown(entity: EntityType, row: Mapping[str, str]) -> str:
    text = entity.display
    for column, value in row.items():
        text = text.replace(f"{{{column}}}", value)
    return text
