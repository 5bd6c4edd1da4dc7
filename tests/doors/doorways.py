"""Every door to a real desk as one small class: `ask(name, **fields)` gives the answer as JSON."""

from __future__ import annotations

import asyncio
import functools
import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self
from urllib.parse import quote, urlencode, urlsplit

import httpx2
import jsonschema
import msgspec
from mcp import Client, StdioServerParameters
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

import antiphon
from antiphon import library, sync
from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.http import STATUS, STATUSES
from antiphon.adapters.openapi import document
from antiphon.adapters.reach import Nearest, remote_owner
from antiphon.service.desk import Desk
from antiphon.wire import codec
from antiphon.wire.methods import METHODS

Answer = dict[str, Any]
COMMAND = (sys.executable, "-m", "antiphon")
# Patience with a machine that is slow and does other things too: no promise.
START_S_MAX = 120
STOP_S_MAX = 120
ANSWER_S_MAX = 300


class Door:
    """What doors share: a state directory, an event loop beside the test, calls side by side."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.loop = LoopThread().__enter__()
        self.beside = ThreadPoolExecutor(max_workers=8)

    def ask(self, name: str, /, **fields: object) -> Answer:
        raise NotImplementedError

    def start(self, name: str, /, **fields: object) -> Future[Answer]:
        """The same, while the test goes on."""
        return self.beside.submit(self.ask, name, **fields)

    def waits(self) -> int:
        """How many waits are under way in the process that owns the state directory."""
        remote = remote_owner(self.state)
        if remote is None:
            return 0  # it does not say yet where it listens
        text = self.loop.result(remote.get("/metrics"))[1].decode()
        self.loop.result(remote.close())
        return int(re.findall(r"^antiphon_waits (\d+)$", text, re.MULTILINE)[0])

    @property
    def pid(self) -> int:
        """The process that owns the state directory."""
        note: int = json.loads((self.state / "server.json").read_bytes())["pid"]
        return note

    def close(self) -> None:
        self.beside.shutdown()
        self.loop.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class DeskDoor(Door):
    """No door at all: what the service itself says, and the others must say too."""

    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.desk = self.loop.result(Desk.open(state))

    def ask(self, name: str, /, **fields: object) -> Answer:
        return plainly(self.loop.result(self.desk.answer(name, fields)))

    def close(self) -> None:
        self.loop.result(self.desk.close())
        super().close()


def waits_in(nearest: object) -> int:
    """The same, in this process."""
    assert isinstance(nearest, Nearest)
    desk: object = nearest.service
    assert isinstance(desk, Desk)
    return int(desk.gauges()["waits"])


def plainly(reply: msgspec.Struct | Answer) -> Answer:
    found: Answer = json.loads(codec.encoded(reply))
    return found


def told(call: Callable[[], msgspec.Struct]) -> Answer:
    """What a method of the library returned or raised."""
    try:
        return plainly(call())
    except library.Refused as refused:
        return plainly({**refused.answer, "error": refused.code.value})


class LibraryDoor(Door):
    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.opening = antiphon.open(state)
        self.terminals = self.loop.result(self.opening.__aenter__())

    def ask(self, name: str, /, **fields: object) -> Answer:
        group, verb = name.split(".")
        method = getattr(getattr(self.terminals, group), verb)
        return told(lambda: self.loop.result(method(**fields)))

    def waits(self) -> int:
        return waits_in(self.terminals.service)

    def close(self) -> None:
        self.loop.result(self.opening.__aexit__(None, None, None))
        super().close()


class SyncDoor(Door):
    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.opening = sync.open(state)
        self.terminals = self.opening.__enter__()

    def ask(self, name: str, /, **fields: object) -> Answer:
        group, verb = name.split(".")
        return told(lambda: getattr(getattr(self.terminals, group), verb)(**fields))

    def waits(self) -> int:
        return waits_in(self.terminals.terminals.service)

    def close(self) -> None:
        self.opening.__exit__(None, None, None)
        super().close()


@dataclass
class Serving:
    """`antiphon serve` in a process of its own."""

    process: subprocess.Popen[str]
    address: str
    browser: str
    state: Path

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    @property
    def token(self) -> str:
        return (self.state / "token").read_text().strip()

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}

    @classmethod
    def begin(
        cls,
        state: Path,
        *arguments: str,
        port: int = 0,
        log: IO[str] | None = None,
        **variables: str,
    ) -> Serving:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--json", "--port", str(port), *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            env={**environment(state), **variables},
            text=True,
        )
        assert process.stdout is not None
        with process.stdout as stdout:
            said = json.loads(stdout.readline() or "null")
        assert said is not None, f"the server ended with {process.wait(STOP_S_MAX)}"
        return cls(process, said["address"], said["browser"], state)

    def end(self) -> int:
        self.process.terminate()
        return self.process.wait(STOP_S_MAX)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(STOP_S_MAX)

    def post(
        self, path: str, body: bytes, headers: dict[str, str] | None = None
    ) -> tuple[int, Answer]:
        return self.exchange("POST", path, body, headers)

    def exchange(
        self, verb: str, path: str, body: bytes, headers: dict[str, str] | None = None
    ) -> tuple[int, Answer]:
        connection = http.client.HTTPConnection(self.host, timeout=ANSWER_S_MAX)
        try:
            connection.request(verb, path, body, self.headers if headers is None else headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


def environment(state: Path) -> dict[str, str]:
    return {**os.environ, "ANTIPHON_STATE_DIR": str(state)}


def route(name: str, fields: dict[str, object]) -> tuple[str, str, dict[str, object]]:
    """The HTTP verb, the path, and what goes into the body."""
    method, rest = METHODS[name], dict(fields)
    path = method.path
    for one in method.in_path:
        path = path.replace(f"{{{one}}}", quote(str(rest.pop(one)), safe=""))
    if method.http_verb in ("POST", "PUT"):
        return method.http_verb, path, rest
    return method.http_verb, f"{path}?{urlencode(rest)}" if rest else path, {}


@functools.cache
def described(name: str, status: int) -> jsonschema.Draft202012Validator:
    """What /openapi.json says of such an answer."""
    method = METHODS[name]
    responses = json.loads(document())["paths"][method.path][method.http_verb.lower()]["responses"]
    found = responses.get(str(status)) or responses[f"{status // 100}XX"]
    return jsonschema.Draft202012Validator(found["content"]["application/json"]["schema"])


class HttpDoor(Door):
    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.serving = Serving.begin(state)

    def ask(self, name: str, /, **fields: object) -> Answer:
        verb, path, rest = route(name, fields)
        status, answer = self.serving.exchange(verb, path, json.dumps(rest).encode())
        method = METHODS[name]
        usual = 201 if method.makes and answer["ok"] else 200
        statuses = STATUSES if method.has_statuses else STATUS
        assert status == statuses.get(answer.get("error", "ok"), usual), (status, answer)
        described(name, status).validate(answer)
        return answer

    def close(self) -> None:
        super().close()
        self.serving.end()


class McpDoor(Door):
    """The official client; it lives in one task, as its streams want."""

    def __init__(self, state: Path, connected: Callable[[], Client]) -> None:
        super().__init__(state)
        self.ready: Future[Client] = Future()
        self.stop = asyncio.Event()
        self.life = self.loop.start(self._live(connected))
        self.client = self.ready.result(START_S_MAX)

    async def _live(self, connected: Callable[[], Client]) -> None:
        try:
            async with connected() as client:
                self.ready.set_result(client)
                await self.stop.wait()
        finally:
            if not self.ready.done():
                self.ready.set_exception(AssertionError("the client did not connect"))

    def on_loop(self, work: Coroutine[object, object, Any]) -> Any:
        return self.loop.result(work)

    def ask(self, name: str, /, **fields: object) -> Answer:
        result = self.on_loop(self.client.call_tool(name, fields))
        answer: Answer = result.structured_content
        assert json.loads(result.content[0].text) == answer, "text and structure say the same"
        assert result.is_error is ("error" in answer)
        return answer

    def close(self) -> None:
        self.loop.loop.call_soon_threadsafe(self.stop.set)
        self.life.result(STOP_S_MAX)
        super().close()


class McpStdioDoor(McpDoor):
    def __init__(self, state: Path, mode: str = "auto", *arguments: str) -> None:
        def connected() -> Client:
            command, *rest = COMMAND
            return Client(
                StdioServerParameters(
                    command=command, args=[*rest, "mcp", *arguments], env=environment(state)
                ),
                mode=mode,
            )

        super().__init__(state, connected)


@asynccontextmanager
async def spoken_to(address: str, token: str) -> AsyncIterator[TransportStreams]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=ANSWER_S_MAX) as web,
        streamable_http_client(address, http_client=web) as streams,
    ):
        yield streams


class McpHttpDoor(McpDoor):
    def __init__(self, state: Path, mode: str = "auto") -> None:
        self.serving = Serving.begin(state)
        super().__init__(state, lambda: self.connected(mode))

    def connected(self, mode: str) -> Client:
        return Client(spoken_to(f"{self.serving.address}/mcp", self.serving.token), mode=mode)

    def close(self) -> None:
        super().close()
        self.serving.end()


class CliDoor(Door):
    """`antiphon call` against a server, a process for each call."""

    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.serving = Serving.begin(state)

    def ask(self, name: str, /, **fields: object) -> Answer:
        done = run_cli(self.state, "call", name, "-", "--json", typed=json.dumps(fields))
        answer: Answer = json.loads(done.stdout)
        code = 1 if "error" in answer else 0
        assert done.returncode == code, (done, answer)
        if code == 0:
            assert done.stderr == ""
        else:
            said = answer.get("message", answer["error"])
            assert done.stderr == f"antiphon: {said}\n"
        return answer

    def close(self) -> None:
        super().close()
        self.serving.end()


def run_cli(
    state: Path, *arguments: str, typed: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        env={**environment(state), **variables},
        timeout=ANSWER_S_MAX,
    )


DOORS: dict[str, Callable[[Path], Door]] = {
    "library": LibraryDoor,
    "sync": SyncDoor,
    "http": HttpDoor,
    "mcp over stdio": McpStdioDoor,
    "mcp over http": McpHttpDoor,
    "command line": CliDoor,
}


@dataclass
class Places:
    """Where the scenario of all doors plays: one working directory, a state for each door."""

    work: Path
    root: Path
    opened: dict[str, Door] = field(default_factory=dict)

    def door(self, name: str) -> Door:
        if name not in self.opened:
            made = DeskDoor if name == "desk" else DOORS[name]
            # Names of one length: they are in blocks.jsonl, whose bytes are counted.
            self.opened[name] = made(self.root / f"state-{len(self.opened)}")
        return self.opened[name]

    def close(self) -> None:
        for door in self.opened.values():
            for one in door.ask("pty.list")["conversations"]:
                door.ask("pty.close", conversation_id=one["conversation_id"])
            door.close()


@contextmanager
def without(program: str, folder: Path) -> Iterator[None]:
    """The PATH as it is, but for one program."""
    folder.mkdir()
    before = os.environ["PATH"]
    for place in reversed(before.split(os.pathsep)):
        for entry in Path(place).iterdir() if Path(place).is_dir() else ():
            (folder / entry.name).unlink(missing_ok=True)
            (folder / entry.name).symlink_to(entry)
    (folder / program).unlink(missing_ok=True)
    os.environ["PATH"] = str(folder)
    try:
        yield
    finally:
        os.environ["PATH"] = before
