"""`antiphon.guard`: any text generator, and only compliant text out of it.

What the core orders is done here: the generator is asked, accepted texts are kept in the state
directory, violations are logged.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

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
from antiphon.drivers import owner
from antiphon.drivers.dialogue_files import DialogueFiles

Text = str | SafetyRefused
Generate = Callable[[str], Text | Awaitable[Text]]
Record = Callable[[RecordViolation], None]

log = logging.getLogger("antiphon")


async def guard(
    generate: Generate,
    question: Question,
    *,
    state_dir: str | Path | None = None,
    record: Record | None = None,
) -> str:
    """The text to show for the question: compliant, and the same one ever after.

    `generate` takes a prompt and gives a draft, or a `SafetyRefused` that is shown as it is.  It
    is asked with the same prompt up to three times.  What it raises as `OSError` or `Broken` is a
    failure and no draft; after three of them `Broken` is raised.
    """
    chosen = Path(state_dir) if state_dir is not None else owner.default_state_dir()
    files = DialogueFiles(owner.prepared(chosen.expanduser().absolute()))
    machine = Guard(question)
    orders = machine.receive(Asked(files.kept("pin", question.pin)))
    while True:
        fact = await _obeyed(orders, generate, files, record or logged)
        if isinstance(fact, str):
            return fact
        orders = machine.receive(fact)


async def _obeyed(
    orders: list[Order], generate: Generate, files: DialogueFiles, record: Record
) -> Fact | str:
    """What the orders lead to: the text to show, or what the generator made."""
    for order in orders:
        match order:
            case RecordViolation():
                record(order)
            case Pin(name, text):
                files.keep("pin", name, text)
            case AskModel(prompt):
                return await _generated(generate, prompt)
            case Show(text):
                return text
            case Fail(error):
                raise Broken(f"the generator failed: {error}")
    raise AssertionError("the last order asks, shows or fails")


async def _generated(generate: Generate, prompt: str) -> Fact:
    try:
        made = generate(prompt)
        text = await made if inspect.isawaitable(made) else made
    except (OSError, Broken) as error:
        return GenerationFailed(str(error) or type(error).__name__)
    return text if isinstance(text, SafetyRefused) else Drafted(text)


def logged(record: RecordViolation) -> None:
    codes = ", ".join(f"{found.code} at {found.at}" for found in record.violations)
    word = "contract_violation" if record.is_final else "draft discarded"
    log.warning("%s: draft %d, %s", word, record.draft_count, codes)
