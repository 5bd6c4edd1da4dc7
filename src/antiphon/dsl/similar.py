"""Names that a program gives to new entities, and what there is already that is called alike.

Who may look entities up answers the questions that `namings` asks; nothing is an error here: two
funds may well have almost one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from antiphon.dsl.diagnostics import Applicability, Code, Notebook
from antiphon.dsl.references import Question
from antiphon.dsl.tokens import quoted
from antiphon.dsl.tree import Program, Text, calls
from antiphon.dsl.verbs import Kind, Operation, Parameter, Verb, Vocabulary


@dataclass(frozen=True, slots=True)
class Similar:
    """An entity that is there, by the name it is shown with."""

    display: str
    score: int  # 0 to 100
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Naming:
    """The name of what a call makes: of several strings, when it has a first and a last one."""

    verb: Verb
    question: Question
    texts: tuple[Text, ...]


def namings(program: Program, vocabulary: Vocabulary) -> Iterator[Naming]:
    for statement in program.statements:
        for call in calls(statement):
            verb = vocabulary.verbs.get(call.name)
            if verb is None or verb.produces is None:
                continue
            wanted = [one.name for one in verb.parameters if _names(one)]
            given = {arg.key: arg.value for arg in call.args}
            texts = [given.get(name) for name in wanted]
            found = tuple(text for text in texts if isinstance(text, Text))
            if found and len(found) == len(wanted):
                name = " ".join(text.value for text in found)
                yield Naming(verb, Question((verb.produces,), name), found)


def _names(parameter: Parameter) -> bool:
    is_text = parameter.kind is Kind.STRING and not parameter.lookup and not parameter.consumes
    return is_text and parameter.is_required


def note_similar(
    program: Program, vocabulary: Vocabulary, known: Mapping[Question, Similar], notes: Notebook
) -> None:
    for naming in namings(program, vocabulary):
        found = known.get(naming.question)
        is_upsert = naming.verb.crud and naming.verb.crud.operation is Operation.UPSERT
        if found is None or (found.is_exact and is_upsert):
            continue  # an upsert of a name that is there means the one that is there
        first, last = naming.texts[0], naming.texts[-1]
        kind, name = naming.verb.produces, quoted(found.display)
        said = f"there is a {kind} with a name like this: {name} ({found.score} of 100)"
        if found.is_exact:
            said = f"there is a {kind} of this name"
        is_one = len(naming.texts) == 1 and not found.is_exact
        notes.note(
            Code.SIMILAR_ENTITY,
            said,
            first.start,
            last.end,
            advice="if it is meant, use it instead of making another one",
            fixes=notes.fix(
                f"write `{name}`", Applicability.MAYBE,
                (first.start, last.end, name),
            ) if is_one else (),
        )  # fmt: skip
