from __future__ import annotations

import json
import random
import re
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.choice import loading, schema
from antiphon.choice.flow import plain
from antiphon.choice.judge import judged
from antiphon.choice.loading import NoFlow
from antiphon.choice.schema import flow_schema
from tests.choice.driving import DEPLOY, ZONED, Driven, one, start
from tests.choice.random_flows import some_flow
from tests.clauses import clause

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "flows").glob("*.yaml"))


def problems(text: str) -> list[str]:
    with pytest.raises(NoFlow) as found:
        loading.from_yaml(text)
    return [problem.told() for problem in found.value.problems]


BROKEN = """\
flow: de ploy
author: me
steps:
  - {key: env, ask: "Which environment? Now.", options: [dev, DEV, other]}
  - {key: env, ask: "Choose: x", select: none, options: []}
  - key: zone
    ask: "Which zone?"
    select: one
    options: [one two three four five six]
    when: {env: [mars], later: [x]}
    required: maybe
  - 5
"""


@clause("interaction 5", "interaction R7", "interaction F10")
def test_every_problem_is_told_at_once_with_its_line() -> None:
    told = problems(BROKEN)
    for line, word in [
        (1, "no name"), (2, "author"), (4, "'select' is missing"), (4, "F09"), (4, "F14"),
        (4, "F13"), (5, "earlier step"), (5, "F11"), (5, "none"), (5, "F07"), (9, "F10"),
        (10, "mars"), (10, "later"), (11, "maybe"), (12, "expected a table"),
    ]:  # fmt: skip
        assert any(one.startswith(f"line {line}: ") and word in one for one in told), (line, word)


@clause("interaction 5", "interaction F05", "interaction F18")
@pytest.mark.parametrize("ask", ["Summary:", "Enter 1-9: x", "- x", "1) which?"])
@pytest.mark.parametrize("options", ["options: [p, q]", "options_by: {a: {x: [p, q], y: [r]}}"])
def test_a_question_that_reads_as_something_else_with_its_options_is_refused(
    ask: str, options: str
) -> None:
    first = "flow: f\nsteps:\n  - {key: a, ask: 'Which?', select: one, options: [x, y]}\n"
    (told,) = problems(f"{first}  - {{key: b, ask: '{ask}', select: one, {options}}}\n")
    assert told.startswith("line 4: F") and "reads as something else" in told


STEP = "flow: f\nsteps:\n  - {key: x, ask: 'Which?', select: one, options: [a, b]}\n"


@clause("interaction 5", "interaction 7.7")
@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("flow: f", "'steps' is missing"),
        ("flow: f\nsteps: []", "0 steps"),
        ("flow: f\nsteps: a", "expected a list"),
        (STEP + "steps: []", "twice"),
        (STEP.replace("select: one", "select: one, select: one"), "twice"),
        (STEP.replace(", select: one", ""), "'select' is missing"),
        (STEP.replace("key: x", "key: 1x"), "no key"),
        (STEP + STEP[14:].replace("key: x", "key: X"), "'X' reads like 'x', the key of an earlier"),
        (STEP.replace("[a, b]", "'a, b'"), "expected a list, like [a, b]"),
        (STEP.replace("[a, b]", "[a: b]"), "found a table; expected a text; one with ': '"),
        ("flow: f\nsteps: x: y", "a text with ': ' in it needs quotes"),
        ("flow: @f", "a text that begins so needs quotes"),
        (
            "flow: f\nsteps: 'a\n\n",
            "a quote is not closed; while scanning a quoted scalar that begins in line 2",
        ),
        (STEP.replace("key: x", "key: 'a b'"), "no key"),
        (STEP.replace("key: x", "key: other"), "F13"),
        (STEP.replace("'Which?'", "[a]"), "expected a text"),
        (STEP.replace("'Which?'", "'Which\\n'").replace("'Which\\n'", '"Which\\nnow"'), "F17"),
        (STEP.replace("'Which?'", "'Summary:'"), "F"),
        (STEP.replace("[a, b]", "[a, '']"), "empty"),
        (STEP.replace("[a, b]", '[a, "b\\tc"]'), "F02"),
        (STEP.replace("[a, b]", "[a, ' b']"), "F01"),
        (STEP.replace("[a, b]", "[a, b], required: false"), "takes many"),
        (STEP.replace("[a, b]", "[a, b], when: {x: [a]}"), "no key of an earlier step"),
        (STEP.replace("[a, b]", "[a, b], when: {}"), "at least one key"),
        (STEP.replace("options: [a, b]", "options_by: {x: {a: [b]}}"), "earlier step"),
        (STEP.replace("options: [a, b]", "help: me"), "options_by"),
        (STEP + "on_confirm: {run: ' ', conversation: c}", "empty"),
        (STEP + "on_confirm: {run: ls}", "'conversation' is missing"),
        (STEP + "on_confirm: {run: ls, conversation: a/b}", "not allowed"),
        (STEP.replace("key: x", "key: ключ") + "on_confirm: {run: a, conversation: c}", "variable"),
        ("a: &x b\nc: *x", "anchors"),
        ("a: !!python/object:os.system b", "tag"),
        ("[" * 50, "nested"),
        ("---\na: b\n---\nc: d", "second document"),
        ("flow: f\nsteps: [{key: a", "expected"),
        ("x: \x00", "acceptable"),
        ("\ud800", "UTF-8"),
        ("#" * 300_000, "bytes"),
        ("? [a]\n: b", "a key is a text"),
    ],
)
def test_what_is_no_flow_says_why(text: str, word: str) -> None:
    assert any(word in one for one in problems(text)), problems(text)


UNREACHABLE = """\
flow: f
steps:
  - {key: env, ask: "Which environment?", select: one, options: [dev, prod]}
  - {key: zone, ask: "Which zone?", select: one, options: [a, b], when: {env: [prod]}}
  - {key: size, ask: "Which size?", select: one, options: [s], when: {env: [dev], zone: [a]}}
"""
BY = """\
flow: f
steps:
  - {key: c, ask: "Which?", select: one, options: [x, y]}
  - {key: z, ask: "Which?", select: one, options_by: {c: {x: [a, b], y: [b, d]}}}
  - {key: w, ask: "Which?", select: one, options: [s], when: {c: [x], z: [d]}}
"""


@clause("interaction 5", "interaction 7.7")
def test_a_condition_that_no_answers_reach_is_refused() -> None:
    assert "line 5: no answers lead here: it never holds" in problems(UNREACHABLE)
    loading.from_yaml(UNREACHABLE.replace("env: [dev], ", ""))
    assert any("never holds" in one for one in problems(BY))
    loading.from_yaml(BY.replace("z: [d]", "z: [b]"))
    loading.from_yaml(BY.replace("c: [x], ", ""))
    # Another mistake elsewhere hides it not; one below it does, for it may be the reason.
    assert "line 5: no answers lead here: it never holds" in problems(UNREACHABLE + "more: 1\n")
    elsewhere = UNREACHABLE.replace("steps:\n", f"steps:\n{STEP.splitlines()[-1]}\n").replace(
        "options: [a, b]", "options: [a, Other]", 1
    )
    assert "line 6: no answers lead here: it never holds" in problems(elsewhere)
    assert any("F13" in one for one in problems(elsewhere))


@clause("interaction 5")
@pytest.mark.parametrize(
    ("c", "word"),
    [("{c: {x: [a]}}", "'y' are missing"), ("{c: {x: [a], y: [b], q: [d]}}", "no option 'q'"),
     ("{c: {}}", "missing"), ("{}", "exactly one"), ("{c: [x]}", "expected a table"),
     ("{c: {x: [], y: [a]}}", "F07")],
)  # fmt: skip
def test_options_that_depend_cover_every_label(c: str, word: str) -> None:
    text = BY.replace("{c: {x: [a, b], y: [b, d]}}", c)
    assert any(word in one for one in problems(text)), problems(text)


def test_a_plain_word_is_a_text_whatever_yaml_makes_of_it() -> None:
    text = one("yes", "no", "1.0", "null", "0x10")
    flow = loading.from_yaml(text.replace("'", ""))
    assert flow.steps[0].options == ("yes", "no", "1.0", "null", "0x10")


@clause("interaction 7.1")
def test_an_object_is_read_like_a_file_and_the_same_flow_has_the_same_digest() -> None:
    for text in (DEPLOY, ZONED, BY.replace("z: [d]", "z: [b]")):
        flow = loading.from_yaml(text)
        again = loading.from_object(json.loads(json.dumps(plain(flow))))
        assert again == flow
        assert again.digest == flow.digest
    assert loading.from_yaml(DEPLOY).digest != loading.from_yaml(ZONED).digest
    with pytest.raises(NoFlow) as found:
        loading.from_object({"flow": 1, "steps": [{"key": None, "options": [True, "false"]}]})
    assert "flow: found a number" in str(found.value)
    assert "steps[0].options[0]: found true; expected a text" in str(found.value)


@given(st.text(max_size=200))
def test_no_text_makes_the_loader_fail(text: str) -> None:
    with suppress(NoFlow):
        loading.from_yaml(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["flow", "steps", "key", "ask", "options", "when"]), inner
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_object_makes_the_loader_fail(value: object) -> None:
    with suppress(NoFlow):
        loading.from_object(value)


# --- the examples and the schema ---------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_loads_fits_the_schema_and_begins_with_a_block(path: Path) -> None:
    flow = loading.from_yaml(path.read_text(encoding="utf-8"))
    assert flow.name == path.stem
    jsonschema.validate(plain(flow), flow_schema())
    driven: Driven = start(path.read_text(encoding="utf-8"))
    while driven.outputs[-1] is not None and not driven.outputs[-1].startswith("Summary:"):
        assert judged(driven.outputs[-1]) == []
        driven.say("1")
    driven.say("1")
    assert driven.values


def test_there_are_five_examples_and_one_of_them_runs_a_command() -> None:
    flows = [loading.from_yaml(path.read_text(encoding="utf-8")) for path in EXAMPLES]
    assert len(flows) == 5
    assert [flow.name for flow in flows if flow.on_confirm] == ["release"]


def test_the_published_schema_is_that_of_the_code_and_refuses_what_is_wrong() -> None:
    page = ROOT / "docs" / "flow.schema.json"
    assert json.loads(page.read_text(encoding="utf-8")) == flow_schema()
    jsonschema.Draft202012Validator.check_schema(flow_schema())
    whole = plain(loading.from_yaml(DEPLOY))
    for wrong in ({**whole, "x": 1}, {"flow": "a"}, {**whole, "steps": []}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, flow_schema())


@clause("interaction 5")
def test_the_schema_accepts_whatever_loads_and_knows_a_key() -> None:
    dice = random.Random(5)
    loaded = 0
    while loaded < 100:
        given = some_flow(dice)
        try:
            loading.from_object(given)
        except NoFlow:
            continue
        jsonschema.validate(given, flow_schema())
        loaded += 1
    for key in ("env", "_x", "ключ", "环境", "a-b_c9", "x" * 32):
        assert loading.KEY.fullmatch(key) and re.match(schema.KEY, key)
    for key in ("", "9a", "-a", "a b", "a=b", "a.b", "a[0]", "a^", "x" * 33):
        assert not loading.KEY.fullmatch(key) and not re.match(schema.KEY, key)
