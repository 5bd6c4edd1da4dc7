"""What a message asks for: by the verbs' phrases, or by a model that an operator has set.

Both are asked in the same way and answer with intents, never with a program's text.  A model is
told what is wrong with its answer and asked again; when no try is good, `model_failed` is refused,
and whoever asked changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.model import Call, Message, Model, ModelFailed, ModelTimedOut, message_of
from antiphon.dsl.verbs import Vocabulary
from antiphon.repl import modelling
from antiphon.repl.intents import Outcome
from antiphon.repl.matcher import Matcher
from antiphon.repl.slots import Codes

log = logging.getLogger("antiphon")

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Context:
    """What a message may lean on."""

    bindings: Mapping[str, str | None] = field(default_factory=dict)  # symbol -> entity type


class Extractor(Protocol):
    async def extract(self, message: str, context: Context) -> Outcome: ...


class Phrases:
    """The phrases of the verbs: offline, and always the same."""

    def __init__(self, vocabulary: Vocabulary, codes: Codes = lambda _: ()) -> None:
        self._matcher = Matcher(vocabulary, codes)

    async def extract(self, message: str, context: Context) -> Outcome:  # noqa: ARG002 - a port
        return await asyncio.to_thread(self._matcher.extract, message)


class ModelIntents:
    """A model that calls the one tool it is offered, or is not believed."""

    def __init__(self, vocabulary: Vocabulary, model: Model) -> None:
        self._vocabulary = vocabulary
        self._model = model

    async def extract(self, message: str, context: Context) -> Outcome:
        try:
            async with asyncio.timeout(self._model.timeout_ms / 1000):
                return await self._tried(message, context)
        except (TimeoutError, ModelTimedOut) as error:
            reason = str(error) or f"no intent in {self._model.timeout_ms} ms"
            raise Refused(Code.MODEL_TIMEOUT, f"the model took too long: {reason}") from None
        except ModelFailed as error:
            raise Refused(Code.MODEL_FAILED, f"the model failed: {error}") from None

    async def _tried(self, message: str, context: Context) -> Outcome:
        asked = modelling.Asked(self._vocabulary, message, context.bindings)
        said: list[Json] = modelling.opening(asked)
        failure: ModelFailed | None = None
        for _ in range(limits.MODEL_TRIES_MAX):
            try:
                answer = await message_of(self._model, self._body(asked, said))
            except ModelTimedOut:
                raise
            except ModelFailed as error:
                failure = error
                continue
            outcome, faults = modelling.outcome(asked, _proposal(answer))
            if outcome is not None:
                return outcome
            failure = ModelFailed("; ".join(faults))
            log.warning("the model's intents are refused: %s", failure)
            said += _feedback(answer, faults)
        raise failure or ModelFailed("it was not asked")

    def _body(self, asked: modelling.Asked, said: list[Json]) -> bytes:
        body: Json = {
            "messages": said,
            "tools": [modelling.tool(asked)],
            "tool_choice": {"type": "function", "function": {"name": modelling.TOOL}},
            "temperature": 0,
            "stream": False,
        }
        if self._model.name is not None:
            body = {"model": self._model.name, **body}
        return msgspec.json.encode(body)


def extractor(
    vocabulary: Vocabulary, model: Model | None, codes: Codes = lambda _: ()
) -> Extractor:
    """A model where one is set, else the phrases; `codes` help them to tell values apart."""
    return ModelIntents(vocabulary, model) if model else Phrases(vocabulary, codes)


def _proposal(answer: Message) -> object:
    """The arguments of the tool call, or why there are none; a cut message is none."""
    if answer.finish_reason == "length":
        return modelling.NoCall("the answer was cut at its greatest length")
    calls = answer.tool_calls or []
    if len(calls) != 1 or calls[0].function is None:
        return modelling.NoCall(f"the answer has {len(calls)} tool calls, and one is expected")
    name, text = calls[0].function.get("name"), calls[0].function.get("arguments")
    if name != modelling.TOOL:
        return modelling.NoCall(f"there is no tool {name!r:.60}; call {modelling.TOOL}")
    try:
        return modelling.decoded(text or "")
    except (ValueError, RecursionError) as error:
        return modelling.NoCall(f"the arguments are no JSON: {error}")


def _feedback(answer: Message, faults: list[str]) -> list[Json]:
    """The model's answer and what was wrong with it, in the form that endpoints take."""
    text = "Not accepted: " + "; ".join(faults)
    calls = [call for call in answer.tool_calls or [] if call.id]
    if not calls or len(calls) != len(answer.tool_calls or []):
        return [
            {"role": "assistant", "content": answer.content or answer.refusal or "(nothing)"},
            {"role": "user", "content": text},
        ]
    answers: list[Json] = [
        {"role": "tool", "tool_call_id": call.id, "content": text} for call in calls
    ]
    made: Json = {"role": "assistant", "content": None, "tool_calls": [_call(c) for c in calls]}
    return [made, *answers]


def _call(call: Call) -> Json:
    function = {"name": "", "arguments": "", **(call.function or {})}
    return {"id": call.id, "type": "function", "function": function}
