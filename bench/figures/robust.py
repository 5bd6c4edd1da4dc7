"""Noise in the stream, nonsense at the doors, and fifty at once on one shell."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import random
import socket
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

from websockets.sync.client import connect

import antiphon
import antiphon.sync
from antiphon.base.errors import Code
from antiphon.drivers.screen import Screen
from antiphon.library import Refused
from antiphon.terminal.marks import MarkReader, PromptSeen, TextArrived
from antiphon.terminal.spool import Spool
from bench import machine
from bench.rows import Row, Stage
from bench.servers import Mcp, McpRefused, Serving, end_shells

GROWN_MB_MAX = 10
# What an escape sequence, a mark and a character are made of.
PIECES = (
    b"\x1b[", b"\x1b]", b"\x1b]7770;", b"\x1bP", b"\x1b\\", b"\x07", b"\r\n", b"\r", b"\n", b";",
    b"12", b"?1049h", b"?25l", b"m", b"H", b"2J", b"P;", b"\xe6\xbc", b"\xa2", b"\xf0\x9f", b"\xff",
    b"text ", b"\x00", b"\x9b", b"\x1b(0", b"\x1bc", b"\t", b"\x08", b"999999999",
)  # fmt: skip


def measure(stage: Stage) -> Iterator[Row]:
    yield _noise(stage)
    yield _nonsense_http(stage)
    yield _nonsense_frames(stage)
    yield _nonsense_mcp(stage)
    yield asyncio.run(_at_once(stage))


def _noise(stage: Stage) -> Row:
    """Through what reads the stream, made the spool and draws the screen."""
    count = stage.size.pick(2000, 100_000, 1_000_000)
    dice = random.Random(20)
    reader, spool, screen = MarkReader(b"0" * 32), Spool(), Screen(120, 40)
    here, grown, prompts, raised = [os.getpid()], 0.0, 0, 0
    before = machine.private_mb(here)
    for number in range(count):
        data = (
            dice.randbytes(dice.randrange(1, 40))
            if number % 2
            else b"".join(dice.choices(PIECES, k=dice.randrange(1, 8)))
        )
        try:
            for arrival in reader.feed(data):
                if isinstance(arrival, TextArrived):
                    spool.text(arrival.data)
                    screen.feed(arrival.data, None)
                elif isinstance(arrival, PromptSeen):
                    prompts += 1
        except Exception as error:  # noqa: BLE001 - each one is counted
            stage.say(f"{type(error).__name__}: {error}")
            raised += 1
        if number == count // 10:
            before = machine.private_mb(here)
    grown = machine.private_mb(here) - before
    return Row(
        f"{count:,} pieces of noise and torn sequences through reader, spool and screen",
        f"{raised} exceptions, {prompts} prompts, {grown:.1f} MB more memory",
        target=f"0, 0, < {GROWN_MB_MAX} MB",
        is_reached=not raised and not prompts and grown < GROWN_MB_MAX,
    )


def _body(dice: random.Random, number: int) -> bytes:
    good = {"conversation_id": "c", "from_cursor": 0, "max_bytes": 100}
    match number % 8:
        case 0:
            return dice.randbytes(dice.randrange(200))
        case 1:
            return json.dumps(good).encode()[: dice.randrange(1, 50)]
        case 2:
            return b"[" * dice.randrange(1, 50_000)
        case 3:
            return b'{"from_cursor":' + b"9" * dice.randrange(1, 6000) + b"}"
        case 4:
            return json.dumps(good | {"from_cursor": dice.choice(["x", None, -1, 1.5])}).encode()
        case 5:
            return b'{"match":"\\ud800","from_cursor":NaN}'
        case 6:
            return json.dumps(good | {"unknown": [{}] * dice.randrange(5)}).encode()
        case _:
            return b'{"a":1,"a":2}' + b" " * dice.randrange(100)


def _nonsense_http(stage: Stage) -> Row:
    count, dice = stage.size.pick(30, 1000, 5000), random.Random(22)
    state, wrong, leaks = stage.folder / "state", 0, 0
    with Serving(state) as server:
        token = (state / "token").read_text().strip()
        address = urlsplit(server.address)
        assert address.hostname is not None and address.port is not None
        with antiphon.sync.open(state) as terminals:
            terminals.pty.run("c", "true")
        for number in range(count):
            if number % 5 == 4:
                with socket.create_connection((address.hostname, address.port), 5) as raw:
                    raw.sendall(dice.randbytes(dice.randrange(1, 300)) + b"\r\n\r\n")
                    raw.settimeout(5)
                    try:
                        leaks += b"Traceback" in raw.recv(4096)
                    except OSError:
                        pass  # it hung up
                continue
            connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            verb = dice.choice(["read_spool", "wait_for", "nonsense", "status", "run"])
            connection.request("POST", f"/api/pty/c/{verb}", _body(dice, number), headers)
            answer = connection.getresponse()
            said = answer.read()
            wrong += answer.status >= 500
            leaks += b"Traceback" in said or b'File "' in said
            connection.close()
        is_alive = server.process is not None and server.process.poll() is None
        with antiphon.sync.open(state) as terminals:
            is_well = terminals.pty.run("c", "true").block.exit_code == 0
            terminals.pty.close("c")
    return Row(
        f"{count:,} malformed requests over HTTP",
        f"{wrong} answers of 500 and above, {leaks} tracebacks; well after it: {is_well}",
        target="0, 0, well",
        is_reached=not wrong and not leaks and is_alive and is_well,
    )


def _nonsense_frames(stage: Stage) -> Row:
    count, dice = stage.size.pick(30, 1000, 10_000), random.Random(24)
    state, leaks, refused = stage.folder / "frames", 0, 0
    whole = '{"type":"input","data":"ls"}'
    with Serving(state) as server, antiphon.sync.open(state) as terminals:
        terminals.pty.run("c", "true")
        token = (state / "token").read_text().strip()
        with connect(
            f"{server.address.replace('http', 'ws')}/api/pty/c/stream",
            additional_headers={"Authorization": f"Bearer {token}"},
        ) as viewer:
            for _ in range(count):
                place = dice.randrange(len(whole) - 4)
                # Not in the text that would be typed: it is never a frame.
                cut = whole[: min(place, 15)] + chr(dice.randrange(1, 0x2FF)) + whole[place + 1 :]
                viewer.send(cut if dice.random() < 0.9 else dice.randbytes(20))
            viewer.send('{"type":"resize","cols":77,"rows":33}')
            while '"cols":77' not in (said := str(viewer.recv(30))):
                refused += '"refused"' in said
                leaks += "Traceback" in said or 'File "' in said
        is_well = terminals.pty.run("c", "stty size").data == "33 77\n"
        terminals.pty.close("c")
    return Row(
        f"{count:,} malformed frames to a WebSocket",
        f"{refused:,} refused, {leaks} tracebacks; well after it: {is_well}",
        target="all, 0, well",
        is_reached=refused == count and not leaks and is_well,
    )


def _nonsense_mcp(stage: Stage) -> Row:
    count, dice = stage.size.pick(30, 1000, 5000), random.Random(23)
    state = stage.folder / "mcp"
    errors = 0
    with Mcp([sys.executable, "-m", "antiphon", "mcp", "--state-dir", str(state)]) as client:
        for number in range(count):
            noise = _body(dice, number).replace(b"\n", b" ")[:100_000]
            os.write(client.sink, noise[:60_000] + b"\n")
            if number % 20 == 0:
                try:
                    client.call(dice.choice(["pty.run", "nothing", "pty.status"]), x=number)
                except McpRefused:
                    errors += 1
        ran = client.call("pty.run", conversation_id="c", cmd="(exit 4)")
        is_well = ran["structuredContent"]["block"]["exit_code"] == 4
    end_shells(state)
    return Row(
        f"{count:,} lines of nonsense to MCP over stdio",
        f"well after it: {is_well}; {errors} of the calls between refused as errors",
        target="well",
        is_reached=is_well,
    )


async def _at_once(stage: Stage) -> Row:
    """Fifty ask for a block in the same moment."""
    rounds, many = stage.size.pick(2, 50, 1000), 50
    right = 0
    async with antiphon.open(stage.folder / "busy") as terminals:
        await terminals.pty.open("c")
        for _ in range(rounds):
            asked = (terminals.pty.exec_block("c", "read -t 0.02 x <> <(:)") for _ in range(many))
            said = await asyncio.gather(*asked, return_exceptions=True)
            busy = sum(isinstance(one, Refused) and one.code is Code.BUSY for one in said)
            begun = [one for one in said if not isinstance(one, BaseException)]
            right += busy == many - 1 and len(begun) == 1
            for one in begun:
                await terminals.pty.wait_prompt("c", from_cursor=one.resume_cursor)
        await terminals.pty.close("c")
    return Row(
        f"{rounds:,} times {many} blocks asked for at once: one begins, the others are told busy",
        f"{right:,}",
        target="all",
        is_reached=right == rounds,
    )
