"""One terminal, without the terminal: facts in, orders out.

A block begins when it is asked for and ends at the prompt that bears its number, once
[3.5, 3.8]; its output is the part of the spool between the two.
This module does not know time, files or bash; marks.py turns bytes into facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

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
    active: Block | None = None  # while RUNNING or INTERACTIVE, and only then
    is_interrupted: bool = False
    is_ending: bool = False
    is_in_editor: bool = False  # the line editor reads the terminal
    drops_line_end: bool = False  # the one that Enter in the line editor prints
    spool: Spool = field(default_factory=Spool)

    def receive(self, fact: Fact) -> list[Order]:
        if isinstance(fact, TextArrived):
            return self._append(fact.data)
        is_old = isinstance(fact, PromptSeen) and self._is_old(fact)
        news = OldPromptSeen() if is_old else fact
        if not MODES.allows(self.mode, type(news)):
            return []
        self.mode = MODES.step(self.mode, news)
        match fact:
            case PromptSeen():
                return [RingAgain()] if is_old else self._prompt(fact)
            case TypedBegun(ts, command):
                return self._begin(command, Kind.SESSION, ts, None)
            case EditorReady():
                return self._editor()
            case BlockRequested():
                return self._asked(fact)
            case ShellStarted(shell_id, cwd):
                self.shell_id, self.cwd = shell_id, cwd
            case ShellDied():
                return self._died(fact)
            case InterruptSent():
                self.is_interrupted = True
            case EndRequested() | EndGivenUp():
                self.is_ending = isinstance(fact, EndRequested)
        return []

    def _is_old(self, seen: PromptSeen) -> bool:
        """A prompt from before the command that was asked for had begun."""
        active = self.active
        return active is not None and active.number not in (None, seen.number)

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

    def _asked(self, asked: BlockRequested) -> list[Order]:
        clear: list[Order] = [ClearLine()] if self.is_in_editor else []
        self.cwd = asked.cwd or self.cwd
        kind = Kind.SESSION if isinstance(asked, SessionRequested) else Kind.BLOCK
        return [*clear, *self._begin(asked.command, kind, asked.ts_ms, asked.number)]

    def _begin(self, command: str, kind: Kind, ts: int | None, number: int | None) -> list[Order]:
        self.spool.drop_returns()
        self.seq += 1
        self.is_interrupted = self.is_ending = self.is_in_editor = self.drops_line_end = False
        began = self._time(ts)
        block_id = ids.block(self.conversation_id, self.seq)
        begin = self.spool.size
        self.active = Block(block_id, self.seq, command, self.cwd, began, kind, begin, number)
        return [BeginBlock(self.active)]

    def _prompt(self, seen: PromptSeen) -> list[Order]:
        self.is_in_editor = self.drops_line_end = False
        self.cwd = seen.cwd
        line_end, line, prompt = self.spool.prompt(seen)
        orders: list[Order] = []
        if self.active is not None:
            cancelled = self.is_ending or (self.is_interrupted and seen.exit_code == INTERRUPTED)
            status = "cancelled" if cancelled else "completed"
            orders.append(self._end(prompt.ts, status, seen.exit_code))
        note = NotePrompt(self.spool.size - len(line), self.spool.size, prompt)
        return [*orders, AppendSpool(line_end + line, 0), note]

    def _editor(self) -> list[Order]:
        if self.active is not None:
            self.drops_line_end = True
            return [PressEnter()]
        self.is_in_editor = True
        return [OpenEditor()]

    def _died(self, fact: ShellDied) -> list[Order]:
        self.shell_id = None
        self.is_in_editor = self.drops_line_end = False
        if self.active is None:
            return []
        status = "cancelled" if self.is_ending else "failed"
        return [self._end(fact.ts_ms, status, fact.exit_code)]

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
