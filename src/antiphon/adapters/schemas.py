"""JSON Schemas of the operations, from their declaration, each complete in itself."""

from __future__ import annotations

from typing import cast

import msgspec

from antiphon.base.errors import Code
from antiphon.wire.interaction import NoFlow, NotRendered
from antiphon.wire.methods import COMMON, Method
from antiphon.wire.terminal import ExpectTimeout, RunTimeout, WaitTimeout

Schema = dict[str, object]

# What a refusal may carry besides its message, by operation: a wait that found nothing, parts
# that make no block, an object that is no flow.
FACTS: dict[str, type[msgspec.Struct]] = {
    "pty.run": RunTimeout,
    "pty.wait_for": WaitTimeout,
    "pty.wait_prompt": WaitTimeout,
    "pty.expect_send": ExpectTimeout,
    "interaction.render": NotRendered,
    "flow.start": NoFlow,
    "flow.answer": NoFlow,
}


def request_schema(method: Method) -> Schema:
    return _inlined(method.request)


def answer_schema(method: Method) -> Schema:
    return _said(_inlined(method.answer), is_ok=True)


def refusal_schema(method: Method) -> Schema:
    """Any refusal of the operation: always ok and error, and whatever facts help."""
    known = FACTS.get(method.name)
    facts = cast(Schema, _inlined(known)["properties"]) if known else {}
    usual = ", ".join(code.value for code in dict.fromkeys((*method.refusals, *COMMON)))
    return {
        "title": "Refusal",
        "type": "object",
        "properties": {
            **facts,
            "ok": {"const": False},
            "error": {
                "enum": sorted(code.value for code in Code),
                "description": f"Usual here: {usual}.",
            },
            "message": {"type": "string", "description": "What was found, what is accepted."},
        },
        "required": ["ok", "error"],
    }


def reply_schema(method: Method) -> Schema:
    """The answer or the refusal; an object at its root, as older MCP revisions want it."""
    return {"type": "object", "oneOf": [answer_schema(method), refusal_schema(method)]}


def _said(schema: Schema, *, is_ok: bool) -> Schema:
    """With `ok`; an answer that tells by an `ok` of its own what was found keeps it."""
    properties = cast(Schema, schema["properties"])
    required = cast(list[str], schema["required"])
    if "ok" in required:
        return schema
    return {
        **schema,
        "properties": {**properties, "ok": {"const": is_ok}},
        "required": ["ok", *required],
    }


def _inlined(shape: type[msgspec.Struct]) -> Schema:
    """Without references: hosts differ in which they follow, and no shape here contains itself."""
    (root,), named = msgspec.json.schema_components([shape], ref_template="{name}")

    def resolved(node: object) -> object:
        match node:
            case {"$ref": str(name)}:
                return resolved(named[name])
            case dict():
                return {key: resolved(value) for key, value in node.items()}
            case list():
                return [resolved(value) for value in node]
            case _:
                return node

    return cast(Schema, resolved(root))
