"""A flow: its steps in declared order, and what of them applies after which answers.

An answer is the rising numbers, from 0, of the options that were chosen; `None` is not yet.
Whoever makes a `Flow` checks it first (`loading`); here nothing can be wrong any more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from antiphon.choice.question import OPTIONS_MAX, Block, shown

# Enough that nobody finds two flows with one digest; a state carries it.
DIGEST_CHARS = 32

Chosen = tuple[int, ...]
Answers = tuple[Chosen | None, ...]
Value = str | tuple[str, ...]
Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class OptionsBy:
    """Options that depend on what an earlier step, of one choice, was answered."""

    step: int
    options: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Condition:
    """It holds when any label that the step was answered with is listed."""

    step: int
    labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class Step:
    key: str
    ask: str
    is_many: bool
    options: tuple[str, ...] | OptionsBy
    when: tuple[Condition, ...] = ()
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class Action:
    """A command that a confirmed flow runs in a conversation."""

    run: str
    conversation: str


@dataclass(frozen=True)
class Flow:
    name: str
    steps: tuple[Step, ...]
    on_confirm: Action | None = None

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        return {step.key: number for number, step in enumerate(self.steps)}

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(step.key for step in self.steps)

    @cached_property
    def unanswered(self) -> Answers:
        return (None,) * len(self.steps)

    @cached_property
    def blocks(self) -> tuple[Block | None, ...]:
        """The block of each step that is always asked by one and the same."""
        return tuple(
            Block(step.ask, step.options)
            if isinstance(step.options, tuple)
            and len(step.options) <= OPTIONS_MAX
            and (step.is_required or not step.is_many)
            else None
            for step in self.steps
        )

    @cached_property
    def texts(self) -> tuple[str | None, ...]:
        return tuple(shown(block) if block else None for block in self.blocks)

    @cached_property
    def digest(self) -> str:
        """The same for the same flow, whatever file or object it came from."""
        told = json.dumps(plain(self), sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:DIGEST_CHARS]

    # --- after answers -----------------------------------------------------------

    def options_of(self, number: int, answers: Answers) -> tuple[str, ...]:
        """The step's options now; none when what they depend on is not answered."""
        options = self.steps[number].options
        if isinstance(options, tuple):
            return options
        chosen = answers[options.step]
        if not chosen:
            return ()
        return options.options[self.options_of(options.step, answers)[chosen[0]]]

    def applies(self, number: int, answers: Answers) -> bool:
        step = self.steps[number]
        if not isinstance(step.options, tuple) and answers[step.options.step] is None:
            return False
        return all(self._holds(condition, answers) for condition in step.when)

    def _holds(self, condition: Condition, answers: Answers) -> bool:
        chosen = answers[condition.step]
        if not chosen:
            return False
        options = self.options_of(condition.step, answers)
        return any(options[number] in condition.labels for number in chosen)

    def next_step(self, answers: Answers) -> int | None:
        """The first step that applies and has no answer."""
        for number, chosen in enumerate(answers):
            if chosen is None and self.applies(number, answers):
                return number
        return None

    def answered(self, answers: Answers, number: int, chosen: Chosen) -> Answers:
        """With this answer, and without those later ones that asked something else before it."""
        after = [*answers[:number], chosen, *answers[number + 1 :]]
        for later in range(number + 1, len(after)):
            if after[later] is None:
                continue
            so_far = tuple(after)
            is_same = self.applies(later, so_far) and (
                self.options_of(later, so_far) == self.options_of(later, answers)
            )
            if not is_same:
                after[later] = None
        return tuple(after)

    def value(self, number: int, answers: Answers) -> Value:
        """The label of an answered step, or the labels of one that takes many."""
        chosen = answers[number]
        assert chosen is not None, "only an answered step has a value"
        options = self.options_of(number, answers)
        labels = tuple(options[at] for at in chosen)
        return labels if self.steps[number].is_many else labels[0]

    def values(self, answers: Answers) -> dict[str, Value]:
        return {
            step.key: self.value(number, answers)
            for number, step in enumerate(self.steps)
            if answers[number] is not None
        }


def plain(flow: Flow) -> dict[str, object]:
    """The flow as an object of the form that `loading` reads."""
    found: dict[str, object] = {
        "flow": flow.name,
        "steps": [_plain_step(flow, step) for step in flow.steps],
    }
    if flow.on_confirm:
        action = flow.on_confirm
        found["on_confirm"] = {"run": action.run, "conversation": action.conversation}
    return found


def _plain_step(flow: Flow, step: Step) -> dict[str, object]:
    found: dict[str, object] = {
        "key": step.key,
        "ask": step.ask,
        "select": "many" if step.is_many else "one",
    }
    if isinstance(step.options, tuple):
        found["options"] = list(step.options)
    else:
        table = {label: list(options) for label, options in step.options.options.items()}
        found["options_by"] = {flow.steps[step.options.step].key: table}
    if step.when:
        found["when"] = {flow.steps[one.step].key: sorted(one.labels) for one in step.when}
    if not step.is_required:
        found["required"] = False
    return found
