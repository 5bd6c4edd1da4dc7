"""Driven programs: how soon a menu is known, what is chosen, and whether work looks like asking."""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from antiphon.service.desk import Desk
from bench.rows import Row, Stage, p50, percentile, spread
from bench.servers import Serving
from tests.real import pickers

P50_S_MAX, P99_S_MAX = 0.3, 1.0
ANSWER_S_MAX = 0.05
SIDE_BY_SIDE = 4
LOOK_S = 0.02
RAW = "import tty,time,sys; tty.setraw(0); "
# They print, sleep, spin, compute and wait for others, and never ask.
WORKING = {
    "silent": "sleep {s}",
    "silent, on a raw terminal, under a drawn list": (
        "{python} -c '" + RAW + 'sys.stdout.write("\\033[?25lPick\\r\\n> a\\r\\n  b\\r\\n"); '
        "sys.stdout.flush(); time.sleep({s})'"
    ),
    "sleeps of 50 ms, on a raw terminal, under a drawn list": (
        "{python} -c '" + RAW + 'sys.stdout.write("\\033[?25lPick\\r\\n> a\\r\\n  b\\r\\n"); '
        "sys.stdout.flush(); [time.sleep(0.05) for i in range({s} * 20)]'"
    ),
    "dots": "for i in $(seq 1 {s}); do printf .; sleep 1; done",
    "a spinner": (
        "{python} -c 'import time\nfor i in range({s} * 12): "
        'print("\\r" + "|/-\\\\"[i % 4] + " Continue? ", end="", flush=True); time.sleep(0.083)\''
    ),
    "children in a pipe": "(sleep {s}; echo done) | cat | sort",
    "a child that is waited for": "echo 'Proceed? (y/n)'; sleep {s} & wait",
    "a busy loop": "timeout {s} sh -c 'while :; do :; done' || true",
    "lines that end like questions": "for i in $(seq 1 {s}); do echo 'Really? '; sleep 1; done",
}


def measure(stage: Stage) -> Iterator[Row]:
    yield from asyncio.run(_on_a_desk(stage))
    yield from _over_http(stage)


async def _on_a_desk(stage: Stage) -> list[Row]:
    desk = await Desk.open(stage.folder / "state")
    try:
        return [
            *await _known(stage, desk),
            *await _random(stage, desk),
            await _alarms(stage, desk),
        ]
    finally:
        await desk.close()


async def _known(stage: Stage, desk: Desk) -> list[Row]:
    times = []
    for seed in range(stage.size.pick(3, 60, 300)):
        menu = pickers.spec(seed, 20)
        menu.update(chunk=0, pause_ms=0, spinner_ms=0, options=menu["options"][:6], page=0, start=0)
        played = await pickers.played(desk, menu, seed, stage.folder)
        times.append(played.known_s)
    reached = p50(times) <= P50_S_MAX and percentile(times, 0.99) <= P99_S_MAX
    return [
        Row(
            "a menu of up to 6 options on the screen, to `selection_required`",
            spread(times),
            f"{len(times)} menus, looked at every {1000 * pickers.LOOK_S:.0f} ms",
            target="p50 ≤ 300 ms, p99 ≤ 1 s",
            is_reached=reached,
        )
    ]


async def _random(stage: Stage, desk: Desk) -> list[Row]:
    """Menus of 2 to 300 options, in any manner of drawing and cutting."""
    count = stage.size.pick(4, 100, 1_000)
    gate = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(seed: int) -> list[str]:
        async with gate:
            played = await pickers.play(desk, seed, stage.folder)
        found = pickers.faults(played)
        if found:
            stage.say(f"menu {seed}: {'; '.join(found)[:300]}")
        return found

    faults = await asyncio.gather(*(one(seed) for seed in range(count)))
    wrong = sum(bool(found) for found in faults)
    return [
        Row(
            f"{count} random menus: read or chosen otherwise than the program reports",
            f"{wrong}",
            target="0",
            is_reached=not wrong,
        )
    ]


async def _alarms(stage: Stage, desk: Desk) -> Row:
    seconds = stage.size.pick(2, 30, 600)
    tasks = {}
    for kind, working in WORKING.items():
        script = working.replace("{s}", str(seconds)).replace("{python}", sys.executable)
        started = await pickers.ask(desk, "menu.start", command=["bash", "-c", script])
        tasks[started["task_id"]] = kind
    alarms = set()
    looks, end_s = 0, time.monotonic() + seconds
    while time.monotonic() < end_s:
        for task_id, kind in tasks.items():
            status = await pickers.ask(desk, "menu.status", task_id=task_id)
            looks += 1
            if status["state"] == "selection_required" and kind not in alarms:
                alarms.add(kind)
                stage.say(f"false alarm: {kind}: {status['selection']}")
        await asyncio.sleep(LOOK_S)
    for task_id in tasks:
        await pickers.ask(desk, "menu.close", task_id=task_id)
    return Row(
        f"{len(tasks)} programs at work for {seconds} s, of them said to ask",
        f"{len(alarms)}",
        f"{looks:,} looks",
        target="0",
        is_reached=not alarms,
    )


# --- answers while a program hangs ------------------------------------------------


def _over_http(stage: Stage) -> Iterator[Row]:
    count = stage.size.pick(2, 30, 100)
    with Serving(stage.folder / "served") as serving:
        client = _Client(serving)
        starts = [client.timed("/api/menu/start", command=["sleep", "600"]) for _ in range(count)]
        task_id = starts[0][1]["task_id"]
        statuses = [client.timed("/api/menu/status", task_id=task_id) for _ in range(count)]
        selects = []
        for _ in range(count):
            asked = client.asks()
            selects.append(client.timed("/api/menu/select", **asked, selected_option="x"))
            client.post("/api/menu/close", task_id=asked["task_id"])
        for _, answer in starts:
            client.post("/api/menu/close", task_id=answer["task_id"])
        client.connection.close()
    for name, found in (("start", starts), ("status", statuses), ("select", selects)):
        times = [took for took, _ in found]
        longest = percentile(times, 0.99)
        yield Row(
            f"`menu.{name}` over HTTP, of programs that hang",
            spread(times),
            target="p99 ≤ 50 ms",
            is_reached=longest <= ANSWER_S_MAX,
        )


class _Client:
    def __init__(self, serving: Serving) -> None:
        token = (serving.state_dir / "token").read_text().strip()
        self.connection = http.client.HTTPConnection(urlsplit(serving.address).netloc, timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path: str, **fields: object) -> dict[str, Any]:
        self.connection.request("POST", path, json.dumps(fields), self.headers)
        answer: dict[str, Any] = json.loads(self.connection.getresponse().read())
        return answer

    def timed(self, path: str, **fields: object) -> tuple[float, dict[str, Any]]:
        started = time.perf_counter()
        answer = self.post(path, **fields)
        took = time.perf_counter() - started
        if not answer["ok"]:
            raise RuntimeError(f"{path}: {answer}")
        return took, answer

    def asks(self) -> dict[str, str]:
        """A program that asks once and hangs when it is answered."""
        command = ["bash", "-c", "read -p 'Name? ' name; sleep 600"]
        task_id = self.post("/api/menu/start", command=command)["task_id"]
        while True:
            status = self.post("/api/menu/status", task_id=task_id)
            if status["state"] == "selection_required":
                return {"task_id": task_id, "selection_id": status["selection"]["selection_id"]}
            time.sleep(LOOK_S)
