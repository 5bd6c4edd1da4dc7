"""One scenario for every door: all operations, and what their answers are without times and ids."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

from antiphon.wire.methods import METHODS
from tests.doors.doorways import Answer, Door
from tests.real import record

TIMES = {"ts", "ts_begin", "ts_end", "last_activity"}
SENTINEL_TIME = re.compile(r"(FWS_PROMPT__ ts=)\d+")


FLOW = {
    "flow": "deploy",
    "steps": [
        {"key": "env", "ask": "Which one?", "select": "one", "options": ["dev", "staging", "prod"]},
        {"key": "region", "ask": "Which ones?", "select": "many", "options": ["eu", "us", "ap"]},
    ],
}


class Script:
    """Asks at a door and keeps what was answered."""

    def __init__(self, door: Door, work: Path) -> None:
        self.door = door
        self.work = work
        self.transcript: list[tuple[str, Any]] = []
        self.shells: list[str] = []

    def ask(self, name: str, /, **fields: object) -> Answer:
        if "conversation_id" in METHODS[name].request.__struct_fields__:
            fields.setdefault("conversation_id", "c")
        return self.noted(name, self.door.ask(name, **fields))

    def noted(self, name: str, answer: Answer) -> Answer:
        self.transcript.append((name, self.plain(answer)))
        return answer

    def ok(self, name: str, /, **fields: object) -> Answer:
        answer = self.ask(name, **fields)
        assert answer["ok"] is True, (name, fields, answer)
        return answer

    def refused(self, code: str, name: str, /, **fields: object) -> Answer:
        answer = self.ask(name, **fields)
        assert answer["ok"] is False and answer["error"] == code, (name, fields, answer)
        return answer

    def plain(self, value: Any, key: str = "") -> Any:
        """Times become T, shells and states their number; cursors stay, for they are the same."""
        match value:
            case dict():
                return {name: self.plain(one, name) for name, one in value.items()}
            case list():
                return [self.plain(one, key) for one in value]
            case int() if key in TIMES:
                assert value > 10**12
                return "T"
            case str() if key in {"shell_id", "state"}:
                if value not in self.shells:
                    self.shells.append(value)
                return f"{key} {self.shells.index(value)}"
            case str():
                text = value.replace(str(self.door.state), "STATE")
                return SENTINEL_TIME.sub(r"\1T", text)
        return value

    def as_bytes(self, name: str, /, **fields: object) -> bytes:
        """A read in base64; its bytes go into the transcript, whose times would hide in it."""
        answer = self.door.ask(name, conversation_id="c", encoding="base64", **fields)
        data = base64.b64decode(answer["data"])
        self.noted(name, {**answer, "data": data.decode("utf-8", "backslashreplace")})
        return data

    def inputs(self) -> None:
        """Who typed differs from door to door, and with it how many bytes say so."""
        answer = self.door.ask("pty.read_inputs", conversation_id="c", limit=200)
        for one in answer["items"]:
            assert one.pop("by") in ("agent", "program")
        assert answer.pop("resume_cursor") > answer["cursor"] == 0
        self.noted("pty.read_inputs", answer)

    def play(self) -> None:
        self.questions()
        for part in (self.shell, self.blocks, self.sessions, self.ends, self.history, self.last):
            part()

    # --- the parts ---------------------------------------------------------------

    def questions(self) -> None:
        """A dialogue, from its first block to its end."""
        state = self.ok("flow.start", flow=FLOW, ttl_s=60)["state"]
        for said in ("option 2", "use blue-green", {"choice": [2]}, "3,1", "env=1"):
            state = self.ok("flow.answer", state=state, input=said)["state"]
        free = {"kind": "freetext", "text": "1"}
        assert self.ok("flow.answer", state=state, input=free, flow=FLOW)["output"] is None
        for said in ("2", "env=3 region=9", "0", "0", "0", "0"):
            state = self.ok("flow.answer", state=state, input=said)["state"]
        state = self.ok("flow.reopen", state=state)["state"]
        state = self.ok("flow.answer", state=state, input="2")["state"]
        done = self.ok("flow.answer", state=state, input="1")
        assert done["values"] == {"env": "prod", "region": ["us"]}
        self.refused("flow_terminal", "flow.answer", state=done["state"], input="1")
        self.refused("state_invalid", "flow.answer", state=state + "x", input="1")
        self.refused("state_invalid", "flow.reopen", state="")
        self.refused("not_found", "flow.start", flow="nowhere")
        self.refused("invalid_request", "flow.start", flow={"flow": "f", "steps": []})
        self.refused(
            "invalid_request", "flow.answer", state=state, input={"choice": [1], "text": ""}
        )
        text = self.ok("interaction.render", instruction="Which?", options=["Да", "生产环境"])[
            "text"
        ]
        assert self.ok("interaction.validate", text=text, domain=["Да"])["violations"]
        self.ok("interaction.validate", text=text, pinned=text)
        refused = self.refused(
            "contract_violation", "interaction.render", instruction="", options=[]
        )
        assert [found["code"] for found in refused["violations"]] == ["F06", "F07"]

    def shell(self) -> None:
        assert self.ok("pty.list")["conversations"] == []
        self.refused("not_found", "pty.status")
        opened = self.ok(
            "pty.open", shell="bash", cwd=str(self.work), env={"GREETING": "hé"}, cols=100, rows=30
        )
        assert self.ok("pty.open") == opened
        self.ok("pty.status")
        self.ok("pty.run", cmd="printf 'hello\\nworld\\n'")
        self.ok("pty.run", cmd='echo "$GREETING"; stty size; exit_with() { return $1; }')
        self.ok("pty.run", cmd="exit_with 3")
        self.ok("pty.run", cmd="seq 1 2000", max_bytes=16)
        self.ok("pty.run", cmd="pwd", cwd="/")
        self.ok("pty.run", cmd="pwd")
        self.ok("pty.run", cmd="cat <<'END'\n\ttab \u2028 \U0001f600 'quotes' $HOME !x\nEND")
        self.ok("pty.run", cmd="printf 'a\\xff\\xe6\\x97'", cwd=str(self.work))
        self.ok("pty.resize", cols=91, rows=31)
        self.ok("pty.run", cmd="stty size")
        assert self.ok("pty.wait_for", match="wor")["match_text"] == "wor"
        self.ok("pty.wait_for", match="w.*d$", match_type="regex")
        self.ok("pty.wait_for", match_type="prompt")
        first = self.ok("pty.wait_prompt")
        self.ok("pty.wait_prompt", from_cursor=first["resume_cursor"])
        self.ok("pty.screen")

    def blocks(self) -> None:
        """A block that waits in the middle, so that it can be looked at while it runs."""
        begun = self.ok("pty.exec_block", cmd="printf 'ready\\n'; read x; echo \"got $x\"")
        cursor = begun["resume_cursor"]
        self.ok("pty.wait_for", match="ready\n", from_cursor=cursor)
        self.ok("pty.status")
        self.ok("blocks.get", block_id=begun["block_id"])
        for name in ("pty.exec_block", "pty.exec_interactive", "pty.run"):
            assert self.refused("busy", name, cmd="echo no")["mode"] == "block_running"
        self.timed_out("pty.wait_for", match="never", from_cursor=cursor, timeout_ms=1)
        self.timed_out("pty.wait_prompt", from_cursor=cursor, timeout_ms=0)
        self.timed_out("pty.expect_send", expect="never", send="x", timeout_ms=1)
        self.ok("pty.send", data="this\r")
        ended = self.ok("pty.wait_prompt", from_cursor=cursor)
        assert ended["extra"]["exit_code"] == 0
        self.ok("blocks.get", block_id=begun["block_id"])
        page = self.ok("blocks.read", block_id=begun["block_id"], max_bytes=4)
        assert page["data"] == "read"
        self.as_bytes("blocks.read", block_id=begun["block_id"], from_cursor=page["resume_cursor"])
        self.ok("pty.read_spool", from_cursor=cursor)
        self.as_bytes("pty.read_spool", from_cursor=1, max_bytes=100)

    def timed_out(self, name: str, /, **fields: object) -> None:
        answer = self.refused("timeout", name, **fields)
        more = {"sent"} if name == "pty.expect_send" else set()
        assert set(answer) == {"ok", "matched", "error", "resume_cursor"} | more

    def sessions(self) -> None:
        begun = self.ok(
            "pty.exec_interactive",
            cmd='printf \'Name: \'; read n; printf "hello $n\\nAge: "; read a; echo "so $a"',
        )
        cursor = begun["resume_cursor"]
        self.ok("pty.wait_for", match="Name: ", from_cursor=cursor)
        self.ok("pty.status")
        assert "interactive" in self.refused("busy", "pty.run", cmd="echo no")["message"]
        assert self.ok("pty.expect_send", expect="Name: ", send="bob\r", from_cursor=cursor)["sent"]
        asked = self.ok(
            "pty.expect_send", expect="A.e: ", expect_type="regex", send="7", from_cursor=cursor
        )
        # The terminal's echo comes when it comes: the Enter is sent behind it, at every door.
        self.ok("pty.wait_for", match="7", from_cursor=asked["resume_cursor"])
        self.ok("pty.send", keys=["Enter"])
        self.ok("pty.wait_for", match="so 7", from_cursor=asked["resume_cursor"])
        self.ok("pty.wait_prompt", from_cursor=asked["resume_cursor"])
        self.ok("blocks.get", block_id=begun["block_id"])
        hidden = self.ok("pty.exec_interactive", cmd="printf 'Key: '; read -s k; echo \"${#k}\"")
        self.ok("pty.wait_for", match="Key: ", from_cursor=hidden["resume_cursor"])
        self.ok("pty.send", data="hunter2\r", secret=True)
        self.ok("pty.wait_prompt", from_cursor=hidden["resume_cursor"])
        full = self.ok("pty.exec_interactive", cmd="printf '\\033[?1049hfull'; read x")
        self.ok("pty.wait_for", match="full", from_cursor=full["resume_cursor"])
        assert self.ok("pty.screen")["alt_screen"] is True
        self.ok("pty.send", keys=["C-c"])
        self.ok("pty.wait_prompt", from_cursor=full["resume_cursor"])
        assert self.ok("blocks.get", block_id=full["block_id"])["block"]["status"] == "cancelled"

    def ends(self) -> None:
        self.refused("not_interactive", "pty.end_session")
        begun = self.ok("pty.exec_interactive", cmd="sh -c 'echo there; read x'")
        self.ok("pty.wait_for", match="there\n", from_cursor=begun["resume_cursor"])
        self.refused("session_mismatch", "pty.end_session", session_id="another")
        ended = self.ok("pty.end_session", session_id=begun["session_id"])
        assert (ended["mode"], ended["exit_code"]) == ("idle", 130)
        # Without an echo of the Ctrl-C, which may come before or after the answer.
        deaf = self.ok(
            "pty.exec_interactive", cmd="sh -c \"stty -echo; trap '' INT; echo deaf; read x\""
        )
        self.ok("pty.wait_for", match="deaf\n", from_cursor=deaf["resume_cursor"])
        self.refused("timeout", "pty.end_session", grace_ms=10)
        self.ok("pty.end_session", force=True, grace_ms=10)
        self.ok("blocks.get", block_id=deaf["block_id"])
        late = self.refused("timeout", "pty.run", cmd="echo so far; read x", timeout_ms=1500)
        assert late["data"] == "so far\n"
        self.ok("pty.send", data="\r")
        self.ok("pty.wait_prompt", from_cursor=late["resume_cursor"])

    def history(self) -> None:
        page = self.ok("blocks.since", limit=3)
        assert len(page["items"]) == 3
        self.ok("blocks.since", from_cursor=page["resume_cursor"])
        found = self.ok("blocks.search", query="hello")
        assert found["hits"]
        self.ok("blocks.search", query="HELLO", ignore_case=True, limit=1)
        self.ok("blocks.search", query="^199[0-9]$", match_type="regex", limit=4)
        self.ok("blocks.search", query="e", block_id=found["hits"][0]["block_id"])
        self.ok("blocks.search", query="it is nowhere")
        self.inputs()

    def last(self) -> None:
        before = self.ok("pty.status")["shell_id"]
        assert self.ok("pty.reset")["shell_id"] != before
        self.ok("pty.run", cmd="echo after the reset")
        self.ok("pty.close")
        assert self.ok("pty.close")
        self.ok("pty.status")
        self.ok("pty.read_spool", max_bytes=64)
        self.ok("blocks.since", limit=1)
        self.ok("pty.run", cmd="echo a fresh shell", cwd=str(self.work))
        assert len(self.ok("pty.list")["conversations"]) == 1


def events(script: Script) -> list[Any]:
    """The record without its times; deltas joined, for where output is cut is nobody's promise."""
    path = script.door.state / "conversations" / "c" / "agent_pty" / "events.jsonl"
    found: list[Any] = []
    for line in record.lines(path):
        event = script.plain(line)
        if event["type"] == "agent_block_delta":
            text = event.get("delta") or base64.b64decode(event["delta_b64"]).decode("latin-1")
            if found and found[-1].get("joined") and found[-1]["block_id"] == event["block_id"]:
                found[-1]["joined"] += text
            else:
                found.append({"block_id": event["block_id"], "joined": text})
        else:
            found.append(event)
    return found
