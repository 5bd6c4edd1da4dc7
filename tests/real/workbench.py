"""A desk with a library and a tool that searches and imports: components in few words."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from antiphon.drivers.library import Library
from antiphon.service.desk import Desk
from antiphon.service.resolution import Tool
from antiphon.wire import codec

PATIENCE_S = 120
Answer = dict[str, Any]


class Bench:
    """A desk with a library and a tool that knows some names."""

    def __init__(self, root: Path, *words: str) -> None:
        self.root = root
        self.library = root / "lib"
        self.tool = Tool(words, Library(self.library))
        self._desk: Desk | None = None

    async def __aenter__(self) -> Bench:
        self._desk = await Desk.open(self.root / "state", tool=self.tool)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._desk is not None
        for task in (await self.ask("menu.list"))["tasks"]:
            await self.ask(f"{task['kind']}.close", task_id=task["task_id"])
        await self._desk.close()

    async def ask(self, name: str, **fields: object) -> Answer:
        assert self._desk is not None
        answer: Answer = json.loads(codec.encoded(await self._desk.answer(name, fields)))
        return answer

    async def refused(self, code: str, name: str, **fields: object) -> Answer:
        answer = await self.ask(name, **fields)
        assert (answer["ok"], answer["error"]) == (False, code), answer
        return answer

    async def start(self, name: str) -> str:
        answer = await self.ask("component.start", component_name=name)
        assert answer == {"ok": True, "task_id": answer["task_id"], "state": "checking_local"}
        return str(answer["task_id"])

    async def status(self, task_id: str) -> Answer:
        return await self.ask("component.status", task_id=task_id)

    async def until(self, task_id: str, *states: str) -> Answer:
        deadline = time.monotonic() + PATIENCE_S
        while (answer := await self.status(task_id))["state"] not in states:
            assert time.monotonic() < deadline, answer
            await asyncio.sleep(0.01)
        return answer

    async def rested(self, task_id: str) -> Answer:
        return await self.until(task_id, "selection_required", "finished", "failed")

    async def resolved(self, name: str) -> Answer:
        return await self.rested(await self.start(name))

    async def select(self, task: Answer, option: str, **fields: object) -> Answer:
        return await self.ask(
            "component.select",
            task_id=task["task_id"],
            selection_id=task["selection"]["selection_id"],
            selected_option=option,
            **fields,
        )

    async def chosen(self, task: Answer, option: str) -> Answer:
        """The task when it rests again after the answer."""
        before = task["selection"]["selection_id"]
        assert (await self.select(task, option))["state"] == "trying_import"
        after = await self.rested(task["task_id"])
        assert after.get("selection", {}).get("selection_id") != before
        return after

    def calls(self) -> list[list[str]]:
        log = self.root / "tsci.log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [json.loads(line)["words"] for line in lines]

    def file(self, name: str) -> Path:
        path = self.library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
        return path
