from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.clauses import clause
from tests.doors.doorways import HttpDoor, Serving
from tests.real import record

pytestmark = pytest.mark.slow

FRAME_S_MAX = 120


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpDoor]:
    with HttpDoor(tmp_path_factory.mktemp("stream") / "state") as door:
        yield door
        for one in door.ask("pty.list")["conversations"]:
            door.ask("pty.close", conversation_id=one["conversation_id"])


@contextmanager
def viewing(serving: Serving, name: str, cursor: int = 0) -> Iterator[ClientConnection]:
    address = f"ws://{serving.host}/api/pty/{name}/stream?from_cursor={cursor}"
    headers = {"Authorization": serving.headers["Authorization"]}
    with connect(address, additional_headers=headers, proxy=None, compression=None) as socket:
        yield socket


def seen(socket: ClientConnection, until: str) -> tuple[bytes, list[Any]]:
    """Output and events up to the END of this block, and what output came before it."""
    output, events = b"", []
    while True:
        frame = socket.recv(FRAME_S_MAX)
        if isinstance(frame, bytes):
            output += frame
            continue
        events.append(json.loads(frame))
        if events[-1]["type"] == "agent_block_end" and events[-1]["block"]["block_id"] == until:
            return output, events


def spool(door: HttpDoor, name: str) -> bytes:
    return (door.state / "conversations" / name / "agent_pty" / "output.spool").read_bytes()


@clause("terminal stream", "terminal events")
def test_the_stream_is_the_spool_and_the_events_are_the_record(door: HttpDoor) -> None:
    door.ask("pty.run", conversation_id="a", cmd="echo before")
    with viewing(door.serving, "a") as socket:
        begun = door.ask("pty.exec_block", conversation_id="a", cmd="printf 'h\\303\\251\\377'")
        output, events = seen(socket, begun["block_id"])
        assert output == spool(door, "a")
        folder = door.state / "conversations" / "a" / "agent_pty"
        written = record.lines(folder / "events.jsonl")
        # Deltas are not told twice: the binary frames are what they say.
        ours = [one for one in written if one.get("block", {}).get("block_id") == "a.2"]
        assert [one for one in events if one["type"] != "mode"] == ours
        modes = [one["mode"] for one in events if one["type"] == "mode"]
        assert modes[:2] == ["idle", "block_running"]
        door.ask("pty.resize", conversation_id="a", cols=77, rows=11)
        sizes = iter(lambda: json.loads(socket.recv(FRAME_S_MAX)), None)
        assert next(one for one in sizes if one["type"] == "resize")["cols"] == 77
        door.ask("pty.reset", conversation_id="a")
        frames = iter(lambda: socket.recv(FRAME_S_MAX), None)
        resets = (json.loads(frame) for frame in frames if isinstance(frame, str))
        assert next(one for one in resets if one["type"] == "agent_session_reset")["reason"]


@clause("terminal stream input", "terminal d11")
def test_keys_on_the_stream_wait_their_turn(door: HttpDoor) -> None:
    begun = door.ask("pty.exec_interactive", conversation_id="b", cmd="echo there; cat")
    cursor = begun["resume_cursor"]
    door.ask("pty.wait_for", conversation_id="b", match="there\n", from_cursor=cursor)
    with viewing(door.serving, "b") as socket:
        expecting = door.start(
            "pty.expect_send", conversation_id="b", expect="ex-one\n", send="two\r",
            from_cursor=cursor,
        )  # fmt: skip
        while door.waits() == 0:
            pass
        socket.send('{"type":"input","data":"three\\r"}')
        socket.send('{"type":"keys","keys":["C-d"]}')
        # Both writers wait; the operation is answered first, though it needs a third to go on.
        assert not expecting.done()
        door.ask("pty.resize", conversation_id="b", cols=80, rows=24)
        folder = door.state / "conversations" / "b" / "agent_pty"
        assert not [o for o in record.lines(folder / "events.jsonl") if o["type"] == "agent_input"]
        ended = door.ask("pty.end_session", conversation_id="b")
        assert ended["exit_code"] == 130 and expecting.result()["error"] == "cancelled"


@clause("terminal 3.9")
def test_a_viewer_who_comes_and_goes_misses_and_doubles_nothing(door: HttpDoor) -> None:
    dice = random.Random(5)
    begun = door.ask("pty.exec_block", conversation_id="c", cmd="seq 1 600000; echo the end")
    got = b""
    drops = 0
    while b"the end\n" not in got:
        with viewing(door.serving, "c", len(got)) as socket:
            for _ in range(dice.randrange(1, 6)):
                frame = socket.recv(FRAME_S_MAX)
                got += frame if isinstance(frame, bytes) else b""
                if b"the end\n" in got:
                    break
        drops += 1
    door.ask("pty.wait_prompt", conversation_id="c", from_cursor=begun["resume_cursor"])
    assert drops > 2 and spool(door, "c").startswith(got)


def left(socket: ClientConnection) -> Iterator[bytes]:
    """The output that still comes, until the connection ends."""
    while True:
        try:
            frame = socket.recv(FRAME_S_MAX)
        except ConnectionClosed:
            return
        if isinstance(frame, bytes):
            yield frame


def memory_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def test_a_viewer_who_does_not_read_holds_up_nobody(door: HttpDoor) -> None:
    door.ask("pty.run", conversation_id="d", cmd="echo x")
    with viewing(door.serving, "d") as sleeper:
        before = memory_kb(door.pid)
        ran = door.ask("pty.run", conversation_id="d", cmd="seq 1 3000000", max_bytes=4)
        assert ran["output_bytes"] > 20_000_000
        assert memory_kb(door.pid) - before < 16_000
        output, _ = seen(sleeper, ran["block"]["block_id"])
        assert output == spool(door, "d")[: len(output)] and len(output) > 20_000_000


@clause("terminal D15", "terminal D15a")
def test_a_viewer_finds_everything_again_after_the_server_was_killed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    serving = Serving.begin(state)
    port = int(serving.host.rpartition(":")[2])
    body = json.dumps({"cmd": "for i in {1..20000}; do echo $i; done; read x; echo the end"})
    serving.post("/api/pty/e/exec_block", body.encode())
    got = b""
    with viewing(serving, "e") as socket:
        while len(got) < 5_000:
            frame = socket.recv(FRAME_S_MAX)
            got += frame if isinstance(frame, bytes) else b""
        serving.kill()
        got += b"".join(left(socket))
    serving = Serving.begin(state, port=port)
    with viewing(serving, "e", len(got)) as socket:
        serving.post("/api/pty/e/send", b'{"data":"\\r"}')
        output, _ = seen(socket, "e.1")
    lines = (got + output).decode().splitlines()
    assert [line for line in lines if line.isdigit()] == [str(n) for n in range(1, 20001)]
    assert lines[-1].startswith("__FWS_PROMPT__") and lines[-2] == "the end"
    serving.post("/api/pty/e/close", b"{}")
    record.check(state / "conversations" / "e" / "agent_pty")
    assert serving.end() == 0
