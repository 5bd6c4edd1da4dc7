"""The executor of OpenHands' terminal tool: by tmux, as it comes, or by a PTY of its own."""

from __future__ import annotations

import logging
import os
import re
import signal
import time
from pathlib import Path

from openhands.tools.terminal.definition import TerminalAction
from openhands.tools.terminal.impl import TerminalExecutor

from bench.peers.peer import Handle, Peer, Ran

POLL_S = 0.02
SETTLE_S = 0.3
SCREEN_CHARS = 20_000
KEYS = {"\r": "ENTER", "\n": "ENTER", "\x03": "C-c", "\x1b": "ESC"}
FORGED = (
    "printf '\\n###PS1JSON###\\n"
    '{"pid":"1","exit_code":"0","username":"u","hostname":"h","working_dir":"/",'
    '"py_interpreter_path":""}'
    "\\n###PS1END###\\n'; sleep 1.6; echo AFTER; (exit 5)"
)


class Tool(Peer):
    forged = FORGED
    enter = "\r"
    kind = "tmux"

    def start(self) -> None:
        os.environ.pop("TMUX", None)
        # Its tmux server has one name for everybody: a folder of its own keeps others out of it.
        os.environ["TMUX_TMPDIR"] = str(self.folder)
        logging.disable(logging.CRITICAL)
        self.saved = self.folder / "saved"
        self.saved.mkdir()
        self.opened: list[Handle] = []
        self.begun = ""
        self.kept = ""

    def stop(self) -> None:
        for tool in self.opened:
            tool.close()
        for pid in self._tmux():
            os.kill(pid, signal.SIGTERM)

    def _tmux(self) -> list[int]:
        """The tmux servers of this folder, which are nobody's children."""
        wanted, found = f"TMUX_TMPDIR={self.folder}\0".encode(), []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                is_tmux = (process / "comm").read_text().startswith("tmux: server")
                if is_tmux and wanted in (process / "environ").read_bytes():
                    found.append(int(process.name))
            except OSError:
                pass  # it ended while we looked, or is another user's
        return found

    def pids(self) -> list[int]:
        return [os.getpid(), *self._tmux()]

    def open(self) -> Handle:
        tool = TerminalExecutor(
            working_dir=str(self.folder),
            terminal_type=self.kind,
            full_output_save_dir=str(self.saved),
        )
        self.opened.append(tool)
        tool(TerminalAction(command="true", timeout=10))  # its shell comes with the first command
        return tool

    def run(self, shell: Handle, command: str, limit_s: float = 30) -> Ran:
        said = shell(TerminalAction(command=command, timeout=limit_s))
        self.kept = said.text
        code = None if said.exit_code in (-1, None) else said.exit_code
        is_done = code is not None and not said.is_error
        return Ran(said.text, code, is_done=is_done, note="an error" if said.is_error else "")

    def begin(self, shell: Handle, command: str) -> None:
        self.begun = shell(TerminalAction(command=command, timeout=0.05)).text

    def _terminal(self, shell: Handle) -> Handle:
        return next(iter(shell._sessions.values())).terminal  # noqa: SLF001 - it shows no other

    def send(self, shell: Handle, text: str) -> None:
        for part in re.split("([\r\n\x03\x1b])", text):
            if part:
                self._terminal(shell).send_keys(KEYS.get(part, part), enter=False)

    def interrupt(self, shell: Handle) -> None:
        shell(TerminalAction(command="C-c", is_input=True, timeout=3))

    def wait_for(self, shell: Handle, expression: str, limit_s: float) -> bool:
        pattern, deadline = re.compile(expression), time.monotonic() + limit_s
        if pattern.search(self.begun):  # a command that ended at once has cleared the screen
            return True
        while time.monotonic() < deadline:
            if pattern.search(self._terminal(shell).read_screen()[-SCREEN_CHARS:]):
                return True
            time.sleep(POLL_S)
        return False

    def back(self, shell: Handle) -> None:
        shell(TerminalAction(command="", timeout=3))

    def screen(self, shell: Handle) -> str:
        time.sleep(SETTLE_S)
        return str(self._terminal(shell).read_screen()[-SCREEN_CHARS:])

    def finds(self, shell: Handle, line: str) -> bool:
        if line in self.kept or line in self._terminal(shell).read_screen():
            return True
        files = (path for path in self.saved.rglob("*") if path.is_file())
        return any(line in path.read_text(errors="replace") for path in files)


class SubprocessTool(Tool):
    kind = "subprocess"

    def _terminal(self, shell: Handle) -> Handle:
        return shell._session.terminal  # noqa: SLF001 - it shows no other
