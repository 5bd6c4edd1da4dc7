"""METHODS: every operation of Antiphon, declared once; doors and documents come from here.

A door takes a name and arguments, finds the row, decodes, calls the service, encodes.
This module does not know how an operation is carried out.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from antiphon.base.errors import Code
from antiphon.wire import interaction as i
from antiphon.wire import menus as m
from antiphon.wire import terminal as t

# Codes that any operation on a conversation can answer with.
COMMON = (Code.INVALID_REQUEST, Code.UNAUTHORIZED, Code.HOST_UNAVAILABLE)


@dataclass(frozen=True, slots=True)
class Method:
    """One operation: its name, its shapes, what it may refuse, what it does to the world."""

    name: str
    request: type[Struct]
    answer: type[Struct]
    refusals: tuple[Code, ...]
    sentence: str
    advice: str = ""  # for the model that reads the tool list
    reads_only: bool = False
    destroys: bool = False
    repeats_safely: bool = False

    @property
    def group(self) -> str:
        return self.name.split(".")[0]

    @property
    def verb(self) -> str:
        return self.name.split(".")[1]

    @property
    def underscored(self) -> str:
        return self.name.replace(".", "_")

    @property
    def description(self) -> str:
        return f"{self.sentence} {self.advice}".strip()


_EXEC = (Code.BUSY, Code.SHELL_LOST, Code.SPAWN_FAILED, Code.STORAGE_FULL, Code.LIMIT_REACHED)
_WAIT = (
    Code.NOT_FOUND,
    Code.CURSOR_OUT_OF_RANGE,
    Code.TIMEOUT,
    Code.SHELL_LOST,
    Code.LIMIT_REACHED,
)

_ROWS = (
    Method(
        "pty.open", t.Open, t.Opened, (Code.BUSY, *_EXEC[1:]),
        "Opens the conversation's shell, or finds it open.",
        "Optional: exec opens one with the defaults. Choose bash or zsh, directory, "
        "environment and size here.",
        repeats_safely=True,
    ),
    Method(
        "pty.exec_block", t.ExecBlock, t.ExecBlockAnswer, _EXEC,
        "Runs a command as a block and answers as soon as it has begun.",
        "Use it for long commands; then wait with pty.wait_prompt from resume_cursor, or read "
        "with blocks.read. Refused with busy while something runs.",
        destroys=True,
    ),
    Method(
        "pty.exec_interactive", t.ExecInteractive, t.ExecInteractiveAnswer, _EXEC,
        "Starts an interactive program and answers as soon as it has begun.",
        "Then talk with it: pty.wait_for from resume_cursor, pty.send, pty.expect_send; "
        "pty.screen for full-screen programs.",
        destroys=True,
    ),
    Method(
        "pty.run", t.Run, t.RunAnswer, (*_EXEC, Code.TIMEOUT),
        "Runs a command, waits for its end and gives its output and exit code.",
        "The usual way to run a command. On timeout it goes on running: wait with "
        "pty.wait_prompt from resume_cursor.",
        destroys=True,
    ),
    Method(
        "pty.wait_for", t.WaitFor, t.Matched, (*_WAIT, Code.INVALID_PATTERN),
        "Waits until text, a regular expression (RE2) or the prompt appears after a cursor.",
        "The match is the leftmost in the shortest output that has one. After a timeout ask "
        "again with the old cursor: the beginning of the text may have arrived already.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "pty.wait_prompt", t.WaitPrompt, t.Matched, _WAIT,
        "Waits for the next prompt after a cursor: the command has ended, the shell is idle.",
        "extra.exit_code is the command's exit code.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "pty.expect_send", t.ExpectSend, t.MatchedAndSent,
        (*_WAIT, Code.INVALID_PATTERN, Code.BACKPRESSURE, Code.CANCELLED),
        "Waits for output and at once sends input, with no other writer in between.",
        "Nothing is written when it times out.",
        destroys=True,
    ),
    Method(
        "pty.send", t.Send, t.Sent,
        (Code.BACKPRESSURE, Code.LIMIT_REACHED, *_EXEC[1:4]),
        "Sends raw text, or named keys, to whatever reads the terminal.",
        "data is sent as it is: end a line with \\r. keys are names: Enter Tab Escape Up Down "
        "Left Right Home End PageUp PageDown Backspace Delete F1..F12 C-a..C-z. For a password "
        "set secret: it waits until the program hides its input and is never recorded.",
        destroys=True,
    ),
    Method(
        "pty.read_spool", t.ReadSpool, t.ReadAnswer, (Code.NOT_FOUND, Code.CURSOR_OUT_OF_RANGE),
        "Reads the conversation's output from a cursor on.",
        "The spool is everything the terminal printed, append-only; cursors are bytes.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "pty.status", t.StatusOf, t.StatusAnswer, (Code.NOT_FOUND,),
        "Says what the conversation is doing: idle, block_running or interactive.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "pty.screen", t.ScreenOf, t.ScreenAnswer, (Code.NOT_FOUND,),
        "Shows the screen as a person would see it, as rows of text.",
        "For full-screen programs; rows and columns count from 0.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "pty.resize", t.Resize, t.Resized, (Code.NOT_FOUND, Code.SHELL_LOST),
        "Changes the size of the terminal.",
        repeats_safely=True,
    ),
    Method(
        "pty.end_session", t.EndSession, t.EndSessionAnswer,
        (Code.NOT_FOUND, Code.NOT_INTERACTIVE, Code.SESSION_MISMATCH, Code.TIMEOUT),
        "Ends what runs with Ctrl-C and waits for the prompt; force kills it.",
        "Without force a program that ignores Ctrl-C goes on, and the answer is timeout.",
        destroys=True,
    ),
    Method(
        "pty.reset", t.Reset, t.Opened, (Code.NOT_FOUND, *_EXEC[1:4]),
        "Kills the shell with all it runs and starts a fresh one; history stays readable.",
        destroys=True,
    ),
    Method(
        "pty.close", t.Close, t.Closed, (Code.NOT_FOUND,),
        "Ends the shell with all it runs; its files stay.",
        destroys=True, repeats_safely=True,
    ),
    Method(
        "pty.list", t.List, t.ListAnswer, (),
        "Lists the conversations.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "blocks.since", t.BlocksSince, t.BlocksSinceAnswer,
        (Code.NOT_FOUND, Code.CURSOR_OUT_OF_RANGE),
        "Lists ended blocks from a cursor on, oldest first.",
        "The cursor counts bytes of blocks.jsonl: go on with resume_cursor.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "blocks.get", t.BlocksGet, t.BlocksGetAnswer, (Code.NOT_FOUND,),
        "Shows one block: command, directory, times, status, exit code.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "blocks.read", t.BlocksRead, t.ReadAnswer, (Code.NOT_FOUND, Code.CURSOR_OUT_OF_RANGE),
        "Reads the output of one block from a cursor on.",
        "The cursor counts bytes of that block's output.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "blocks.search", t.BlocksSearch, t.BlocksSearchAnswer,
        (Code.NOT_FOUND, Code.INVALID_PATTERN),
        "Searches the output of all blocks, newest block first.",
        "Each hit has its block, line and cursor: read around it with blocks.read.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "flow.start", i.FlowStart, i.FlowStarted, (Code.NOT_FOUND, Code.STORAGE_FULL),
        "Starts a dialogue of exact questions: a flow, by name or as an object.",
        "Show output to the user as it is, and nothing else. Keep state, and give it with what "
        "the user types to flow.answer.",
        repeats_safely=True,
    ),
    Method(
        "flow.answer", i.FlowAnswer, i.FlowAnswered,
        (Code.STATE_INVALID, Code.FLOW_TERMINAL, *_EXEC),
        "Takes what the user typed, and gives what the user sees next.",
        "Give the input byte for byte and interpret nothing; output null shows nothing. events "
        "say what it meant; done says that the flow has ended, with values when it was confirmed.",
        destroys=True,
    ),
    Method(
        "flow.reopen", i.FlowReopen, i.FlowReopened, (Code.STATE_INVALID, Code.FLOW_TERMINAL),
        "Shows the question again where a flow stopped with STEP_ABORT.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "interaction.render", i.Render, i.Rendered, (Code.CONTRACT_VIOLATION,),
        "Writes a question with numbered options as the exact block, or says what is wrong.",
        "One sentence of at most 15 words; one to seven options of at most five words each.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "interaction.validate", i.Validate, i.Validated, (),
        "Checks a text for a user against the contract; no violations means that it is exact.",
        "domain: the values it must offer. pinned: the text it must repeat. summary_of: the "
        "values it must sum up.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "menu.start", m.Start, m.Started,
        (Code.SPAWN_FAILED, Code.LIMIT_REACHED, Code.STORAGE_FULL),
        "Starts an interactive program and answers at once with a task.",
        "command is a list: program and arguments. Then ask menu.status until it is "
        "selection_required, completed or failed.",
        destroys=True,
    ),
    Method(
        "menu.status", m.Status, m.Task, (Code.NOT_FOUND,),
        "Says how a task stands, and what its program asks: prompt and options.",
        "With input menu choose one of options; with input text the answer is typed. It never "
        "waits: ask again while the state is running.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "menu.select", m.Select, m.Task,
        (Code.NOT_FOUND, Code.STALE_SELECTION, Code.NO_MATCH),
        "Chooses an option by its text, or types the answer; the right keys are pressed.",
        "The option that equals selected_option counts, else the first that contains it. Use "
        "the selection_id of the newest menu.status.",
        destroys=True,
    ),
    Method(
        "menu.screen", m.Screen, t.ScreenAnswer, (Code.NOT_FOUND,),
        "Shows the screen of a task's program as a person would see it.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "menu.close", m.Close, m.Closed, (Code.NOT_FOUND,),
        "Ends a task's program with all that came from it, and forgets the task.",
        "Its output stays readable as the conversation of the same name.",
        destroys=True,
    ),
)  # fmt: skip

METHODS = {method.name: method for method in _ROWS}
BY_UNDERSCORE = {method.underscored: method for method in _ROWS}


def named(name: str) -> Method | None:
    """The operation under either spelling."""
    return METHODS.get(name) or BY_UNDERSCORE.get(name)
