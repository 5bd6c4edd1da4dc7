"""`antiphon ask`: a flow on the terminal, or answered line by line from a pipe.

Blocks go to stderr and, once the summary is confirmed, the values to stdout: a script takes
them with `$(antiphon ask …)`.  The dialogue is the core's; only a flow's command needs the
service.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from antiphon.adapters.cli_exit import (
    WELL,
    failed,
    print_json,
    refused,
    say,
    state_dir_of,
    with_service,
)
from antiphon.adapters.front import outcome
from antiphon.adapters.reach import Nearest
from antiphon.base.errors import Code, Refused
from antiphon.choice import dialogue, loading
from antiphon.choice.dialogue import Event, EventType, Said, Stage, Turn
from antiphon.choice.flow import Flow, Values, plain
from antiphon.choice.loading import NoFlow
from antiphon.choice.nodes import FILE_BYTES_MAX
from antiphon.choice.question import FLOW_CANCEL, STEP_ABORT
from antiphon.wire import codec
from antiphon.wire import interaction as i

USAGE, CANCELLED, ABORTED, INPUT_REQUIRED = 2, 3, 4, 5


def ask(arguments: argparse.Namespace) -> int:
    path = _path(arguments)
    try:
        flow = loading.from_yaml(_flow_text(arguments, path))
        first = dialogue.started(flow, _values(arguments.values))
    except Refused as error:
        failed(error, as_json=arguments.json)
        return USAGE
    except NoFlow as error:
        _print_problems(path, error, as_json=arguments.json)
        return USAGE
    try:
        ended = _talk(flow, first, is_trial=arguments.trial)
    except KeyboardInterrupt:
        _say("\n")  # the terminal has just shown ^C
        raise
    if isinstance(ended, int):
        return ended
    if flow.on_confirm is not None and not arguments.trial:
        try:
            code = _act(arguments, flow, ended)
        except KeyboardInterrupt:
            room = flow.on_confirm.conversation
            _say("\n")
            say(f"what has begun goes on in conversation {room}: antiphon tail -f {room}")
            raise
        if code != WELL:
            return code
    sys.stdout.buffer.write(codec.encoded(dict(ended)) + b"\n")
    sys.stdout.buffer.flush()
    return WELL


def _path(arguments: argparse.Namespace) -> Path:
    """The file, or the flow of that name in the state directory."""
    given = Path(arguments.flow)
    if not given.exists() and loading.NAME.fullmatch(arguments.flow):
        named = state_dir_of(arguments) / "flows" / f"{arguments.flow}.yaml"
        if named.exists():
            return named
    return given


def _flow_text(arguments: argparse.Namespace, path: Path) -> str:
    try:
        return file_text(path)
    except Refused as error:
        if path.exists() or not loading.NAME.fullmatch(arguments.flow):
            raise
        folder = state_dir_of(arguments) / "flows"
        raise Refused(error.code, f"{error.message}; nor is it a flow of {folder}") from None


def file_text(path: Path) -> str:
    """The file as text; what is no UTF-8 stays visible as such."""
    try:
        with path.open("rb") as file:
            return file.read(FILE_BYTES_MAX + 1).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise Refused(Code.NOT_FOUND, f"{path}: {error.strerror}") from None


def _values(given: str) -> Values:
    accepted = 'an object like {"env":"prod","region":["eu"]} is accepted'
    try:
        said = msgspec.json.decode(given)
    except msgspec.DecodeError as error:
        raise Refused(Code.INVALID_REQUEST, f"--values: {error}; {accepted}") from None
    if not isinstance(said, dict):
        raise Refused(Code.INVALID_REQUEST, f"--values is {said!r:.80}; {accepted}")
    for name, value in said.items():
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in texts):
            found = f"{name} is {value!r:.80}; text or a list of texts is accepted"
            raise Refused(Code.INVALID_REQUEST, f"--values: {found}")
    return {name: tuple(one) if isinstance(one, list) else one for name, one in said.items()}


def _print_problems(path: Path, error: NoFlow, *, as_json: bool) -> None:
    if as_json:
        found = [problem.fields(str(path)) for problem in error.problems]
        refusal = Refused(Code.INVALID_REQUEST, f"{path} is no flow", problems=found)
        print_json(codec.refusal(refusal))
    for problem in error.problems:
        _say(problem.told(str(path)) + "\n")


def _talk(flow: Flow, turn: Turn, *, is_trial: bool) -> Values | int:
    """The values that were confirmed, or the exit code of an end without them."""
    _show(turn)
    for line in _lines():
        turn = dialogue.advance(flow, turn.state, Said(line))
        if is_trial:
            _tell(turn.events)
        _show(turn)
        if turn.state.stage is Stage.DONE:
            return flow.values(turn.state.answers)
        if turn.output == FLOW_CANCEL:
            return CANCELLED
        if turn.output == STEP_ABORT:
            if not is_trial:
                return ABORTED
            turn = dialogue.reopened(flow, turn.state)
            _show(turn)
    return INPUT_REQUIRED


def _lines() -> Iterator[str]:
    """What is typed or piped; the end of input is no answer to anything."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "surrogateescape")


def _show(turn: Turn) -> None:
    if turn.output is not None:
        _say(turn.output + "\n")


def _say(text: str) -> None:
    """In UTF-8 whatever the locale: a block is the same bytes everywhere."""
    sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stderr.buffer.flush()


def _tell(events: tuple[Event, ...]) -> None:
    """For an author who tries a flow: what the input meant."""
    for event in events:
        told = [event.type.value, event.step or "", event.reason or ""]
        if event.type is EventType.FREETEXT:
            told.append(repr(event.text))
        if event.values:
            told.append(codec.encoded(dict(event.values)).decode())
        _say("# " + " ".join(part for part in told if part) + "\n")


def _act(arguments: argparse.Namespace, flow: Flow, values: Values) -> int:
    """Runs the flow's command; its output is the result, and nothing is said before it."""

    async def use(service: Nearest) -> int:
        reply = await service.answer("flow.start", {"flow": plain(flow), "values": dict(values)})
        if outcome(reply) != "ok":
            return refused(reply, as_json=False)
        summary = msgspec.convert(msgspec.to_builtins(reply), i.FlowStarted)
        reply = await service.answer("flow.answer", {"state": summary.state, "input": "1"})
        if outcome(reply) != "ok":
            return refused(reply, as_json=False)
        done = msgspec.convert(msgspec.to_builtins(reply), i.FlowAnswered)
        _say(done.output or "")
        return WELL

    return with_service(arguments, use)
