"""Whether any answers lead to a step: a `when` that can never hold is a mistake of its author.

Conditions only ask for labels, and options depend on one step of one choice, so it is enough to
walk back from the step and keep, for each step it needs, the labels that still will do.
"""

from __future__ import annotations

from collections.abc import Sequence

from antiphon.choice.flow import Step

# For a step: sets of labels, of each of which at least one must be chosen.
Wanted = list[frozenset[str]]


def depends_on(step: Step) -> list[int]:
    """The steps whose answers it needs itself."""
    found = [condition.step for condition in step.when]
    return found if isinstance(step.options, tuple) else [*found, step.options.step]


def is_reachable(steps: Sequence[Step], target: int) -> bool:
    wanted: dict[int, Wanted] = {target: []}
    for number in range(target, -1, -1):
        if number not in wanted:
            continue
        step = steps[number]
        for condition in step.when:
            wanted.setdefault(condition.step, []).append(condition.labels)
        sets = wanted[number]
        if isinstance(step.options, tuple):
            if not _can_choose(step, step.options, sets):
                return False
        else:
            will_do = frozenset(
                label
                for label, options in step.options.options.items()
                if _can_choose(step, options, sets)
            )
            if not will_do:
                return False
            wanted.setdefault(step.options.step, []).append(will_do)
    return True


def _can_choose(step: Step, options: Sequence[str], sets: Wanted) -> bool:
    if step.is_many:
        return all(not labels.isdisjoint(options) for labels in sets)
    return any(all(option in labels for labels in sets) for option in options)
