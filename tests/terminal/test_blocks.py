from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from antiphon.base.machine import Machine, NoRow
from antiphon.terminal.blocks import Terminal
from antiphon.terminal.facts import (
    AppendSpool,
    BeginBlock,
    BlockRequested,
    ClearLine,
    EndBlock,
    EndGivenUp,
    EndRequested,
    Fact,
    InterruptSent,
    Kind,
    NotePrompt,
    OldPromptSeen,
    OpenEditor,
    Order,
    PressEnter,
    RingAgain,
    SessionRequested,
    ShellDied,
    ShellStarted,
)
from antiphon.terminal.marks import EditorReady, PromptSeen, TextArrived, TypedBegun
from antiphon.terminal.modes import MODES, Mode
from antiphon.terminal.spool import prompt_of
from tests.clauses import clause
from tests.terminal.streams import cuts, pieces

STARTED = ShellStarted("sh-1", b"/home")
DIED = ShellDied(9, 5_000)
FIRST = PromptSeen(1_000, 0, 0, b"/")
BLOCK = BlockRequested("make", 7, 2_000)
SESSION = SessionRequested("python", 7, 2_000, b"/tmp")
DONE = PromptSeen(3_000, 2, 7, b"/tmp")
OLD = PromptSeen(2_500, 130, 3, b"/old")
TYPED = TypedBegun(4_000, "ls")
EDITOR = EditorReady()
INTERRUPT, END, GIVEN_UP = InterruptSent(), EndRequested(), EndGivenUp()
LINE, RETURN = TextArrived(b"out\r\n"), TextArrived(b"50%\r")

FACTS: list[Fact] = [
    STARTED, DIED, BLOCK, SESSION, DONE, OLD, TYPED, EDITOR, INTERRUPT, END, GIVEN_UP, LINE, RETURN,
]  # fmt: skip
BUSY = {Mode.RUNNING, Mode.INTERACTIVE}


def terminal(*facts: Fact) -> Terminal:
    made = Terminal("c")
    for fact in facts:
        made.receive(fact)
    return made


def orders(*facts: Fact, before: Iterable[Fact] = (STARTED, FIRST)) -> list[Order]:
    """What the facts lead to, on a terminal that is idle or as told."""
    made = terminal(*before)
    return [order for fact in facts for order in made.receive(fact)]


def copied(of: Terminal) -> Terminal:
    return replace(of, spool=replace(of.spool))


@dataclass(slots=True)
class Witness:
    """What a client has seen, and what must hold of all of it."""

    spool: bytes = b""
    running: str | None = None
    output: bytes = b""
    begun: list[str] = field(default_factory=list)

    def saw(self, found: list[Order]) -> None:
        for order in found:
            match order:
                case AppendSpool(data, output_bytes):
                    assert data and output_bytes in (0, len(data))
                    assert (output_bytes > 0) is (self.running is not None)
                    self.spool += data
                    self.output += data[:output_bytes]
                case BeginBlock(block):
                    assert self.running is None and block.block_id not in self.begun
                    assert block.begin == len(self.spool) and not block.ts_end
                    self.running, self.output = block.block_id, b""
                    self.begun.append(block.block_id)
                case EndBlock(block):
                    assert block.block_id == self.running
                    assert block.output_bytes == len(self.output)
                    assert self.spool[block.begin :] == self.output
                    assert block.ts_end is not None and block.ts_end >= block.ts_begin
                    assert block.status in {"completed", "cancelled", "failed"}
                    self.running = None
                case NotePrompt(start, end, prompt):
                    assert end == len(self.spool) and prompt_of(self.spool[start:end]) == prompt
                    assert start == 0 or self.spool[start - 1 : start] == b"\n"
                case _:
                    pass

    def agrees_with(self, now: Terminal) -> None:
        assert now.spool.size == len(self.spool)
        assert (now.active is not None) is (now.mode in BUSY) is (self.running is not None)
        if now.active is not None:
            assert now.active.block_id == self.running
            assert now.active.output_bytes == len(self.output)
            kind = Kind.BLOCK if now.mode is Mode.RUNNING else Kind.SESSION
            assert now.active.kind is kind
        assert b"\r\n" not in self.spool


def step(now: Terminal, fact: Fact, witness: Witness) -> None:
    """One fact, held against the table."""
    before = copied(now)
    found = now.receive(fact)
    if isinstance(fact, TextArrived):
        assert now.mode is before.mode
    else:
        active = before.active
        is_old = (
            isinstance(fact, PromptSeen)
            and active is not None
            and active.number is not None
            and active.number != fact.number
        )
        news = OldPromptSeen() if is_old else fact
        if MODES.allows(before.mode, type(news)):
            assert now.mode is MODES.step(before.mode, news)
        else:
            assert now == before and found == []
    witness.saw(found)
    witness.agrees_with(now)


def walk(now: Terminal, witness: Witness, depth: int) -> int:
    """Every sequence of facts of this length from here on; how many steps that were."""
    if not depth:
        return 0
    steps = len(FACTS)
    for fact in FACTS:
        there = copied(now)
        seen = replace(witness, begun=[*witness.begun])
        step(there, fact, seen)
        steps += walk(there, seen, depth - 1)
    return steps


@pytest.mark.parametrize(
    "before",
    [
        (),
        (STARTED, FIRST),
        (STARTED, FIRST, BLOCK),
        (STARTED, FIRST, TYPED),
        (STARTED, FIRST, EDITOR),
    ],
    ids=["closed", "idle", "running", "typed", "editor"],
)
@clause("terminal 3.5", "terminal 3.8", "terminal 2.5")
def test_every_sequence_of_facts_keeps_one_begin_and_one_end(before: tuple[Fact, ...]) -> None:
    now, witness = Terminal("c"), Witness()
    for fact in before:
        step(now, fact, witness)
    assert walk(now, witness, 3) == sum(len(FACTS) ** length for length in (1, 2, 3))


@given(st.lists(st.sampled_from(FACTS), max_size=60))
def test_long_sequences_keep_it_too(facts: list[Fact]) -> None:
    now, witness = Terminal("c"), Witness()
    for fact in facts:
        step(now, fact, witness)
    if now.mode is not Mode.CLOSED:
        step(now, DIED, witness)
    assert now.mode is Mode.CLOSED and witness.running is None


@given(st.text(alphabet="\r\r\nab", max_size=12).map(str.encode), cuts)
@clause("terminal D8")
def test_the_output_of_a_block_is_the_same_in_every_cut(text: bytes, cuts: list[int]) -> None:
    def seen(parts: Iterable[bytes]) -> tuple[bytes, bytes]:
        now, witness = Terminal("c"), Witness()
        facts: list[Fact] = [STARTED, FIRST, BLOCK, *map(TextArrived, parts), DONE]
        for fact in facts:
            step(now, fact, witness)
        return witness.spool, witness.output

    assert seen(pieces(text, cuts)) == seen([text])


# --- what a row leads to ------------------------------------------------------


@clause("terminal 4.5", "terminal D1")
def test_a_block_that_came_to_its_prompt_is_completed_with_its_exit_code() -> None:
    begin, end, line, note = orders(BLOCK, DONE)
    assert isinstance(begin, BeginBlock) and isinstance(end, EndBlock)
    assert (begin.block.command, begin.block.status, begin.block.ts_end) == ("make", "", None)
    assert (end.block.status, end.block.exit_code, end.block.ts_end) == ("completed", 2, 3_000)
    assert isinstance(line, AppendSpool) and isinstance(note, NotePrompt)
    assert note.prompt.exit_code == 2 and note.prompt.cwd == b"/tmp"


def ended(*facts: Fact) -> tuple[str, int | None]:
    (end,) = [order for order in orders(*facts) if isinstance(order, EndBlock)]
    return end.block.status, end.block.exit_code


INTERRUPTED = structs.replace(DONE, exit_code=130)


@clause("terminal D1a", "terminal D1b", "terminal d8b", "terminal 2.1b")
def test_how_it_ended_follows_from_what_was_asked_and_what_came() -> None:
    assert ended(BLOCK, INTERRUPT, INTERRUPTED) == ("cancelled", 130)
    assert ended(BLOCK, INTERRUPT, DONE) == ("completed", 2), "it lived on after Ctrl-C"
    assert ended(BLOCK, INTERRUPTED) == ("completed", 130), "nobody here interrupted it"
    assert ended(BLOCK, END, DONE) == ("cancelled", 2)
    assert ended(BLOCK, END, GIVEN_UP, DONE) == ("completed", 2)
    assert ended(BLOCK, DIED) == ("failed", 9)
    assert ended(BLOCK, ShellDied(None, 5_000)) == ("failed", None)
    assert ended(BLOCK, END, DIED) == ("cancelled", 9)
    assert ended(TYPED, structs.replace(DONE, number=0)) == ("completed", 2)


def test_an_interrupt_is_forgotten_with_its_block() -> None:
    assert ended(BLOCK, DONE, DIED) == ("completed", 2)
    later = orders(BLOCK, INTERRUPT, END, DONE, BLOCK, INTERRUPTED)
    statuses = [order.block.status for order in later if isinstance(order, EndBlock)]
    assert statuses == ["cancelled", "completed"]


def test_a_prompt_from_before_the_block_ends_nothing_and_rings_again() -> None:
    assert orders(BLOCK, OLD)[1:] == [RingAgain()]
    assert ended(BLOCK, OLD, DONE) == ("completed", 2)


def test_the_editor_opens_for_typing_and_is_left_by_enter_while_a_block_runs() -> None:
    assert orders(EDITOR) == [OpenEditor()]
    assert orders(BLOCK, EDITOR)[1:] == [PressEnter()]
    assert orders(EDITOR, BLOCK)[1] == ClearLine()


@pytest.mark.parametrize("cut", range(4))
def test_the_line_end_of_that_enter_is_no_output(cut: int) -> None:
    text = b"\r\nx"
    parts = [TextArrived(part) for part in (text[:cut], text[cut:]) if part]
    added = [
        order.data for order in orders(BLOCK, EDITOR, *parts) if isinstance(order, AppendSpool)
    ]
    assert b"".join(added) == b"x"


def test_a_return_before_a_block_or_at_the_end_of_a_shell_never_meets_a_line_end() -> None:
    witness, now = Witness(), Terminal("c")
    line_end = TextArrived(b"\n")
    facts: list[Fact] = [
        STARTED, FIRST, RETURN, BLOCK, line_end, RETURN, DIED, STARTED, FIRST, RETURN, BLOCK, DONE,
    ]  # fmt: skip
    for fact in facts:
        step(now, fact, witness)
    assert [line for line in witness.spool.splitlines() if not line.startswith(b"__FWS")] == [
        b"50%", b"50%", b"50%",
    ]  # fmt: skip


@clause("terminal D11")
def test_output_after_the_end_is_in_no_block() -> None:
    late = orders(LINE, before=(STARTED, FIRST, BLOCK, DONE))
    assert late == [AppendSpool(b"out\n", 0)]


def test_a_block_takes_the_directory_it_is_sent_to() -> None:
    (begin,) = orders(SESSION)
    assert isinstance(begin, BeginBlock)
    assert begin.block.cwd == b"/tmp" and begin.block.kind is Kind.SESSION
    (begin,) = orders(BLOCK)
    assert isinstance(begin, BeginBlock) and begin.block.cwd == b"/"


@clause("terminal 2.1a")
def test_numbers_of_blocks_go_on_with_the_next_shell() -> None:
    made = terminal(STARTED, FIRST, BLOCK, DIED, STARTED, FIRST, BLOCK)
    assert made.active is not None and made.active.block_id == "c.2"


# --- the table ------------------------------------------------------------------


def test_every_pair_is_a_row_or_is_refused() -> None:
    kinds = {type(fact) for fact in FACTS if not isinstance(fact, TextArrived)} | {OldPromptSeen}
    rows = {(state, fact) for state, fact, _, _ in MODES.rows}
    assert {fact for _, fact in rows} == kinds
    for mode, kind in itertools.product(Mode, kinds):
        assert MODES.allows(mode, kind) is ((mode, kind) in rows)


@clause("terminal 3.6", "terminal 3.6a")
def test_a_request_is_allowed_while_idle_and_only_then() -> None:
    for mode, kind in itertools.product(Mode, (BlockRequested, SessionRequested)):
        assert MODES.allows(mode, kind) is (mode is Mode.IDLE)


def test_a_pair_without_a_row_is_refused_by_name() -> None:
    with pytest.raises(NoRow, match="BlockRequested while closed"):
        MODES.step(Mode.CLOSED, BLOCK)


def test_two_rows_for_one_pair_are_our_mistake() -> None:
    row = (Mode.IDLE, ShellDied, Mode.CLOSED, "D9")
    with pytest.raises(AssertionError):
        Machine(row, row)


def test_a_table_prints_each_row() -> None:
    table = Machine((Mode.IDLE, ShellDied, Mode.CLOSED, "D9"))
    assert table.printed().splitlines()[2:] == ["| idle | ShellDied | closed | D9 |"]
