from __future__ import annotations

import pytest

from tests.choice.driving import ENV, REGION, ZONED, start, summary
from tests.clauses import clause


@clause("interaction R42")
def test_all_fields_at_once_lead_to_the_summary() -> None:
    driven = start()
    assert driven.say("env=2 region=1,3") == summary("env: staging", "region: eu, ap")
    assert driven.kinds() == [("SELECTED", "env", None), ("SELECTED", "region", None)]
    assert start().say("region=3,1 env=2\n") == summary("env: staging", "region: eu, ap")


@clause("interaction R43", "interaction R26")
def test_some_fields_are_applied_and_the_others_asked_plainly() -> None:
    driven = start()
    assert driven.say("0", "region=2") == ENV
    assert driven.state.invalid_count == 0
    assert driven.say("1") == summary("env: dev", "region: us")


@clause("interaction R44")
@pytest.mark.parametrize(
    ("field", "reason"),
    [("env=9", "out_of_range"), ("env=x", "selection_malformed"), ("env=", "empty"),
     ("env=1,2", "multi_not_allowed"), ("env=01", "selection_malformed"),
     ("env=1 env=2", "duplicate"), ("env=1 env=1", "duplicate")],
)  # fmt: skip
def test_a_wrong_field_is_rejected_and_the_others_stand(field: str, reason: str) -> None:
    driven = start()
    assert driven.say(f"{field} region=2") == ENV
    assert driven.kinds() == [("SELECTED", "region", None), ("FIELD_REJECTED", "env", reason)]
    assert driven.say("1") == summary("env: dev", "region: us")


@clause("interaction R45")
def test_when_nothing_applies_the_input_is_invalid() -> None:
    driven = start()
    assert driven.say("env=9") == f"Invalid input: {ENV}"
    assert driven.kinds() == [
        ("FIELD_REJECTED", "env", "out_of_range"), ("INVALID", "env", "out_of_range"),
    ]  # fmt: skip
    assert driven.say("foo=1") == f"Invalid input (1 / 2): {ENV}"
    assert driven.kinds() == [("INVALID", "env", "unknown_field")]


@clause("interaction R46")
@pytest.mark.parametrize("text", ["env=2  region=1", "env = 2", "ENV=2", "env=2 please", "env=2 "])
def test_compact_input_is_exact(text: str) -> None:
    assert start().say(text) == f"Invalid input: {ENV}"


@clause("interaction R46")
def test_an_unknown_key_beside_a_valid_one_is_reported() -> None:
    driven = start()
    assert driven.say("env=2 foo=1") == REGION
    assert driven.kinds() == [("SELECTED", "env", None), ("FIELD_REJECTED", "foo", "unknown_field")]


@clause("interaction R46")
def test_compact_is_off_in_edit_and_summary() -> None:
    driven = start()
    driven.say("2", "1")
    for before in ([], ["3"], ["1"]):
        driven.say(*before, "env=1")
        assert driven.kinds() == [("INVALID", driven.events[0].step, "unknown_field")]
    assert driven.state.answers == ((1,), (0,))


@clause("interaction 7.5", "interaction R34")
def test_a_field_that_is_answered_is_replaced_with_what_depends_on_it() -> None:
    driven = start(ZONED)
    assert driven.say("env=2 zone=1") == "Which size?\n\n1) small\n2) large"
    assert driven.say("env=1") == "Which size?\n\n1) small\n2) large"
    assert driven.say("1") == summary("env: dev", "size: small")


@clause("interaction R44", "interaction R26")
def test_a_field_that_does_not_apply_is_rejected() -> None:
    driven = start(ZONED)
    assert driven.say("zone=1 env=1") == "Which size?\n\n1) small\n2) large"
    assert driven.kinds()[-1] == ("FIELD_REJECTED", "zone", "unknown_field")
    assert start(ZONED).say("zone=1 env=2") == "Which size?\n\n1) small\n2) large"
