"""The commands that stay: `serve` until a signal, `mcp` until its client leaves."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from http import HTTPStatus
from pathlib import Path

from antiphon.adapters import settings
from antiphon.adapters.cli_exit import REFUSED, WELL, print_json, say, state_dir_of
from antiphon.adapters.front import Front
from antiphon.adapters.reach import Nearest, remote_owner
from antiphon.base.errors import Broken, Code, Refused
from antiphon.drivers import owner
from antiphon.wire import codec

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def serve(arguments: argparse.Namespace) -> int:
    state_dir = owner.prepared(state_dir_of(arguments))
    token = _operators_token()
    chosen = _settings(
        arguments, state_dir, ("host", "port", "durability", "packs", "allow_remote")
    )
    settings.check_reach(chosen, token)
    return asyncio.run(_serve(state_dir, chosen, token, as_json=arguments.json))


async def _serve(
    state_dir: Path, chosen: settings.Settings, token: str | None, *, as_json: bool
) -> int:
    stop = asyncio.Event()
    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    from antiphon.service import components
    from antiphon.service.desk import Desk
    from antiphon.service.domain import Domain

    # Before anything slow: a second server learns at once that it is one.
    tool = components.tool(chosen.tsci, chosen.library_dir)
    domain = Domain(state_dir, tuple(chosen.packs), chosen.database_url, settings.model(chosen))
    desk = await Desk.open(state_dir, tool=tool, domain=domain, durability=chosen.durability)
    try:
        # A server does not start on a pack with a fault, nor without its database.
        for note in (await domain.entities()).kept.notes:
            say(note)
        from antiphon.adapters import serving
        from antiphon.adapters.chat import Chat

        # The made token lets commands of the same user in; the operator's stays off the disk.
        tokens = (owner.make_token(state_dir), *((token,) if token else ()))
        listening = await serving.listen(
            Front(desk, Chat(settings.model(chosen), state_dir)),
            tokens,
            chosen.host,
            chosen.port,
            tuple(chosen.hosts),
            owner.page_key(state_dir),
            chosen.mcp_rooms,
        )
        owner.publish(state_dir, listening.address)
        browser = listening.browser_address()
        if as_json:
            print_json(
                {"ok": True, "address": listening.address, "browser": browser, "pid": os.getpid()}
            )
        else:
            print(f"antiphon serves {listening.address}; once in a browser: {browser}", flush=True)
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait({stopping, listening.task}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        is_asked = stop.is_set()
        owner.forget_token(state_dir)
        await listening.stop()
        return WELL if is_asked else REFUSED
    finally:
        await desk.close()


def mcp(arguments: argparse.Namespace) -> int:
    state_dir = owner.prepared(state_dir_of(arguments))
    _operators_token()
    chosen = _settings(arguments, state_dir, ("tool_names", "mcp_rooms"))
    from antiphon.adapters import mcp_stdio

    streams = mcp_stdio.claimed()

    async def until_stdin_ends() -> None:
        task = asyncio.current_task()
        assert task is not None
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        nearest = Nearest(state_dir, shares_after_s=0)
        try:
            await nearest.found()
            await mcp_stdio.serve(Front(nearest), chosen.tool_names, chosen.mcp_rooms, streams)
        finally:
            await nearest.close()

    try:
        asyncio.run(until_stdin_ends())
    except asyncio.CancelledError:
        pass  # a signal is how a host says that it has finished
    return WELL


def browse(arguments: argparse.Namespace) -> int:
    """A page whose code is used up or old needs another one."""
    remote = remote_owner(state_dir_of(arguments))
    if remote is None or not remote.address.startswith("http"):
        say("no server listens for this state directory; start one with antiphon serve")
        return REFUSED

    async def asked() -> tuple[int, bytes]:
        try:
            return await remote.post("/api/login", b"{}")
        finally:
            await remote.close()

    status, body = asyncio.run(asked())
    if status != HTTPStatus.OK:
        raise Broken(f"{remote.address} answered {status}")
    address = f"{remote.address}/login?code={codec.decoded(body)['code']}"
    if arguments.json:
        print_json({"ok": True, "browser": address})
    else:
        print(address)
    return WELL


def _operators_token() -> str | None:
    """Taken out of the environment, so that no child of ours ever sees it."""
    token = os.environ.pop("ANTIPHON_TOKEN", "")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise Refused(Code.INVALID_REQUEST, "ANTIPHON_TOKEN has characters that no header carries")
    return token or None


def _settings(
    arguments: argparse.Namespace, state_dir: Path, names: tuple[str, ...]
) -> settings.Settings:
    said = {name: vars(arguments)[name] for name in names}
    given = {name: value for name, value in said.items() if value is not None}
    return settings.read(state_dir, os.environ, given)
