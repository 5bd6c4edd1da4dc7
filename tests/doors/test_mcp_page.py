from __future__ import annotations

import asyncio
import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.doors.doorways import COMMAND, Serving, environment, spoken_to
from tests.pages import Block, blocks

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parent.parent.parent / "docs" / "MCP.md").read_text()
TOKEN = "a-token-of-the-operator"


def servers(block: Block) -> dict[str, Any]:
    """The server that a snippet configures, whatever its host calls the table."""
    if block.language == "yaml":  # flat enough to be read without a reader of YAML
        pairs = [line.strip().partition(": ") for line in block.body.splitlines()]
        found = {key: value for key, _, value in pairs if value}
        return {"command": found["cmd"], "args": json.loads(found["args"])}
    table = tomllib.loads(block.body) if block.language == "toml" else json.loads(block.body)
    ((_, named),) = table.items()
    ((name, server),) = named.items()
    assert name == "antiphon"
    return dict(server)


SNIPPETS = [
    servers(block) for language in ("json", "toml", "yaml") for block in blocks(PAGE, language)
]
STDIO = [one for one in SNIPPETS if "url" not in one]
HTTP = [one for one in SNIPPETS if "url" in one]


def test_the_page_has_both_ways() -> None:
    assert len(STDIO) >= 7 and len(HTTP) >= 4


async def used(client: Client) -> None:
    async with client:
        tools = (await client.list_tools()).tools
        assert {"pty_run", "pty_wait_for"} <= {tool.name.replace(".", "_") for tool in tools}
        result = await client.call_tool("pty_list", {})
        assert result.structured_content == {"ok": True, "conversations": []}


@pytest.mark.parametrize("server", STDIO, ids=json.dumps)
def test_a_snippet_over_stdio_starts_a_server(server: dict[str, Any], tmp_path: Path) -> None:
    command = server["command"]
    line = [*command] if isinstance(command, list) else [command, *server["args"]]
    assert line[0] == "antiphon"
    parameters = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *line[1:]], env=environment(tmp_path / "state")
    )
    asyncio.run(used(Client(parameters)))


def test_every_snippet_over_http_comes_in(tmp_path: Path) -> None:
    serving = Serving.begin(tmp_path / "state", ANTIPHON_TOKEN=TOKEN)
    os.environ["ANTIPHON_TOKEN"] = TOKEN
    try:
        for server in HTTP:
            assert server["url"] == "http://127.0.0.1:8040/mcp"
            if "bearer_token_env_var" in server:
                token = os.environ[server["bearer_token_env_var"]]
            else:
                said = server["headers"]["Authorization"].replace("env:", "")
                token = os.path.expandvars(said).removeprefix("Bearer ")
            asyncio.run(used(Client(spoken_to(f"{serving.address}/mcp", token))))
    finally:
        del os.environ["ANTIPHON_TOKEN"]
        assert serving.end() == 0
