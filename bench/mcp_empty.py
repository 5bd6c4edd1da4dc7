"""An MCP server with one empty tool, as the SDK's own page begins: `mcp_empty.py [lowlevel]`."""

from __future__ import annotations

import sys

import anyio


def high_level() -> None:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("empty")

    @server.tool()
    def nothing(text: str) -> str:
        return text

    server.run()


async def low_level() -> None:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server

    async def call(
        _: ServerRequestContext[None], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        text = str((params.arguments or {}).get("text", ""))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    server: Server[None] = Server("empty", on_call_tool=call)
    async with stdio_server() as (source, sink):
        await server.run(source, sink, server.create_initialization_options())


if __name__ == "__main__":
    if sys.argv[1:] == ["lowlevel"]:
        anyio.run(low_level)
    else:
        high_level()
