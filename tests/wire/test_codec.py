from __future__ import annotations

import json
from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.base.errors import Code, Refused
from antiphon.wire import codec
from antiphon.wire import terminal as wire
from antiphon.wire.methods import METHODS
from tests.clauses import clause

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 53), 1 << 53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
TERMINAL = [name for name in METHODS if name.startswith(("pty.", "blocks."))]
# Enough to be a request, for each shape that needs more than a conversation.
NEEDED: dict[str, dict[str, object]] = {
    "cmd": {"cmd": "true"},
    "expect": {"expect": "a", "send": "b"},
    "block_id": {"block_id": "c.1"},
    "query": {"query": "a"},
    "cols": {"cols": 80, "rows": 24},
}


def least(shape: type[msgspec.Struct]) -> dict[str, object]:
    """The fewest arguments that are such a request."""
    arguments: dict[str, object] = {}
    for field in msgspec.structs.fields(shape):
        if field.required:
            arguments |= NEEDED.get(field.name, {})
            if field.name == "conversation_id":
                arguments["conversation_id"] = "c"
    return arguments


@given(st.dictionaries(st.text(max_size=6), json_values, max_size=4))
def test_an_object_is_read_as_it_was_written(value: dict[str, object]) -> None:
    assert codec.decoded(json.dumps(value).encode()) == value
    assert codec.decoded(codec.encoded(value)) == value


@given(st.binary(max_size=40))
def test_bytes_are_an_object_or_are_refused(body: bytes) -> None:
    try:
        value = codec.decoded(body)
    except Refused:
        return  # the only thing it may raise
    assert json.loads(body) == value


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"1", b"null", b'{"a":NaN}', b'{"a":Infinity}', b'{"a":1e999}', b'{"a":1}x',
     b'{"a":"\\ud800"}', b'{"a":"\xed\xa0\x80"}', b"\xff", b'{"a":' + b"9" * 5_000 + b"}",
     b'{"a":1,"a":2}', b'{"a":{"b":1,"b":1}}', b"[" * 100_000, b'{"a":' * 100_000],
    ids=lambda body: repr(body[:20]),
)  # fmt: skip
@clause("terminal d1a", "doors 14")
def test_what_is_no_object_or_says_a_thing_twice_is_refused(body: bytes) -> None:
    with pytest.raises(Refused) as refused:
        codec.decoded(body)
    assert refused.value.code is Code.INVALID_REQUEST and len(refused.value.message) < 300


@pytest.mark.parametrize("name", TERMINAL)
@clause("terminal one shape")
def test_a_field_too_many_or_of_another_type_is_refused(name: str) -> None:
    shape = METHODS[name].request
    arguments = least(shape)
    made = codec.request(arguments, shape)
    assert codec.request(cast(dict[str, object], msgspec.to_builtins(made)), shape) == made
    with pytest.raises(Refused) as refused:
        codec.request({**arguments, "next_cursor": 0}, shape)
    assert refused.value.code is Code.INVALID_REQUEST
    for field in arguments:
        for wrong in (None, [1], {"a": 1}, 1.5):
            with pytest.raises(Refused) as refused:
                codec.request({**arguments, field: wrong}, shape)
            assert refused.value.code is Code.INVALID_REQUEST
        with pytest.raises(Refused):
            codec.request({one: two for one, two in arguments.items() if one != field}, shape)


@pytest.mark.parametrize("cursor", [None, "0", 1.0, 1.5, True, [0]])
@clause("terminal D2b")
def test_a_cursor_that_is_no_whole_number_is_out_of_range(cursor: object) -> None:
    with pytest.raises(codec.CursorNoInteger) as refused:
        codec.request({"conversation_id": "c", "from_cursor": cursor}, wire.ReadSpool)
    assert refused.value.code is Code.CURSOR_OUT_OF_RANGE


def test_a_refusal_is_an_answer_with_its_facts_beside_it() -> None:
    refused = Refused(Code.BUSY, "a block runs", mode="block_running", active_block_id=None)
    assert codec.refusal(refused) == {
        "ok": False,
        "error": "busy",
        "message": "a block runs",
        "mode": "block_running",
        "active_block_id": None,
    }


@clause("terminal 3.1", "terminal 4.2", "terminal 3.7")
def test_no_answer_has_a_cursor_under_another_name() -> None:
    _, schemas = msgspec.json.schema_components(
        [METHODS[name].answer for name in TERMINAL], ref_template="{name}"
    )
    names = {name for one in schemas.values() for name in one.get("properties", {})}
    assert {name for name in names if "cursor" in name or "offset" in name} == {
        "resume_cursor", "cursor", "match_cursor",
    }  # fmt: skip
