from __future__ import annotations

import gc
import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.dsl.diagnostics import Applicability, Edit, Notebook
from antiphon.dsl.edits import appended, applied, comment
from antiphon.dsl.layout import laid_out
from antiphon.dsl.names import distance, nearest
from antiphon.dsl.planner import ordered
from antiphon.dsl.printer import printed
from antiphon.dsl.reader import read
from antiphon.dsl.references import questions
from antiphon.dsl.render import rendered, report, width
from antiphon.dsl.source import Source
from antiphon.dsl.stages import STAGES, Bound, Compilation, Stage, World, compiled
from antiphon.dsl.tree import Program
from tests.clauses import clause
from tests.dsl.test_reader import PROGRAMS
from tests.dsl.world import ALLIANZ, ANSWERS, NOBODY, SMITH, VOCABULARY, WORLD, codes, compile_

GOLDEN = Path(__file__).parent / "golden"


def told(found: Compilation) -> str:
    """All that a compilation says, as text."""
    parts = [f"stage: {found.stage.value}\n"]
    parts += [
        f"ref: {ref.statement_index} {ref.verb} {ref.arg_path} "
        f"{ref.search_value!r} {'|'.join(ref.entity_types)}\n"
        for ref in found.references
    ]
    if found.plan:
        parts.append(f"phases: {[list(phase) for phase in found.plan.phases]}\n")
        parts += [
            f"step: {step.statement_index} {step.verb} {step.effect.value} {list(step.needs)}\n"
            for step in found.plan.steps
        ]
    if found.stage is Stage.PARSING:
        parts.append(f"kept:\n{printed(found.program)}")
    return "".join(parts) + "\n" + report(found.source, [found.errors, found.warnings])


@clause("repl 1j")
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.dsl")), ids=lambda path: path.stem)
def test_a_program_compiles_to_what_is_written_down(path: Path) -> None:
    assert told(compile_(path.read_text())) == path.with_suffix(".out").read_text()


def steps(text: str) -> int:
    """How many calls of functions compiling takes."""
    count = 0

    def counted(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    gc.disable()  # what others do at its end would be counted
    sys.setprofile(counted)
    try:
        assert compile_(text).stage is Stage.READY
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def test_a_statement_takes_as_many_steps_in_a_large_program_as_in_a_small_one() -> None:
    def whole(count: int) -> str:
        return "".join(
            f'(cbu.ensure :name "Fund {n}" :jurisdiction "LU" :as @fund{n})\n'
            f'(cbu.tag :cbu-id @fund{n} :tags ["a" @fund{n}] :attributes {{:n {n}}}) ; why\n'
            f"(cbu.show :cbu-id @fund{n})\n"
            for n in range(count)
        )

    compile_(whole(1))  # what is made once, is made now
    small, middle, large = (steps(whole(count)) for count in (100, 200, 800))
    assert large - middle == 6 * (middle - small)


# --- codes --------------------------------------------------------------------

PERSON = '(entity.create-proper-person :first-name "A" :last-name "B"'


@clause("repl 1l")
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(cbu.lst)", ["E010"]),
        ("(cbu.ensure)", ["E020", "E020"]),
        ('(cbu.ensure :name nil :jurisdiction "LU")', ["E020"]),
        ("(cbu.list :x 1)", ["E021"]),
        ('(cbu.ensure :name "a" :name "b" :jurisdiction "LU")', ["E021"]),
        ('(cbu.ensure :name 5 :jurisdiction "LU")', ["E022"]),
        ('(cbu.ensure :name ["a"] :jurisdiction "LU")', ["E022"]),
        (f"{PERSON} :age 1.5)", ["E022"]),
        (f'{PERSON} :age "x")', ["E022"]),
        (f"{PERSON} :share 1 :age -2 :is-active false)", []),
        (f'{PERSON} :is-active "yes")', ["E022"]),
        (f'{PERSON} :date-of-birth "1980-02-30")', ["E023"]),
        (f"{PERSON} :age 9223372036854775808)", ["E023"]),
        ('(cbu.ensure :name "a" :jurisdiction "LU" :client-type "TRUST")', ["E023"]),
        (f'(cbu.tag :cbu-id "{ALLIANZ}" :tags [1 2 3 4])', ["E023"]),
        (f'(cbu.tag :cbu-id "{ALLIANZ}" :attributes {{:a 1 :a 2}})', ["E023"]),
        (f'(cbu.tag :cbu-id "{ALLIANZ}" :tags {{}})', ["E022"]),
        (f'(cbu.show :cbu-id "{NOBODY}")', ["E040"]),
        (f'(cbu.show :cbu-id "{SMITH}")', ["E041"]),
        (f'(cbu.show :cbu-id "{ALLIANZ}")', []),
        (f"{PERSON} :as @a) {PERSON} :as @a)", ["E051", "W002", "W002"]),
        ("(cbu.list :as @a)", ["E022", "W002"]),
        ("(cbu.show :cbu-id @x)", ["E060"]),
        ('(cbu.ensure :name @a :jurisdiction "LU" :as @a)', ["E061"]),
        (f"{PERSON} :as @p)", ["W002"]),
        ("", ["W007"]),
        ('(terminal.run :cmd "make")', ["W010"]),
    ],
)
def test_each_code_is_given_for_what_it_names(text: str, wanted: list[str]) -> None:
    assert sorted(codes(compile_(text))) == wanted


@clause("repl d13a")
def test_a_symbols_type_is_checked_and_any_symbol_may_be_a_string() -> None:
    fund = '(cbu.ensure :name "F" :jurisdiction "LU" :as @f)'
    assert codes(compile_(f"{fund}(cbu.show :cbu-id @f)")) == []
    assert codes(
        compile_(f'{fund}(cbu.assign-role :cbu-id @f :entity-id @f :role "DIRECTOR")')
    ) == ["E022"]
    assert codes(compile_(f"{fund}{PERSON} :age @f)")) == ["E022"]
    assert codes(compile_(f'{fund}(cbu.ensure :name @f :jurisdiction "LU")')) == []
    known = World(VOCABULARY, ANSWERS, {"p": Bound(SMITH, "person"), "any": Bound("x", None)})
    assert codes(compile_("(cbu.show :cbu-id @p)", known)) == ["E022"]
    assert codes(compile_("(cbu.show :cbu-id @any)", known)) == []


@clause("repl 3f", "repl 3h")
def test_what_stands_in_lists_maps_and_inner_calls_counts() -> None:
    text = (
        f'(cbu.assign-role :cbu-id "{ALLIANZ}" :role "DIRECTOR" '
        f":entity-id {PERSON} :age @n))"
        '(entity.group :members ["Ann" {:x "Bob" :y [@n]}])'
    )
    found = compile_(text)
    assert codes(found) == ["E022"]  # a map is no person
    text = text.replace('{:x "Bob" :y [@n]}', "(cbu.list)")
    assert codes(compile_(text)) == ["E022"]  # and what makes nothing is no value
    inner = "(entity.group :members [(cbu.ensure :name @z :jurisdiction (cbu.list))])"
    assert sorted(codes(compile_(inner))) == ["E022", "E022"]
    fine = f'(entity.group :members ["Ann" {PERSON} :as @p)])(entity.group :members [@p])'
    found = compile_(fine)
    assert [ref.arg_path for ref in found.references] == ["members[0]"]
    asked = questions(found.program, VOCABULARY)
    assert [one.value for one in asked] == ["Ann"]
    skipped = World(VOCABULARY, ANSWERS, skipped=frozenset(one.ref_id for one in found.pending))
    plan = compiled(fine, skipped).plan
    assert plan is not None and plan.phases == ((0,), (1,))


@clause("repl D1", "repl D1a")
def test_a_string_is_an_id_a_code_or_an_open_reference_by_its_argument() -> None:
    def refs(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
        found = compile_(text)
        return [(one.arg_name, one.search_value, one.entity_types) for one in found.references]

    assert refs(f'(cbu.show :cbu-id "{ALLIANZ}")') == []
    assert refs('(cbu.ensure :name "allianz" :jurisdiction "LU")') == []
    assert refs('(cbu.ensure :name "allianz" :jurisdiction "Lux")') == [
        ("jurisdiction", "Lux", ("jurisdiction",))
    ]
    assert refs('(cbu.assign-role :cbu-id "LU" :entity-id "x" :role "DIRECTOR")') == [
        ("cbu-id", "LU", ("cbu",)),
        ("entity-id", "x", ("person", "company")),
    ]


@clause("repl 1i")
def test_the_id_of_a_reference_stays_when_another_is_resolved() -> None:
    text = '(cbu.assign-role :cbu-id "Apex" :entity-id "Smith" :role "DIRECTOR")'
    first, second = compile_(text).references
    (left,) = compile_(text.replace("Apex", ALLIANZ)).references
    assert left.ref_id == second.ref_id != first.ref_id
    moved = compile_("(cbu.list)" + text).references
    assert {one.ref_id for one in moved}.isdisjoint({first.ref_id, second.ref_id})


# --- fixes ----------------------------------------------------------------------


@clause("repl 1n")
@given(st.sampled_from(sorted(GOLDEN.glob("*.dsl"))), st.data())
def test_machine_fixes_take_their_diagnostics_away(path: Path, data: st.DataObject) -> None:
    found = compile_(path.read_text())
    fixes = [
        (one.code, fix)
        for one in found.errors.shown
        for fix in one.fixes
        if fix.applicability is Applicability.MACHINE
    ]
    if fixes:
        code, fix = data.draw(st.sampled_from(fixes))
        again = compile_(applied(found.source, fix.edits))
        before = [one.code for one in found.errors.shown].count(code)
        assert [one.code for one in again.errors.shown].count(code) == before - 1


@given(st.text("ab é\n", max_size=20), st.data())
def test_edits_change_their_spans_only(text: str, data: st.DataObject) -> None:
    source = Source(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    one, other = (Edit(source.span(*cuts[at : at + 2]), "X") for at in (0, 2))
    wanted = f"{text[: cuts[0]]}X{text[cuts[1] : cuts[2]]}X{text[cuts[3] :]}"
    if one.span.end < other.span.start:
        assert applied(source, [other, one]) == wanted


@clause("repl d11", "repl d11a")
def test_names_in_comments_cannot_leave_them_and_statements_begin_a_line() -> None:
    assert comment(["A; (cbu.delete)\n(x.y)\u2028", "B\u202e"]) == " ; A (cbu.delete) (x.y), B"
    assert comment([]) == ""
    assert appended("(a.b) ; c", "(d.e)") == "(a.b) ; c\n(d.e)"
    assert appended("(a.b)\n", "(d.e)") == "(a.b)\n(d.e)" and appended(" \n", "(d.e)") == "(d.e)"


# --- plans ----------------------------------------------------------------------


@clause("repl 3g")
def test_a_symbol_may_be_used_before_it_is_bound() -> None:
    found = compile_((GOLDEN / "reordered.dsl").read_text())
    assert found.stage is Stage.READY and codes(found) == ["W006"]
    assert codes(compile_((GOLDEN / "stable.dsl").read_text())) == []


@clause("repl D9")
def test_a_plans_id_is_made_of_tree_ids_verbs_and_versions() -> None:
    text = f'(cbu.show :cbu-id "{ALLIANZ}")'

    def plan_id(source: str, world: World = WORLD) -> str:
        plan = compiled(source, world).plan
        assert plan is not None
        return plan.plan_id

    assert plan_id(text) == plan_id(f'; words\n( cbu.show\t:cbu-id  "{ALLIANZ}") ; more')
    changed = World(VOCABULARY, ANSWERS, versions={ALLIANZ: "2"})
    other = World(VOCABULARY, ANSWERS, versions={SMITH: "2"})
    fewer = World(type(VOCABULARY)({"cbu.show": VOCABULARY.verbs["cbu.show"]}), ANSWERS)
    assert plan_id(text) == plan_id(text, other)
    assert len({plan_id(text), plan_id(text, changed), plan_id(text, fewer)}) == 3
    bound = [World(VOCABULARY, ANSWERS, {"c": Bound(id_, "cbu")}) for id_ in ("1", "2")]
    assert len({plan_id("(cbu.show :cbu-id @c)", world) for world in bound}) == 2


@clause("repl D10a")
def test_statements_with_outside_effects_are_marked_and_announced() -> None:
    found = compile_('(cbu.list)(terminal.run :cmd "make")')
    assert found.plan is not None and codes(found) == ["W010"]
    assert [step.effect.value for step in found.plan.steps] == ["read", "external"]


GRAPHS = st.integers(1, 8).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, size - 1), max_size=3, unique=True), min_size=size, max_size=size
    )
)


@given(GRAPHS)
def test_a_plan_keeps_every_need_or_names_a_cycle(needs: list[list[int]]) -> None:
    text = "".join(
        f"(a.b :x [{' '.join(f'@s{need}' for need in row)}] :as @s{index})\n"
        for index, row in enumerate(needs)
    )
    source = Source(text)
    notes = Notebook(source)
    ordering = ordered(read(source).program, set(), notes)
    if ordering is None:
        for one in notes.findings().shown:
            assert one.code.value == "E061"
            lines = [label.span.line - 1 for label in one.labels] or [one.span.line - 1]
            assert lines[0] == min(lines) and len(set(lines)) == len(lines)
            for index, following in zip(lines, [*lines[1:], lines[0]], strict=True):
                assert following in needs[index]
        return
    phase = {index: at for at, row in enumerate(ordering.phases) for index in row}
    assert sorted(phase) == list(range(len(needs)))
    for index, row in enumerate(needs):
        assert phase[index] == 1 + max((phase[need] for need in row), default=-1)
    assert all(list(row) == sorted(row) for row in ordering.phases)


def test_the_compiler_is_one_tuple_of_stages() -> None:
    assert [stage for stage, _ in STAGES] == [one for one in Stage if one is not Stage.READY]


# --- text -----------------------------------------------------------------------


@clause("repl d19a")
@given(PROGRAMS)
def test_layout_keeps_the_tree_and_is_its_own_layout(program: Program) -> None:
    text = printed(program)
    once = laid_out(text)
    assert read(Source(once)).program == program and laid_out(once) == once


@clause("repl d19a")
def test_layout_keeps_comments_where_they_stand() -> None:
    text = (
        "; head\n\n\n(a.b  :x 1) ; of a.b\n  ; before c.d\n(c.d)(e.f :y\n 2) ;; last\n\n; end\n\n"
        "(g.h ; within\n  :z 1)\n"
    )
    assert laid_out(text) == (
        "; head\n\n(a.b :x 1) ; of a.b\n; before c.d\n(c.d)\n(e.f :y 2) ;; last\n\n; end\n\n"
        "(g.h ; within\n  :z 1)\n"
    )
    assert laid_out("(a.b") == "(a.b" and laid_out("") == ""
    long = f'(a.b :x "{"x" * 60}" :y "{"y" * 60}" :as @z)'
    assert laid_out(long).splitlines() == [
        "(a.b", f'  :x "{"x" * 60}"', f'  :y "{"y" * 60}"', "  :as @z)",
    ]  # fmt: skip


@given(st.text('ab\t世é("\n', max_size=30))
def test_marks_stand_under_what_they_mean(text: str) -> None:
    found = compile_(text)
    for one in (*found.errors.shown, *found.warnings.shown):
        lines = rendered(found.source, one).splitlines()
        assert lines[0].startswith(f"{one.severity.value}[{one.code.value}]: ")
        marks = next(line for line in lines if "^" in line.partition("| ")[2])
        before = found.source.line(one.span.line)[: one.span.column - 1].replace("\t", "    ")
        assert len(marks.partition("| ")[2].partition("^")[0]) == width(before)


@pytest.mark.parametrize(
    "text",
    [
        "(NAME.NAME)", "(cbu.NAME)", "(cbu.list :NAME 1)", "(cbu.list :NAME)", "(cbu.list NAME)",
        "(cbu.show :cbu-id @NAME)", '(cbu.ensure :name "NAME" :jurisdiction "LU" :as @NAME)',
        "(cbu.list :as @NAME)", "(NAME", "NAME", '("NAME', "(:NAME", "(cbu.list :as @x :NAME 1)",
        '(cbu.ensure :name "a" :jurisdiction "LU" :as @NAME)' * 2, "(cbu.list :x \"NAME)",
    ],
)  # fmt: skip
def test_a_long_name_makes_no_long_message(text: str) -> None:
    found = compile_(text.replace("NAME", "n" * 100_000))
    assert found.errors.count or found.warnings.count
    assert len(report(found.source, [found.errors, found.warnings])) < 3_000


def test_the_nearest_name_is_a_few_slips_away() -> None:
    assert nearest("cbu.ensur", ["cbu.ensure", "cbu.delete"]) == "cbu.ensure"
    assert nearest("x", ["cbu.ensure"]) is None and nearest("", []) is None
    assert [distance("abcd", other) for other in ("abcd", "abdc", "abd", "xbcd", "")] == [
        0, 1, 1, 1, 4,
    ]  # fmt: skip
