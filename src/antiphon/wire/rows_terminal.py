"""The operations of terminals: `pty.…` and `blocks.…`."""

from __future__ import annotations

from antiphon.base.errors import Code
from antiphon.wire import inputs as i
from antiphon.wire import terminal as t
from antiphon.wire.method import EXEC, Method

WAIT = (
    Code.NOT_FOUND,
    Code.CURSOR_OUT_OF_RANGE,
    Code.TIMEOUT,
    Code.SHELL_LOST,
    Code.LIMIT_REACHED,
)

ROWS = (
    Method(
        "pty.open", t.Open, t.Opened, (Code.BUSY, *EXEC[1:]),
        "Opens the conversation's shell, or finds it open.",
        "Optional: exec opens one with the defaults. Choose bash or zsh, directory, "
        "environment and size here.",
        repeats_safely=True,
    ),
    Method(
        "pty.exec_block", t.ExecBlock, t.ExecBlockAnswer, EXEC,
        "Runs a command as a block and answers as soon as it has begun.",
        "Use it for long commands; then wait with pty.wait_prompt from resume_cursor, or read "
        "with blocks.read. Refused with busy while something runs.",
        destroys=True,
    ),
    Method(
        "pty.exec_interactive", t.ExecInteractive, t.ExecInteractiveAnswer, EXEC,
        "Starts an interactive program and answers as soon as it has begun.",
        "Then talk with it: pty.wait_for from resume_cursor, pty.send, pty.expect_send; "
        "pty.screen for full-screen programs.",
        destroys=True,
    ),
    Method(
        "pty.run", t.Run, t.RunAnswer, (*EXEC, Code.TIMEOUT),
        "Runs a command, waits for its end and gives its output and exit code.",
        "The usual way to run a command. On timeout it goes on running: wait with "
        "pty.wait_prompt from resume_cursor.",
        destroys=True,
    ),
    Method(
        "pty.wait_for", t.WaitFor, t.Matched, (*WAIT, Code.INVALID_PATTERN),
        "Waits until text, a regular expression (RE2) or the prompt appears after a cursor.",
        "The match is the leftmost in the shortest output that has one. After a timeout ask "
        "again with the old cursor: the beginning of the text may have arrived already.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "pty.wait_prompt", t.WaitPrompt, t.Matched, WAIT,
        "Waits for the next prompt after a cursor: the command has ended, the shell is idle.",
        "extra.exit_code is the command's exit code.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "pty.expect_send", t.ExpectSend, t.MatchedAndSent,
        (*WAIT, Code.INVALID_PATTERN, Code.BACKPRESSURE, Code.CANCELLED),
        "Waits for output and at once sends input, with no other writer in between.",
        "Nothing is written when it times out.",
        destroys=True,
    ),
    Method(
        "pty.send", t.Send, t.Sent,
        (Code.BACKPRESSURE, Code.LIMIT_REACHED, *EXEC[1:4]),
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
        "pty.read_inputs", i.ReadInputs, i.ReadInputsAnswer,
        (Code.NOT_FOUND, Code.CURSOR_OUT_OF_RANGE),
        "Lists who typed what into the conversation from a cursor on, oldest first.",
        "by is agent, person or program. kind command began the block; kind input was typed. Of "
        "what a program hid there is only the length.",
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
        "pty.reset", t.Reset, t.Opened, (Code.NOT_FOUND, *EXEC[1:4]),
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
)  # fmt: skip
