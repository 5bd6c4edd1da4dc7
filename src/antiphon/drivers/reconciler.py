"""Another reconciliation service as a source: words out, candidates in, and nothing trusted.

It speaks the W3C API's 1.0 draft. Whatever the other side does, there is an answer within the
time that the pack gives it: candidates, or `SourceFailed` with what was seen.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx2
import msgspec

from antiphon.base import limits
from antiphon.base.errors import Broken
from antiphon.entity.types import Source

SHOWN_BYTES = 200  # of what was answered, in a message about it


class SourceFailed(Broken):
    """The other service did not answer, or not as its protocol says."""


class Given(msgspec.Struct):
    """A candidate as the service gives it."""

    id: str
    name: str
    score: float | None = None


class Result(msgspec.Struct):
    candidates: list[Given]


class Results(msgspec.Struct):
    results: list[Result]


@dataclass(frozen=True, slots=True)
class Seen:
    """An entity of the service; points from 0 to 100 are the service's own, where it has some."""

    entity_id: str
    name: str
    points: int


def found(source: Source, words: str, filters: Mapping[str, Sequence[str]]) -> list[Seen]:
    """What the service finds for the words, in its order."""
    conditions: list[dict[str, object]] = [{"matchType": "name", "propertyValue": words}]
    conditions += [
        {
            "matchType": "property",
            "propertyId": name,
            "propertyValue": list(values),
            "required": True,
        }
        for name, values in filters.items()
    ]
    query: dict[str, object] = {"conditions": conditions, "limit": limits.ENTITIES_MAX}
    if source.type is not None:
        query["type"] = source.type
    where = f"{source.url.rstrip('/')}/match"
    data = _asked(source, where, json.dumps({"queries": [query]}).encode())
    try:
        answer = msgspec.json.decode(data, type=Results)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        shown = f"{error}: {data[:SHOWN_BYTES]!r}"
        raise SourceFailed(f"{where} answered what is no result: {shown}") from None
    if len(answer.results) != 1:
        raise SourceFailed(f"{where} answered {len(answer.results)} results to one query")
    return _sane(answer.results[0].candidates)


def _sane(given: Sequence[Given]) -> list[Seen]:
    """Each once, with an id and a name that can be kept and shown."""
    seen: dict[str, Seen] = {}
    for one in given[: limits.ENTITIES_MAX]:
        name = " ".join(one.name.split())[: limits.SOURCE_NAME_CHARS_MAX]
        is_plain = one.id.isprintable() and 0 < len(one.id) <= limits.SOURCE_NAME_CHARS_MAX
        if is_plain and name and "\0" not in name:
            seen.setdefault(one.id, Seen(one.id, name, _points(one.score)))
    return list(seen.values())


def _points(score: float | None) -> int:
    if score is None or not math.isfinite(score):
        return 0
    return max(0, min(100, round(score)))


def _asked(source: Source, where: str, body: bytes) -> bytes:
    deadline = time.monotonic() + source.timeout_ms / 1000
    headers = {"content-type": "application/json", "accept": "application/json"}
    key = _key(source)
    if key:
        headers["authorization"] = f"Bearer {key}"
    late = f"{where} did not answer within {source.timeout_ms} ms"
    try:
        with (
            httpx2.Client(timeout=source.timeout_ms / 1000, follow_redirects=False) as client,
            client.stream("POST", where, content=body, headers=headers) as response,
        ):
            data = bytearray()
            for piece in response.iter_bytes():
                data += piece
                if len(data) > limits.SOURCE_ANSWER_BYTES_MAX:
                    most = limits.SOURCE_ANSWER_BYTES_MAX
                    raise SourceFailed(f"{where} answered more than {most} bytes")
                # A service that dribbles never reaches the time-out of one read.
                if time.monotonic() > deadline:
                    raise SourceFailed(late)
            if response.status_code != HTTPStatus.OK:
                shown = bytes(data[:SHOWN_BYTES])
                raise SourceFailed(f"{where} answered {response.status_code}: {shown!r}")
            return bytes(data)
    except httpx2.TimeoutException:
        raise SourceFailed(late) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise SourceFailed(f"{where} cannot be asked: {error}") from None


def _key(source: Source) -> str | None:
    """Read anew each time, so that it can be changed while the server runs."""
    if source.key_file is None:
        return None
    try:
        return Path(source.key_file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceFailed(f"{source.key_file} cannot be read: {error}") from None
