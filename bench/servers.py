"""Servers of Antiphon in processes of their own: `antiphon serve` and `antiphon mcp`."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench import machine

START_S_MAX = 30.0
ANSWER_S_MAX = 60.0


class Serving:
    """`antiphon serve`, from its start until it listens; left, its shells are ended too."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> float:
        """Seconds until it says that it listens."""
        started = time.perf_counter()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "antiphon",
                "serve",
                "--json",
                "--port",
                "0",
                "--state-dir",
                str(self.state_dir),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        took = time.perf_counter() - started
        if not said:
            raise RuntimeError(f"antiphon serve ended with {self.process.wait()}")
        self.address = str(json.loads(said)["address"])
        return took

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self.process is not None
        if self.process.poll() is None:
            self.kill()
        end_shells(self.state_dir)


def holders(state_dir: Path) -> dict[str, int]:
    """The pid of each living holder, by its conversation."""
    found = {}
    root = f"{state_dir}/conversations/"
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"holder.py" not in (process / "cmdline").read_bytes():
                continue
            links = [str(link.readlink()) for link in (process / "fd").iterdir()]
        except OSError:
            continue
        for link in links:
            if link.startswith(root) and link.endswith("/output.raw"):
                found[link.removeprefix(root).split("/")[0]] = int(process.name)
    return found


def end_shells(state_dir: Path) -> None:
    """Holders of a state directory that nobody serves any more, and all below them."""
    for pid in holders(state_dir).values():
        for one in [*machine.descendants(pid), pid]:
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass


class McpRefused(Exception):
    """The server answered with an error, or not at all."""


class Mcp:
    """A thin client of MCP over stdio: one question at a time, and nothing modelled."""

    def __init__(self, arguments: list[str]) -> None:
        self.process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, "PYTHONPATH": machine.python_path()},
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.sink, self.source = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.source, selectors.EVENT_READ)
        self.number = 0
        self.kept = b""
        client = {"name": "bench", "version": "1"}
        self.request(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message: dict[str, object]) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.sink, data) :]

    def request(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        self.number += 1
        self._write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self._line())
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise McpRefused(str(message["error"]))
                result: dict[str, Any] = message["result"]
                return result

    def _line(self) -> bytes:
        while b"\n" not in self.kept:
            if not self.kept and not self.selector.select(ANSWER_S_MAX):
                raise McpRefused("no answer")
            data = os.read(self.source, 1 << 20)
            if not data:
                raise McpRefused("the server ended")
            self.kept += data
        line, _, self.kept = self.kept.partition(b"\n")
        return line

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def times(self, count: int, tool: str, **arguments: object) -> list[float]:
        found = []
        for _ in range(count):
            started = time.perf_counter()
            self.call(tool, **arguments)
            found.append(time.perf_counter() - started)
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.selector.close()
