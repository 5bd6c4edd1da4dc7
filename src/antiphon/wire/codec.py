"""Between JSON and the types of the wire: strict on the way in, plain on the way out.

A request that is no request is refused as `invalid_request`, in a sentence that says what
was found; nothing is guessed, rounded or dropped.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from antiphon.base.errors import Code, Refused

Shape = TypeVar("Shape", bound=msgspec.Struct)
Json = bool | int | float | str | None | list["Json"] | dict[str, "Json"]

_encode = msgspec.json.Encoder().encode


class CursorNoInteger(Refused):
    """A from_cursor of another type: refused as out of range, once the spool's size is known."""

    def __init__(self, found: object) -> None:
        super().__init__(
            Code.CURSOR_OUT_OF_RANGE,
            f"from_cursor is {found!r:.40}; it is a whole number from 0 to the end of the output",
        )


def decoded(body: bytes) -> dict[str, object]:
    """A JSON object; duplicate keys, NaN and lone surrogates are no JSON here."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
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
        return msgspec.convert(arguments, shape)
    except (msgspec.ValidationError, OverflowError) as error:
        fields = ", ".join(shape.__struct_fields__)
        raise Refused(Code.INVALID_REQUEST, f"{error}; its fields are: {fields}") from None


def encoded(answer: msgspec.Struct | dict[str, object]) -> bytes:
    return _encode(answer)


def refusal(refused: Refused) -> dict[str, object]:
    return {
        "ok": False,
        "error": refused.code.value,
        "message": refused.message,
        **refused.facts,
    }
