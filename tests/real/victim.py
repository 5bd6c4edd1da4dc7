"""A server in a process of its own, so that it can be killed; what a test says to it.

Run as a module, it opens the desk of a state directory and answers JSON lines until it is
killed or its standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

from antiphon.drivers.owner import Owned
from antiphon.service.desk import Desk
from antiphon.wire import codec
from tests.real.stage import MARK

ROOT = Path(__file__).parents[2]
LINE_BYTES_MAX = 1 << 24
Answer = dict[str, Any]


class Gone(Exception):
    """The server was killed before it answered."""


class Victim:
    """The test's side."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._numbers = count()
        self._reading = asyncio.create_task(self._read())

    @property
    def pid(self) -> int:
        return self._process.pid

    @classmethod
    async def start(cls, state: Path) -> Victim:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.real.victim",
            str(state),
            cwd=ROOT,
            env={**os.environ, MARK: str(state)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_BYTES_MAX,
        )
        assert process.stdout is not None
        said = await process.stdout.readline()
        assert said == b"ready\n", said
        return cls(process)

    def asked(self, name: str, **arguments: object) -> asyncio.Future[Answer]:
        """The answer to come; the request is on its way at once."""
        arguments.setdefault("conversation_id", "c")
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        assert self._process.stdin is not None
        line = json.dumps({"number": number, "name": name, "arguments": arguments})
        self._process.stdin.write(line.encode() + b"\n")
        return answer

    async def ok(self, name: str, **arguments: object) -> Answer:
        answer = await self.asked(name, **arguments)
        assert answer["ok"] is True, (name, arguments, answer)
        return answer

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            said = json.loads(line)
            self._waiting.pop(said["number"]).set_result(said["answer"])
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Gone())
                answer.exception()  # nobody may be waiting

    async def kill(self) -> None:
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
        await self._process.wait()
        await self._reading


async def serve(state: Path) -> None:
    try:
        desk = await Desk.open(state, allowed=(MARK,))
    except Owned as owned:
        print(owned, flush=True)
        return
    print("ready", flush=True)
    lines = asyncio.StreamReader(limit=LINE_BYTES_MAX)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )

    async def answer(said: Answer) -> None:
        answered = await desk.answer(said["name"], said["arguments"])
        decoded = json.loads(codec.encoded(answered))
        print(json.dumps({"number": said["number"], "answer": decoded}), flush=True)

    tasks = set()
    while line := await lines.readline():
        task = asyncio.create_task(answer(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await desk.close()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
