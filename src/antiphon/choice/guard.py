"""The guard around a model, without the model: drafts come in, orders go out.

A draft that breaks the contract is discarded and asked for again with the same bytes: the model
is not told.  After three the question's own template is shown, or the step ends.  A block that
was accepted once is shown ever after, so a question never reads otherwise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from antiphon.base.machine import Machine
from antiphon.choice.judge import Expected, at_first, judged
from antiphon.choice.question import EVENT_CODES, STEP_ABORT, SUMMARY_HEAD
from antiphon.choice.violations import Violation

DRAFTS_MAX = 3
# A connection that fails is no draft; but nobody waits for ever for one that works.
FAILURES_MAX = 3


@dataclass(frozen=True, slots=True)
class Question:
    """What the model is to ask.  `prompt` goes to it unchanged, as often as it is asked."""

    prompt: str
    flow: str = ""
    step: str = ""
    locale: str = ""
    domain: Sequence[str] | None = None
    template: str | None = None  # a compliant text to show when the model makes none

    @property
    def pin(self) -> str:
        """The name under which the accepted text is kept, whatever was said before it."""
        named = [self.flow, self.step] if self.is_named else self.prompt
        parts = [named, self.locale, list(self.domain or ())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def is_named(self) -> bool:
        return bool(self.flow or self.step)

    def template_faults(self) -> list[Violation]:
        """What its author must mend before any model is asked."""
        return [] if self.template is None else judged(self.template, Expected(domain=self.domain))


# --- facts ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    pinned: str | None  # what was accepted for this question before


@dataclass(frozen=True, slots=True)
class Drafted:
    text: str


@dataclass(frozen=True, slots=True)
class GenerationFailed:
    error: str


@dataclass(frozen=True, slots=True)
class SafetyRefused:
    """The host marks the text as a refusal for safety; it is sent as it is."""

    text: str


# What a draft or a failure turns out to be.


class PinFound:
    pass


class PinMissing:
    pass


class DraftAccepted:
    pass


class DraftDiscarded:
    pass


class LastDraftDiscarded:
    pass


class FailureMet:
    pass


class LastFailureMet:
    pass


# --- orders --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskModel:
    prompt: str


@dataclass(frozen=True, slots=True)
class Show:
    text: str


@dataclass(frozen=True, slots=True)
class Pin:
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RecordViolation:
    """A record for operators: `contract_violation`, or one discarded draft on the way to it."""

    draft_count: int
    violations: tuple[Violation, ...]
    is_final: bool


@dataclass(frozen=True, slots=True)
class Fail:
    """The model cannot be reached; nothing is shown."""

    error: str


Fact = Asked | Drafted | GenerationFailed | SafetyRefused
Order = AskModel | Show | Pin | RecordViolation | Fail


class Mode(Enum):
    NEW = "new"
    WAITING = "waiting"
    ENDED = "ended"


# fmt: off
MODES = Machine(
    # while          this comes           it becomes     because
    (Mode.NEW,       PinFound,            Mode.ENDED,    "R52: shown as before, no model asked"),
    (Mode.NEW,       PinMissing,          Mode.WAITING,  "R53"),
    (Mode.WAITING,   DraftAccepted,       Mode.ENDED,    "R52: pinned"),
    (Mode.WAITING,   DraftDiscarded,      Mode.WAITING,  "R53: the same prompt again"),
    (Mode.WAITING,   LastDraftDiscarded,  Mode.ENDED,    "R54: template, else STEP_ABORT"),
    (Mode.WAITING,   FailureMet,          Mode.WAITING,  "R53: a failure is no draft"),
    (Mode.WAITING,   LastFailureMet,      Mode.ENDED,    "R53: bounded"),
    (Mode.WAITING,   SafetyRefused,       Mode.ENDED,    "R3"),
)
# fmt: on


@dataclass(slots=True)
class Guard:
    question: Question
    mode: Mode = Mode.NEW
    draft_count: int = 0
    failure_count: int = 0

    def receive(self, fact: Fact) -> list[Order]:
        news, orders = self._met(fact)
        self.mode = MODES.step(self.mode, news)
        return orders

    def _met(self, fact: Fact) -> tuple[object, list[Order]]:
        match fact:
            case Asked(pinned):
                if pinned is not None:
                    return PinFound(), [Show(pinned)]
                return PinMissing(), [AskModel(self.question.prompt)]
            case SafetyRefused(text):
                return fact, [Show(text)]
            case GenerationFailed(error):
                self.failure_count += 1
                if self.failure_count < FAILURES_MAX:
                    return FailureMet(), [AskModel(self.question.prompt)]
                return LastFailureMet(), [Fail(error)]
            case Drafted(text):
                return self._drafted(text)

    def _drafted(self, text: str) -> tuple[object, list[Order]]:
        found = tuple(judged(text, Expected(domain=self.question.domain)))
        if not found:
            return DraftAccepted(), self._accepted(text)
        self.draft_count += 1
        is_final = self.draft_count >= DRAFTS_MAX
        record = RecordViolation(self.draft_count, found, is_final)
        if not is_final:
            return DraftDiscarded(), [record, AskModel(self.question.prompt)]
        return LastDraftDiscarded(), [record, Show(self.question.template or STEP_ABORT)]

    def _accepted(self, text: str) -> list[Order]:
        """An event is of this moment, and so is the summary of a named step: its values change."""
        if text in EVENT_CODES:
            return [Show(text)]
        # The remark about an input that was wrong is no part of a named question.
        plain = at_first(text) if self.question.is_named else text
        if self.question.is_named and plain.startswith(SUMMARY_HEAD + "\n"):
            return [Show(text)]
        return [Pin(self.question.pin, plain), Show(plain)]
