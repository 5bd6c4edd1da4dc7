from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.base import ids, limits
from antiphon.base.errors import Code, Refused
from tests.clauses import clause

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
names = st.text(LETTERS, min_size=1, max_size=128).filter(lambda name: name[0] != ".")
UNITS = re.compile(
    r"_(BYTES|MS|S|COLS|ROWS|COUNT|ITEMS|WAITERS|SHELLS|VIEWERS|BITS)?_?(MAX|MIN|DEFAULT)$"
)


@given(names)
@clause("terminal D14a")
def test_an_allowed_id_is_itself(name: str) -> None:
    assert ids.conversation(name) == name


@given(st.text(max_size=200))
def test_any_other_text_is_refused_and_never_mapped(text: str) -> None:
    is_allowed = 1 <= len(text) <= 128 and set(text) <= set(LETTERS) and text[0] != "."
    if is_allowed:
        assert ids.conversation(text) == text
        return
    with pytest.raises(Refused) as refused:
        ids.conversation(text)
    assert refused.value.code is Code.INVALID_REQUEST and len(refused.value.message) < 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        ".a",
        "a/b",
        "a\\b",
        "a b",
        "a\0",
        "a\n",
        "\u00e9",
        "\uff41",
        "a" * 129,
        "~",
        "a:b",
    ],
)
def test_what_could_lead_out_of_a_folder_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        ids.conversation(text)


@given(names, names, st.integers(1, 1 << 40), st.integers(1, 1 << 40))
@clause("terminal 2.1a")
def test_two_blocks_never_share_an_id(one: str, other: str, seq: int, later: int) -> None:
    assert (ids.block(one, seq) == ids.block(other, later)) is ((one, seq) == (other, later))
    assert ids.session(ids.block(one, seq)) != ids.block(one, seq)


def test_every_limit_has_its_unit_in_its_name_and_its_reason_above_it() -> None:
    lines = Path(limits.__file__).read_text().splitlines()
    tree = ast.parse("\n".join(lines))
    names = [line.split(" = ")[0] for line in lines if line[:1].isupper()]
    assert len(names) == len(set(names)), "a name that stands twice has the later value everywhere"
    reasoned = False
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        (target,) = node.targets
        assert isinstance(target, ast.Name) and UNITS.search("_" + target.id), ast.dump(target)
        above = lines[node.lineno - 2]
        reasoned = above.startswith("# ") or (reasoned and bool(above))
        assert reasoned, f"{target.id} says no reason"
        value = getattr(limits, target.id)
        assert isinstance(value, int | float) and value > 0
