"""`POST /api/dsl/complete`: what can be written at a place, whatever stands around it."""

from __future__ import annotations

import pytest

from tests.clauses import clause
from tests.sessions.talking import Answer, Talk


def completed(talk: Talk, text: str) -> Answer:
    at = len(text[: text.index("|")].encode())
    answer = talk.ask("POST", "/api/dsl/complete", source=text.replace("|", "", 1), at=at)
    assert talk.status == 200, answer
    return answer


@clause("repl 2h")
@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("(cbu.en|sure)", ["cbu.ensure"]),
        ('(cbu.ensure :name "é" |)', [":jurisdiction", ":client-type", ":manco-name", ":as"]),
        ('(cbu.ensure :name "é" :juris|', [":jurisdiction"]),
        ('(cbu.ensure :jurisdiction "irel|"', ["IE"]),
        ("(terminal.run :check t|)", ["true"]),
        ('(cbu.ensure :name "x" :as @f)\n(cbu.show :cbu-id @|)', ["@f"]),
        ('(cbu.show :cbu-id "alianz thematca|', ["Allianz Thematica"]),
        ("; (cbu.|", []),
        ("(cbu.esnu|", ["cbu.ensure"]),
        ("(ensure|", ["cbu.ensure"]),
        ("(cbu.r|", ["cbu.remove-role", "cbu.rename", "cbu.roles"]),
        ("(cbu.ensure :jursid|", [":jurisdiction"]),
        ('(cbu.ensure :jurisdiction "luxmebourg|"', ["LU"]),
        ('(kyc-case.set-status :status "aprov|"', ["APPROVED"]),
        ("(cbu.ensure :as @fund)\n(cbu.show :cbu-id @fnud|)", ["@fund"]),
        ("(cbu.xyzzy|", []),
    ],
)
def test_what_can_be_written_is_offered(talk: Talk, text: str, labels: list[str]) -> None:
    answer = completed(talk, text)
    assert [one["label"] for one in answer["items"]][: len(labels) or 1] == labels
    assert 0 <= answer["start"] <= answer["end"] <= len(text.encode())


@clause("repl 2h")
def test_an_entity_is_written_with_its_id_and_noted_behind_its_statement(talk: Talk) -> None:
    text = '; é\n(session.set-cbu :cbu-id "allianz f")\n(cbu.list)'
    answer = completed(talk, text.replace('f"', 'f|"'))
    data = text.encode()
    assert data[answer["start"] : answer["end"]] == b'"allianz f"'
    first = answer["items"][0]
    assert (first["kind"], first["label"]) == ("entity", "ALLIANZ FUNDS")
    note = first["note"]
    place = note["span"]["start"]
    new = (
        data[: answer["start"]] + first["text"].encode() + data[answer["end"] : place]
        + note["text"].encode() + data[place:]
    ).decode()  # fmt: skip
    assert new.splitlines()[1].endswith('") ; ALLIANZ FUNDS')
    talk.edit(new)
    assert talk.state == "ready_to_run"


@clause("repl 2h")
@pytest.mark.parametrize("at", [-1, 1, 5, "0", None])
def test_a_place_that_is_none_is_refused(talk: Talk, at: object) -> None:
    talk.ask("POST", "/api/dsl/complete", source="é x", at=at)
    talk.refused(422, "invalid_request")
