"""The description of the HTTP door for programs, made from the operations."""

from __future__ import annotations

import functools
import re
from typing import cast

import msgspec

from antiphon.adapters import schemas
from antiphon.adapters.page import VIEWS
from antiphon.wire.methods import METHODS, Method

Node = dict[str, object]

CONVERSATION: Node = {
    "name": "conversation_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "description": "1-128 of A-Za-z0-9._-, no dot first.",
}
BRIDGE = {
    "start": ("pty.open", "Opens the conversation's shell."),
    "stop": ("pty.close", "Ends the conversation's shell."),
    "status": ("pty.status", "Says whether the conversation's shell runs."),
    "exec": ("pty.exec_block", "Runs a command in the conversation."),
}
SPOOL = (
    "A WebSocket: binary frames of the spool from from_cursor on, text frames of events; takes "
    "input, keys and resize frames."
)
LIVE = "The same for a terminal emulator: binary frames of what programs print, as they print it."
MCP = {
    "post": "A message of MCP's streamable HTTP.",
    "get": "The stream of an MCP session.",
    "delete": "Ends an MCP session.",
}
CHAT = "A chat completion, as OpenAI's clients ask for it; only compliant text comes back."
MODELS = "The models that the endpoint behind it has, as OpenAI's clients ask for them."


@functools.cache
def document() -> bytes:
    paths: Node = {}
    for method in METHODS.values():
        there = cast(Node, paths.setdefault(method.path, {}))
        there[method.http_verb.lower()] = _operation(method)
        if method.listing:
            listed = {**_operation(method), "operationId": f"{method.name}.get"}
            listed.pop("requestBody")
            paths[method.listing] = {"get": listed}
    paths["/api/call/{operation}"] = {"post": _call()}
    for verb, (name, sentence) in BRIDGE.items():
        described = _bridge(METHODS[name], verb, sentence)
        paths[f"/api/mcp/agent-pty/{verb}"] = {"post": described}
    paths["/api/pty/{conversation_id}/stream"] = {"get": _stream("pty.stream", SPOOL)}
    paths["/api/pty/{conversation_id}/live"] = {"get": _stream("pty.live", LIVE)}
    paths["/api/pty/{conversation_id}/export"] = {"get": _export()}
    paths["/api/session/{session_id}/events"] = {"get": _events()}
    manifest = _plain("The manifest of the W3C reconciliation service.")
    paths["/reconcile"] = paths["/reconcile/"] = {"get": manifest}
    paths["/reconcile/preview"] = {"get": _plain("An entity as a small page, by its id.")}
    paths["/healthz"] = {"get": _plain("Says that the server runs.", public=True)}
    paths["/metrics"] = {"get": _plain("Counts, as text that Prometheus reads.")}
    paths["/openapi.json"] = {"get": _plain("This description.")}
    paths["/mcp"] = {verb: _plain(sentence) for verb, sentence in MCP.items()}
    paths["/v1/chat/completions"] = {"post": _plain(CHAT)}
    paths["/v1/models"] = {"get": _plain(MODELS)}
    paths["/api/login"] = {"post": _plain("Makes a one-time code for a browser.")}
    paths["/login"] = {"get": _login()}
    paths["/"] = {"get": _plain("The page.", public=True)}
    for view in VIEWS:
        parameters = [_in_path(name) for name in re.findall(r"{(\w+)}", view)]
        paths[view] = {
            "get": {
                **_plain("A view of the page.", public=True),
                **({"parameters": parameters} if parameters else {}),
            }
        }
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "Antiphon", "version": "1"},
            "security": [{"token": []}],
            "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
            "paths": paths,
        }
    )


def _operation(method: Method) -> Node:
    fields = _without(schemas.request_schema(method), method.in_path)
    described: Node = {
        "operationId": method.name,
        "summary": method.sentence,
        "description": method.description,
        "responses": _responses(method),
    }
    parameters = [_in_path(name) for name in method.in_path]
    if method.http_verb in ("POST", "PUT"):
        described["requestBody"] = {
            "content": {"application/json": {"schema": fields}},
            "required": bool(fields["required"]),
        }
    else:
        asked = cast(Node, fields["properties"])
        parameters += [{"name": name, "in": "query", "schema": asked[name]} for name in asked]
    return {**described, "parameters": parameters} if parameters else described


def _in_path(name: str) -> Node:
    if name == "conversation_id":
        return CONVERSATION
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _responses(method: Method) -> Node:
    refused = {"application/json": {"schema": schemas.refusal_schema(method)}}
    well = {
        "description": "The answer, or a refusal with ok false.",
        "content": {"application/json": {"schema": schemas.reply_schema(method)}},
    }
    if method.has_statuses:
        well["description"] = "The answer."
    return {
        "201" if method.makes else "200": well,
        "4XX": {"description": "Refused: its message says why.", "content": refused},
        "5XX": {
            "description": "Not the caller's fault: its message says whose.",
            "content": refused,
        },
    }


def _without(schema: Node, names: tuple[str, ...]) -> Node:
    properties, required = schema["properties"], schema["required"]
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    return {
        **schema,
        "properties": {k: v for k, v in properties.items() if k not in names},
        "required": [name for name in required if name not in names],
    }


def _bridge(method: Method, verb: str, sentence: str) -> Node:
    schema = schemas.request_schema(method)
    return {
        "operationId": f"agent-pty.{verb}",
        "summary": f"{sentence} The same as {method.name}.",
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": f"{method.name}'s answer and conversation_id."}},
    }


def _call() -> Node:
    names: Node = {"enum": list(METHODS)}
    return {
        "operationId": "call",
        "summary": "Any operation by its name, with all its fields in the body.",
        "parameters": [{"name": "operation", "in": "path", "required": True, "schema": names}],
        "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
        "responses": {
            "200": {"description": "As where the operation stands by itself."},
            "4XX": {"description": "As where the operation stands by itself."},
        },
    }


def _stream(name: str, sentence: str) -> Node:
    cursor = {"name": "from_cursor", "in": "query", "schema": {"type": "integer", "minimum": 0}}
    return {
        "operationId": name,
        "summary": sentence,
        "parameters": [CONVERSATION, cursor],
        "responses": {"101": {"description": "The WebSocket opens."}},
    }


def _export() -> Node:
    forms: Node = {"name": "format", "in": "query", "schema": {"enum": ["asciicast", "text"]}}
    block: Node = {"name": "block", "in": "query", "schema": {"type": "string"}}
    return {
        "operationId": "pty.export",
        "summary": "The conversation, or with block one block of it, as a file: asciicast 3 "
        "(format asciicast, the default) or text.",
        "parameters": [CONVERSATION, forms, block],
        "responses": {"200": {"description": "The file."}, "4XX": {"description": "None such."}},
    }


def _events() -> Node:
    last: Node = {"name": "Last-Event-ID", "in": "header", "schema": {"type": "integer"}}
    return {
        "operationId": "session.events",
        "summary": "Server-sent events: `state` with {state, rev} for every transition, `progress` "
        "with {statement_index, verb, status} during a run; Last-Event-ID goes on after an event.",
        "parameters": [_in_path("session_id"), last],
        "responses": {"200": {"description": "The stream."}, "4XX": {"description": "None such."}},
    }


def _login() -> Node:
    code = {"name": "code", "in": "query", "required": True, "schema": {"type": "string"}}
    return {
        "summary": "Takes a one-time code, once, and gives the page's cookie.",
        "parameters": [code],
        "security": [],
        "responses": {"303": {"description": "To the page."}, "401": {"description": "Used."}},
    }


def _plain(sentence: str, *, public: bool = False) -> Node:
    described: Node = {"summary": sentence, "responses": {"200": {"description": sentence}}}
    return {**described, "security": []} if public else described
