"""SWE-ReX's runtime in the process of its caller, without its HTTP."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pexpect
from swerex.runtime import abstract, local

from bench.peers.peer import Handle, Peer, Ran

PROMPT_S_MAX = 5
SETTLE_S = 0.3
SCREEN_BYTES = 100_000


class Rex(Peer):
    forged = "echo SHELLPS1PREFIX; sleep 1.6; echo AFTER; (exit 5)"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.count = 0
        self.kept: dict[str, str] = {}

    def start(self) -> None:
        logging.disable(logging.CRITICAL)
        self.loop = asyncio.new_event_loop()
        self.runtime = local.LocalRuntime()

    def stop(self) -> None:
        self._result(self.runtime.close())

    def _result(self, work: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401
        return self.loop.run_until_complete(work)

    def open(self) -> Handle:
        self.count += 1
        name = f"s{self.count}"
        asked = abstract.CreateBashSessionRequest(session=name, startup_timeout=10)
        self._result(self.runtime.create_session(asked))
        return name

    def run(self, shell: Handle, command: str, limit_s: float = 30) -> Ran:
        action = abstract.BashAction(
            session=shell, command=command, timeout=limit_s, check="silent"
        )
        try:
            said = self._result(self.runtime.run_in_session(action))
        except Exception as error:  # noqa: BLE001 - each thing that goes wrong has its own class
            return Ran(str(error)[:2000], None, is_done=False, note=type(error).__name__)
        self.kept[shell] = said.output
        return Ran(said.output, said.exit_code)

    def _child(self, shell: Handle) -> Handle:
        """It has no verb that writes or looks: this is the pexpect below it."""
        return self.runtime.sessions[shell].shell  # type: ignore[attr-defined]

    def send(self, shell: Handle, text: str) -> None:
        self._child(shell).send(text)

    def interrupt(self, shell: Handle) -> None:
        self._result(self.runtime.run_in_session(abstract.BashInterruptAction(session=shell)))

    def wait_for(self, shell: Handle, expression: str, limit_s: float) -> bool:
        action = abstract.BashAction(
            session=shell,
            command="",
            is_interactive_command=True,
            expect=[expression],
            timeout=limit_s,
            check="ignore",
        )
        try:
            self._result(self.runtime.run_in_session(action))
        except Exception:  # noqa: BLE001 - a time that is up is one of its own classes
            return False
        return True

    def prompt(self, shell: Handle) -> None:
        self._child(shell).expect("SHELLPS1PREFIX", timeout=PROMPT_S_MAX)

    back = prompt

    def screen(self, shell: Handle) -> str:
        time.sleep(SETTLE_S)
        try:
            return str(self._child(shell).read_nonblocking(SCREEN_BYTES, timeout=0.2))
        except (pexpect.TIMEOUT, pexpect.EOF):
            return ""

    def finds(self, shell: Handle, line: str) -> bool:
        return line in self.kept.get(shell, "")
