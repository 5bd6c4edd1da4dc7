from __future__ import annotations

import jsonschema
import pytest

from antiphon.choice.dialogue import asked
from antiphon.choice.form import early, form, text_of
from tests.choice.driving import start
from tests.clauses import clause


@clause("interaction 6 form")
def test_a_block_is_a_form_whose_answers_are_numbers() -> None:
    driven = start()
    now = asked(driven.flow, driven.state)
    one = form(now.block, is_many=now.is_many)
    jsonschema.Draft202012Validator.check_schema(one)
    assert one["properties"] == {
        "choice": {
            "type": "string",
            "title": "Which environment?",
            "oneOf": [
                {"const": "1", "title": "dev"},
                {"const": "2", "title": "staging"},
                {"const": "3", "title": "prod"},
            ],
        }
    }
    jsonschema.validate({"choice": "2"}, one)
    driven.say("1")
    now = asked(driven.flow, driven.state)
    many = form(now.block, is_many=now.is_many)
    jsonschema.validate({"choice": ["1", "3"]}, many)
    wrongs: list[object] = [{"choice": ["4"]}, {"choice": []}, {}, {"choice": "1"}]
    for wrong in wrongs:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, many)


@clause("interaction 6 form")
def test_a_host_of_the_first_forms_gets_names_beside_values_and_a_text_for_many() -> None:
    driven = start()
    now = asked(driven.flow, driven.state)
    one = early(form(now.block, is_many=False))
    jsonschema.Draft202012Validator.check_schema(one)
    field = one["properties"]
    assert isinstance(field, dict)
    assert field["choice"]["enum"] == ["1", "2", "3"]
    assert field["choice"]["enumNames"] == ["dev", "staging", "prod"]
    assert early(form(now.block, is_many=True))["properties"] == {
        "choice": {
            "type": "string",
            "title": "Which environment?",
            "description": "1) dev, 2) staging, 3) prod. "
            "One number, or several joined by commas, like 1,3",
        }
    }
    assert text_of({"choice": "1,3"}) == "1,3"


@clause("interaction 6 form", "interaction R23")
def test_a_form_that_means_nothing_is_an_empty_input() -> None:
    assert text_of({"choice": "2"}) == "2"
    assert text_of({"choice": ["3", "1"]}) == "3,1"
    nothings: list[object] = [None, {}, {"choice": 1}, {"choice": [1]}, {"choice": []}, []]
    for nothing in nothings:
        assert text_of(nothing) == ""
