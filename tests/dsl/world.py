"""A small vocabulary and world for the tests of the language."""

from __future__ import annotations

from antiphon.dsl.references import Answer, Question, Standing
from antiphon.dsl.stages import Compilation, World, compiled
from antiphon.dsl.verbs import (
    Behavior,
    Bounds,
    Effect,
    Kind,
    Parameter,
    Verb,
    Vocabulary,
)

ALLIANZ = "19eba7a4-0000-4000-8000-000000000001"
SMITH = "29eba7a4-0000-4000-8000-000000000002"
NOBODY = "00000000-0000-4000-8000-000000000000"

CBU_ID = Parameter("cbu-id", Kind.UUID, is_required=True, lookup=("cbu",))
ENTITY_ID = Parameter("entity-id", Kind.UUID, is_required=True, lookup=("person", "company"))
JURISDICTION = Parameter(
    "jurisdiction", Kind.CODE, is_required=True, lookup=("jurisdiction",)
)  # fmt: skip


def verb(
    name: str,
    *parameters: Parameter,
    effect: Effect = Effect.WRITE,
    behavior: Behavior = Behavior.CRUD,
    produces: str | None = None,
) -> Verb:
    return Verb(name, name, behavior, effect, parameters, produces=produces)


def text(name: str, *, is_required: bool = False) -> Parameter:
    return Parameter(name, Kind.STRING, is_required=is_required)


VERBS = [
    verb("session.set-cbu", CBU_ID, behavior=Behavior.SESSION, effect=Effect.READ),
    verb(
        "cbu.ensure", text("name", is_required=True), JURISDICTION,
        Parameter("client-type", Kind.CODE, values=("FUND", "CORPORATE")), produces="cbu",
    ),
    verb("cbu.list", effect=Effect.READ),
    verb("cbu.show", CBU_ID, effect=Effect.READ),
    verb(
        "cbu.tag", CBU_ID,
        Parameter("tags", Kind.LIST, bounds=Bounds(length_max=3)),
        Parameter("attributes", Kind.MAP),
    ),
    verb(
        "cbu.assign-role", CBU_ID, ENTITY_ID,
        Parameter("role", Kind.CODE, is_required=True, lookup=("role",)),
    ),
    verb(
        "entity.create-proper-person", text("first-name", is_required=True),
        text("last-name", is_required=True), Parameter("date-of-birth", Kind.DATE),
        Parameter("age", Kind.INTEGER), Parameter("share", Kind.DECIMAL),
        Parameter("is-active", Kind.BOOLEAN),
        produces="person",
    ),
    verb("entity.group", Parameter("members", Kind.LIST, lookup=("person", "company"))),
    verb("terminal.run", text("cmd", is_required=True), effect=Effect.EXTERNAL),
]  # fmt: skip
VOCABULARY = Vocabulary({one.name: one for one in VERBS})
ANSWERS = {
    Question(("jurisdiction",), "LU"): Answer(Standing.KNOWN, "LU"),
    Question(("role",), "DIRECTOR"): Answer(Standing.KNOWN, "DIRECTOR"),
    Question(("cbu",), ALLIANZ): Answer(Standing.KNOWN, ALLIANZ),
    Question(("cbu",), NOBODY): Answer(Standing.MISSING),
    Question(("cbu",), SMITH): Answer(Standing.OTHER_TYPE, SMITH, "person"),
    Question(("person", "company"), SMITH): Answer(Standing.KNOWN, SMITH),
}
WORLD = World(VOCABULARY, ANSWERS)


def compile_(source: str, world: World = WORLD) -> Compilation:
    return compiled(source, world)


def codes(found: Compilation) -> list[str]:
    return [one.code.value for one in (*found.errors.shown, *found.warnings.shown)]
