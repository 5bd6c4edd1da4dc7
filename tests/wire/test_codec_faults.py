from __future__ import annotations

import pytest

from antiphon.base.errors import Refused
from antiphon.wire import codec, interaction, reconcile, sessions
from antiphon.wire import terminal as wire


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"shell": "dash"}, "shell is 'dash'; accepted is 'bash' or 'zsh'"),
        ({"cols": 0}, "cols is 0; accepted is a whole number from 1 to 500"),
        ({"cols": "80"}, "cols is '80'; accepted is a whole number from 1 to 500"),
        ({"cols": 10**40}, f"cols is {10**40}; accepted is a whole number from 1 to 500"),
        ({"cwd": 5}, "cwd is 5; accepted is text"),
        ({"env": {"A": "b", "C": 1}}, "env.C is 1; accepted is text"),
        ({"env": {"A": None}}, "env.A is null; accepted is text"),
        ({"env": ["A"]}, "env is ['A']; accepted is an object of texts"),
        ({"size": 1}, "'size' is no field here; the fields are: conversation_id, shell, cwd"),
    ],
)
def test_a_refusal_says_what_was_found_and_what_is_accepted(
    arguments: dict[str, object], said: str
) -> None:
    with pytest.raises(Refused) as refused:
        codec.request({"conversation_id": "c", **arguments}, wire.Open)
    assert refused.value.message.startswith(said)


def test_a_missing_field_is_named_with_all_there_are() -> None:
    said = "^`cmd` is missing; text is accepted; the fields are: conversation_id, cmd, cwd"
    with pytest.raises(Refused, match=said):
        codec.request({"conversation_id": "c"}, wire.ExecBlock)


def test_a_missing_field_within_another_is_named_with_its_place() -> None:
    with pytest.raises(Refused) as refused:
        codec.request({"session_id": "s", "intents": [{}]}, sessions.Propose)
    assert refused.value.message == "`verb` is missing in intents[0]; text is accepted"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"conditions": [{"matchType": "x"}]},
         "accepted is 'id' or 'name' or 'property'"),
        ({"conditions": [{"matchType": "name"}], "limit": 0},
         "accepted is a whole number from 1 on"),
        ({"conditions": 3}, "queries[0].conditions is 3; accepted is a list"),
        ({"conditions": [{"matchType": "name"}, 7]},
         "matchQuantifier, matchQualifier, lang, dir"),
    ],
)  # fmt: skip
def test_what_is_accepted_is_told_for_the_place_within_a_field(
    query: dict[str, object], said: str
) -> None:
    with pytest.raises(Refused) as refused:
        codec.request({"queries": [query]}, reconcile.Match)
    assert refused.value.message.endswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"input": 2}, "input is 2; accepted is text or an object of choice, kind, text"),
        ({"input": "2", "flow": 3}, "flow is 3; accepted is text or an object or null"),
    ],
)
def test_each_thing_that_a_field_may_be_is_named(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(Refused) as refused:
        codec.request({"state": "s", **arguments}, interaction.FlowAnswer)
    assert refused.value.message == said


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"message": "\udcff"}, "message"),
        ({"message": "a", "session_id": "\ud800"}, "session_id"),
        ({"intents": [{"verb": "cbu.list", "params": {"x": ["\udcff"]}}]}, "intents"),
        ({"intents": [{"verb": "cbu.list", "params": {"\udcff": 1}}]}, "intents"),
    ],
)
def test_what_no_json_can_say_is_refused_at_the_library_too(
    fields: dict[str, object], name: str
) -> None:
    shape = sessions.Propose if "intents" in fields else sessions.Chat
    with pytest.raises(Refused, match=f"^{name} has a lone surrogate; text is accepted$"):
        codec.request({"session_id": "s", **fields}, shape)
