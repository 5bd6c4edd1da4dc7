"""A question as a form: the JSON Schema that MCP hosts and editors draw.

A form chooses the numbers that a text would; the titles are the labels.
"""

from __future__ import annotations

from antiphon.choice.question import Block

FIELD = "choice"


def form(block: Block, *, is_many: bool) -> dict[str, object]:
    """An object with one field: a number as text, or several."""
    choices = [
        {"const": str(number), "title": label} for number, label in enumerate(block.labels, 1)
    ]
    field: dict[str, object]
    if is_many:
        field = {
            "type": "array",
            "title": block.instruction,
            "items": {"anyOf": choices},
            "minItems": 1,
            "uniqueItems": True,
        }
    else:
        field = {"type": "string", "title": block.instruction, "oneOf": choices}
    return {"type": "object", "properties": {FIELD: field}, "required": [FIELD]}


def early(schema: dict[str, object]) -> dict[str, object]:
    """The same for hosts of the first forms: names stood beside values, and no field was a list."""
    match schema:
        case {"properties": {"choice": {"oneOf": list(choices), **rest}}}:
            values = [choice["const"] for choice in choices]
            names = [choice["title"] for choice in choices]
            field = {**rest, "oneOf": choices, "enum": values, "enumNames": names}
        case {"properties": {"choice": {"title": title, "items": {"anyOf": list(choices)}}}}:
            listed = ", ".join(f"{choice['const']}) {choice['title']}" for choice in choices)
            told = f"{listed}. One number, or several joined by commas, like 1,3"
            field = {"type": "string", "title": title, "description": told}
        case _:
            return schema
    return {**schema, "properties": {FIELD: field}}


def text_of(content: object) -> str:
    """The input that an answered form means: what it does not mean exactly is no answer."""
    match content:
        case {"choice": str(number)}:
            return number
        case {"choice": list(numbers)} if all(isinstance(one, str) for one in numbers):
            return ",".join(numbers)
        case _:
            return ""
