"""A driven program, from its start to its end: what it asks is presented, what is answered is
pressed.  Nothing is ever answered by us, and no answer is kept.

The table of menu/mediator.py says what may follow what; this carries facts to it.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.menu.abreast import choices_at, only_row
from antiphon.menu.approach import approach
from antiphon.menu.cursor import typing_at
from antiphon.menu.guess import Guess, guess, is_pointed_at_by_cursor
from antiphon.menu.mediator import (
    MEDIATOR,
    AnswerWithdrawn,
    ChoiceFailed,
    InputAwaited,
    NothingMatched,
    OptionChosen,
    ProgramCrashed,
    ProgramStarted,
    State,
    ending,
)
from antiphon.menu.menu import (
    Asked,
    Menu,
    Question,
    alone,
    chosen,
    heading,
    question,
    titled,
)
from antiphon.menu.seen import Seen, masked, with_cursor
from antiphon.menu.waiting import Verdict, Watch
from antiphon.menu.walk import Walk
from antiphon.service import answering, walking
from antiphon.service.keyboard import input_bytes
from antiphon.service.presented import Presented, no_match, stale
from antiphon.service.program import Command, Program
from antiphon.service.room import Room
from antiphon.service.terminals import Terminals

# Between two looks: soon after output, later, and at a program that has long been silent.
_SOON_S, _LATER_S, _SELDOM_S = 0.02, 0.06, 0.15
_LATER_AFTER_S, _SELDOM_AFTER_S = 0.6, 5.0
# While it prints, it is looked at now and then all the same: something may overdraw a question.
_PRINTING_S = 0.1
# While an answer is awaited: is what was presented still there?
_PRESENTED_LOOK_S = 0.25
_GONE_LOOKS = 3
_SHOWS_NOTHING = "the program waits for input and has shown nothing"


@dataclass(frozen=True, slots=True)
class _Answer:
    to: Asked
    words: str
    option: int | None  # of a menu
    is_tick: bool = False


class Mediator:
    """One task; `on_change` is called when its state or what it asks has changed."""

    def __init__(
        self,
        terminals: Terminals,
        room: Room,
        command: Command,
        on_change: Callable[[], None] = lambda: None,
        numbers: Iterator[int] | None = None,
    ) -> None:
        """`numbers` count selections; tasks that follow each other may share them."""
        self._terminals = terminals
        self.room = room
        self.command = command
        self.on_change = on_change
        self.state = State.IDLE
        self.presented: Presented | None = None
        self.error: str | None = None
        self.exit_code: int | None = None
        self.reason: str | None = None
        self._numbers = numbers or itertools.count(1)
        self._answer: asyncio.Future[_Answer] | None = None
        self._program: Program | None = None
        self.was_answered = False
        self._hidden: frozenset[int] = frozenset()  # rows that change by themselves
        self._old: Seen | None = None  # the screen at our last answer
        self._last: Asked | None = None  # what was answered last
        self._living: asyncio.Task[None] | None = None

    # --- asked from outside ------------------------------------------------------

    def start(self) -> None:
        self._step(ProgramStarted())
        self._living = asyncio.get_running_loop().create_task(self._live())
        self._living.add_done_callback(self._lived)

    def _lived(self, life: asyncio.Task[None]) -> None:
        """A mistake of ours ends the task, and is told where such mistakes are."""
        mistake = None if life.cancelled() else life.exception()
        if mistake is None:
            return
        told = {"message": "a driven program was given up", "exception": mistake, "task": life}
        life.get_loop().call_exception_handler(told)
        if self.state not in (State.COMPLETED, State.FAILED):
            self._crash(f"Antiphon made a mistake: {mistake!r}")

    def select(
        self, selection_id: str, words: str, index: int | None = None, *, is_tick: bool = False
    ) -> None:
        """The answer is on its way, or a refusal and nothing has changed.

        A tick is given to an option, or taken from it, and then the same is asked again.
        """
        presented = self.presented
        if presented is None or presented.selection_id != selection_id or self._answer is None:
            now = presented.selection_id if presented is not None else None
            raise stale(selection_id, now, self.state.value)
        option = None
        if isinstance(presented.asked, Menu):
            option = chosen([one.text for one in presented.asked.options], words, index)
            if option is None:
                self._step(NothingMatched())
                raise no_match(words, index, self.state.value, selection_id)
        elif is_tick:
            raise Refused(Code.INVALID_REQUEST, "it asks for a text: there is no option to tick")
        else:
            input_bytes(words)  # refused while nothing has changed
        answer, self._answer = self._answer, None
        self.presented = None
        self._step(OptionChosen())
        answer.set_result(_Answer(presented.asked, words, option, is_tick))
        if self._program is not None:
            self._program.wake()

    async def close(self) -> None:
        """The program, and all that came from it, is gone."""
        if self._living is not None:
            self._living.cancel()
        if self._program is not None:
            self._program.leave()
        self.room.call_off()
        async with self.room.conversation.lock:
            await self.room.lifecycle.end(reset_reason=None)

    def leave(self) -> None:
        """The server goes; the program stays in its shell."""
        if self._living is not None:
            self._living.cancel()
        if self._program is not None:
            self._program.leave()

    async def ended(self) -> None:
        """Until it has succeeded or failed; what it asks meanwhile is told by `on_change`."""
        assert self._living is not None
        await asyncio.shield(self._living)

    def printed(self, bytes_max: int = limits.REASON_BYTES_MAX) -> str:
        """The end of what the program printed since the last answer."""
        return self._program.printed(bytes_max) if self._program is not None else ""

    @property
    def transcript_cursor(self) -> int:
        return self.room.conversation.store.spool.size

    # --- its life ----------------------------------------------------------------

    def _step(self, fact: object) -> None:
        self.state = MEDIATOR.step(self.state, fact)

    async def _live(self) -> None:
        pending: _Answer | None = None
        try:
            while True:
                program = await Program.started(self._terminals, self.room, self.command)
                self._program = program
                self.was_answered, self._old, self._hidden = False, None, frozenset()
                self._last = None
                try:
                    asked = await self._run(program, pending)
                finally:
                    program.leave()
                if asked is None:
                    return
                self._present(asked)
                pending = await self._awaited()
        except Refused as refused:
            self._crash(refused.message)

    async def _run(self, program: Program, pending: _Answer | None) -> Asked | None:
        """One run; what is to be asked again when it failed after a choice."""
        while True:
            asked = await self._next_asked(program)
            if asked is None:
                return self._ended(program, self._last)
            if pending is not None and pending.to.is_like(asked):
                answer: _Answer | None = _Answer(asked, pending.words, pending.option)
                self.error = None
            else:
                self._step(InputAwaited())
                self._present(asked)
                answer = await self._answered(program, asked)
            pending = None
            if answer is None:
                if program.has_ended:
                    continue
                self.presented, self.error = None, None
                self._step(AnswerWithdrawn())
                self.on_change()
                continue
            self.error = await self._carry_out(program, answer)

    def _present(self, asked: Asked) -> None:
        """It stands under a new id; the state says so already when a choice has failed."""
        self.presented = Presented(f"sel-{next(self._numbers):03}", asked)
        self._answer = asyncio.get_running_loop().create_future()
        self.on_change()

    async def _awaited(self) -> _Answer:
        assert self._answer is not None
        return await self._answer

    def _ended(self, program: Program, last: Asked | None) -> Asked | None:
        """The state that its end leads to, and what is asked again."""
        code = program.exit_code()
        self.exit_code = code
        fact = ending(code, was_answered=self.was_answered and last is not None)
        self.presented, self._answer = None, None
        self._step(fact)
        if isinstance(fact, ChoiceFailed):
            self.error = program.printed()
            return last
        if self.state is State.FAILED:
            self.reason = program.printed() or "the program ended and printed nothing"
        self.error = None
        self.on_change()
        return None

    def _crash(self, reason: str) -> None:
        self.presented, self._answer = None, None
        self._step(ProgramCrashed())
        self.reason = reason
        self.on_change()

    # --- until it waits ----------------------------------------------------------

    async def _next_asked(self, program: Program) -> Asked | None:
        """What it asks, or None: it has ended."""
        watch = Watch()
        program.points_with_cursor = program.glances = False
        deaf: Seen | None = None  # a screen on which an arrow was not read
        while not program.has_ended:
            await program.news(self._pause_s(program))
            look = program.look()
            if look is None:
                continue
            verdict = watch.looked(look)
            if verdict is Verdict.WAITING_FOR_NOTHING:
                raise Refused(Code.INVALID_REQUEST, _SHOWS_NOTHING)
            if verdict is Verdict.WAITING:
                self._hidden = watch.moving
                asked = await self._read(program, look.seen, is_line_mode=look.is_line_mode)
                if asked is not None:
                    return asked
                watch = Watch()
            if verdict is Verdict.GLANCING and look.seen != deaf:
                program.glances = True
                asked = await self._read(program, look.seen, is_line_mode=False)
                if isinstance(asked, Menu):
                    return asked
                program.glances, deaf, watch = False, look.seen, Watch()
        return None

    @staticmethod
    def _pause_s(program: Program) -> float:
        quiet_s = program.quiet_s()
        if quiet_s > _SELDOM_AFTER_S:
            return _SELDOM_S
        return _LATER_S if quiet_s > _LATER_AFTER_S else _SOON_S

    async def _read(self, program: Program, found: Seen, *, is_line_mode: bool) -> Asked | None:
        """The menu, walked to its ends, or the question; None when it ended under our hands."""
        seen = masked(found, self._hidden)
        old_rows = self._old_rows(seen)
        asked = question(seen, is_line_mode=is_line_mode, old_rows=old_rows)
        frame_row = program.frame_row()
        guessed = guess(seen, frame_row or 0, self._rows_over(seen, old_rows))
        if is_line_mode:
            return asked
        if not guessed.is_menu and is_pointed_at_by_cursor(seen):
            program.points_with_cursor = True
            seen = with_cursor(seen)
            guessed = Guess(frozenset((seen.cursor_row,)))
        menu: Menu | None = None
        if guessed.is_menu:
            walk = Walk(seen, guessed, old_rows, frame_row)
            step = await walking.walked(program, walk, self._hidden)
            menu = step if isinstance(step, Menu) else None
        elif (one := only_row(seen)) is not None:
            tops = [] if frame_row is None else [frame_row]
            return alone(seen, one, heading(seen, one, tops, old_rows))
        if menu is None or (menu.pointer is None and len(guessed.pointed) == 1):
            row = min(guessed.pointed) if menu is not None else None
            across = await walking.across(program, seen, row, self._hidden, (old_rows, frame_row))
            is_row = row is not None and choices_at(seen, row) is not None
            menu = across if across is not None or is_row else menu
        program.points_with_cursor &= menu is not None
        # Where arrows move no pointer its answer is typed, and the selection says so: `input`.
        if menu is not None:
            menu = titled(menu, found, self._hidden)
        return None if program.has_ended else menu or asked

    def _old_rows(self, seen: Seen) -> int:
        """Rows at the top that are as they were at our last answer."""
        if self._old is None:
            return 0
        last = self._last
        if isinstance(last, Question) and last.asks_again(seen, self._old):
            return 0  # what it said before still belongs to it
        count = 0
        for row, old in zip(seen.rows, self._old.rows, strict=False):
            if row.text != old.text:
                if isinstance(last, Question) and last.is_answered_by(row.text, count):
                    count += 1
                break
            count += 1
        return count if count < len(seen.rows) else 0

    def _rows_over(self, seen: Seen, old_rows: int) -> int:
        """Of the old rows, those that are over a line which is typed in now, and was not then."""
        at = typing_at(seen)
        if self._old is None or at is None or at[0] < old_rows or at == typing_at(self._old):
            return 0
        return old_rows

    # --- while an answer is awaited ------------------------------------------------

    async def _answered(self, program: Program, asked: Asked) -> _Answer | None:
        """The answer; None when the program ended, or asks this no longer."""
        answer = self._answer
        assert answer is not None
        gone = 0
        while not answer.done():
            await program.news(_PRESENTED_LOOK_S)
            if answer.done():
                break
            if program.has_ended:
                return None
            gone = gone + 1 if self._is_gone(program, asked) else 0
            if gone >= _GONE_LOOKS:
                self._answer = None
                return None
        return answer.result()

    def _is_gone(self, program: Program, asked: Asked) -> bool:
        """Somebody else has typed, or the program does something else now."""
        look = program.look()
        if look is None or look.quiet_ms < answering.TYPED_QUIET_S * 1000:
            return False
        if not look.reading.listens:
            return True
        seen = masked(look.seen, self._hidden)
        if isinstance(asked, Question):
            return not asked.still_asks(seen)
        return not approach(asked, asked.at).stands(seen)

    # --- the answer ----------------------------------------------------------------

    async def _carry_out(self, program: Program, answer: _Answer) -> str | None:
        """Keys; an error when the option could not be reached, and then no Enter."""

        def mark() -> None:
            self.was_answered = True
            self._old = program.seen()
            program.answered()

        if isinstance(answer.to, Question):
            self._last = answer.to
            return await answering.write(program, answer.to, answer.words, self._hidden, mark)
        assert answer.option is not None
        if answer.is_tick:
            return await answering.tick(program, answer.to, answer.option, self._hidden)
        self._last = answer.to
        return await answering.pick(program, answer.to, answer.option, self._hidden, mark)
