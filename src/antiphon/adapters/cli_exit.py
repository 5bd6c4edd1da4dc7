"""How a command ends and what it says on the way: codes, stderr, and answers on stdout."""

from __future__ import annotations

import argparse
import asyncio
import functools
import io
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from antiphon.adapters.front import Reply
from antiphon.adapters.reach import Nearest, open_desk
from antiphon.base.errors import Code, Refused
from antiphon.drivers import owner
from antiphon.wire import codec

WELL, REFUSED = 0, 1

Fields = dict[str, object]


def say(text: str) -> None:
    with suppress(OSError):  # where nobody listens, the exit code still tells
        print(f"antiphon: {text}", file=sys.stderr, flush=True)


def open_streams() -> None:
    """In the place of streams that are closed: nothing to read, nowhere to write an answer.

    What is written is UTF-8 whatever the locale, so that an answer is the same bytes everywhere.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    if sys.stdout is None:  # what is written there would be lost, so it fails
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")


def state_dir_of(arguments: argparse.Namespace) -> Path:
    given: Path | None = arguments.state_dir
    return (given or owner.default_state_dir()).expanduser().absolute()


def with_service(
    arguments: argparse.Namespace,
    use: Callable[[Nearest], Awaitable[int]],
    *,
    shares_after_s: float | None = None,
    packs: Sequence[str] = (),
) -> int:
    """Runs a command that needs the service; it is closed however the command ends."""

    async def used() -> int:
        opened = functools.partial(open_desk, packs=packs)
        nearest = Nearest(state_dir_of(arguments), shares_after_s, opened)
        try:
            return await use(nearest)
        finally:
            await nearest.close()

    return asyncio.run(used())


def print_json(reply: Reply) -> None:
    print(json_text(reply), flush=True)


def json_text(reply: Reply) -> str:
    try:
        return codec.encoded(reply).decode()
    except UnicodeEncodeError:  # a name on this disk that is no UTF-8, which JSON cannot carry
        said = json.dumps(msgspec.to_builtins(reply), ensure_ascii=False)
        return said.encode("utf-8", "replace").decode()


def failed(error: Exception, *, as_json: bool) -> int:
    """What stopped a command that got no answer, as if it were one."""
    found = error if isinstance(error, Refused) else Refused(Code.HOST_UNAVAILABLE, str(error))
    return refused(codec.refusal(found), as_json=as_json)


def refused(reply: Reply, *, as_json: bool) -> int:
    """Says why, and gives the exit code; the JSON of a refusal is an answer, so it is printed."""
    if as_json:
        print_json(reply)
    fields: Fields = msgspec.to_builtins(reply)
    say(str(fields.get("message", fields["error"])))
    return REFUSED
