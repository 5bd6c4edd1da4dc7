"""`antiphon dsl plan` and `dsl run`: a program in a session of its own, which is closed again."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable

from antiphon.adapters import session_shown as shown
from antiphon.adapters.cli_exit import REFUSED, WELL, print_json, refused, say, with_service
from antiphon.adapters.cli_language import place_first, source_text, tell
from antiphon.adapters.reach import Nearest
from antiphon.adapters.session_client import Said, SessionClient
from antiphon.base.errors import Refused
from antiphon.service.plain import plain
from antiphon.wire import sessions as s

INTERRUPTED = 130


def plan(arguments: argparse.Namespace) -> int:
    """Exit 1 unless the program could be run as it is."""
    source, name = source_text(arguments.file)

    async def use(service: Nearest) -> int:
        session = await SessionClient.begun(service)
        try:
            now = await session.ask("edit", source=source)
        finally:
            await _closed(session)
        if arguments.json:
            print_json(now)
        elif now.plan is None:
            _tell_why_not(now, name)
        else:
            _tell_warnings(now, name)
            tell("".join(f"{line}\n" for line in shown.plan(now.plan)))
        return WELL if now.plan is not None else REFUSED

    return _guarded(arguments, use)


def run(arguments: argparse.Namespace) -> int:
    """Exit 1 unless every statement has gone well."""
    source, name = source_text(arguments.file)

    async def use(service: Nearest) -> int:
        session = await SessionClient.begun(service)
        try:
            now = await session.ask("edit", source=source)
            if now.plan is None:
                if arguments.json:
                    print_json(now)
                else:
                    _tell_why_not(now, name)
                return REFUSED
            if not arguments.json:
                _tell_warnings(now, name)
            now = await _run(session, now.plan.plan_id)
        finally:
            await _closed(session)
        if arguments.json:
            print_json(now)
        else:
            tell(plain("".join(f"{line}\n" for line in shown.results(now.results or ()))))
        if now.session_state.success is True:
            return WELL
        return INTERRUPTED if session.state == "cancelled" else REFUSED

    return _guarded(arguments, use)


async def _run(session: SessionClient, plan_id: str) -> s.ChatResponse:
    """To its end; who interrupts it has it stopped where nothing is half done."""
    running = asyncio.ensure_future(_to_its_end(session, plan_id))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        say("stopping where nothing is half done")
        stopping = SessionClient(session.service, session.now)
        try:
            await stopping.ask("action", action="cancel")
        except Refused:
            pass  # it has ended
        session.now = await running
        return session.now


async def _to_its_end(session: SessionClient, plan_id: str) -> s.ChatResponse:
    await session.ask("execute", plan_id=plan_id)
    return await session.settled()


async def _closed(session: SessionClient) -> None:
    """Its results stay; `session` itself stays as it was last seen."""
    try:
        await SessionClient(session.service, session.now).ask("close")
    except Refused:
        pass  # it is cancelled, or its server is gone


def _guarded(arguments: argparse.Namespace, use: Callable[[Nearest], Awaitable[int]]) -> int:
    try:
        return with_service(arguments, use)
    except Said as error:
        return refused(error.reply, as_json=arguments.json)


def _tell_why_not(now: s.ChatResponse, name: str) -> None:
    """On stdout, for that is what was asked."""
    for one in (*(now.errors or ()), *shown.warnings(now)):
        tell(plain(place_first(one.rendered, name)) + "\n")
    count = now.session_state.errors_count
    if now.errors and isinstance(count, int) and count > len(now.errors):
        tell(f"{name}: and {count - len(now.errors):,} more\n")
    tell(plain("".join(f"{line}\n" for line in shown.open_refs(now, name))))


def _tell_warnings(now: s.ChatResponse, name: str) -> None:
    for one in shown.warnings(now):
        say(plain(place_first(one.rendered, name)))
