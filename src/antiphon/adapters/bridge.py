"""The four routes `/api/mcp/agent-pty/…`: the terminal in four verbs, for simple callers.

They add nothing and change nothing: each is one operation, with its conversation named.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from antiphon.adapters.front import Front, Reply, outcome

Ask = Callable[[dict[str, object]], Awaitable[Reply]]


def asks(front: Front) -> dict[str, Ask]:
    async def status(arguments: dict[str, object]) -> Reply:
        reply = await front.answer("pty.status", arguments)
        match outcome(reply):
            case "ok":
                fields = msgspec.to_builtins(reply)
                return _named({**fields, "running": fields["shell_id"] is not None}, arguments)
            case "not_found":
                return _named({"ok": True, "running": False}, arguments)
            case _:
                return reply

    def plain(operation: str) -> Ask:
        async def ask(arguments: dict[str, object]) -> Reply:
            reply = await front.answer(operation, arguments)
            return _named(msgspec.to_builtins(reply), arguments)

        return ask

    return {
        "start": plain("pty.open"),
        "stop": plain("pty.close"),
        "status": status,
        "exec": plain("pty.exec_block"),
    }


def _named(fields: dict[str, object], arguments: dict[str, object]) -> dict[str, object]:
    return {**fields, "conversation_id": arguments.get("conversation_id")}
