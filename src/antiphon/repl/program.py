"""The program of a session: its text, what became of its references, what is on offer.

A value: a change makes another one, so that a snapshot is the program as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from antiphon.dsl import edits
from antiphon.dsl.diagnostics import Edit
from antiphon.dsl.references import Mention, Reference, mentions
from antiphon.dsl.stages import Compilation
from antiphon.entity.scoring import Candidate
from antiphon.repl.candidates import Candidates

SHOWN_MAX = 7  # candidates in a block; the search pages through the rest


@dataclass(frozen=True, slots=True)
class Resolved:
    entity_id: str
    display: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class AutoResolved:
    """A reference that needed no question."""

    ref_id: str
    entity_id: str
    display: str
    method: str
    score: int


@dataclass(frozen=True, slots=True)
class Choice:
    """What a reference becomes, and how, when nobody was asked."""

    ref_id: str
    resolved: Resolved
    auto: AutoResolved | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a resolved reference stood, so that its name can stand behind its statement."""

    statement_index: int
    arg_path: str
    display: str


@dataclass(frozen=True, slots=True)
class Program:
    source: str = ""
    compilation: Compilation | None = None
    is_user_edited: bool = False
    intent_from: int = -1  # the first statement of the last intent, if there is one
    resolved: Mapping[str, Resolved] = field(default_factory=dict)  # by ref_id
    resolved_before: int = 0  # how many of them belong to an earlier epoch
    places: tuple[Place, ...] = ()
    skipped: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()  # references that are not resolved at once again
    auto_resolved: tuple[AutoResolved, ...] = ()
    candidates: Mapping[str, Candidates] = field(default_factory=dict)
    offered: Mapping[str, frozenset[str]] = field(default_factory=dict)  # ids, by ref_id
    searches: Mapping[str, str] = field(default_factory=dict)  # words of the last search
    found: Mapping[str, Candidates] = field(default_factory=dict)  # by the last search

    @property
    def refs(self) -> tuple[Reference, ...]:
        """Pending and skipped ones, in the order of the text."""
        if self.compilation is None:
            return ()
        return tuple(
            replace(one, is_skipped=one.ref_id in self.skipped)
            for one in self.compilation.references
        )

    @property
    def pending(self) -> tuple[Reference, ...]:
        return tuple(one for one in self.refs if not one.is_skipped)

    @property
    def progress(self) -> tuple[int, int]:
        """The number of the current reference and of all, resolved ones included."""
        total = len(self.refs) + len(self.resolved) - self.resolved_before
        return total - len(self.pending) + 1, total

    def shown(self, ref_id: str) -> tuple[Candidate, ...]:
        """What a block about this reference lists."""
        found = self.found.get(ref_id) or self.candidates.get(ref_id) or Candidates()
        return found.matches[:SHOWN_MAX]

    def with_compilation(self, found: Compilation, candidates: Mapping[str, Candidates]) -> Program:
        offered = dict(self.offered)
        for ref_id, one in candidates.items():
            ids = {match.entity_id for match in one.matches}
            offered[ref_id] = offered.get(ref_id, frozenset()) | ids
        return replace(
            self, compilation=found, candidates={**self.candidates, **candidates}, offered=offered
        )

    def with_search(self, ref_id: str, text: str, found: Candidates) -> Program:
        ids = {match.entity_id for match in found.matches}
        return replace(
            self,
            offered={**self.offered, ref_id: self.offered.get(ref_id, frozenset()) | ids},
            searches={**self.searches, ref_id: text},
            found={**self.found, ref_id: found},
        )

    def with_offered(self, ref_id: str, entity_ids: Iterable[str]) -> Program:
        """More that may be chosen for the reference."""
        before = self.offered.get(ref_id, frozenset())
        return replace(self, offered={**self.offered, ref_id: before | frozenset(entity_ids)})

    def without_search(self) -> Program:
        return replace(self, searches={}, found={})

    def with_resolved(self, *choices: Choice) -> Program:
        """The text with ids in the words' places; the next compilation belongs to it."""
        found = self.compilation
        assert found is not None and found.source.text == self.source, "refs are of this text"
        changes: list[Edit] = []
        places = list(self.places)
        by_statement: dict[int, list[tuple[Mention, Choice]]] = {}
        for one in choices:
            mention = self._mention(one.ref_id)
            by_statement.setdefault(mention.statement_index, []).append((mention, one))
        for index, here in by_statement.items():
            before = [one for one in places if one.statement_index == index]
            new = [Place(index, at.arg_path, one.resolved.display) for at, one in here]
            order = {at.arg_path: number for number, at in enumerate(self._mentions(index))}
            after = sorted([*before, *new], key=lambda one: order.get(one.arg_path, 0))
            places = [one for one in places if one.statement_index != index] + after
            changes += edits.resolution(
                found.source,
                found.program.statements[index],
                [(at.text, one.resolved.entity_id) for at, one in here],
                [one.display for one in after],
                [one.display for one in before],
            )
        return replace(
            self,
            source=edits.applied(found.source, changes),
            resolved={**self.resolved, **{one.ref_id: one.resolved for one in choices}},
            skipped=self.skipped - {one.ref_id for one in choices},
            places=tuple(places),
            auto_resolved=(*self.auto_resolved, *(one.auto for one in choices if one.auto)),
        )

    def followed_by(self, statements: str) -> Program:
        """The program with a new intent's statements behind those there are."""
        first = len(self.compilation.program.statements) if self.compilation else 0
        return Program(
            edits.appended(self.source, statements),
            intent_from=first,
            resolved=self.resolved,
            resolved_before=len(self.resolved),
            places=self.places,
            skipped=self.skipped,
        )

    def _mention(self, ref_id: str) -> Mention:
        assert self.compilation is not None
        vocabulary = self.compilation.world.vocabulary
        for one in mentions(self.compilation.program, vocabulary):
            if one.ref_id == ref_id:
                return one
        raise AssertionError("the reference is of this program")

    def _mentions(self, statement_index: int) -> list[Mention]:
        assert self.compilation is not None
        found = mentions(self.compilation.program, self.compilation.world.vocabulary)
        return [one for one in found if one.statement_index == statement_index]
