"""Several answers at once: `key=N key=N`, and the values that a flow is started with.

A field counts its options flat, from 1, whatever blocks they would be asked in.  A field that
cannot be taken is rejected by itself; the others stand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from antiphon.base.errors import Code, Refused
from antiphon.choice.answer import InvalidSaid, NumbersChosen, Reason, value_of
from antiphon.choice.flow import Answers, Chosen, Flow, Value, Values


@dataclass(frozen=True, slots=True)
class Taken:
    answers: Answers
    applied: tuple[tuple[str, Value], ...]  # in declared order
    rejected: tuple[tuple[str, Reason], ...]


def applied(flow: Flow, answers: Answers, fields: tuple[tuple[str, str], ...]) -> Taken:
    """The fields in declared order, whatever order they were typed in."""
    counts = Counter(key for key, _ in fields)
    given = dict(fields)
    keys: list[str] = []
    rejected: dict[str, Reason] = {}
    for number, step in enumerate(flow.steps):
        if step.key not in given:
            continue
        found = _field(flow, answers, number, given[step.key], counts[step.key])
        if isinstance(found, InvalidSaid):
            rejected[step.key] = found.reason
        else:
            answers = flow.answered(answers, number, tuple(n - 1 for n in found.numbers))
            keys.append(step.key)
    rejected |= {key: Reason.UNKNOWN_FIELD for key in given if key not in flow.keys}
    values = tuple((key, flow.value(flow.number_of[key], answers)) for key in keys)
    return Taken(answers, values, tuple(rejected.items()))


def _field(
    flow: Flow, answers: Answers, number: int, value: str, count: int
) -> NumbersChosen | InvalidSaid:
    if count > 1:
        return InvalidSaid(Reason.DUPLICATE)
    if not flow.applies(number, answers):  # at this point of the flow there is no such field
        return InvalidSaid(Reason.UNKNOWN_FIELD)
    options = flow.options_of(number, answers)
    return value_of(value, len(options), is_many=flow.steps[number].is_many)


def prefilled(flow: Flow, values: Values) -> Answers:
    """The answers these labels are; refused, with all that is wrong, when they are none."""
    answers = flow.unanswered
    problems = [f"{key!r} is no field of the flow" for key in values if key not in flow.keys]
    for number, step in enumerate(flow.steps):
        if step.key not in values:
            continue
        if not flow.applies(number, answers):
            problems.append(f"{step.key!r} is not asked after these answers")
            continue
        chosen = _labels(flow, answers, number, values[step.key], problems)
        if chosen is not None:
            answers = flow.answered(answers, number, chosen)
    if problems:
        raise Refused(Code.INVALID_REQUEST, "values: " + "; ".join(problems))
    return answers


def _labels(
    flow: Flow, answers: Answers, number: int, value: Value, problems: list[str]
) -> Chosen | None:
    step, options = flow.steps[number], flow.options_of(number, answers)
    if isinstance(value, str) is step.is_many:
        wanted = "a list of labels" if step.is_many else "one label"
        problems.append(f"{step.key!r} takes {wanted}")
        return None
    labels = [value] if isinstance(value, str) else list(value)
    strange = [label for label in labels if label not in options]
    if strange:
        problems.append(f"{step.key!r} has no option {', '.join(map(repr, strange))}")
        return None
    if len(set(labels)) < len(labels) or (not labels and step.is_required):
        problems.append(f"{step.key!r} takes each label once, and at least one")
        return None
    return tuple(sorted(options.index(label) for label in labels))
