"""The MCP door: each operation a tool, over stdio or streamable HTTP, any revision the SDK speaks.

The tool list is made once.  A call goes from the wire to the service and back without a model
of it being built.  Importing this module costs most of a second: doors open it late.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Literal

import mcp_types as types
import msgspec
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from antiphon.adapters import mcp_forms, mcp_rooms, schemas
from antiphon.adapters.front import Front, Reply, outcome
from antiphon.adapters.http_security import PRINCIPAL
from antiphon.adapters.mcp_rooms import Room
from antiphon.service.principal import LOCAL, calling, hand
from antiphon.wire import codec
from antiphon.wire.methods import METHODS, Method, named

ToolNames = Literal["dotted", "underscore"]
Context = ServerRequestContext[None]


def server(front: Front, names: ToolNames = "dotted", rooms: Sequence[Room] = ()) -> Server[None]:
    """A server of the operations; calls run side by side, and a cancelled one stops waiting."""
    listed = types.ListToolsResult(
        tools=[
            _tool(method, names)
            for method in METHODS.values()
            if method.is_tool and mcp_rooms.has(rooms, method)
        ]
    )
    inputs = {method.name: schemas.request_schema(method) for method in METHODS.values()}

    async def list_tools(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return listed

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> HandlerResult:
        # Over HTTP a call runs in a task of the session, which another caller may have begun.
        calling.set(LOCAL if context.request is None else context.request.scope[PRINCIPAL])
        hand.set("agent")
        method = named(params.name)
        if method is not None and not mcp_rooms.has(rooms, method):
            raise MCPError(
                code=types.INVALID_PARAMS,
                message=f"Unknown tool: {params.name}; the rooms here are {', '.join(rooms)}",
            )
        if method and method.name in mcp_forms.OPERATIONS and mcp_forms.has_forms(context):
            reply = await mcp_forms.answered(front, context, method.name, params)
            return reply if isinstance(reply, types.InputRequiredResult) else _result(reply)
        return await called(front, params.name, params.arguments)

    def input_schema(name: str) -> Mapping[str, object] | None:
        method = named(name)
        return inputs[method.name] if method else None

    made: Server[None] = Server(
        "antiphon",
        version=version("antiphon"),
        title="Antiphon",
        instructions=mcp_rooms.instructions(rooms),
        get_tool_input_schema=input_schema,
        on_list_tools=list_tools,
    )
    made.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    return made


async def called(front: Front, name: str, arguments: dict[str, object] | None) -> dict[str, object]:
    """The result of a tool call, as it goes on the wire; a refusal is one too."""
    method = named(name)
    if method is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {name[:80]}")
    return _result(await front.answer(method.name, arguments or {}))


def _result(reply: Reply) -> dict[str, object]:
    return {
        "content": [{"type": "text", "text": codec.encoded(reply).decode()}],
        "structuredContent": msgspec.to_builtins(reply),
        "isError": outcome(reply) != "ok",
        "resultType": "complete",
    }


def _tool(method: Method, names: ToolNames) -> types.Tool:
    return types.Tool(
        name=method.dotted if names == "dotted" else method.underscored,
        title=method.sentence.rstrip("."),
        description=method.description,
        input_schema=schemas.request_schema(method),
        output_schema=schemas.reply_schema(method),
        annotations=types.ToolAnnotations(
            read_only_hint=method.reads_only,
            destructive_hint=method.destroys,
            idempotent_hint=method.repeats_safely,
            # A command can reach whatever this machine can; a read only what is recorded here.
            open_world_hint=method.destroys,
        ),
    )
