"""A keeper: a server of a moment, for tasks that outlive the command that began them.

It listens to its own user only, and ends when no task of menus or components is open.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from antiphon.adapters import limits
from antiphon.adapters.cli_exit import WELL, state_dir_of
from antiphon.adapters.front import outcome
from antiphon.adapters.reach import Nearest, remote_owner
from antiphon.base.errors import Broken
from antiphon.drivers import owner


def ensure(state_dir: Path) -> None:
    """Somebody owns the state directory and lets us in: a server, or a keeper that we start."""
    owner.prepared(state_dir)
    if remote_owner(state_dir) is not None:
        return
    command = [sys.executable, "-m", "antiphon", "keep", "--state-dir", str(state_dir)]
    keeper = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + limits.KEEPER_START_S_MAX
    while remote_owner(state_dir) is None:
        if keeper.poll() is not None and remote_owner(state_dir) is None:
            return  # somebody else owns it, and will be found or told of
        if time.monotonic() > deadline:
            raise Broken(f"nobody serves {state_dir}: the keeper did not start in time")
        time.sleep(limits.OWNER_WAIT_STEP_S)


def keep(arguments: argparse.Namespace) -> int:
    """The command itself: until nothing is open any more, or a signal."""

    async def kept() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        nearest = Nearest(state_dir_of(arguments), shares_after_s=0)
        try:
            await nearest.found()
            if nearest.sharing is None:
                return  # a server is there
            await _until_idle(nearest, stop)
        finally:
            await nearest.close()

    asyncio.run(kept())
    return WELL


async def _until_idle(nearest: Nearest, stop: asyncio.Event) -> None:
    """The command that started us has its grace; then it is over when nothing is open."""
    end_s = time.monotonic() + limits.KEEPER_GRACE_S
    stopping = asyncio.ensure_future(stop.wait())
    while not stop.is_set() and time.monotonic() < end_s:
        reply = await nearest.answer("menu.list", {})
        if outcome(reply) == "ok" and msgspec.to_builtins(reply)["tasks"]:
            end_s = time.monotonic() + limits.KEEPER_IDLE_S
        await asyncio.wait({stopping}, timeout=limits.KEEPER_LOOK_S)
    stopping.cancel()
