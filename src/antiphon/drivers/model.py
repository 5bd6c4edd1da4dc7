"""A model behind an OpenAI-compatible endpoint: one request, one whole message or a failure.

The request asks for no stream; an endpoint that streams all the same is read to its end.  What
breaks, breaks as `ModelFailed` with what was seen; a message that was cut is never taken for one.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import msgspec

from antiphon.base import limits
from antiphon.base.errors import Broken

PATH = "/chat/completions"
MODELS_PATH = "/models"
_DATA = b"data:"

Json = dict[str, object]


class ModelFailed(Broken):
    """The endpoint answered with an error, with nonsense, or not to the end."""


class ModelTimedOut(ModelFailed):
    pass


class ModelRefused(ModelFailed):
    """The endpoint will not have this request, however often it is made; or not so soon again."""

    def __init__(self, target: str, answer: Answer) -> None:
        super().__init__(f"{target} answered {answer.status}: {answer.data[:200]!r}")
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    kind: str
    data: bytes
    retry_after: str | None = None


# A request that is wrong stays wrong; one that came too soon or in a conflict may be made again.
_AGAIN = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY}


@dataclass(frozen=True, slots=True)
class Model:
    url: str  # of the interface, `…/v1`, or of the completions themselves
    timeout_ms: int
    name: str | None = None  # instead of the name that a request has
    key_file: Path | None = None

    @property
    def base(self) -> str:
        return self.url.rstrip("/").removesuffix(PATH)

    def key(self) -> str | None:
        """Read anew for each request, so that it can be changed while the server runs."""
        if self.key_file is None:
            return None
        try:
            return self.key_file.expanduser().read_text().strip()
        except OSError as error:
            raise ModelFailed(f"{self.key_file}: {error.strerror}") from error


class Call(msgspec.Struct):
    """A part of a tool call, in a message or in a piece of a stream."""

    index: int = 0
    id: str | None = None
    type: str | None = None
    function: dict[str, str | None] | None = None


class Part(msgspec.Struct):
    """Of a content that comes in parts; those without a text are for no reader."""

    text: str = ""


class Piece(msgspec.Struct):
    content: str | list[Part] | None = None
    refusal: str | None = None
    tool_calls: list[Call] | None = None
    function_call: dict[str, str | None] | None = None  # as tools were called once

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class Choice(msgspec.Struct):
    message: Piece | None = None
    delta: Piece | None = None
    finish_reason: str | None = None


class Completion(msgspec.Struct):
    choices: list[Choice]
    model: str | None = None
    usage: Json | None = None


@dataclass(slots=True)
class Message:
    """What the model made."""

    content: str = ""
    refusal: str = ""
    tool_calls: list[Call] | None = None
    finish_reason: str = ""
    usage: Json | None = None
    function_call: dict[str, str | None] | None = None


async def message_of(model: Model, body: bytes) -> Message:
    """The message that this request leads to."""
    target = model.base + PATH
    answer = await _answer(model, "POST", target, body)
    if answer.status != HTTPStatus.OK:
        is_final = HTTPStatus.BAD_REQUEST <= answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
        if is_final and answer.status not in _AGAIN:
            raise ModelRefused(target, answer)
        raise ModelFailed(f"{target} answered {answer.status}: {answer.data[:200]!r}")
    try:
        if answer.kind.startswith("text/event-stream"):
            return _streamed(answer.data)
        return _read(answer.data)
    except msgspec.DecodeError as error:
        raise ModelFailed(f"{target} answered what is no completion: {error}") from None


async def models_of(model: Model) -> Answer:
    """What the endpoint says of the models it has."""
    return await _answer(model, "GET", model.base + MODELS_PATH, b"")


async def _answer(model: Model, verb: str, target: str, body: bytes) -> Answer:
    import httpx2  # 54 ms, for those who have a model

    headers = {"Accept": "application/json"}
    if body:
        headers["Content-Type"] = "application/json"
    if key := model.key():
        headers["Authorization"] = f"Bearer {key}"
    try:
        async with (
            asyncio.timeout(model.timeout_ms / 1000),
            # One timeout for the whole, above; no TLS is set up for a model without it.
            httpx2.AsyncClient(timeout=None, verify=_trusted(target)) as client,
            client.stream(verb, target, content=body, headers=headers) as answer,
        ):
            return Answer(
                answer.status_code,
                answer.headers.get("content-type", ""),
                await _whole(answer.aiter_bytes()),
                answer.headers.get("retry-after"),
            )
    except TimeoutError:
        raise ModelTimedOut(f"{target}: no answer in {model.timeout_ms} ms") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ModelFailed(f"{target}: {type(error).__name__} {error}".strip()) from error


def _trusted(url: str) -> ssl.SSLContext | bool:
    """Whom to trust: to read the certificates takes longer than a question, so it is done once."""
    return _trust() if url.startswith("https:") else False


@functools.cache
def _trust() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


async def _whole(chunks: AsyncIterator[bytes]) -> bytes:
    found = bytearray()
    async for chunk in chunks:
        found += chunk
        if len(found) > limits.MODEL_BYTES_MAX:
            raise ModelFailed(f"the answer has more than {limits.MODEL_BYTES_MAX} bytes")
    return bytes(found)


def _read(data: bytes) -> Message:
    completion = msgspec.json.decode(data, type=Completion)
    choice = completion.choices[0] if completion.choices else None
    if choice is None or choice.message is None:
        raise ModelFailed("the completion has no message")
    piece = choice.message
    return Message(
        piece.text,
        piece.refusal or "",
        piece.tool_calls or None,
        choice.finish_reason or "",
        completion.usage,
        piece.function_call,
    )


def _streamed(data: bytes) -> Message:
    found = Message()
    calls: dict[int, Call] = {}
    is_whole = False
    for line in data.splitlines():
        if not line.startswith(_DATA):
            continue
        said = line[len(_DATA) :].strip()
        if said == b"[DONE]":
            is_whole = True
            break
        piece = msgspec.json.decode(said, type=Completion)
        found.usage = piece.usage or found.usage
        for choice in piece.choices[:1]:
            found.finish_reason = choice.finish_reason or found.finish_reason
            delta = choice.delta or Piece()
            found.content += delta.text
            found.refusal += delta.refusal or ""
            if delta.function_call:
                found.function_call = _joined(found.function_call, delta.function_call)
            for call in delta.tool_calls or ():
                _join(calls.setdefault(call.index, Call(call.index)), call)
    if not (is_whole or found.finish_reason):
        raise ModelFailed("the stream ended before its message did")
    found.tool_calls = [calls[index] for index in sorted(calls)] or None
    return found


def _join(call: Call, more: Call) -> None:
    call.id = call.id or more.id
    call.type = call.type or more.type
    call.function = _joined(call.function, more.function)


def _joined(
    function: dict[str, str | None] | None, more: dict[str, str | None] | None
) -> dict[str, str | None]:
    found = dict(function or {})
    for name, text in (more or {}).items():
        found[name] = (found.get(name) or "") + (text or "")
    return found
