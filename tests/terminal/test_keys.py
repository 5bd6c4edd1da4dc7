from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.base.errors import Code, Refused
from antiphon.terminal.keys import key_bytes
from tests.clauses import clause

NAMES = [
    *("Enter", "Tab", "Escape", "Up", "Down", "Left", "Right", "Home", "End"),
    *("PageUp", "PageDown", "Backspace", "Delete"),
    *(f"F{number}" for number in range(1, 13)),
    *(f"C-{letter}" for letter in string.ascii_lowercase),
]


def sent(name: str) -> bytes:
    return key_bytes(name, application_cursor=False)


@clause("terminal pty.send")
def test_every_named_key_sends_bytes_of_its_own() -> None:
    assert all(sent(name) for name in NAMES)
    # A terminal itself sends the same for these pairs.
    alike = {"Tab": "C-i", "Enter": "C-m"}
    assert {name: sent(name) for name in alike} == {
        name: sent(other) for name, other in alike.items()
    }
    others = [name for name in NAMES if name not in alike]
    assert len({sent(name) for name in others}) == len(others)


def test_keys_send_what_programs_expect_of_them() -> None:
    assert [sent(name) for name in ("Enter", "C-c", "C-d", "Escape", "Backspace")] == [
        b"\r", b"\x03", b"\x04", b"\x1b", b"\x7f",
    ]  # fmt: skip
    assert sent("F1") == b"\x1bOP" and sent("F5") == b"\x1b[15~" and sent("F12") == b"\x1b[24~"


@pytest.mark.parametrize(("name", "letter"), [("Up", "A"), ("Down", "B"), ("Home", "H")])
def test_the_arrows_follow_the_mode_the_program_has_set(name: str, letter: str) -> None:
    assert sent(name) == f"\x1b[{letter}".encode()
    assert key_bytes(name, application_cursor=True) == f"\x1bO{letter}".encode()


@given(st.text(max_size=6).filter(lambda name: name not in NAMES))
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(Refused) as refused:
        sent(name)
    assert refused.value.code is Code.INVALID_REQUEST


@pytest.mark.parametrize("name", ["enter", "C-A", "C-1", "C-", "C-c ", "F13", "F0", "", "Enter\n"])
def test_names_that_are_nearly_right_are_refused(name: str) -> None:
    with pytest.raises(Refused):
        sent(name)
