"""When a program is believed to wait: looks at it, one after the other, and no clock."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from antiphon.menu.seen import Row, Seen
from antiphon.menu.waiting import Look, Reading, Verdict, Watch
from tests.clauses import clause

LIST = ("Which?", "> red", "  green")


@dataclass
class Program:
    """A program that listens while it works, as event loops do, and draws with a hidden cursor."""

    watch: Watch = field(default_factory=Watch)
    at_ms: float = 0
    drawn_ms: float = 0
    rows: tuple[str, ...] = ()

    def draws(self, *rows: str, reading: Reading = Reading.POLLS) -> Verdict:
        self.drawn_ms, self.rows = self.at_ms, rows
        return self.rests(20, reading)

    def rests(
        self, for_ms: float, reading: Reading = Reading.POLLS, wakes_every_ms: float = 1e9
    ) -> Verdict:
        """The verdict after so long, looked at every 20 ms."""
        verdict = Verdict.RUNNING
        for _ in range(max(1, int(for_ms / 20))):
            self.at_ms += 20
            verdict = self.watch.looked(
                Look(
                    at_ms=self.at_ms,
                    quiet_ms=self.at_ms - self.drawn_ms,
                    has_answered=True,
                    is_line_mode=False,
                    unread=0,
                    reading=reading,
                    cpu_ms=0,
                    has_children=False,
                    seen=Seen(
                        tuple(map(Row, self.rows)),
                        cursor_row=len(self.rows) - 1,
                        cursor_col=len(self.rows[-1]),
                        is_cursor_shown=False,
                    ),
                    wakes=int(self.at_ms / wakes_every_ms),
                )
            )
        return verdict

    def spins(self, times: int = 6, words: str = "Working") -> None:
        for turn in range(times):
            self.draws(f"{'◒◐◓◑'[turn % 4]}  {words}{'.' * (turn % 3)}")
            self.rests(60)


@clause("components 2.3")
def test_a_list_is_waited_at_soon() -> None:
    program = Program()
    assert program.draws(*LIST) is Verdict.RUNNING
    assert program.rests(120) is Verdict.WAITING


@clause("components 2.3")
@pytest.mark.parametrize("late_ms", [100, 200, 400, 600])
def test_a_spinner_that_is_late_is_no_question(late_ms: float) -> None:
    program = Program()
    program.spins()
    assert program.rests(late_ms - 20) is Verdict.RUNNING


@clause("components 2.3")
def test_a_spinner_that_stopped_is_believed_within_a_second() -> None:
    program = Program()
    program.spins()
    assert program.rests(900) is Verdict.WAITING


@clause("components 2.3")
def test_a_list_in_the_place_of_a_spinner_is_waited_at_as_soon_as_any() -> None:
    program = Program()
    program.spins()
    program.draws(*LIST)
    assert program.rests(120) is Verdict.WAITING


@clause("components 2.3")
def test_who_is_blocked_in_a_read_waits_whatever_it_drew_before() -> None:
    program = Program()
    program.spins()
    assert program.draws("◑  Working", reading=Reading.READS) is Verdict.RUNNING
    assert program.rests(80, Reading.READS) is Verdict.WAITING


@clause("components 2.3")
def test_a_list_beside_which_a_spinner_turns_is_waited_at() -> None:
    program, verdict = Program(), Verdict.RUNNING
    for turn in range(12):
        verdict = program.draws(*LIST, "/-|"[turn % 3])
        verdict = program.rests(60)
    assert verdict is Verdict.WAITING


@clause("components 2.3")
@pytest.mark.parametrize("every_ms", [30, 100])
def test_who_wakes_often_under_a_list_that_stands_may_glance_at_the_keys(every_ms: float) -> None:
    program = Program()
    assert program.draws(*LIST, reading=Reading.SLEEPS) is Verdict.RUNNING
    assert program.rests(400, Reading.SLEEPS, every_ms) is Verdict.RUNNING
    assert program.rests(400, Reading.SLEEPS, every_ms) is Verdict.GLANCING


@clause("components 2.3", "components V07")
def test_who_sleeps_without_a_list_or_without_waking_is_at_work() -> None:
    asleep, busy = Program(), Program()
    asleep.draws(*LIST, reading=Reading.SLEEPS)
    busy.draws("Installing...", reading=Reading.SLEEPS)
    assert asleep.rests(3_000, Reading.SLEEPS) is Verdict.RUNNING
    assert busy.rests(3_000, Reading.SLEEPS, wakes_every_ms=50) is Verdict.RUNNING
