"""The JSON Schema of flow files, by which editors complete and check them.

It says the shape and the limits; `loading` says the rest: words, sentences, what can be reached.
"""

from __future__ import annotations

from antiphon.base.limits import STEP_OPTIONS_MAX
from antiphon.choice.loading import STEPS_MAX

ID = "https://json-schema.org/draft/2020-12/schema"

# Letters of every script, said by what they are not: editors differ in what they call a letter.
_NO_LETTER = r"\s!-,./:-@\[-\^`{-~"
KEY = rf"^[^\d\-{_NO_LETTER}][^{_NO_LETTER}]{{0,31}}$"

Schema = dict[str, object]


def flow_schema() -> Schema:
    label: Schema = {
        "type": "string",
        "minLength": 1,
        "pattern": r"^\S([^\r\n]*\S)?$",
        "description": "At most 5 words; no two alike; never «Other».",
    }
    labels: Schema = {"type": "array", "items": label, "minItems": 1, "maxItems": STEP_OPTIONS_MAX}
    key: Schema = {"type": "string", "pattern": KEY}
    return {
        "$schema": ID,
        "title": "A flow of Antiphon",
        "type": "object",
        "additionalProperties": False,
        "required": ["flow", "steps"],
        "properties": {
            "flow": {
                "type": "string",
                "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$",
                "description": "The flow's name.",
            },
            "steps": {
                "type": "array",
                "minItems": 1,
                "maxItems": STEPS_MAX,
                "items": _step(key, label, labels),
            },
            "on_confirm": _on_confirm(),
        },
    }


def _step(key: Schema, label: Schema, labels: Schema) -> Schema:
    by_label = {"type": "object", "minProperties": 1, "additionalProperties": labels}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["key", "ask", "select"],
        "oneOf": [{"required": ["options"]}, {"required": ["options_by"]}],
        "properties": {
            "key": {**key, "description": "The field's name, in the summary and in `key=N`."},
            "ask": {
                "type": "string",
                "minLength": 1,
                "description": "One sentence of at most 15 words.",
            },
            "select": {"enum": ["one", "many"], "description": "How many options one chooses."},
            "options": {**labels, "description": "All there are; more than 7 are asked in parts."},
            "options_by": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": by_label,
                "description": "An earlier step's key, and the options for each of its labels.",
            },
            "when": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"type": "array", "items": label, "minItems": 1},
                "description": "Asked only if each of these steps was answered with one of these.",
            },
            "required": {
                "type": "boolean",
                "description": "false lets a step of many be answered with none.",
            },
        },
    }


def _on_confirm() -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["run", "conversation"],
        "description": "A command that runs when the summary is confirmed.",
        "properties": {
            "run": {
                "type": "string",
                "minLength": 1,
                "description": "Values are in its environment: $FLOW_<KEY>.",
            },
            "conversation": {
                "type": "string",
                "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$",
                "description": "The conversation whose terminal it runs in.",
            },
        },
    }
