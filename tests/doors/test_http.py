from __future__ import annotations

import asyncio
import http.client
import json
import random
import re

import msgspec
import pytest

from antiphon.adapters.page import Page
from antiphon.base import limits
from antiphon.wire.methods import METHODS
from tests.clauses import clause
from tests.doors.running import BEARER, JSON, TOKEN, Answer, Inside, awaited, outside, read_answer

STATUS = "/api/pty/c/status"


async def post(inside: Inside, path: str, fields: object) -> Answer:
    return await inside.ask("POST", path, body=msgspec.json.encode(fields))


@clause("terminal http")
@awaited
async def test_an_answer_of_an_operation_is_200_also_a_refusal() -> None:
    inside = Inside()
    busy = await post(inside, "/api/pty/c/exec_block", {"cmd": "busy"})
    assert busy.status == 200 and busy.json == {
        "ok": False, "error": "busy", "message": "a block runs", "mode": "block_running",
    }  # fmt: skip
    timeout = await post(inside, "/api/pty/c/wait_for", {"match": "x"})
    assert timeout.status == 200
    assert set(timeout.json) == {"ok", "matched", "error", "resume_cursor"}


@clause("terminal http", "terminal d1a", "doors 14")
@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        (STATUS, b"{", 400, "invalid_request"),
        (STATUS, b"", 200, None),
        (STATUS, b"nonsense", 400, "invalid_request"),
        (STATUS, b"\xff\xfe", 400, "invalid_request"),
        (STATUS, b'{"a":NaN}', 400, "invalid_request"),
        (STATUS, b'{"a":"\\ud800"}', 400, "invalid_request"),
        (STATUS, b"[" * 100_000, 400, "invalid_request"),
        (STATUS, b"[]", 422, "invalid_request"),
        (STATUS, b'"text"', 422, "invalid_request"),
        (STATUS, b"null", 422, "invalid_request"),
        (STATUS, b'{"unknown":1}', 422, "invalid_request"),
        (STATUS, b'{"conversation_id":"other"}', 422, "invalid_request"),
        (STATUS, b'{"conversation_id":"c"}', 200, None),
        (STATUS, b'{"conversation_id":7}', 422, "invalid_request"),
        ("/api/pty/c/exec_block", b"{}", 422, "invalid_request"),
        ("/api/pty/c/exec_block", b'{"cmd":5}', 422, "invalid_request"),
        ("/api/pty/c/exec_block", b'{"cmd":"x","cwd":null}', 422, "invalid_request"),
        ("/api/pty/.hidden/status", b"{}", 422, "invalid_request"),
        ("/api/pty/c/nonsense", b"{}", 404, "not_found"),
        ("/api/nonsense/c/status", b"{}", 404, "not_found"),
        ("/api/pty/c/status/", b"{}", 404, "not_found"),
        ("/API/pty/c/status", b"{}", 404, "not_found"),
    ],
)
@awaited
async def test_what_is_no_request_says_what_it_is_instead(
    path: str, body: bytes, status: int, error: str | None
) -> None:
    headers = [BEARER, JSON] if body else [BEARER]
    answer = await Inside().ask("POST", path, headers, body)
    assert answer.status == status, answer
    assert answer.json["ok"] is (error is None) and answer.json.get("error") == error
    assert error is None or answer.json["message"]


@awaited
async def test_another_method_is_refused_with_the_one_that_is_accepted() -> None:
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"):
        answer = await Inside().ask(method, STATUS)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")
        assert answer.json["error"] == "invalid_request"


@awaited
async def test_a_body_that_is_too_large_is_refused_at_its_announcement() -> None:
    async with outside() as server:
        announced = server.request("POST", STATUS, b"", "Content-Type: application/json")
        announced = announced.replace(b"Content-Length: 0", b"Content-Length: 100000000")
        answer = await server.say(announced)
        assert b" 413 " in answer and b'"error":"limit_reached"' in answer
        assert b"connection: close" in answer.lower()
        assert server.desk.asked == []


@awaited
async def test_who_sends_everything_first_reads_that_it_was_too_much() -> None:
    async with outside() as server:

        def sent() -> tuple[int, bytes]:
            connection = http.client.HTTPConnection(server.host, timeout=120)
            headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
            connection.request("POST", STATUS, b" " * (3 * limits.BODY_BYTES_MAX), headers)
            answer = connection.getresponse()
            try:
                return answer.status, answer.read()
            finally:
                connection.close()

        status, body = await asyncio.to_thread(sent)
        assert status == 413 and b'"error":"limit_reached"' in body
        assert server.desk.asked == []


@awaited
async def test_a_body_without_a_length_is_counted_as_it_comes() -> None:
    async with outside() as server:
        reader, writer = await server.connect()
        head = server.request("POST", STATUS, b"", "Content-Type: application/json")
        head = head.replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        writer.write(head)
        chunk = b"%x\r\n%b\r\n" % (1 << 20, b" " * (1 << 20))
        try:
            for _ in range((limits.BODY_BYTES_MAX >> 20) + 2):
                writer.write(chunk)
                await writer.drain()
        except ConnectionError:
            pass  # refused before the end: that is the point
        assert b" 413 " in await read_answer(reader)
        writer.close()


@clause("doors 18")
@awaited
async def test_our_own_mistake_is_said_without_its_details() -> None:
    answer = await post(Inside(), "/api/pty/c/exec_block", {"cmd": "crash"})
    assert (answer.status, answer.json["error"]) == (500, "host_unavailable")
    assert b"secret" not in answer.body and b"Traceback" not in answer.body


@awaited
async def test_a_client_that_leaves_waits_no_more() -> None:
    async with outside() as server:
        body = b'{"match":"never"}'
        _, writer = await server.connect()
        wait = server.request("POST", "/api/pty/c/wait_for", body, "Content-Type: application/json")
        writer.write(wait)
        await server.desk.waiting.wait()
        writer.close()
        await server.desk.cancelled.wait()


@awaited
async def test_waits_hold_up_nobody() -> None:
    async with outside() as server:
        asking = server.request(
            "POST", "/api/pty/c/wait_for", b'{"match":"never"}', "Content-Type: application/json"
        )
        writers = [(await server.connect())[1] for _ in range(50)]
        for writer in writers:
            writer.write(asking)
        await server.desk.waiting.wait()
        answer = await server.say(server.request("GET", "/api/pty"))
        assert b'{"ok":true,"conversations":[]}' in answer
        for writer in writers:
            writer.close()


# --- the bridge ------------------------------------------------------------------------


@clause("terminal 11.4")
@awaited
async def test_the_bridge_is_four_operations_that_name_their_conversation() -> None:
    inside = Inside()
    bridge = "/api/mcp/agent-pty"
    started = await post(inside, f"{bridge}/start", {"conversation_id": "c"})
    assert started.json == {
        "ok": True, "shell_id": "shell-1", "mode": "idle", "resume_cursor": 6,
        "conversation_id": "c",
    }  # fmt: skip
    ran = await post(inside, f"{bridge}/exec", {"conversation_id": "c", "cmd": "ls"})
    assert (ran.json["block_id"], ran.json["conversation_id"]) == ("c.1", "c")
    for status in (
        await post(inside, f"{bridge}/status", {"conversation_id": "c"}),
        await inside.ask("GET", f"{bridge}/status?conversation_id=c"),
    ):
        assert status.json["running"] is True and status.json["mode"] == "idle"
    stopped = await post(inside, f"{bridge}/stop", {"conversation_id": "c"})
    assert stopped.json == {"ok": True, "conversation_id": "c"}
    assert [name for name, _ in inside.desk.asked] == [
        "pty.open", "pty.exec_block", "pty.status", "pty.status", "pty.close",
    ]  # fmt: skip


@awaited
async def test_the_bridge_refuses_as_the_operations_do() -> None:
    inside = Inside()
    busy = await post(inside, "/api/mcp/agent-pty/exec", {"conversation_id": "c", "cmd": "busy"})
    assert (busy.status, busy.json["error"], busy.json["mode"]) == (200, "busy", "block_running")
    for fields in ({}, {"conversation_id": "../x"}, {"conversation_id": "c", "command": "ls"}):
        for verb in ("start", "exec", "stop", "status"):
            answer = await post(inside, f"/api/mcp/agent-pty/{verb}", fields)
            if verb != "start" or fields.keys() != {"conversation_id", "cmd"}:
                assert (answer.status, answer.json["error"]) == (422, "invalid_request")
    assert (await inside.ask("GET", "/api/mcp/agent-pty/start?conversation_id=c")).status == 405


# --- what a server owes its neighbours ---------------------------------------------------


@clause("doors 6")
@awaited
async def test_health_needs_no_token() -> None:
    answer = await Inside().ask("GET", "/healthz", [])
    assert (answer.status, answer.json) == (200, {"ok": True})


@awaited
async def test_metrics_count_operations_by_their_outcome() -> None:
    inside = Inside()
    await post(inside, STATUS, {})
    await post(inside, STATUS, {})
    await post(inside, "/api/pty/c/exec_block", {"cmd": "busy"})
    text = (await inside.ask("GET", "/metrics")).body.decode()
    assert 'antiphon_calls_total{operation="pty.status",outcome="ok"} 2' in text
    assert 'antiphon_calls_total{operation="pty.exec_block",outcome="busy"} 1' in text
    assert "\nantiphon_conversations_loaded 1\n" in text
    for named in re.findall("^# TYPE (\\w+) ", text, re.MULTILINE):
        assert re.search(f"^# HELP {named} .", text, re.MULTILINE)


@clause("doors 6")
@awaited
async def test_the_description_has_every_operation_and_refers_to_nothing_outside() -> None:
    document = (await Inside().ask("GET", "/openapi.json")).json
    described = {
        operation["operationId"]: path
        for path, item in document["paths"].items()
        for operation in item.values()
        if "operationId" in operation
    }
    assert set(METHODS) <= set(described)
    assert described["pty.run"] == "/api/pty/{conversation_id}/run"
    assert "$ref" not in json.dumps(document)


@awaited
async def test_the_list_is_also_a_get() -> None:
    assert (await Inside().ask("GET", "/api/pty")).json == {"ok": True, "conversations": []}
    assert (await post(Inside(), "/api/pty/list", {})).json == {"ok": True, "conversations": []}
    assert (await Inside().ask("GET", "/api/pty?x=1")).status == 422


@awaited
async def test_a_browser_at_a_wrong_address_is_told_so_in_a_page() -> None:
    inside = Inside()
    page = await inside.ask("GET", "/wrong", [BEARER, ("accept", "text/html,*/*;q=0.8")])
    assert (page.status, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b'<a href="/">' in page.body and b"/wrong" not in page.body
    assert "default-src 'none'" in page.headers["content-security-policy"]
    told = await inside.ask("GET", "/wrong", [BEARER, ("accept", "*/*")])
    assert (told.status, told.json["error"]) == (404, "not_found")


@awaited
async def test_an_upgrade_leaves_no_old_part_of_the_page_in_use() -> None:
    inside = Inside()
    first = await inside.ask("GET", "/")
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    assert (await inside.ask("GET", "/", [("if-none-match", tag)])).status == 304
    named = re.findall(r'"(/assets/[^"]+)"', first.body.decode())
    built = [path for path in Page.built().files if path.startswith("/assets/")]
    assert named and set(named) <= set(built)
    for path in built:
        assert re.search(r"-[\w-]{8}\.(js|css)$", path), "it is named by what is in it"
        part = await inside.ask("GET", path)
        assert part.headers["cache-control"] == "max-age=31536000, immutable"
    assert (await inside.ask("GET", "/assets/screen-00000000.js")).status == 404


@awaited
async def test_without_a_built_page_the_page_says_so_and_runs_no_script() -> None:
    page = Page.built(Page.__init__.__globals__["BUILT"].with_name("nothing-here"))
    assert list(page.files) == ["/"]
    body = page.files["/"].body
    assert b"not part of this build" in body and b"<script" not in body


@pytest.mark.parametrize(
    "path",
    ["/../http.py", "/%2e%2e/http.py", "//etc/passwd", "/page.py", "/.", "/index.htm", "/..%2f"],
)
@awaited
async def test_no_name_reaches_a_file_outside_the_page(path: str) -> None:
    assert (await Inside().ask("GET", path)).status == 404


# --- nonsense by the thousand --------------------------------------------------------------

WORDS = [
    b"GET", b"POST", b"/", b"/api/pty/c/status", b"HTTP/1.1", b"HTTP/9", b"\r\n", b"\r\n\r\n",
    b"Host: 127.0.0.1", b"Content-Length: ", b"-1", b"18446744073709551616",
    b"Transfer-Encoding: chunked", b"fffffffffffffffff", b"\x00", b"\xff\xfe", b"{", b'{"a":',
    b"Authorization: Bearer ", b" ", b":", b"Upgrade: websocket", b"PRI * HTTP/2.0",
]  # fmt: skip


@awaited
async def test_thousands_of_broken_requests_break_nothing() -> None:
    dice = random.Random(8040)
    async with outside() as server:
        good = server.request("POST", STATUS, b"{}", "Content-Type: application/json")

        async def broken() -> None:
            kind = dice.randrange(3)
            if kind == 0:
                said = b"".join(dice.choices(WORDS, k=dice.randrange(1, 12)))
            elif kind == 1:
                said = dice.randbytes(dice.randrange(1, 200))
            else:
                place = dice.randrange(len(good))
                said = good[:place] + dice.choice(WORDS) + good[place + 1 :]
            reader, writer = await server.connect()
            writer.write(said)
            writer.write_eof()
            answer = await reader.read()
            assert b"Traceback" not in answer and TOKEN.encode() not in answer
            writer.close()

        for _ in range(60):
            await asyncio.gather(*[broken() for _ in range(50)], return_exceptions=False)
        assert b" 200 OK" in await server.say(good)


@clause("doors 18")
@awaited
@pytest.mark.parametrize(
    "said",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"a" * 200_000),
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ],
    ids=["words", "version", "long", "length"],
)
async def test_what_is_no_http_is_refused_in_json_too(said: bytes) -> None:
    async with outside() as server:
        reader, writer = await server.connect()
        writer.write(said)
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ") and b"application/json" in head
        assert json.loads(body)["error"] == "invalid_request"
        writer.close()


@awaited
async def test_thousands_of_broken_bodies_are_each_told_so() -> None:
    dice = random.Random(4)
    inside = Inside()
    whole = b'{"conversation_id":"c","cmd":"ls","cwd":"/tmp"}'
    for _ in range(3_000):
        place = dice.randrange(len(whole))
        body = whole[:place] + dice.randbytes(dice.randrange(3)) + whole[place + 1 :]
        answer = await inside.ask("POST", "/api/pty/c/exec_block", body=body)
        assert answer.status in {200, 400, 422}
        assert answer.json["ok"] is (answer.status == 200)
