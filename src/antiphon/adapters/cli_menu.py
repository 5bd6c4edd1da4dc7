"""`antiphon menu` and `antiphon resolve`: what a program asks, picked by a person or by a script.

On a terminal a person sees choice blocks and types numbers.  Elsewhere each selection is a line
of JSON on stdout, and a line of stdin is its answer; when there is none, the task stays open and
the last words say how it goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from antiphon.adapters import keeping
from antiphon.adapters.cli_exit import (
    REFUSED,
    WELL,
    Fields,
    print_json,
    refused,
    say,
    state_dir_of,
    with_service,
)
from antiphon.adapters.front import Reply, outcome
from antiphon.adapters.reach import Nearest, remote_owner
from antiphon.adapters.shown import last_words
from antiphon.base.errors import Broken
from antiphon.choice import answer, question

CANCELLED, ABORTED, INPUT_REQUIRED, INTERRUPTED = 3, 4, 5, 130
_LOOK_S = 0.05
_READ_BYTES = 64 << 10
_WORDS_BYTES_MAX = 64 << 10  # of what a program says at its end
_OVER = frozenset({"completed", "failed", "finished"})
Task = dict[str, object]


@dataclass(frozen=True, slots=True)
class Kind:
    """The operations of a kind of task."""

    group: str

    def operation(self, verb: str) -> str:
        return f"{self.group}.{verb}"


_MENU, _COMPONENT = Kind("menu"), Kind("component")


def menu(arguments: argparse.Namespace) -> int:
    words: list[str] = arguments.words
    fields: Fields = {"command": words, "cwd": str(arguments.cwd or Path.cwd())}
    if arguments.term is not None:
        fields["term"] = arguments.term
    return _played(arguments, _MENU, fields)


def resolve(arguments: argparse.Namespace) -> int:
    return _played(arguments, _COMPONENT, {"component_name": arguments.name})


def _played(arguments: argparse.Namespace, kind: Kind, fields: Fields) -> int:
    is_person = sys.stdin.isatty() and sys.stderr.isatty() and not arguments.json
    if not is_person:
        # The task outlives this command when nobody answers it here.
        keeping.ensure(state_dir_of(arguments))

    async def use(service: Nearest) -> int:
        reply = await service.answer(kind.operation("start"), fields)
        if outcome(reply) == "host_unavailable" and not is_person:
            # A keeper that had nothing to keep was about to end; so there is nothing to do twice.
            keeping.ensure(state_dir_of(arguments))
            reply = await service.answer(kind.operation("start"), fields)
        if outcome(reply) != "ok":
            return refused(reply, as_json=arguments.json)
        task_id = str(msgspec.to_builtins(reply)["task_id"])
        played = Played(service, kind, task_id, arguments)
        with _interruptible():
            try:
                code = await (played.by_a_person() if is_person else played.by_lines())
            except asyncio.CancelledError:
                code = INTERRUPTED
        # What nobody keeps would go on where nobody could answer it or end it.
        if code != INPUT_REQUIRED or remote_owner(state_dir_of(arguments)) is None:
            await service.answer(kind.operation("close"), {"task_id": task_id})
        return code

    return with_service(arguments, use)


class Played:
    """One task, from its start to its end or to a question that nobody answers."""

    def __init__(
        self, service: Nearest, kind: Kind, task_id: str, arguments: argparse.Namespace
    ) -> None:
        self.service = service
        self.kind = kind
        self.task_id = task_id
        self.arguments = arguments
        self.lines = Lines()
        self.answered_at = 0  # where the output stood at the last answer
        self.answer = ""

    async def by_lines(self) -> int:
        while True:
            task = await self.rested()
            print_json(task)
            if task["state"] in _OVER:
                return _code(task)
            line = await self.lines.next()
            if not line:
                self._say_how_to_go_on(task)
                return INPUT_REQUIRED
            words = answer.without_line_end(line.decode("utf-8", "surrogateescape"))
            reply = await self.select(task, words)
            if outcome(reply) != "ok":
                refused(reply, as_json=False)

    async def by_a_person(self) -> int:
        while True:
            task = await self.rested()
            if task["state"] in _OVER:
                await self._show_last_words(task)
                return self._told(task)
            if "error" in task:
                _show(str(task["error"]).rstrip() + "\n")
            selection = _selection(task)
            picked = await (self._typed(selection) if not selection["options"] else self._picked())
            if isinstance(picked, int):
                return picked
            index, words = picked
            reply = await self.select(task, words, index)
            if outcome(reply) == "ok":
                answered = msgspec.to_builtins(reply)
                self.answered_at, self.answer = int(answered["transcript_cursor"]), words
            elif outcome(reply) != "stale_selection":
                refused(reply, as_json=False)

    async def rested(self) -> Task:
        """The task as soon as it asks or is over."""
        while True:
            reply = await self.service.answer(
                self.kind.operation("status"), {"task_id": self.task_id}
            )
            if outcome(reply) != "ok":
                raise Broken(str(msgspec.to_builtins(reply)["message"]))
            task: Task = msgspec.to_builtins(reply)
            if task["state"] in _OVER or "selection" in task:
                return task
            await asyncio.sleep(_LOOK_S)

    async def select(self, task: Task, words: str, index: int | None = None) -> Reply:
        fields: Fields = {
            "task_id": self.task_id,
            "selection_id": _selection(task)["selection_id"],
            "selected_option": words,
        }
        if index is not None:
            fields["index"] = index
        return await self.service.answer(self.kind.operation("select"), fields)

    # --- a person ----------------------------------------------------------------

    async def _picked(self) -> tuple[int, str] | int:
        """An option and its index, down the blocks; or how the picking ended without one."""
        at: list[int] = []
        invalid_count = 0
        while True:
            reply = await self.service.answer("menu.block", {"task_id": self.task_id, "at": at})
            if outcome(reply) != "ok":
                raise Broken(str(msgspec.to_builtins(reply)["message"]))
            block = msgspec.to_builtins(reply)["block"]
            choices: list[dict[str, object]] = block["choices"]
            remark = question.remark(invalid_count, len(choices), is_many=False)
            _show(f"{remark}{block['text']}\n")
            line = await self.lines.next()
            if not line:
                return INPUT_REQUIRED
            text = line.decode("utf-8", "surrogateescape")
            said = answer.answer_in(text, len(choices), is_many=False, keys=())
            match said:
                case answer.CancelSaid():
                    _show(f"{question.FLOW_CANCEL}\n")
                    return CANCELLED
                case answer.NumbersChosen((number,)):
                    choice = choices[number - 1]
                    if "index" in choice:
                        return int(str(choice["index"])), str(choice["option"])
                    at = [int(str(one)) for one in _listed(choice["at"])]
                    invalid_count = 0
                case answer.TextSaid():
                    invalid_count = 0
                case _:
                    invalid_count += 1
                    if invalid_count >= question.INVALID_MAX:
                        _show(f"{question.STEP_ABORT}\n")
                        return ABORTED

    async def _typed(self, selection: dict[str, object]) -> tuple[None, str] | int:
        for row in _listed(selection.get("context", [])):
            _show(f"{row}\n")
        _show(f"{selection['prompt']} ")
        line = await self.lines.next()
        if not line:
            return INPUT_REQUIRED
        return None, answer.without_line_end(line.decode("utf-8", "surrogateescape"))

    async def _show_last_words(self, task: Task) -> None:
        """What a program says when all is answered, to whoever sits there."""
        if self.kind is not _MENU or task["state"] != "completed" or not sys.stdout.isatty():
            return
        end = int(str(task["transcript_cursor"]))
        fields: Fields = {
            "conversation_id": self.task_id,
            "from_cursor": max(self.answered_at, end - _WORDS_BYTES_MAX),
            "max_bytes": _WORDS_BYTES_MAX,
        }
        reply = await self.service.answer("pty.read_spool", fields)
        if outcome(reply) == "ok":
            words = last_words(str(msgspec.to_builtins(reply)["data"]), self.answer)
            print(words, end="\n" if words else "", flush=True)

    def _told(self, task: Task) -> int:
        if "location" in task:
            print(task["location"], flush=True)
        if "reason" in task:
            _show(str(task["reason"]).rstrip() + "\n")
        return _code(task)

    # --- elsewhere ---------------------------------------------------------------

    def _say_how_to_go_on(self, task: Task) -> None:
        selection = _selection(task)
        fields = {
            "task_id": self.task_id,
            "selection_id": selection["selection_id"],
            "selected_option": "...",
        }
        state_dir = self.arguments.state_dir
        told = [] if state_dir is None else ["--state-dir", str(state_dir)]
        call = shlex.join(["antiphon", "call", *told])
        say(
            f"{self.task_id} asks, and stays open. Answer it with\n"
            f"  {call} {self.kind.operation('select')} '{json.dumps(fields)}'\n"
            f"see how it stands with\n"
            f"  {call} {self.kind.operation('status')} '{json.dumps({'task_id': self.task_id})}'\n"
            f"and end it with\n"
            f"  {call} {self.kind.operation('close')} '{json.dumps({'task_id': self.task_id})}'"
        )


class Lines:
    """Lines of stdin, without a thread that nothing could end."""

    def __init__(self) -> None:
        self._held = b""
        self._is_over = False

    async def next(self) -> bytes:
        """The next line; empty at the end of input."""
        while b"\n" not in self._held and not self._is_over:
            data = await self._read()
            self._held += data
            self._is_over = not data
        line, end, self._held = self._held.partition(b"\n")
        return line + end

    async def _read(self) -> bytes:
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        number = sys.stdin.fileno()
        try:
            loop.add_reader(number, readable.set)
        except PermissionError:  # a file: always readable
            return os.read(number, _READ_BYTES)
        try:
            await readable.wait()
            return os.read(number, _READ_BYTES)
        except OSError:
            return b""  # the terminal is gone
        finally:
            loop.remove_reader(number)


def _selection(task: Task) -> dict[str, object]:
    found = task["selection"]
    assert isinstance(found, dict)
    return found


def _listed(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def _code(task: Task) -> int:
    """The program's own exit code; a signal is 128 and its number; 1 when nobody knows."""
    if task["state"] in ("completed", "finished"):
        return WELL
    code = task.get("exit_code")
    if "location" in task or not isinstance(code, int) or code == 0:
        return REFUSED
    return 128 - code if code < 0 else code


def _show(text: str) -> None:
    sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stderr.buffer.flush()


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends the task rather than this command in the middle of it."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
