"""A program that is driven: it runs in a shell of its own, is looked at, and gets keys.

It carries and measures; what the screen means is decided in the room of menus.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from antiphon.base import limits
from antiphon.drivers import listening, looks
from antiphon.drivers.link import Link
from antiphon.menu.seen import Seen, masked, with_cursor
from antiphon.menu.waiting import Look, Reading
from antiphon.service.principal import hand
from antiphon.service.room import Room
from antiphon.service.terminals import Terminals
from antiphon.service.viewing import Viewer
from antiphon.terminal.facts import Block
from antiphon.terminal.keys import key_bytes
from antiphon.wire import terminal as wire

LAUNCHER = Path(__file__).parent.parent / "drivers" / "launcher.py"
_ENDED = "ended"
# After a key: between looks, the time for a redraw to begin, and to be whole.
_LOOK_S = 0.001
_LOOK_S_MAX = 0.008
_READS_STILL_S = 0.025
_POLLS_STILL_S = 0.15
_READS_DRAWN_S = 0.003
_DRAWN_S = 0.006
_DRAWING_S = 0.03
_REDRAW_S_MAX = 2.0
_CONFIRMED_S = 0.1
# On a machine where we are late, bytes that were printed are late too, so often as much.
_LATE_TIMES = 3
# One that looks for keys between two sleeps has looked by then.
_GLANCE_S_MAX = 0.5
# A program that has not even woken by then will not: nothing is listening any more.
_ASLEEP_S = 1.0
_FOREVER_S = 1e9
_HIDE_CURSOR = b"\x1b[?25l"
_FRAME_BYTES_MAX = 256 << 10


@dataclass(frozen=True, slots=True)
class Command:
    """What is to run, and where."""

    words: tuple[str, ...]
    cwd: str
    variables: Mapping[str, str] = field(default_factory=dict)
    cols: int = limits.MENU_COLS_DEFAULT
    rows: int = limits.MENU_ROWS_DEFAULT
    term: str = "xterm-256color"


class Program:
    """One run of one program."""

    def __init__(self, room: Room, block: Block) -> None:
        self._room = room
        self._conversation = room.conversation
        self._viewer = Viewer()
        self._conversation.viewing.viewers.append(self._viewer)
        self._loop = asyncio.get_running_loop()
        self.block = block
        self.ending = self._loop.create_task(self._conversation.end_of(block, _FOREVER_S))
        self.ending.add_done_callback(lambda _: self._viewer.woken.set())
        self._offset = self._conversation.raw_offset
        self._wakes = self._wakes_at_key = 0
        self._late_s = 0.0
        self._answered_raw = self._conversation.viewing.start
        self._last_output_s = self._loop.time()
        self._last_key_s = self._loop.time()
        self.answered_at = block.begin  # in the spool, at our last answer
        self._answered_before = (self.answered_at, self._answered_raw)
        self.points_with_cursor = False
        self.glances = False  # it looks for keys between two sleeps

    @classmethod
    async def started(cls, terminals: Terminals, room: Room, command: Command) -> Program:
        """It runs; a shell for it is opened if there is none."""
        conversation = room.conversation
        variables = {**command.variables, "TERM": command.term}
        await terminals.open(
            wire.Open(
                conversation_id=conversation.id,
                cwd=command.cwd,
                env=variables,
                cols=command.cols,
                rows=command.rows,
            )
            if conversation.link is None
            else wire.Open(conversation_id=conversation.id)
        )
        conversation.store.drop(_ENDED)
        # What an earlier run has left is not on the screen of this one.
        conversation.viewing.restart(command.cols, command.rows, conversation.raw_offset)
        conversation.viewing.screen()
        line = [
            sys.executable, "-I", "-S", str(LAUNCHER),
            str(conversation.store.folder / _ENDED), ",".join(command.variables), "--",
            *command.words,
        ]  # fmt: skip
        answer = await terminals.exec_interactive(
            wire.ExecInteractive(
                conversation_id=conversation.id, cmd=shlex.join(line), cwd=command.cwd
            )
        )
        block = conversation.terminal.active or conversation.ended.get(answer.block_id)
        assert block is not None
        return cls(room, block)

    # --- looking ---------------------------------------------------------------

    @property
    def has_ended(self) -> bool:
        return self.ending.done()

    @property
    def _link(self) -> Link | None:
        return self._conversation.link

    async def news(self, timeout_s: float) -> None:
        """Output, an end, or the time is up."""
        try:
            await asyncio.wait_for(self._viewer.woken.wait(), timeout_s)
        except TimeoutError:
            pass
        self._viewer.woken.clear()
        self._viewer.take()
        self._note_output()

    def wake(self) -> None:
        """Whoever waits for news looks up."""
        self._viewer.woken.set()

    def _note_output(self) -> None:
        if self._conversation.raw_offset != self._offset:
            self._offset = self._conversation.raw_offset
            self._last_output_s = self._loop.time()

    def seen(self) -> Seen:
        seen = self._conversation.viewing.screen().seen()
        return with_cursor(seen) if self.points_with_cursor else seen

    def quiet_s(self) -> float:
        return self._loop.time() - max(self._last_output_s, self._last_key_s)

    def look(self) -> Look | None:
        """How it stands; None when there is nobody to look at."""
        link = self._link
        if link is None or self.has_ended:
            return None
        listened = listening.look(link)
        self._wakes = listened.wakes
        spool = self._conversation.store.spool
        if self.glances and listened.reading is Reading.SLEEPS:
            listened = replace(listened, reading=Reading.POLLS)
        if not listening.is_fetched(link) or self._conversation.store.raw_size() != self._offset:
            listened = replace(listened, reading=Reading.NOT)  # more is on its way
        return Look(
            at_ms=self._loop.time() * 1000,
            quiet_ms=self.quiet_s() * 1000,
            has_answered=spool.size > self.answered_at,
            is_line_mode=listened.is_line_mode,
            unread=listened.unread,
            reading=listened.reading,
            cpu_ms=listened.cpu_ms,
            has_children=listened.has_children,
            seen=self.seen(),
            wakes=listened.wakes,
        )

    # --- keys ------------------------------------------------------------------

    async def press(self, key: str) -> int:
        """One key in one write; what the program prints then begins at this place."""
        screen = self._conversation.viewing.screen()
        data = key_bytes(key, application_cursor=screen.is_application_cursor())
        return await self._write(data, is_private=False)

    async def tick(self) -> int:
        """A blank, as for a key: what the program prints then begins at this place."""
        return await self._write(b" ", is_private=False)

    async def type(self, data: bytes) -> None:
        """Text that somebody answered; it is not recorded where the program hides it."""
        link = self._link
        await self._write(data, is_private=link is not None and not link.is_line_mode())

    def takes_keys(self) -> bool:
        """Whether what was typed has been read; what was not is taken back."""
        link = self._link
        if link is None or not link.unread_bytes():
            return True
        link.drop_input()
        return False

    def answered(self) -> None:
        """What is printed from here on follows from the answer."""
        self._answered_before = (self.answered_at, self._answered_raw)
        self.answered_at = self._conversation.store.spool.size
        self._answered_raw = self._conversation.raw_offset

    def unanswered(self) -> None:
        """It did not take what was meant as the answer."""
        self.answered_at, self._answered_raw = self._answered_before

    async def _write(self, data: bytes, *, is_private: bool) -> int:
        conversation = self._conversation
        self._wakes_at_key = self._wakes
        async with conversation.lock:
            active = conversation.terminal.active
            offset = conversation.raw_offset
            if active is not None and active.block_id == self.block.block_id:
                before = hand.set("program")  # whoever chose, the keys are ours
                try:
                    await self._room.keyboard.send(data, is_secret=False, is_private=is_private)
                finally:
                    hand.reset(before)
        self._last_key_s = self._loop.time()
        return offset

    async def settled(self, offset: int) -> Seen:
        """The screen when the program has taken the key, drawn, and waits again.

        A program blocked in a read has drawn all it wanted; one that polls may still be at it.
        """
        sent_s = self._loop.time()
        before = self.seen()
        pause_s = _LOOK_S
        while not self.has_ended and self._loop.time() - sent_s < _REDRAW_S_MAX:
            await self._pause(pause_s)
            pause_s = min(pause_s * 1.5, _LOOK_S_MAX)
            look = self.look()
            if look is None:
                break
            if self.glances and look.unread and self._loop.time() - sent_s > _GLANCE_S_MAX:
                break
            if look.unread or not look.reading.listens:
                continue
            has_drawn = self._offset > offset
            quiet_s = self.quiet_s()
            reads = look.reading is Reading.READS
            if not has_drawn:
                has_woken = not self._wakes or self._wakes > self._wakes_at_key
                if (has_woken or quiet_s > _ASLEEP_S) and quiet_s >= (
                    _READS_STILL_S if reads else _POLLS_STILL_S
                ):
                    break
                continue
            is_home = (look.seen.cursor_row, look.seen.cursor_col) == (
                before.cursor_row,
                before.cursor_col,
            )
            needed_s = _READS_DRAWN_S if reads else _DRAWN_S if is_home else _DRAWING_S
            if quiet_s >= max(needed_s, _LATE_TIMES * self._late_s):
                return look.seen
        return self.seen()

    async def confirmed(self, hidden: frozenset[int]) -> Seen:
        """The screen once more, after a longer rest of what does not move by itself."""
        begin_s = same_s = self._loop.time()
        before: Seen | None = None
        while not self.has_ended and self._loop.time() - begin_s < _REDRAW_S_MAX:
            await self._pause(_LOOK_S_MAX)
            look = self.look()
            if look is None:
                break
            now = masked(look.seen, hidden)
            if now != before:
                before, same_s = now, self._loop.time()
            rest_s = max(self.quiet_s(), self._loop.time() - same_s)
            is_at_rest = look.reading.listens and not look.unread
            if is_at_rest and rest_s >= _CONFIRMED_S + _LATE_TIMES * self._late_s:
                return look.seen
        return self.seen()

    async def _pause(self, pause_s: float) -> None:
        """A moment; how late we wake from it says how late others are."""
        begin_s = self._loop.time()
        await self.news(pause_s)
        late_s = self._loop.time() - begin_s - pause_s
        self._late_s = max(late_s, self._late_s * 0.95)

    def frame_row(self) -> int | None:
        """The first row that the program has drawn since it last hid its cursor."""
        viewing, store = self._conversation.viewing, self._conversation.store
        start = max(self._answered_raw, self._offset - _FRAME_BYTES_MAX)
        printed = store.read_raw(start, self._offset - start)
        hidden = printed.rfind(_HIDE_CURSOR)
        if hidden < 0:
            return None
        before = store.read_raw(viewing.start, start + hidden - viewing.start)
        return looks.first_drawn(before, printed[hidden:], viewing.cols, viewing.rows)

    def first_redrawn(self, before: Seen, offset: int) -> int | None:
        """The first row that the program has drawn again since."""
        viewing = self._conversation.viewing
        printed = self._conversation.store.read_raw(offset, self._offset - offset)
        return looks.first_touched(before, printed, viewing.cols, viewing.rows)

    # --- the end ---------------------------------------------------------------

    def exit_code(self) -> int | None:
        """As the kernel told it: a signal is a negative number; None when nobody knows."""
        ended = self.ending.result()
        told = self._conversation.store.get(_ENDED).strip()
        if told:
            return int(told)
        if ended is None or ended.status == "failed":
            return None
        return ended.exit_code

    def printed(self, bytes_max: int = limits.REASON_BYTES_MAX) -> str:
        """The end of what it printed since our last answer."""
        ended = self.ending.result() if self.ending.done() else None
        spool = self._conversation.store.spool
        end = spool.size if ended is None else ended.begin + ended.output_bytes
        start = max(self.answered_at, end - bytes_max)
        return spool.read(start, max(start, end)).decode("utf-8", "replace")

    def leave(self) -> None:
        """Nobody looks at it any more; it lives on."""
        self.ending.cancel()
        if self._viewer in self._conversation.viewing.viewers:
            self._conversation.viewing.viewers.remove(self._viewer)
