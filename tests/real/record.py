"""What must hold of a conversation's files, whatever happened in it [3.5, 3.9, D4, D6, D8]."""

from __future__ import annotations

import array
import base64
import json
import re
from pathlib import Path
from typing import Any

from antiphon.service.orders import exit_of
from antiphon.terminal.marks import EditorReady, MarkReader, PromptSeen, TextArrived
from antiphon.terminal.spool import Spool

Json = dict[str, Any]
SENTINEL = re.compile(rb"__FWS_PROMPT__ ts=\d+ cwd_b64=[A-Za-z0-9+/=]* exit=\d+\n")


def lines(path: Path) -> list[Json]:
    """Objects of a file of JSON lines, which ends with a line end."""
    content = path.read_bytes()
    assert not content or content.endswith(b"\n"), f"{path.name} ends in a torn line"
    return [json.loads(line) for line in content.split(b"\n") if line]


def said(delta: Json) -> bytes:
    """The bytes of a delta."""
    if "delta_b64" in delta:
        return base64.b64decode(delta["delta_b64"])
    return str(delta["delta"]).encode()


def prompts(folder: Path) -> list[tuple[int, int]]:
    numbers = array.array("Q")
    numbers.frombytes((folder / "prompts.idx").read_bytes())
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def check(folder: Path, *, is_over: bool = True) -> None:
    """One BEGIN, its deltas, one END; and the files say the same as the events."""
    spool = (folder / "output.spool").read_bytes()
    told: dict[str, bytes] = {}
    where: dict[str, int] = {}
    ended: list[Json] = []
    active: str | None = None
    for event in lines(folder / "events.jsonl"):
        match event["type"]:
            case "agent_block_begin":
                assert active is None, f"{active} has not ended, and {event} begins"
                active = event["block"]["block_id"]
                assert active is not None and active not in told, f"a second BEGIN: {event}"
                told[active] = b""
            case "agent_block_delta":
                assert event["block_id"] == active, f"{event} belongs to no block that runs"
                begin = where.setdefault(active or "", event["cursor"])
                assert event["cursor"] == begin + len(told[active or ""]), event
                told[active or ""] += said(event)
            case "agent_block_end":
                assert event["block"]["block_id"] == active, f"an END of another block: {event}"
                ended.append(event["block"])
                active = None
    if is_over:
        assert active is None, f"{active} has no END"
    assert lines(folder / "blocks.jsonl") == ended
    for block in ended:
        block_id = block["block_id"]
        output = (folder / "blocks" / f"{block_id}.out").read_bytes()
        assert output == told[block_id], f"the deltas of {block_id} are not its output"
        assert len(output) == block["output_bytes"]
        if output:
            begin = where[block_id]
            assert spool[begin : begin + len(output)] == output
    for start, end in prompts(folder):
        assert SENTINEL.fullmatch(spool[start:end]), spool[start:end]
        assert start == 0 or spool[start - 1 : start] == b"\n"
    assert b"\r\n" not in spool


def check_spool_follows_from_raw(folder: Path) -> None:
    """The spool of a conversation with one shell, made again from what its terminal printed.

    Where a block begins does not change the spool; what is typed at the prompt may.
    """
    _, key = exit_of((folder / "exit").read_bytes())
    reader = MarkReader(key)
    spool, made = Spool(), b""
    for arrival in reader.feed((folder / "output.raw").read_bytes()) + reader.flush():
        match arrival:
            case TextArrived(data):
                made += spool.text(data)
            case PromptSeen():
                line_end, line, _ = spool.prompt(arrival)
                made += line_end + line
            case EditorReady():
                return
    assert made == (folder / "output.spool").read_bytes(), "the spool does not follow from raw"
