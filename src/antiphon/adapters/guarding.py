"""`antiphon.guard`: any text generator, and only compliant text out of it.

What the core orders is done here: the generator is asked, accepted texts are kept in the state
directory, and so is a record of each draft that broke the contract.
"""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from antiphon.adapters.calls import Refused
from antiphon.base import errors
from antiphon.base.errors import Broken
from antiphon.choice.guard import (
    Asked,
    AskModel,
    Drafted,
    Fact,
    Fail,
    GenerationFailed,
    Guard,
    Order,
    Pin,
    Question,
    RecordViolation,
    SafetyRefused,
    Show,
)
from antiphon.choice.question import EVENT_CODES
from antiphon.choice.violations import Violation
from antiphon.drivers import owner
from antiphon.drivers.dialogue_files import DialogueFiles
from antiphon.wire import codec

Text = str | SafetyRefused
Generate = Callable[[str], Text | Awaitable[Text]]
Record = Callable[[RecordViolation], None]

log = logging.getLogger("antiphon")


async def guard(
    generate: Generate,
    question: Question | str,
    *,
    state_dir: str | Path | None = None,
    record: Record | None = None,
) -> str:
    """The text to show for the question, or for a prompt alone: compliant, and ever the same.

    `generate` takes a prompt and gives a draft, or a `SafetyRefused` that is shown as it is.  It
    is asked with the same prompt up to three times.  What it raises as `OSError` or `Broken` is a
    failure and no draft; after three of them `Broken` is raised.  A question whose own template
    breaks the contract is `Refused` before the model is asked.
    """
    if not isinstance(question, Question | str):
        raise TypeError(f"found {type(question).__name__}; a Question or its prompt is expected")
    asking = Question(question) if isinstance(question, str) else question
    if faults := asking.template_faults():
        raise _no_template(faults)
    chosen = Path(state_dir) if state_dir is not None else owner.default_state_dir()
    files = DialogueFiles(owner.prepared(chosen.expanduser().absolute()))
    keeping = _Keeping(files, asking, record or logged)
    machine = Guard(asking)
    orders = machine.receive(Asked(files.kept("pin", asking.pin)))
    while True:
        fact = await _obeyed(orders, generate, keeping)
        if isinstance(fact, str):
            return fact
        orders = machine.receive(fact)


def _no_template(faults: list[Violation]) -> Refused:
    told = "; ".join(f"{found.code} at {found.at}: {found.message}" for found in faults)
    refused = errors.Refused(errors.Code.CONTRACT_VIOLATION, f"the question's template: {told}")
    return Refused("guard", {**codec.refusal(refused), "violations": msgspec.to_builtins(faults)})


@dataclass(frozen=True, slots=True)
class _Keeping:
    """What stays of the way to a text: its pin, and a record of each thing that went wrong."""

    files: DialogueFiles
    question: Question
    record: Record

    def violation(self, record: RecordViolation) -> None:
        self._note(
            event="contract_violation" if record.is_final else "draft_discarded",
            draft=record.draft_count,
            violations=record.violations,
        )
        self.record(record)

    def event(self, code: str) -> None:
        self._note(event=code)

    def _note(self, **said: object) -> None:
        asked = self.question
        named = {"flow": asked.flow, "step": asked.step, "locale": asked.locale, "pin": asked.pin}
        self.files.note(msgspec.json.encode({"ts": time.time_ns() // 1_000_000, **said, **named}))


async def _obeyed(orders: list[Order], generate: Generate, keeping: _Keeping) -> Fact | str:
    """What the orders lead to: the text to show, or what the generator made."""
    pinned = None
    for order in orders:
        match order:
            case RecordViolation():
                keeping.violation(order)
            case Pin(name, text):
                # Where two asked at once, both show what was accepted first.
                pinned = keeping.files.keep_first("pin", name, text)
            case AskModel(prompt):
                return await _generated(generate, prompt)
            case Show(text):
                if text in EVENT_CODES:
                    keeping.event(text)
                return pinned or text
            case Fail(error):
                raise Broken(f"the generator failed: {error}")
    raise AssertionError("the last order asks, shows or fails")


async def _generated(generate: Generate, prompt: str) -> Fact:
    try:
        made = generate(prompt)
        text: object = await made if inspect.isawaitable(made) else made
    except (OSError, Broken) as error:
        return GenerationFailed(str(error) or type(error).__name__)
    match text:
        case str():
            return Drafted(text)
        case SafetyRefused():
            return text
    kind = type(text).__name__
    raise TypeError(f"the generator gave {kind}; a text or a SafetyRefused is expected")


def logged(record: RecordViolation) -> None:
    codes = ", ".join(f"{found.code} at {found.at}" for found in record.violations)
    word = "contract_violation" if record.is_final else "draft discarded"
    log.warning("%s: draft %d, %s", word, record.draft_count, codes)
