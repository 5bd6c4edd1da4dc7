from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.base.errors import Code, Refused
from antiphon.choice.dialogue import Stage, State
from antiphon.choice.token import Seal, Ticket
from tests.clauses import clause

KEY = bytes(range(32))
TICKET = Ticket("f" * 64, 1_000, State(Stage.EDITING, ((0,), None, (1, 2)), 1, (3,), (4, 5), 2))
TOKEN = Seal("local", KEY).sealed(TICKET)

NUMBERS = st.lists(st.integers(0, 999), max_size=5).map(tuple)
STATES = st.builds(
    State,
    st.sampled_from(Stage),
    st.lists(st.none() | NUMBERS, max_size=5).map(tuple),
    st.integers(0, 63),
    NUMBERS,
    NUMBERS,
    st.integers(0, 9),
)


@clause("interaction R28", "interaction 7.1")
@given(STATES, st.text(alphabet="0123456789abcdef", min_size=1), st.text(max_size=20))
def test_what_is_sealed_is_opened_by_its_principal(state: State, flow: str, who: str) -> None:
    ticket = Ticket(flow, 5, state)
    token = Seal(who, KEY).sealed(ticket)
    assert Seal(who, KEY).opened(token, 4) == ticket
    assert Seal(who, KEY).sealed(ticket) == token
    assert token.isascii()


def refused(token: str, who: str = "local", key: bytes = KEY, now_ms: int = 0) -> Code:
    with pytest.raises(Refused) as error:
        Seal(who, key).opened(token, now_ms)
    return error.value.code


@clause("interaction R28")
def test_no_bit_of_a_token_may_change() -> None:
    for at in range(len(TOKEN)):
        for bit in range(7):
            changed = TOKEN[:at] + chr(ord(TOKEN[at]) ^ (1 << bit)) + TOKEN[at + 1 :]
            assert refused(changed) is Code.STATE_INVALID


@clause("interaction R28")
def test_another_spelling_is_another_token() -> None:
    payload, signature = TOKEN.split(".")
    for other in (TOKEN + "=", TOKEN + "\n", f" {TOKEN}", payload, f"{payload}.", ".", "",
                  f"{payload}==.{signature}", f"{TOKEN}.", f"é.{signature}", "é.", "\ud800.x",
                  signature, TOKEN * 2, payload + "." + signature.swapcase()):  # fmt: skip
        assert refused(other) is Code.STATE_INVALID


@clause("interaction R28")
def test_a_token_is_its_principals_and_its_keys_and_lives_until_it_expires() -> None:
    assert refused(TOKEN, who="another") is Code.STATE_INVALID
    assert refused(TOKEN, key=bytes(32)) is Code.STATE_INVALID
    assert refused(TOKEN, now_ms=1_000) is Code.STATE_INVALID
    assert Seal("local", KEY).opened(TOKEN, 999) == TICKET


@clause("interaction R28")
def test_a_payload_of_ones_own_is_refused() -> None:
    forged = base64.urlsafe_b64encode(b'[1,"f",9999,0,0,[],[],0,[null]]').rstrip(b"=").decode()
    assert refused(f"{forged}.{TOKEN.split('.')[1]}") is Code.STATE_INVALID


@clause("interaction R28")
@given(st.text(max_size=60))
def test_no_text_opens(text: str) -> None:
    assert refused(text) is Code.STATE_INVALID
