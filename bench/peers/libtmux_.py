"""tmux by libtmux: keys in, `tmux wait-for` at the end of a command, the pane's text out."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import libtmux

from bench.peers.peer import Handle, Peer, Ran, nonce

HISTORY_LINES = 20_000_000  # all of it, so that only speed and fidelity are compared
POLL_S = 0.005
SETTLE_S = 0.3
READY_S_MAX = 5.0
KEYS = {"\r": "Enter", "\n": "Enter", "\x03": "C-c", "\x1b": "Escape"}


class Tmux(Peer):
    enter = "\r"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.socket = f"bench-{nonce()}"
        self.count = 0

    def start(self) -> None:
        os.environ.pop("TMUX", None)
        settings = self.folder / "tmux.conf"
        settings.write_text(
            f"set -g history-limit {HISTORY_LINES}\n"
            "set -g default-shell /bin/bash\nset -g default-command 'bash --norc'\n"
        )
        self.server = libtmux.Server(socket_name=self.socket, config_file=str(settings))
        kept = self.server.new_session("kept", x=160, y=50)
        self.server_pid = int(kept.cmd("display-message", "-p", "#{pid}").stdout[0])

    def stop(self) -> None:
        self.server.kill()

    def pids(self) -> list[int]:
        return [os.getpid(), self.server_pid]

    def open(self) -> Handle:
        self.count += 1
        session = self.server.new_session(f"s{self.count}", x=160, y=50)
        pane = session.active_window.active_pane
        assert pane is not None
        deadline = time.monotonic() + READY_S_MAX
        while not any(line.strip() for line in pane.capture_pane()):
            if time.monotonic() > deadline:
                raise TimeoutError("no prompt")
            time.sleep(POLL_S)
        return pane

    def run(self, shell: Handle, command: str, limit_s: float = 30) -> Ran:
        name = nonce()
        # A heredoc wants its last line for itself.
        between = "\n" if "\n" in command or command.endswith("&") else "; "
        shell.send_keys(
            f"printf '\\n--begin-%s-%d--\\n' {name} 1; {command}{between}"
            f"printf '\\n--end-%s-%d--\\n' {name} $?; tmux -L {self.socket} wait-for -S {name}",
            literal=True,
        )
        is_done = self._signalled(name, limit_s)
        return _part(self._text(shell), name, is_done=is_done)

    def _signalled(self, name: str, limit_s: float) -> bool:
        try:
            subprocess.run(["tmux", "-L", self.socket, "wait-for", name], timeout=limit_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _text(self, shell: Handle, start: str = "-") -> str:
        return "\n".join(shell.cmd("capture-pane", "-p", "-J", "-S", start).stdout)

    def send(self, shell: Handle, text: str) -> None:
        for part in re.split("([\r\n\x03\x1b])", text):
            if part in KEYS:
                shell.cmd("send-keys", KEYS[part])
            elif part:
                shell.cmd("send-keys", "-l", part)

    def wait_for(self, shell: Handle, expression: str, limit_s: float) -> bool:
        pattern, deadline = re.compile(expression), time.monotonic() + limit_s
        while time.monotonic() < deadline:
            if pattern.search(self._text(shell, "-200")):
                return True
            time.sleep(POLL_S)
        return False

    def screen(self, shell: Handle) -> str:
        time.sleep(SETTLE_S)
        return "\n".join(shell.capture_pane())

    def everything(self, shell: Handle) -> str:
        return self._text(shell)

    def ingest(self, shell: Handle, path: Path, limit_s: float) -> float | None:
        """Only to the end of the command: to fetch the text is another thing."""
        name = nonce()
        started = time.perf_counter()
        shell.send_keys(f"cat {path}; tmux -L {self.socket} wait-for -S {name}", literal=True)
        return time.perf_counter() - started if self._signalled(name, limit_s) else None

    def finds(self, shell: Handle, line: str) -> bool:
        return line in self._text(shell).split("\n")


def _part(text: str, name: str, *, is_done: bool) -> Ran:
    """What stands between the two lines of a command."""
    begin = text.rfind(f"--begin-{name}-1--\n")
    rest = text[begin + len(f"--begin-{name}-1--\n") :] if begin >= 0 else text
    ends = list(re.finditer(rf"--end-{name}-(\d+)--", rest))
    if not ends:
        return Ran(rest, None, is_done=is_done, note="" if is_done else "timeout")
    return Ran(rest[: ends[-1].start()].removesuffix("\n"), int(ends[-1][1]), is_done=is_done)
