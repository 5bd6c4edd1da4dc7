"""A session at play: a small gateway over the pack's data obeys its orders at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from antiphon.choice.judge import judged
from antiphon.dsl.reader import read
from antiphon.dsl.references import Answer, Question, Standing, questions
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Bound, Compilation, World, compiled
from antiphon.dsl.values import UUID
from antiphon.entity.folding import folded
from antiphon.entity.scoring import Candidate, ordered, scored, told_apart
from antiphon.entity.types import KeyKind
from antiphon.repl import news as n
from antiphon.repl.callout import callout_of
from antiphon.repl.candidates import Candidates
from antiphon.repl.creation import CodeOption
from antiphon.repl.matcher import Matcher
from antiphon.repl.session import Session
from antiphon.repl.shelf import Shelf
from tests.repl.packs import pack

MADE_ID = "99999999-0000-4000-8000-000000000000"  # of what a creation makes
SCORE_MIN = 50  # less is noise
PACK = pack("onboarding")
MAKERS = {name: one.create for name, one in PACK.entities.items() if one.create}
MATCHER = Matcher(PACK.vocabulary, Shelf(PACK).codes)


def entities(kind: str) -> list[Candidate]:
    entity = PACK.entities[kind]
    return [
        Candidate(
            row[entity.key],
            row.get("name") or f"{row['first_name']} {row['last_name']}",
            kind,
            0,
            differs={one.name: row[one.name] for one in entity.discriminators},
        )
        for row in PACK.data[entity.table]
    ]


def found(types: tuple[str, ...], words: str) -> Candidates:
    """What a gateway finds that looks at every entity."""
    matches = [
        replace(one, score=score.points, features=score.features, is_exact=score.is_exact)
        for kind in types
        for one in entities(kind)
        if (score := scored(words, one.display)).points >= SCORE_MIN
    ]
    return Candidates(tuple(told_apart(ordered(matches)[:10])), len(matches))


def codes() -> dict[str, list[CodeOption]]:
    return {
        name: [CodeOption(row["code"], row["name"]) for row in PACK.data[one.table]]
        for name, one in PACK.entities.items()
        if one.key_kind is KeyKind.CODE
    }


def looked_up(question: Question) -> Answer:
    """What the gateway says of a string: an id, a code, or words."""
    for kind, entity in PACK.entities.items():
        is_code = entity.key_kind is KeyKind.CODE
        if is_code and kind not in question.entity_types:
            continue
        for row in PACK.data[entity.table]:
            key = row[entity.key]
            if folded(key) == folded(question.value):
                if kind in question.entity_types:
                    return Answer(Standing.KNOWN, key, kind)
                return Answer(Standing.OTHER_TYPE, key, kind)
    if question.value == MADE_ID:
        return Answer(Standing.KNOWN, MADE_ID, question.entity_types[0])
    if UUID.fullmatch(question.value):
        return Answer(Standing.MISSING)
    return Answer(Standing.OPEN)


@dataclass
class Play:
    """Requests go in, and all orders but runs are obeyed before the next one."""

    session: Session = field(default_factory=lambda: Session("s1", PACK.vocabulary, MAKERS))
    waiting: list[n.Order] = field(default_factory=list)
    made: list[n.CreateEntity] = field(default_factory=list)
    is_slow: bool = False  # nobody obeys
    versions: Mapping[str, str] = field(default_factory=dict)

    def ask(self, asked: n.Request, rev: int | None = None) -> Play:
        self.obey(self.session.request(asked, rev))
        open_ = callout_of(self.session)
        # Whatever is asked of a person is a choice block [repl D13], in each test here.
        assert open_ is None or judged(open_.block) == [], open_
        return self

    def say(self, *texts: str) -> Play:
        for text in texts:
            self.ask(n.Said(text))
        return self

    def obey(self, orders: list[n.Order]) -> None:
        for order in orders:
            if self.is_slow or isinstance(order, n.RunPlan | n.StopRun):
                self.waiting.append(order)
                continue
            match order:
                case n.ExtractIntents(ticket, message):
                    answer: n.Response = n.Extracted(ticket, MATCHER.extract(message))
                    self.obey(self.session.respond(answer))
                case n.Compile():
                    self.obey(self.session.respond(self.compiled(order)))
                case n.BeginCreation(ticket):
                    self.obey(self.session.respond(n.CodesFound(ticket, codes())))
                case n.CreateEntity():
                    self.made.append(order)
                    self.ask(n.EntityMade(MADE_ID, "Made"))
                case n.SearchEntities(ref_id, text):
                    (ref,) = [one for one in self.session.program.refs if one.ref_id == ref_id]
                    self.ask(n.SearchDone(ref_id, text, found(ref.entity_types, text)))

    def compiled(self, order: n.Compile) -> n.Compiled:
        asked = questions(read(Source(order.source)).program, PACK.vocabulary)
        answers = {question: looked_up(question) for question in asked}
        world = World(PACK.vocabulary, answers, self.session.bindings, order.skipped, self.versions)
        result = compiled(order.source, world)
        matches = {
            one.ref_id: found(one.entity_types, one.search_value) for one in result.references
        }
        return n.Compiled(order.ticket, result, matches)

    def end(
        self,
        outcome: n.RunOutcome = n.RunOutcome.SUCCEEDED,
        bindings: Mapping[str, Bound] | None = None,
    ) -> Play:
        order = next(one for one in self.waiting if isinstance(one, n.RunPlan))
        self.waiting.clear()
        self.obey(self.session.respond(n.RunEnded(order.ticket, outcome, bindings or {})))
        return self

    @property
    def plan_id(self) -> str:
        found = self.session.program.compilation
        assert found is not None and found.plan is not None
        return found.plan.plan_id

    def afresh(self) -> Compilation:
        """What the program compiles to now."""
        program = self.session.program
        return self.compiled(n.Compile("", program.source, program.skipped)).compilation

    @property
    def state(self) -> str:
        return self.session.state.wire

    @property
    def source(self) -> str:
        return self.session.program.source

    @property
    def trace(self) -> list[str]:
        return [one.wire for one in self.session.trace]

    @property
    def actions(self) -> list[str]:
        return [one.value for one in self.session.available_actions]


def entity(name: str, kind: str = "cbu", nth: int = 0) -> Candidate:
    return [one for one in entities(kind) if one.display == name][nth]
