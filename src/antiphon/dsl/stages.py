"""The compiler: a text and what is known of the world in, a plan or the reasons against one out.

It is one tuple of stages, and each stops those after it when it finds a fault.  The same text
in the same world compiles to the same, always.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from antiphon.dsl import planner
from antiphon.dsl.checker import Checker, Known, unused
from antiphon.dsl.diagnostics import Code, Findings, Notebook
from antiphon.dsl.printer import printed
from antiphon.dsl.reader import read
from antiphon.dsl.references import OPEN, Answers, Question, Reference, Standing, mentions
from antiphon.dsl.similar import Similar, note_similar
from antiphon.dsl.source import Source
from antiphon.dsl.tree import Call, Program, calls, symbols
from antiphon.dsl.verbs import EFFECTS, Effect, Vocabulary

NOTHING, NONE_FOUND = Program(()), Findings()


class Stage(Enum):
    """Where a program stands: the stage that stopped it, or ready."""

    PARSING = "parsing"
    SEMANTICS = "semantic_validation"
    REFERENCES = "ref_resolution"
    DEPENDENCIES = "dependency_resolution"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Bound:
    """What a symbol of the session stands for."""

    entity_id: str
    entity_type: str | None


@dataclass(frozen=True, slots=True)
class World:
    """What a compilation may know besides the text."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    answers: Answers = field(default_factory=dict)
    bindings: Mapping[str, Bound] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()  # ids of references that somebody skipped
    versions: Mapping[str, str] = field(default_factory=dict)  # of entities, by id
    # What is called almost like what the program makes, by the questions of similar.py.
    similar: Mapping[Question, Similar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of a plan."""

    statement_index: int
    verb: str
    effect: Effect
    text: str
    needs: tuple[int, ...]  # statements that run before it


@dataclass(frozen=True, slots=True)
class Plan:
    plan_id: str
    phases: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Compilation:
    source: Source
    world: World
    stage: Stage = Stage.PARSING
    program: Program = NOTHING  # with faults in the text: what could be read
    errors: Findings = NONE_FOUND
    warnings: Findings = NONE_FOUND
    references: tuple[Reference, ...] = ()  # open and skipped, in the order of the text
    plan: Plan | None = None

    @property
    def is_empty(self) -> bool:
        return self.stage is Stage.PARSING and not self.errors.count

    @property
    def pending(self) -> tuple[Reference, ...]:
        return tuple(one for one in self.references if not one.is_skipped)


def syntax(found: Compilation) -> Compilation:
    reading = read(found.source)
    found = replace(found, program=reading.program, errors=reading.findings)
    if found.errors.count or found.program.statements:
        return found if found.errors.count else replace(found, stage=Stage.SEMANTICS)
    notes = Notebook(found.source)
    notes.note(Code.EMPTY, "the program has no statement, so there is nothing to run", 0, 0)
    return replace(found, warnings=notes.findings())


def semantics(found: Compilation) -> Compilation:
    world, errors, warnings = found.world, Notebook(found.source), Notebook(found.source)
    types = {name: bound.entity_type for name, bound in world.bindings.items()}
    Checker(found.program, Known(world.vocabulary, world.answers, types), errors).check()
    unused(found.program, warnings)
    if world.similar:
        note_similar(found.program, world.vocabulary, world.similar, warnings)
    return replace(
        found,
        stage=Stage.SEMANTICS if errors.count else Stage.REFERENCES,
        errors=errors.findings(),
        warnings=warnings.findings(),
    )


def references(found: Compilation) -> Compilation:
    world, notes = found.world, Notebook(found.source)
    open_: list[Reference] = []
    for mention in mentions(found.program, world.vocabulary):
        if world.answers.get(mention.question, OPEN).standing is not Standing.OPEN:
            continue
        ref_id, text = mention.ref_id, mention.text
        is_skipped = ref_id in world.skipped
        arg_name = mention.parameter.name
        open_.append(
            Reference(
                ref_id,
                mention.statement_index,
                mention.verb,
                arg_name,
                mention.arg_path,
                found.source.span(text.start, text.end),
                text.value,
                mention.parameter.lookup,
                is_skipped,
            )
        )
        if is_skipped:
            notes.note(
                Code.SKIPPED,
                f"nobody chose what `:{arg_name}` means, and its statement will fail",
                text.start,
                text.end,
            )
    is_open = any(not one.is_skipped for one in open_)
    return replace(
        found,
        stage=Stage.REFERENCES if is_open else Stage.DEPENDENCIES,
        references=tuple(open_),
        warnings=_joined(found.warnings, notes.findings()),
    )


def dependencies(found: Compilation) -> Compilation:
    errors, notes = Notebook(found.source), Notebook(found.source)
    ordering = planner.ordered(found.program, found.world.bindings.keys(), errors)
    if ordering is None:
        return replace(found, errors=errors.findings())
    if ordering.is_reordered:
        _note_reordered(found.program, ordering, notes)
    steps = tuple(
        Step(
            index,
            statement.name,
            effect(statement, found.world.vocabulary),
            found.source.text[statement.start : statement.end],
            ordering.needs[index],
        )
        for index, statement in enumerate(found.program.statements)
    )
    for step in steps:
        if step.effect is Effect.EXTERNAL:
            statement = found.program.statements[step.statement_index]
            notes.note(
                Code.NOT_ATOMIC,
                f"`{statement.name}` acts outside the database, and cannot be rolled back",
                statement.name_start,
                statement.name_end,
            )
    return replace(
        found,
        stage=Stage.READY,
        warnings=_joined(found.warnings, notes.findings()),
        plan=Plan(plan_id(found), ordering.phases, steps),
    )


STAGES: tuple[tuple[Stage, Callable[[Compilation], Compilation]], ...] = (
    (Stage.PARSING, syntax),
    (Stage.SEMANTICS, semantics),
    (Stage.REFERENCES, references),
    (Stage.DEPENDENCIES, dependencies),
)


def compiled(text: str, world: World) -> Compilation:
    found = Compilation(Source(text), world)
    for stage, pass_ in STAGES:
        if found.stage is not stage:
            break
        found = pass_(found)
    return found


def effect(statement: Call, vocabulary: Vocabulary) -> Effect:
    """The strongest effect of the call and of those within it."""
    verbs = (vocabulary.verbs.get(call.name) for call in calls(statement))
    return max((verb.effect for verb in verbs if verb), key=EFFECTS.index, default=Effect.READ)


def plan_id(found: Compilation) -> str:
    """A name for exactly this: the tree, the verbs, and the entities as they are now."""
    world = found.world
    digest = hashlib.sha256(printed(found.program).encode(errors="replace"))
    digest.update(world.vocabulary.digest.encode())
    for mention in mentions(found.program, world.vocabulary):  # in the order of the tree
        answer = world.answers.get(mention.question, OPEN)
        _tell(digest.update, world, mention.text.value, answer.entity_id)
    used = {one.name for statement in found.program.statements for one in symbols(statement)}
    for name in sorted(used & world.bindings.keys()):
        _tell(digest.update, world, name, world.bindings[name].entity_id)
    return "plan-" + digest.hexdigest()[:24]


def _tell(tell: Callable[[bytes], None], world: World, what: str, entity_id: str | None) -> None:
    version = world.versions.get(entity_id, "") if entity_id else ""
    tell(f"\0{what}\0{entity_id}\0{version}".encode(errors="replace"))


def _note_reordered(program: Program, ordering: planner.Ordering, notes: Notebook) -> None:
    for index, needs in enumerate(ordering.needs):
        later = [need for need in needs if need > index]
        if later:
            statement = program.statements[index]
            numbers = ", ".join(str(need + 1) for need in later)
            notes.note(
                Code.REORDERED,
                f"this statement needs what is made below: it runs after statement {numbers}",
                statement.name_start,
                statement.name_end,
            )


def _joined(one: Findings, other: Findings) -> Findings:
    shown = sorted((*one.shown, *other.shown), key=lambda each: each.span.start)
    return Findings(tuple(shown), one.count + other.count)
