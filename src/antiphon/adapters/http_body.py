"""What an HTTP request says: its JSON body, its query, the fields in its path; that it is gone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import parse_qs

import msgspec
from starlette.types import Receive, Scope

from antiphon.adapters.http_security import NoRequest
from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.wire import codec

Answered = TypeVar("Answered")

WHOLE = re.compile(r"-?[0-9]{1,15}")


class Gone(Exception):
    """The client left before the answer."""


def whole_numbers(shape: type[msgspec.Struct]) -> frozenset[str]:
    """The fields that are whole numbers: a query has only text."""
    properties = msgspec.json.schema_components([shape])[1][shape.__name__]["properties"]
    return frozenset(
        name
        for name, one in properties.items()
        if "integer" in {each.get("type") for each in one.get("anyOf", [one])}
    )


async def arguments_of(
    scope: Scope,
    receive: Receive,
    numbers: frozenset[str] = frozenset(),
    malformed: HTTPStatus = HTTPStatus.BAD_REQUEST,
) -> dict[str, object]:
    """The operation's fields: the body, the query of a GET or DELETE, what stands in the path."""
    if scope["method"] in ("POST", "PUT"):
        arguments = _object(await body_of(scope, receive), malformed)
    else:
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        arguments = {
            name: int(values[-1]) if name in numbers and WHOLE.fullmatch(values[-1]) else values[-1]
            for name, values in query.items()
        }
    path: dict[str, str] = scope["path_params"]
    for name, value in path.items():
        if arguments.setdefault(name, value) != value:
            raise NoRequest(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                Code.INVALID_REQUEST,
                f"{name} in the body is another than in the path; leave it out",
            )
    return arguments


def _object(body: bytes, malformed: HTTPStatus) -> dict[str, object]:
    try:
        return codec.decoded(body)
    except Refused as refused:
        try:
            msgspec.json.decode(body)
            status = HTTPStatus.UNPROCESSABLE_ENTITY  # JSON, but no object
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            status = malformed
        raise NoRequest(status, refused.code, refused.message) from None


async def body_of(scope: Scope, receive: Receive) -> bytes:
    """The JSON body.  Nothing at all stands for `{}`; anything else must say that it is JSON."""
    kind = length = None
    for name, value in scope["headers"]:
        if name == b"content-type":
            kind = value
        elif name == b"content-length":
            length = int(value)
    if length is not None and length > limits.BODY_BYTES_MAX:
        raise _too_large()
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limits.BODY_BYTES_MAX:
            raise _too_large()
        chunks.append(chunk)
        if not message.get("more_body"):
            break
    if size == 0 and (kind is None or _is_json(kind)):
        return b"{}"
    if kind is None or not _is_json(kind):
        raise NoRequest(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            Code.INVALID_REQUEST,
            "the body must be JSON and say so: Content-Type: application/json",
        )
    return b"".join(chunks)


def _is_json(kind: bytes) -> bool:
    name, _, rest = kind.lower().partition(b";")
    charset = rest.replace(b" ", b"").replace(b'"', b"")
    return name.strip() == b"application/json" and charset in {b"", b"charset=utf-8"}


def _too_large() -> NoRequest:
    return NoRequest(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        Code.LIMIT_REACHED,
        f"the body has more than {limits.BODY_BYTES_MAX} bytes",
    )


async def until_gone(work: Coroutine[object, object, Answered], receive: Receive) -> Answered:
    """The answer, unless the client leaves first: then nobody waits for it any more."""
    answer = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({answer, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise Gone
        return answer.result()
    finally:
        answer.cancel()
        leaving.cancel()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
