"""`POST /v1/chat/completions`: an OpenAI-compatible endpoint with the guard in front of a model.

An agent that changes its base URL gets only compliant text: a draft that breaks the contract is
asked for again with the same bytes, and the agent never sees it.  Tool calls pass, without the
prose beside them; a refusal for safety passes as it is.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Literal

import msgspec

from antiphon.adapters.guarding import guard, logged
from antiphon.base.errors import Broken, Refused
from antiphon.choice.guard import Question, RecordViolation, SafetyRefused
from antiphon.drivers.model import (
    Call,
    Message,
    Model,
    ModelFailed,
    ModelRefused,
    ModelTimedOut,
    message_of,
    models_of,
)
from antiphon.wire import codec

Json = dict[str, object]
# What a request may say of its question; it is ours and does not reach the model.
EXTENSION = "antiphon"
STREAM = "text/event-stream"


class Asking(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    flow: str = ""
    step: str = ""
    locale: str = ""
    domain: list[str] | None = None
    template: str | None = None


class Request(msgspec.Struct, frozen=True):
    """What is read of a request; the rest of it goes to the model as it is."""

    messages: list[Json]
    model: str | None = None
    stream: bool | None = None
    n: Literal[1] | None = None
    stream_options: Json | None = None
    antiphon: Asking = Asking()


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    status: int
    body: bytes
    media_type: str = "application/json"
    retry_after: str | None = None


class _NotText(Exception):
    """The model calls tools: nothing of that is for the user."""

    def __init__(self, message: Message) -> None:
        super().__init__("tool calls")
        self.message = message


class _Final(Exception):
    """A failure after which the model is not asked again."""

    def __init__(self, failure: ModelFailed) -> None:
        super().__init__(str(failure))
        self.failure = failure


@dataclass(slots=True)
class Chat:
    """The endpoint, without its route."""

    model: Model | None = None
    state_dir: Path | None = None  # where accepted texts are kept; None is the usual one
    discarded_count: int = 0

    async def answer(self, arguments: Json) -> ChatAnswer:
        try:
            request = msgspec.convert(arguments, Request)
        except msgspec.ValidationError as error:
            fields = Request.__struct_fields__
            read = {name: one for name, one in arguments.items() if name in fields}
            fault = codec.fault(str(error), read, Request)
            return _error(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_request", fault)
        if self.model is None:
            return _no_model()
        try:
            made = await self._message(request, arguments, self.model)
        except Refused as error:
            return _error(HTTPStatus.UNPROCESSABLE_ENTITY, error.code.value, error.message)
        except ModelFailed as error:
            return _failed(error)
        return _streamed(request, made) if request.stream else _whole(request, made)

    async def models(self, _: Json) -> ChatAnswer:
        """What the model's endpoint says of its models: agents ask before they choose."""
        if self.model is None:
            return ChatAnswer(HTTPStatus.OK, b'{"object":"list","data":[]}')
        try:
            answer = await models_of(self.model)
        except ModelFailed as error:
            return _failed(error)
        if answer.status != HTTPStatus.OK:
            return _failed(ModelRefused(self.model.base, answer))
        return ChatAnswer(HTTPStatus.OK, answer.data, answer.kind)

    async def _message(self, request: Request, arguments: Json, model: Model) -> Message:
        body = _forwarded(arguments, model)
        asking = request.antiphon
        question = Question(
            body.decode(), asking.flow, asking.step, asking.locale, asking.domain, asking.template
        )
        last = Message()
        failure = ModelFailed("the model was not asked")

        async def generate(prompt: str) -> str | SafetyRefused:
            nonlocal last, failure
            try:
                last = await message_of(model, prompt.encode())
            except ModelRefused as error:
                raise _Final(error) from None
            except ModelFailed as error:
                failure = error
                raise
            if last.tool_calls or last.function_call:
                raise _NotText(last)
            if last.refusal or last.finish_reason == "content_filter":
                return SafetyRefused(last.refusal or last.content)
            if last.finish_reason == "length":
                failure = ModelFailed("the model's message was cut at its greatest length")
                raise failure
            return last.content

        try:
            text = await guard(generate, question, state_dir=self.state_dir, record=self._record)
        except _NotText as found:
            found.message.content = ""  # prose beside a tool call would be narration
            return found.message
        except _Final as found:
            raise found.failure from None
        except Broken:
            raise failure from None
        return Message(text, last.refusal, usage=last.usage)

    def _record(self, record: RecordViolation) -> None:
        self.discarded_count += 1
        logged(record)


def _forwarded(arguments: Json, model: Model) -> bytes:
    """The bytes of every try: no stream, for a draft is judged whole."""
    said = {
        name: value
        for name, value in arguments.items()
        if name not in {EXTENSION, "stream", "stream_options"}
    }
    if model.name is not None:
        said["model"] = model.name
    return msgspec.json.encode({**said, "stream": False})


# --- answers ------------------------------------------------------------------------


def _message_fields(made: Message) -> Json:
    fields: Json = {"role": "assistant", "content": made.content or None}
    if made.refusal:
        fields |= {"content": None, "refusal": made.refusal}
    if made.tool_calls:
        fields["tool_calls"] = [_call(call) for call in made.tool_calls]
    if made.function_call:
        fields["function_call"] = made.function_call
    return fields


def _call(call: Call) -> Json:
    return {"id": call.id, "type": call.type or "function", "function": call.function}


def _finish(made: Message) -> str:
    if made.function_call:
        return "function_call"
    return "tool_calls" if made.tool_calls else "stop"


def _head(request: Request, made: Message, kind: str) -> Json:
    told = hashlib.sha256(msgspec.json.encode([request.messages, made.content])).hexdigest()
    return {
        "id": f"chatcmpl-{told[:24]}",
        "object": kind,
        "created": int(time.time()),
        "model": request.model or "",
    }


def _whole(request: Request, made: Message) -> ChatAnswer:
    choice = {"index": 0, "message": _message_fields(made), "finish_reason": _finish(made)}
    body: Json = {**_head(request, made, "chat.completion"), "choices": [choice]}
    if made.usage is not None:
        body["usage"] = made.usage
    return ChatAnswer(HTTPStatus.OK, msgspec.json.encode(body))


def _streamed(request: Request, made: Message) -> ChatAnswer:
    head = _head(request, made, "chat.completion.chunk")
    events = [
        b"data: " + msgspec.json.encode({**head, **piece}) + b"\n\n"
        for piece in _pieces(request, made)
    ]
    return ChatAnswer(HTTPStatus.OK, b"".join(events) + b"data: [DONE]\n\n", STREAM)


def _pieces(request: Request, made: Message) -> Iterator[Json]:
    delta = _message_fields(made)
    if made.tool_calls:
        delta["tool_calls"] = [
            {"index": index, **_call(call)} for index, call in enumerate(made.tool_calls)
        ]
    yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": _finish(made)}]}
    if (request.stream_options or {}).get("include_usage") and made.usage is not None:
        yield {"choices": [], "usage": made.usage}


def _no_model() -> ChatAnswer:
    message = "no model is set: ANTIPHON_LLM_URL says where one is"
    return _error(HTTPStatus.SERVICE_UNAVAILABLE, "host_unavailable", message)


# What a model's endpoint says of the key that the operator gave is nothing the agent can mend.
_OURS = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


def _failed(error: ModelFailed) -> ChatAnswer:
    if isinstance(error, ModelTimedOut):
        return _error(HTTPStatus.GATEWAY_TIMEOUT, "model_timeout", str(error))
    if not isinstance(error, ModelRefused):
        return _error(HTTPStatus.BAD_GATEWAY, "model_failed", str(error))
    if error.answer.status in _OURS:
        # Endpoints repeat a part of the key that they did not accept.
        message = f"the model's endpoint answered {error.answer.status} to the operator's key"
        return _error(HTTPStatus.BAD_GATEWAY, "model_failed", message)
    answer = error.answer
    told = _error(answer.status, "model_refused", str(error))
    # Agents look for codes in it: that a context is too long, say.
    body = answer.data if _is_error(answer.data) else told.body
    return replace(told, body=body, retry_after=answer.retry_after)


def _is_error(data: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(data, type=dict[str, object])["error"], dict)
    except (msgspec.DecodeError, KeyError):
        return False


def _error(status: int, code: str, message: str) -> ChatAnswer:
    """In the shape that clients of this interface read."""
    kind = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "api_error"
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return ChatAnswer(status, msgspec.json.encode(body))
