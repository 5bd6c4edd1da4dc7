"""Between JSON and the types of the wire: strict on the way in, plain on the way out.

A request that is no request is refused as `invalid_request`, in a sentence that says what
was found; nothing is guessed, rounded or dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from antiphon.base.errors import Code, Refused

Shape = TypeVar("Shape", bound=msgspec.Struct)
Json = bool | int | float | str | None | list["Json"] | dict[str, "Json"]

# How msgspec says where in the object the fault is.
_PLACE = re.compile(r" - at `\$\.(?P<name>\w+)(?P<rest>[^`]*)`$")
_MISSING = re.compile(r"Object missing required field `(\w+)`")
_STEP = re.compile(r"\.\w+|\[[^\]]*\]")
_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list of texts",
    "object": "an object of texts",
    "null": "null",
}
_encode = msgspec.json.Encoder().encode


class CursorNoInteger(Refused):
    """A from_cursor of another type: refused as out of range, once the spool's size is known."""

    def __init__(self, found: object) -> None:
        super().__init__(
            Code.CURSOR_OUT_OF_RANGE,
            f"from_cursor is {found!r:.40}; it is a whole number from 0 to the end of the output",
        )


def _said_once(pairs: list[tuple[str, object]]) -> None:
    """msgspec takes the last of two; which one was meant cannot be known."""
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:80]!r} is said twice")


_each_once = json.JSONDecoder(object_pairs_hook=_said_once)  # to make one takes 2 µs a call


def decoded(body: bytes) -> dict[str, object]:
    """A JSON object; duplicate keys, NaN and lone surrogates are no JSON here."""
    try:
        value = msgspec.json.decode(body)
        _each_once.decode(body.decode())
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Refused(Code.INVALID_REQUEST, f"the body is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused(
            Code.INVALID_REQUEST,
            f"the body is a JSON {type(value).__name__}; an object with the operation's fields "
            "is accepted",
        )
    return value


def request(arguments: dict[str, object], shape: type[Shape]) -> Shape:
    """The request these arguments are, or a refusal that names what is wrong."""
    cursor = arguments.get("from_cursor", 0)
    if (type(cursor) is not int) and "from_cursor" in shape.__struct_fields__:
        raise CursorNoInteger(cursor)
    try:
        found = msgspec.convert(arguments, shape)
    except (msgspec.ValidationError, OverflowError) as error:
        raise Refused(Code.INVALID_REQUEST, fault(str(error), arguments, shape)) from None
    check_text(arguments)
    return found


def check_text(arguments: dict[str, object]) -> None:
    """Python has strings that no JSON has, so no door takes them."""
    for name, value in arguments.items():
        try:
            _encode(value)
        except UnicodeEncodeError:
            raise Refused(
                Code.INVALID_REQUEST, f"{name} has a lone surrogate; text is accepted"
            ) from None
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise Refused(
                Code.INVALID_REQUEST, f"{name} is nothing that JSON has: {error}"
            ) from None


def fault(error: str, arguments: dict[str, object], shape: type[msgspec.Struct]) -> str:
    """What was found, and what is accepted there."""
    fields = ", ".join(shape.__struct_fields__)
    if unknown := [name for name in arguments if name not in shape.__struct_fields__]:
        return f"{unknown[0][:80]!r} is no field here; the fields are: {fields}"
    place = _PLACE.search(error)
    if missing := _MISSING.match(error):
        return _missing(missing[1], place, shape)
    if place is None:
        return f"{error}; the fields are: {fields}"
    name = place["name"]
    accepted = _accepted(shape, name, place["rest"])
    where, value = _found(name, arguments[name], _STEP.findall(place["rest"]), error)
    return f"{where} is {_shown(value)}; accepted is {accepted}"


def _found(name: str, value: object, steps: list[str], error: str) -> tuple[str, object]:
    """Where the fault is, by name and number, and what stands there.

    Of a map msgspec says only that one of its values, or of its names, is wrong.
    """
    for number, step in enumerate(steps):
        if step == "[...]" and isinstance(value, dict):
            rest = steps[number + 1 :]
            for key, inner in value.items():
                where, below = _found(f"{name}.{key}", inner, rest, error)
                if _kind(below) in error:
                    return where, below
            return name, value
        if step.startswith("["):
            assert isinstance(value, list)
            name, value = f"{name}{step}", value[int(step[1:-1])]
        else:
            assert isinstance(value, dict)
            name, value = f"{name}{step}", value.get(step[1:])
    return name, value


def _kind(value: object) -> str:
    """How msgspec calls it."""
    kinds = {list: "array", dict: "object", type(None): "null"}
    return f"got `{kinds.get(type(value), type(value).__name__)}`"


def _shown(value: object) -> str:
    return "null" if value is None else f"{value!r:.80}"


def _missing(name: str, place: re.Match[str] | None, shape: type[msgspec.Struct]) -> str:
    if place is None:
        fields = ", ".join(shape.__struct_fields__)
        accepted = _accepted(shape, name, "")
        return f"`{name}` is missing; {accepted} is accepted; the fields are: {fields}"
    where, rest = place["name"], place["rest"]
    accepted = _accepted(shape, where, f"{rest}.{name}")
    return f"`{name}` is missing in {where}{rest}; {accepted} is accepted"


def _accepted(shape: type[msgspec.Struct], name: str, rest: str) -> str:
    """What is accepted there, however deep in the field it stands."""
    shapes = msgspec.json.schema_components([shape], schema_hook=_anything)[1]
    known = list(_alternatives(shapes[shape.__name__]["properties"][name], shapes))
    for step in _STEP.findall(rest):
        known = [deeper for one in known for deeper in _below(one, step, shapes)]
    return " or ".join(dict.fromkeys(map(_described, known)))


def _anything(_: type) -> dict[str, object]:
    """What another program's object holds: it is handed on as it is."""
    return {"type": "anything"}


def _below(
    known: dict[str, object], step: str, shapes: dict[str, dict[str, object]]
) -> Iterator[dict[str, object]]:
    """What stands in a list, in a map of any names, or in a field."""
    fields = known.get("properties")
    below = fields.get(step[1:]) if step[0] == "." and isinstance(fields, dict) else None
    for found in (below,) if below else (known.get("items"), known.get("additionalProperties")):
        if isinstance(found, dict):
            yield from _alternatives(found, shapes)


def _alternatives(
    known: dict[str, object], shapes: dict[str, dict[str, object]]
) -> Iterator[dict[str, object]]:
    """What a field may be, each followed to what it stands for."""
    if "$ref" in known:
        yield shapes[str(known["$ref"]).rpartition("/")[2]]
    elif isinstance(options := known.get("anyOf"), list):
        for option in options:
            yield from _alternatives(option, shapes)
    else:
        yield known


def _described(known: dict[str, object]) -> str:
    """A JSON schema of one field, in words."""
    if "enum" in known:
        values = known["enum"]
        assert isinstance(values, list)
        return " or ".join(repr(value) for value in values)
    if isinstance(fields := known.get("properties"), dict):
        return f"an object of {', '.join(fields)}"
    inside = known.get("additionalProperties")
    if known.get("type") == "object" and not (inside and inside != {"type": "anything"}):
        return "an object"
    items = known.get("items")
    if isinstance(items, dict) and items.get("type") != "string":
        return "a list"
    word = _WORDS.get(str(known.get("type")), str(known.get("type")))
    low, high = known.get("minimum"), known.get("maximum")
    if low is not None and high is not None:
        return f"{word} from {low} to {high}"
    return f"{word} from {low} on" if low is not None else word


def encoded(answer: msgspec.Struct | dict[str, object]) -> bytes:
    return _encode(answer)


def refusal(refused: Refused) -> dict[str, object]:
    return {
        "ok": False,
        "error": refused.code.value,
        "message": refused.message,
        **refused.facts,
    }
