"""One terminal, without the terminal: facts in, orders out.

A block begins when the shell says that it runs the command and ends at the next prompt,
once [3.5, 3.8]; its output is the part of the spool between the two.
This module does not know time, files or bash; marks.py turns bytes into facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from antiphon.base import ids
from antiphon.terminal.facts import (
    AppendSpool,
    BeginBlock,
    Block,
    BlockRequested,
    ClearLine,
    EndBlock,
    EndGivenUp,
    EndRequested,
    Fact,
    InterruptSent,
    Kind,
    NotePrompt,
    OpenEditor,
    Order,
    PressEnter,
    RefuseCommand,
    RingAgain,
    SessionBegun,
    ShellDied,
    ShellStarted,
    Why,
)
from antiphon.terminal.marks import (
    CommandBegun,
    CommandRefused,
    EditorReady,
    Mark,
    PromptSeen,
    TextArrived,
    TypedBegun,
)
from antiphon.terminal.modes import MODES, Mode
from antiphon.terminal.spool import Spool

INTERRUPTED = 130  # what a shell says of a command that Ctrl-C ended


@dataclass(slots=True)
class Terminal:
    """The state of one conversation's terminal."""

    conversation_id: str
    mode: Mode = Mode.CLOSED
    shell_id: str | None = None
    cwd: bytes = b"/"
    seq: int = 0  # of the newest block
    asked: BlockRequested | None = None  # while ASKED, and only then
    active: Block | None = None  # while RUNNING or INTERACTIVE, and only then
    is_interrupted: bool = False
    is_ending: bool = False
    is_in_editor: bool = False  # the line editor reads the terminal
    drops_line_end: bool = False  # the one that Enter in the line editor prints
    spool: Spool = field(default_factory=Spool)

    def receive(self, fact: Fact) -> list[Order]:
        if isinstance(fact, TextArrived):
            return self._append(fact.data)
        before = self.mode
        news: object = fact
        if isinstance(fact, CommandBegun) and self.asked and self.asked.kind is Kind.SESSION:
            news = SessionBegun(fact.ts_ms)
        if not MODES.allows(before, type(news)):
            return []
        self.mode = MODES.step(before, news)
        match fact:
            case PromptSeen() | CommandBegun() | CommandRefused() | TypedBegun() | EditorReady():
                return self._marked(fact, before)
            case BlockRequested():
                self.asked = fact
                return [ClearLine()] if self.is_in_editor else []
            case ShellStarted(shell_id, cwd):
                self.shell_id, self.cwd = shell_id, cwd
            case ShellDied():
                return self._died(fact)
            case InterruptSent():
                self.is_interrupted = True
            case EndRequested() | EndGivenUp():
                self.is_ending = isinstance(fact, EndRequested)
        return []

    def _marked(self, mark: Mark, before: Mode) -> list[Order]:
        match mark:
            case PromptSeen():
                return self._prompt(mark, before)
            case CommandBegun(ts):
                return self._begin(ts)
            case CommandRefused():
                self.asked = None
                return [RefuseCommand(Why.NO_DIRECTORY)]
            case TypedBegun(ts, command):
                withdrawn: list[Order] = [RefuseCommand(Why.TYPED_FIRST)] if self.asked else []
                self.asked = BlockRequested(Kind.SESSION, command)
                return [*withdrawn, *self._begin(ts)]
            case EditorReady():
                return self._editor()

    def _append(self, data: bytes) -> list[Order]:
        if self.drops_line_end:
            kept = data.lstrip(b"\r")
            if not kept:
                return []
            self.drops_line_end = False
            data = kept[1:] if kept.startswith(b"\n") else data
        return self._grown(self.spool.text(data))

    def _grown(self, added: bytes) -> list[Order]:
        if not added:
            return []
        if self.active is None:
            return [AppendSpool(added, 0)]
        self.active = replace(self.active, output_bytes=self.active.output_bytes + len(added))
        return [AppendSpool(added, len(added))]

    def _begin(self, ts: int | None) -> list[Order]:
        assert self.asked is not None
        orders = self._grown(self.spool.returns())
        asked, self.asked = self.asked, None
        self.cwd = asked.cwd or self.cwd
        self.seq += 1
        self.is_interrupted = self.is_ending = self.is_in_editor = self.drops_line_end = False
        began = self._time(ts)
        block_id = ids.block(self.conversation_id, self.seq)
        self.active = Block(
            block_id, self.seq, asked.command, self.cwd, began, asked.kind, self.spool.size
        )
        return [*orders, BeginBlock(self.active)]

    def _prompt(self, seen: PromptSeen, before: Mode) -> list[Order]:
        orders: list[Order] = []
        self.is_in_editor = self.drops_line_end = False
        line_end, line, prompt = self.spool.prompt(seen)
        self.cwd = seen.cwd
        if self.active is not None:
            cancelled = self.is_ending or (self.is_interrupted and seen.exit_code == INTERRUPTED)
            status = "cancelled" if cancelled else "completed"
            orders.append(self._end(prompt.ts, status, seen.exit_code))
        start = self.spool.size - len(line)
        orders += [
            AppendSpool(line_end + line, 0),
            NotePrompt(start, self.spool.size, prompt),
        ]
        if before is Mode.ASKED:
            orders.append(RingAgain())
        return orders

    def _editor(self) -> list[Order]:
        if self.active is not None:
            self.drops_line_end = True
            return [PressEnter()]
        self.is_in_editor = True
        return [OpenEditor(), ClearLine()] if self.asked else [OpenEditor()]

    def _died(self, fact: ShellDied) -> list[Order]:
        orders = self._grown(self.spool.returns())
        self.shell_id = None
        self.is_in_editor = self.drops_line_end = False
        if self.active is not None:
            status = "cancelled" if self.is_ending else "failed"
            orders.append(self._end(fact.ts_ms, status, fact.exit_code))
        elif self.asked is not None:
            self.asked = None
            orders.append(RefuseCommand(Why.SHELL_DIED))
        return orders

    def _end(self, ts: int, status: str, exit_code: int | None) -> EndBlock:
        assert self.active is not None
        ts = max(ts, self.active.ts_begin)
        ended = replace(self.active, ts_end=ts, status=status, exit_code=exit_code)
        self.active = None
        return EndBlock(ended)

    def _time(self, ts: int | None) -> int:
        """The shell's time, or the last one known when the user has taken its clock away."""
        if ts is not None:
            self.spool.last_ts = ts
        return self.spool.last_ts
