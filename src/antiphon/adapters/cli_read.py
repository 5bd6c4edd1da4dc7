"""The commands that ask and print: conversations, blocks, hits, output, any one call."""

from __future__ import annotations

import argparse
import base64
import codecs
import sys
from datetime import UTC, datetime

import msgspec

from antiphon.adapters import keeping, limits
from antiphon.adapters.cli_exit import (
    WELL,
    Fields,
    print_json,
    refused,
    say,
    state_dir_of,
    with_service,
)
from antiphon.adapters.front import Reply, outcome
from antiphon.adapters.reach import Nearest
from antiphon.adapters.shown import Shown
from antiphon.base.errors import Code, Refused
from antiphon.wire import codec
from antiphon.wire import terminal as t
from antiphon.wire.methods import METHODS, named

# What `tail` shows when no cursor is given.
TAIL_BYTES = 8 << 10
PAGE_BYTES = 1 << 20


def ls(arguments: argparse.Namespace) -> int:
    async def use(service: Nearest) -> int:
        reply = await service.answer("pty.list", {})
        if outcome(reply) != "ok" or arguments.json:
            return _shown(reply, as_json=arguments.json)
        conversations = msgspec.convert(msgspec.to_builtins(reply), t.ListAnswer).conversations
        if not conversations:
            say("there are none yet; antiphon exec NAME -- COMMAND begins one")
        for found in conversations:
            print(f"{found.conversation_id}\t{found.mode}\t{_moment(found.last_activity)}")
        return WELL

    return with_service(arguments, use)


def blocks(arguments: argparse.Namespace) -> int:
    async def use(service: Nearest) -> int:
        items: list[t.Block] = []
        cursor = 0
        while True:
            asked: Fields = {"conversation_id": arguments.conversation, "from_cursor": cursor}
            reply = await service.answer("blocks.since", {**asked, "limit": 200})
            if outcome(reply) != "ok":
                return refused(reply, as_json=arguments.json)
            page = msgspec.convert(msgspec.to_builtins(reply), t.BlocksSinceAnswer)
            items += page.items
            if not page.items:
                break
            cursor = page.resume_cursor
        if arguments.json:
            print_json(t.BlocksSinceAnswer(items=items, cursor=0, resume_cursor=cursor))
            return WELL
        for block in items:
            first, *more = block.cmd.splitlines() or [""]
            ending = "-" if block.exit_code is None else str(block.exit_code)
            print(
                f"{block.block_id}\t{block.status}\t{ending}\t{_moment(block.ts_begin)}\t"
                f"{first}{' …' if more else ''}"
            )
        return WELL

    return with_service(arguments, use)


def search(arguments: argparse.Namespace) -> int:
    asked: Fields = {
        "conversation_id": arguments.conversation,
        "query": arguments.query,
        "match_type": "regex" if arguments.regex else "substring",
        "ignore_case": arguments.ignore_case,
        "limit": arguments.limit,
    }

    async def use(service: Nearest) -> int:
        reply = await service.answer("blocks.search", asked)
        if outcome(reply) != "ok" or arguments.json:
            return _shown(reply, as_json=arguments.json)
        for hit in msgspec.convert(msgspec.to_builtins(reply), t.BlocksSearchAnswer).hits:
            print(f"{hit.block_id}:{hit.line}:{hit.text}")
        return WELL

    return with_service(arguments, use)


def tail(arguments: argparse.Namespace) -> int:
    async def use(service: Nearest) -> int:
        cursor = arguments.from_cursor
        if cursor is None:
            status = await service.answer("pty.status", {"conversation_id": arguments.conversation})
            if outcome(status) != "ok":
                return refused(status, as_json=arguments.json)
            cursor = max(0, int(msgspec.to_builtins(status)["resume_cursor"]) - TAIL_BYTES)
        if arguments.follow:
            await _follow(service, arguments, cursor)
            return WELL
        return await _read(service, arguments, cursor)

    return with_service(arguments, use, shares_after_s=limits.SHARE_AFTER_S)


async def _follow(service: Nearest, arguments: argparse.Namespace, cursor: int) -> None:
    """In JSON, output comes in lines of its own between the events."""
    shown = Shown()
    text = codecs.getincrementaldecoder("utf-8")("replace")
    async for item in service.stream(arguments.conversation, cursor):
        if isinstance(item, str):
            if arguments.json:
                print(item, flush=True)
        elif arguments.json:
            print_json({"type": "output", "cursor": cursor, "data": text.decode(item)})
            cursor += len(item)
        else:
            _write(shown.next(item))


async def _read(service: Nearest, arguments: argparse.Namespace, cursor: int) -> int:
    shown = Shown()
    while True:
        asked: Fields = {
            "conversation_id": arguments.conversation,
            "from_cursor": cursor,
            "max_bytes": PAGE_BYTES,
            "encoding": "utf-8" if arguments.json else "base64",
        }
        reply = await service.answer("pty.read_spool", asked)
        if outcome(reply) != "ok" or arguments.json:
            return _shown(reply, as_json=arguments.json)
        page = msgspec.convert(msgspec.to_builtins(reply), t.ReadAnswer)
        if not page.data:
            _write(shown.held)
            return WELL
        _write(shown.next(base64.b64decode(page.data)))
        cursor = page.resume_cursor


def call(arguments: argparse.Namespace) -> int:
    given: str = "{}" if arguments.fields is None else arguments.fields
    text = sys.stdin.read() if given == "-" else given
    method = named(arguments.operation)
    name = method.name if method else arguments.operation

    if method is not None and method.verb == "start" and method.group in ("menu", "component"):
        keeping.ensure(state_dir_of(arguments))  # the task outlives this command

    async def use(service: Nearest) -> int:
        try:
            fields = codec.decoded(text.encode("utf-8", "surrogateescape"))
        except Refused as error:
            return refused(codec.refusal(error), as_json=True)
        if method is None:
            message = f"{name[:80]!r} is no operation; these are: {', '.join(METHODS)}"
            return refused(codec.refusal(Refused(Code.NOT_FOUND, message)), as_json=True)
        return _shown(await service.answer(name, fields), as_json=True)

    return with_service(arguments, use)


def _shown(reply: Reply, *, as_json: bool) -> int:
    if outcome(reply) != "ok":
        return refused(reply, as_json=as_json)
    print_json(reply)
    return WELL


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _moment(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, tz=UTC).astimezone()
    return moment.isoformat(sep=" ", timespec="seconds")
