from __future__ import annotations

import inspect
import json
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import jsonschema
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

import antiphon.library
import antiphon.sync
from antiphon.adapters import cli, http, schemas
from antiphon.adapters.mcp_http import McpDoor as McpRoute
from antiphon.adapters.mcp_rooms import ROOMS, has
from antiphon.adapters.openapi import document
from antiphon.adapters.page import Page
from antiphon.wire.methods import METHODS
from tests.clauses import clause
from tests.doors.doorways import (
    COMMAND,
    STOP_S_MAX,
    HttpDoor,
    LibraryDoor,
    McpHttpDoor,
    McpStdioDoor,
    environment,
    run_cli,
)
from tests.doors.running import Inside
from tests.doors.scenario import FLOW

pytestmark = pytest.mark.slow

Message = dict[str, Any]


@clause("doors 1", "terminal mcp", "terminal mcp names")
@pytest.mark.parametrize("names", ["dotted", "underscore"])
def test_the_tools_are_the_operations_with_all_that_a_model_needs(
    names: str, tmp_path: Path
) -> None:
    with McpStdioDoor(tmp_path / "state", "auto", "--tool-names", names) as door:
        tools = door.on_loop(door.client.list_tools()).tools
        assert tools == door.on_loop(door.client.list_tools()).tools
        spelled = {method.dotted if names == "dotted" else method.underscored: method
                   for method in METHODS.values() if method.is_tool}  # fmt: skip
        assert {tool.name for tool in tools} == set(spelled)
        for tool in tools:
            method = spelled[tool.name]
            for told, declared in (
                (tool.input_schema, schemas.request_schema(method)),
                (tool.output_schema, schemas.reply_schema(method)),
            ):
                assert told == json.loads(json.dumps(declared))  # a tuple is told as a list
                jsonschema.Draft202012Validator.check_schema(told)
            assert len(tool.description) > 20 and tool.annotations is not None
            assert tool.annotations.read_only_hint is method.reads_only
            assert tool.annotations.destructive_hint is method.destroys
        for either in ("pty.list", "pty_list"):
            assert door.ask(either) == {"ok": True, "conversations": []}


@pytest.mark.parametrize(
    ("rooms", "groups"),
    [
        ("terminal", {"pty", "blocks"}),
        ("menus,flows", {"menu", "flow", "interaction", "callout"}),
        ("components", {"component", "callout"}),
        ("sessions,entities", {"session", "repl", "dsl", "entities", "callout"}),
    ],
)
def test_a_list_has_the_tools_of_the_rooms_it_is_asked_for(
    rooms: str, groups: set[str], tmp_path: Path
) -> None:
    with McpStdioDoor(tmp_path / "state", "auto", "--rooms", rooms) as door:
        tools = {tool.name for tool in door.on_loop(door.client.list_tools()).tools}
        assert tools == {one.dotted for one in METHODS.values()
                         if one.is_tool and one.group in groups}  # fmt: skip
        said = door.client.instructions or ""
        assert ("pty." in said, "flow." in said) == ("pty" in groups, "flow" in groups)
        assert "ok false" in said
        for name in ("pty.list", "pty_list"):
            if "pty" in groups:
                assert door.ask(name)["ok"] is True
                continue
            with pytest.raises(MCPError) as refused:
                door.ask(name)
            named = rooms.replace(",", ", ")
            assert str(refused.value) == f"Unknown tool: {name}; the rooms here are {named}"


def test_the_setting_chooses_the_rooms_over_http_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTIPHON_MCP_ROOMS", "entities,terminal")
    with McpHttpDoor(tmp_path / "state") as door:
        tools = door.on_loop(door.client.list_tools()).tools
        assert {tool.name.split(".")[0] for tool in tools} == {"pty", "blocks", "entities"}
        with pytest.raises(MCPError, match="Unknown tool"):
            door.ask("session.list")


def test_every_operation_is_in_a_room_and_no_room_is_empty() -> None:
    for method in METHODS.values():
        assert any(has([room], method) for room in ROOMS) and has([], method)
    assert all(any(has([room], one) for one in METHODS.values() if one.is_tool) for room in ROOMS)


@pytest.mark.parametrize("rooms", ["", "terminal,", "kitchen", "terminal, menus"])
def test_a_room_that_is_none_is_refused_with_those_there_are(rooms: str, tmp_path: Path) -> None:
    done = run_cli(tmp_path, "mcp", "--rooms", rooms)
    assert done.returncode == 2 and "is no room: terminal, menus, components" in done.stderr
    (tmp_path / "antiphon.toml").write_text('mcp_rooms = ["kitchen"]')
    done = run_cli(tmp_path, "mcp")
    assert done.returncode == 1 and "mcp_rooms" in done.stderr and "'terminal'" in done.stderr


@clause("doors 1", "doors 8")
def test_every_operation_is_at_every_door() -> None:
    inside = Inside()
    paths = {getattr(route, "path", "") for route in http.routes(
        inside.front, inside.keys, inside.address, Page({}), McpRoute(inside.front)
    )}  # fmt: skip
    described = json.loads(document())["paths"]
    for method in METHODS.values():
        assert method.path in paths and method.path in described
    assert "call" in cli.COMMANDS


@clause("doors 8")
@pytest.mark.parametrize("library", [antiphon.library, antiphon.sync], ids=["async", "sync"])
def test_the_library_has_every_operation_with_its_fields(library: ModuleType) -> None:
    assert (files("antiphon") / "py.typed").is_file()  # without it no checker reads the types
    rooms = get_type_hints(library.Terminals)
    for method in METHODS.values():
        verb = getattr(rooms[method.group], method.verb)
        assert set(inspect.signature(verb).parameters) == {"self", *method.fields}, method.name


@clause("terminal one shape")
def test_an_unknown_field_is_refused_wherever_it_comes_in(tmp_path: Path) -> None:
    with HttpDoor(tmp_path / "http") as web, McpStdioDoor(tmp_path / "mcp") as mcp:
        for door in (web, mcp):
            answer = door.ask("pty.list", next_cursor=1)
            assert answer["error"] == "invalid_request" and "next_cursor" in answer["message"]
    with LibraryDoor(tmp_path / "library") as library, pytest.raises(TypeError):
        library.ask("pty.status", conversation_id="c", next_cursor=1)


@clause("doors 3")
def test_mcp_over_stdio_is_the_server_or_uses_it(tmp_path: Path) -> None:
    with HttpDoor(tmp_path / "owned") as web, McpStdioDoor(tmp_path / "owned") as mcp:
        assert mcp.ask("pty.run", conversation_id="c", cmd="mine=kept")["ok"] is True
        ran = web.ask("pty.run", conversation_id="c", cmd="echo $mine")
        assert ran["data"] == "kept\n" and web.pid == web.serving.process.pid
        web.ask("pty.close", conversation_id="c")
    with McpStdioDoor(tmp_path / "free") as first, McpStdioDoor(tmp_path / "free") as second:
        assert first.ask("pty.run", conversation_id="c", cmd="mine=kept")["ok"] is True
        ran = second.ask("pty.run", conversation_id="c", cmd="echo $mine")
        assert ran["data"] == "kept\n"
        second.ask("pty.close", conversation_id="c")


# --- revisions --------------------------------------------------------------------------


@clause("doors 4")
@pytest.mark.parametrize("mode", ["legacy", "auto", *MODERN_PROTOCOL_VERSIONS])
def test_the_official_client_speaks_every_way_it_can(mode: str, tmp_path: Path) -> None:
    for door in (McpHttpDoor(tmp_path / "http", mode), McpStdioDoor(tmp_path / "stdio", mode)):
        with door:
            assert door.ask("pty.run", conversation_id="c", cmd="echo x")["data"] == "x\n"
            door.ask("pty.close", conversation_id="c")


def beginning(version: str) -> Message:
    return {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {},
                   "clientInfo": {"name": "test", "version": "1"}},
    }  # fmt: skip


@clause("doors 4")
@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_each_older_revision_is_answered_in_itself(version: str, tmp_path: Path) -> None:
    with speaking(tmp_path / "state") as talk:
        talk.say(beginning(version))
        assert talk.hear()["result"]["protocolVersion"] == version
        talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        talk.say({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                  "params": {"name": "pty.list", "arguments": {}}})  # fmt: skip
        content = talk.hear()["result"]["content"]
        assert json.loads(content[0]["text"]) == {"ok": True, "conversations": []}


@clause("interaction 6 form")
def test_a_host_of_the_first_forms_is_asked_in_a_form_that_it_can_draw(tmp_path: Path) -> None:
    with speaking(tmp_path / "state") as talk:
        hello = beginning("2025-06-18")
        hello["params"]["capabilities"] = {"elicitation": {}}
        talk.say(hello)
        talk.hear()
        talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        talk.say({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                  "params": {"name": "flow.start", "arguments": {"flow": FLOW}}})  # fmt: skip
        asked = talk.hear()
        assert asked["method"] == "elicitation/create"
        schema = asked["params"]["requestedSchema"]
        assert schema["properties"]["choice"]["enumNames"] == ["dev", "staging", "prod"]
        for choice in ("2", "1,3"):
            answer = {"action": "accept", "content": {"choice": choice}}
            talk.say({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
            asked = talk.hear()
        assert asked["params"]["message"] == "Summary:\n- env: staging\n- region: eu, ap"
        talk.say({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
        assert talk.hear()["result"]["structuredContent"]["done"] is False


# --- nonsense ---------------------------------------------------------------------------


class Talk:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def say(self, message: Message | bytes) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Message:
        """A line of stdout, which is nothing but the protocol [doors 2]."""
        assert self.process.stdout is not None
        message: Message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0" and "Traceback" not in str(message)
        return message


@contextmanager
def speaking(state: Path) -> Iterator[Talk]:
    with subprocess.Popen(
        [*COMMAND, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(state),
    ) as process:
        yield Talk(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.stdout is not None
        for line in process.stdout:
            assert json.loads(line)["jsonrpc"] == "2.0"
        assert process.wait(STOP_S_MAX) == 0


@clause("doors 18")
def test_a_request_that_is_none_is_refused_under_its_own_id(tmp_path: Path) -> None:
    call = b'"method":"tools/call","params":{"name":"pty.run","arguments":{"cmd":"\\ud83d"}}}'
    with speaking(tmp_path / "state") as talk:
        talk.say(beginning("2025-06-18"))
        talk.hear()
        for line, code, told in (
            (b'{"jsonrpc":"2.0","id":7,' + call, -32700, 7),
            (b'{"jsonrpc":"2.0","id":"seven",' + call, -32700, "seven"),
            (b'{"jsonrpc":"2.0","id":"\\ud83d",' + call, -32700, None),
            (b'{"jsonrpc":"2.0","id":8,"method":[]}', -32600, 8),
            (b'{"jsonrpc":"2.0","id":true,"method":[]}', -32600, None),
            (b'{"jsonrpc":"2.0","id":9,"result":', -32700, None),
        ):
            talk.say(line)
            refused = talk.hear()
            assert (refused["id"], refused["error"]["code"]) == (told, code)


@clause("doors 2", "doors 18")
def test_thousands_of_broken_messages_leave_nothing_but_answers(tmp_path: Path) -> None:
    dice = random.Random(2)
    with speaking(tmp_path / "state") as talk:
        talk.say(beginning("2025-06-18"))
        talk.hear()
        talk.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        whole = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                            "params": {"name": "pty.status", "arguments":
                                       {"conversation_id": "nobody"}}}).encode()  # fmt: skip
        odd = [b"[]", b"{}", b"null", b"7", b'"x"', b"[" * 50_000, b"{", b"\xff\xfe",
               b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
               b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
               b'{"jsonrpc":"2.0","id":9,"method":"nonsense"}',
               b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"nonsense"}}',
               b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}',
               b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"pty.run"}}',
               b'{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":7}}']  # fmt: skip
        last = 0
        for number in range(30):
            for message in odd if number == 0 else ():
                talk.say(message)
            for _ in range(100):
                place = dice.randrange(len(whole))
                noise = dice.randbytes(dice.randrange(3)).replace(b"\n", b" ")
                talk.say(whole[:place] + noise + whole[place + 1 :])
            last = 10_000 + number
            talk.say({"jsonrpc": "2.0", "id": last, "method": "ping"})
            while talk.hear().get("id") != last:
                pass
        talk.say({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                  "params": {"name": "pty.list", "arguments": {}}})  # fmt: skip
        while (answer := talk.hear()).get("id") != 3:
            pass
        assert answer["result"]["structuredContent"] == {"ok": True, "conversations": []}


def test_a_cancelled_call_waits_no_more(tmp_path: Path) -> None:
    with McpStdioDoor(tmp_path / "state") as door:
        door.ask("pty.open", conversation_id="c")
        waiting = door.loop.start(door.client.call_tool(
            "pty.expect_send",
            {"conversation_id": "c", "expect": "never", "send": "x", "timeout_ms": 60_000},
        ))  # fmt: skip
        for _ in range(3):
            door.ask("pty.status", conversation_id="c")
        waiting.cancel()
        # The wait held the lock; who asks now gets it.
        assert door.ask("pty.run", conversation_id="c", cmd="echo x")["data"] == "x\n"
        door.ask("pty.close", conversation_id="c")
