from __future__ import annotations

import decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.dsl import tree
from antiphon.dsl.printer import printed
from antiphon.dsl.reader import DEPTH_MAX, Reading, read
from antiphon.dsl.source import Source
from antiphon.dsl.tree import Arg, Call, Decimal, Integer, List, Map, Program, Symbol, Text
from tests.clauses import clause

# --- trees made up ----------------------------------------------------------

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
KEYS = NAMES.filter(lambda name: name != "as")
SYMBOLS = st.builds(Symbol, NAMES)
SCALARS = st.one_of(
    st.builds(Text, st.text()),
    st.builds(Integer, st.integers(-(10**40), 10**40)),
    st.builds(
        Decimal,
        st.decimals(allow_nan=False, allow_infinity=False, places=3).map(
            lambda number: number.copy_abs() if number == 0 else number
        ),
    ),
    st.builds(tree.Boolean, st.booleans()),
    st.just(tree.Nil()),
    SYMBOLS,
)


def made_calls(values: st.SearchStrategy[tree.Value]) -> st.SearchStrategy[Call]:
    return st.builds(
        lambda domain, verb, args, binding: Call(f"{domain}.{verb}", tuple(args), binding),
        NAMES,
        NAMES,
        st.lists(st.builds(Arg, KEYS, values), max_size=4),
        st.none() | SYMBOLS,
    )


VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(List, st.lists(inner, max_size=4).map(tuple)),
        st.builds(Map, st.lists(st.builds(Arg, NAMES, inner), max_size=4).map(tuple)),
        made_calls(inner),
    ),
    max_leaves=12,
)
PROGRAMS = st.builds(Program, st.lists(made_calls(VALUES), max_size=4).map(tuple))


def reading(text: str) -> Reading:
    return read(Source(text))


def faults(text: str) -> list[tuple[str, int, int]]:
    shown = reading(text).findings.shown
    return [(one.code.value, one.span.line, one.span.column) for one in shown]


def kept(text: str) -> list[str]:
    return [one.name for one in reading(text).program.statements]


# --- what is read -----------------------------------------------------------


@clause("repl 3d")
@given(PROGRAMS)
def test_what_is_printed_reads_back_as_the_same_tree(program: Program) -> None:
    text = printed(program)
    assert reading(text) == Reading(program, reading("").findings)
    assert printed(reading(text).program) == text


@clause("repl 3")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", tree.Boolean(True)),
        ("false", tree.Boolean(False)),
        ("nil", tree.Nil()),
        ("@fund-2_x", Symbol("fund-2_x")),
        ('""', Text("")),
        ('"He said \\"Hello\\""', Text('He said "Hello"')),
        ('"C:\\\\Users\\\\test"', Text("C:\\Users\\test")),
        ('"a ; b ) ( @c"', Text("a ; b ) ( @c")),
        ('"Zürich 世界 🎉"', Text("Zürich 世界 🎉")),
        ('"two\nlines"', Text("two\nlines")),
        ("42", Integer(42)),
        ("-9223372036854775808", Integer(-(1 << 63))),
        ("-0.50", Decimal(decimal.Decimal("-0.50"))),
        ("[]", List(())),
        ("{}", Map(())),
        (
            '[42 "text" true nil @ref]',
            List((Integer(42), Text("text"), tree.Boolean(True), tree.Nil(), Symbol("ref"))),
        ),
        ("{:a {:as 1}}", Map((Arg("a", Map((Arg("as", Integer(1)),))),))),
        ("[(c.d :as @q)]", List((Call("c.d", (), Symbol("q")),))),
    ],
)
def test_each_kind_of_value_is_read(text: str, value: tree.Value) -> None:
    found = reading(f"(a.b :x {text})")
    assert found.findings.count == 0
    assert found.program == Program((Call("a.b", (Arg("x", value),)),))


@clause("repl 3a")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\r\n",
        "; a comment",
        ";; two\n;three",
        "\ufeff",
    ],
)
def test_a_program_without_statements_is_a_program(text: str) -> None:
    assert reading(text) == reading("") and reading(text).findings.count == 0


@clause("repl 3b")
def test_a_comment_stands_wherever_white_space_may() -> None:
    text = "; one\n( ; two ()\na.b ; three\n:x ; four\n1 ; five\n:as ; six\n@y);seven"
    assert reading(text).program == Program((Call("a.b", (Arg("x", Integer(1)),), Symbol("y")),))


@clause("repl d14")
def test_a_pair_of_escapes_is_one_character_and_numbers_may_be_negative() -> None:
    found = reading('(a.b :x "\\ud83d\\ude00\\u00e9" :y -3 :z -1.5)').program.statements[0]
    assert [arg.value for arg in found.args] == [
        Text("😀é"),
        Integer(-3),
        Decimal(decimal.Decimal("-1.5")),
    ]


# --- what is not ------------------------------------------------------------


@clause("repl d14a")
@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ('(a.b :x "a\\qb")', "E001", 11),
        ('(a.b :x "\\ud83d")', "E001", 10),
        ('(a.b :x "\\u12")', "E001", 10),
        (f"(a.b :x {'1' * 200})", "E001", 9),
        ("(a.b :x 12.34.56)", "E002", 9),
        ("(a.b :x 1.)", "E002", 9),
        ("(a.b :x +1)", "E002", 9),
        ("(a.b :x truex)", "E002", 9),
        ("(a.b :x <Allianz>)", "E002", 9),
        ("(a.b :x @)", "E002", 9),
        ("(a.b :x)", "E002", 6),
        ("(a.b :x :y 1)", "E002", 6),
        ("(a.b name 1)", "E002", 6),
        ('(a.b "x")', "E002", 6),
        ("(a.b :as fund)", "E002", 10),
        ("(a.b :as)", "E002", 6),
        ("(a.b :as @x :y 1)", "E002", 13),
        ('(a.b :x {"k" 1})', "E002", 10),
        ("(a.b :x [:k 1])", "E002", 10),
        ("(a.b :x [1, 2])", "E002", 11),
        ("(a.b :x\u00a01)", "E002", 8),
        ("()", "E002", 1),
        ("((a.b))", "E002", 2),
        ('( :name "x")', "E002", 3),
        ("(.ensure)", "E002", 2),
        ("(create :name 1)", "E002", 2),
        ("(a.b.c)", "E002", 2),
        ("(@x)", "E002", 2),
        ("(a.b))", "E002", 6),
        ("a.b", "E002", 1),
        ("(a.b :x 1]", "E002", 10),
        ("(a.b", "E003", 1),
        ("(a.b :x [1 2)", "E003", 9),
        ("(a.b :x {:y 1)", "E003", 9),
        ('(a.b :x "no end)', "E004", 9),
        ('(a.b :x "Test :y "LU")', "E004", 9),
    ],
)
def test_a_fault_has_its_code_and_place(text: str, code: str, column: int) -> None:
    found = faults(text)
    assert found[0] == (code, 1, column)
    assert kept(text) in ([], ["a.b"] if text == "(a.b))" else [])


@clause("repl d14b")
def test_brackets_stand_256_deep_and_not_257() -> None:
    deep = DEPTH_MAX - 1
    assert faults(f"(a.b :x {'[' * deep}{']' * deep})") == []
    assert faults(f"(a.b :x {'[' * DEPTH_MAX}{']' * DEPTH_MAX})")[0][0] == "E005"
    # Brackets that hold nothing are one fault, and do not hide how deep they stand.
    assert [code for code, *_ in faults("(" * 300)] == ["E002", "E005"]
    nested = "(a.b :x " * DEPTH_MAX + "1" + ")" * DEPTH_MAX
    assert faults(nested) == [] and printed(reading(nested).program) == f"{nested}\n"


@clause("repl 3c")
def test_what_is_whole_stays_and_each_fault_has_its_own_place() -> None:
    text = (
        '(cbu.ensure :name "Tést")\r\n'
        '(cbu.show\t:cbu-id "x" y)\r\n'
        "(cbu.list)\r\n"
        '\t(cbu.show :cbu-id "世" :k)\r\n'
        "(cbu.list :x 1)"
    )
    assert faults(text) == [("E002", 2, 23), ("E002", 4, 24)]
    assert kept(text) == ["cbu.ensure", "cbu.list", "cbu.list"]


@clause("repl 3c")
@pytest.mark.parametrize(
    ("text", "found", "names"),
    [
        ('(a.b :x "1"\n(c.d)', ["E003"], ["c.d"]),
        ('(a.b :x "1)\n(c.d)', ["E004"], ["c.d"]),
        ("(a.b :x\n(c.d)\n(e.f)", ["E003"], ["c.d", "e.f"]),
        ("(a.b :x [1 2)\n(c.d)", ["E003"], ["c.d"]),
        ("(a.b x) (c.d)", ["E002"], ["c.d"]),
        ("x (c.d) y", ["E002", "E002"], ["c.d"]),
        (")) (c.d)", ["E002", "E002"], ["c.d"]),
        ("(a.b :x 1]) (c.d)", ["E002"], ["c.d"]),
        (f"(a.b :x {'[' * 300}\n(c.d)", ["E005"], ["c.d"]),
        ("(a.b :x\n(c.d))", [], ["a.b"]),
    ],
)
def test_reading_goes_on_after_a_fault(text: str, found: list[str], names: list[str]) -> None:
    assert [code for code, _, _ in faults(text)] == found
    assert kept(text) == names


@clause("repl 3c")
def test_twenty_faults_are_shown_and_the_rest_is_counted() -> None:
    found = reading(")" * 2_000).findings
    assert len(found.shown) == 20 and found.hidden == 1_980


@given(st.text('(){}[]"\\;,:@ab.1 \n\t-éu', max_size=60))
def test_any_text_is_read(text: str) -> None:
    found = reading(text)
    assert (found.findings.count == 0) == (len(found.findings.shown) == 0)
    size = len(text.encode())
    for one in found.findings.shown:
        assert 0 <= one.span.start <= one.span.end <= size
    if found.findings.count == 0:
        assert reading(printed(found.program)).program == found.program


@given(PROGRAMS, st.text('()[]"; a', max_size=4))
def test_a_broken_line_before_a_program_costs_that_line_only(
    program: Program, rubbish: str
) -> None:
    text = f"(x.y :z {rubbish} :\n"
    assert (
        reading(text + "\n" + printed(program)).program.statements[-len(program.statements) :]
        == (program.statements)
        or not program.statements
    )
