"""What is wrong with a conversation's files: each sentence is one violation."""

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
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def _anywhere(block: Json) -> Json:
    """A copy of a folder has its blocks elsewhere."""
    return {name: value for name, value in block.items() if name != "output_path"}


def prompts(folder: Path) -> list[tuple[int, int]]:
    numbers = array.array("Q")
    numbers.frombytes((folder / "prompts.idx").read_bytes())
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _said(delta: Json) -> bytes:
    if "delta_b64" in delta:
        return base64.b64decode(delta["delta_b64"])
    return str(delta["delta"]).encode()


def violations(folder: Path) -> list[str]:
    """One BEGIN, deltas that are the output, one END; sentinels where the index says."""
    for name in ("events.jsonl", "blocks.jsonl"):
        content = (folder / name).read_bytes()
        if content and not content.endswith(b"\n"):
            return [f"{name} ends in a torn line"]
    wrong, told, ended = _lifecycles(folder)
    if [_anywhere(one) for one in lines(folder / "blocks.jsonl")] != [
        _anywhere(one) for one in ended
    ]:
        wrong.append("blocks.jsonl is not what ended")
    for block in ended:
        block_id = block["block_id"]
        path = folder / "blocks" / f"{block_id}.out"
        output = path.read_bytes() if path.exists() else b""
        if output != b"".join(told.get(block_id, [])):
            wrong.append(f"deltas of {block_id} are not its output")
        if len(output) != block["output_bytes"]:
            wrong.append(f"output_bytes of {block_id} is not its size")
    spool = (folder / "output.spool").read_bytes()
    wrong += [
        f"no sentinel at {start}"
        for start, end in prompts(folder)
        if not SENTINEL.fullmatch(spool[start:end])
    ]
    return wrong


def _lifecycles(folder: Path) -> tuple[list[str], dict[str, list[bytes]], list[Json]]:
    """What is wrong with the events, the deltas of each block, and the blocks as they ended."""
    wrong: list[str] = []
    told: dict[str, list[bytes]] = {}
    ended: list[Json] = []
    active = None
    for event in lines(folder / "events.jsonl"):
        match event["type"]:
            case "agent_block_begin":
                if active is not None or event["block"]["block_id"] in told:
                    wrong.append(f"a BEGIN too many: {event['block']['block_id']}")
                active = event["block"]["block_id"]
                told[active] = []
            case "agent_block_delta":
                if event["block_id"] != active:
                    wrong.append("a delta of no running block")
                told.setdefault(event["block_id"], []).append(_said(event))
            case "agent_block_end":
                if event["block"]["block_id"] != active:
                    wrong.append("an END of another block")
                ended.append(event["block"])
                active = None
    return wrong, told, ended


def follows_from_raw(folder: Path) -> bool:
    """Whether the spool of a conversation with one shell is what its terminal printed."""
    _, key = exit_of((folder / "exit").read_bytes())
    reader = MarkReader(key)
    spool, made = Spool(), []
    for arrival in reader.feed((folder / "output.raw").read_bytes()) + reader.flush():
        match arrival:
            case TextArrived(data):
                made.append(spool.text(data))
            case PromptSeen():
                line_end, line, _ = spool.prompt(arrival)
                made.append(line_end + line)
            case EditorReady():
                return True  # what is typed at the prompt may change it
    return b"".join(made) == (folder / "output.spool").read_bytes()


def numbered(output: Path) -> tuple[int, int]:
    """Lines of `number:` in order from 0, and how many are missing, doubled or out of order."""
    good = wrong = 0
    for line in output.read_bytes().splitlines():
        is_next = line.partition(b":")[0] == b"%d" % good
        good += is_next
        wrong += not is_next
    return good, wrong
