"""The library for programs that block: the same names as antiphon.open, without await.

    with antiphon.sync.open() as terminals:
        print(terminals.pty.run("build", "make").data)

Several threads may share one.
"""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from antiphon import library
from antiphon.adapters.block_calls import BlockingBlocks
from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.callout_calls import BlockingCallout
from antiphon.adapters.component_calls import BlockingComponent
from antiphon.adapters.entity_calls import BlockingEntities
from antiphon.adapters.menu_calls import BlockingMenu
from antiphon.adapters.reconcile_calls import BlockingReconcile
from antiphon.adapters.session_calls import BlockingDsl, BlockingRepl, BlockingSession
from antiphon.library import KeyNames
from antiphon.wire import interaction as i
from antiphon.wire import terminal as t
from antiphon.wire.inputs import ReadInputsAnswer


class Pty:
    """The operations `pty.…`, each with its fields; they block."""

    def __init__(self, verbs: library.Pty, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def open(
        self,
        conversation_id: str,
        *,
        shell: t.Shell | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        cols: int | None = None,
        rows: int | None = None,
    ) -> t.Opened:
        """Opens the conversation's shell, or finds it open."""
        return self._loop.result(
            self._verbs.open(conversation_id, shell=shell, cwd=cwd, env=env, cols=cols, rows=rows)
        )

    def exec_block(
        self, conversation_id: str, cmd: str, *, cwd: str | None = None
    ) -> t.ExecBlockAnswer:
        """Runs a command as a block and answers as soon as it has begun."""
        return self._loop.result(self._verbs.exec_block(conversation_id, cmd, cwd=cwd))

    def exec_interactive(
        self, conversation_id: str, cmd: str, *, cwd: str | None = None
    ) -> t.ExecInteractiveAnswer:
        """Starts an interactive program and answers as soon as it has begun."""
        return self._loop.result(self._verbs.exec_interactive(conversation_id, cmd, cwd=cwd))

    def run(
        self,
        conversation_id: str,
        cmd: str,
        *,
        cwd: str | None = None,
        timeout_ms: int = 30_000,
        max_bytes: int = 65_536,
    ) -> t.RunAnswer:
        """Runs a command, waits for its end and gives its output and exit code."""
        return self._loop.result(
            self._verbs.run(
                conversation_id, cmd, cwd=cwd, timeout_ms=timeout_ms, max_bytes=max_bytes
            )
        )

    def wait_for(
        self,
        conversation_id: str,
        match: str | None = None,
        *,
        match_type: Literal["substring", "regex", "prompt"] = "substring",
        from_cursor: int = 0,
        timeout_ms: int = 30_000,
    ) -> t.Matched:
        """Waits until text, a regular expression (RE2) or the prompt appears after a cursor."""
        return self._loop.result(
            self._verbs.wait_for(
                conversation_id,
                match=match,
                match_type=match_type,
                from_cursor=from_cursor,
                timeout_ms=timeout_ms,
            )
        )

    def wait_prompt(
        self, conversation_id: str, *, from_cursor: int = 0, timeout_ms: int = 30_000
    ) -> t.Matched:
        """Waits for the next prompt after a cursor: the command has ended, the shell is idle."""
        return self._loop.result(
            self._verbs.wait_prompt(conversation_id, from_cursor=from_cursor, timeout_ms=timeout_ms)
        )

    def expect_send(
        self,
        conversation_id: str,
        expect: str,
        send: str,
        *,
        expect_type: Literal["substring", "regex"] = "substring",
        from_cursor: int = 0,
        timeout_ms: int = 30_000,
    ) -> t.MatchedAndSent:
        """Waits for output and at once sends input, with no other writer in between."""
        return self._loop.result(
            self._verbs.expect_send(
                conversation_id,
                expect,
                send,
                expect_type=expect_type,
                from_cursor=from_cursor,
                timeout_ms=timeout_ms,
            )
        )

    def send(
        self,
        conversation_id: str,
        *,
        data: str | None = None,
        keys: KeyNames | None = None,
        secret: bool = False,
    ) -> t.Sent:
        """Sends raw text, or named keys, to whatever reads the terminal."""
        return self._loop.result(
            self._verbs.send(conversation_id, data=data, keys=keys, secret=secret)
        )

    def read_spool(
        self,
        conversation_id: str,
        *,
        from_cursor: int = 0,
        max_bytes: int = 65_536,
        encoding: t.Encoding = "utf-8",
    ) -> t.ReadAnswer:
        """Reads the conversation's output from a cursor on."""
        return self._loop.result(
            self._verbs.read_spool(
                conversation_id, from_cursor=from_cursor, max_bytes=max_bytes, encoding=encoding
            )
        )

    def read_inputs(
        self, conversation_id: str, *, from_cursor: int = 0, limit: int = 50
    ) -> ReadInputsAnswer:
        """Lists who typed what into the conversation from a cursor on, oldest first."""
        return self._loop.result(
            self._verbs.read_inputs(conversation_id, from_cursor=from_cursor, limit=limit)
        )

    def status(self, conversation_id: str) -> t.StatusAnswer:
        """Says what the conversation is doing: idle, block_running or interactive."""
        return self._loop.result(self._verbs.status(conversation_id))

    def screen(self, conversation_id: str) -> t.ScreenAnswer:
        """Shows the screen as a person would see it, as rows of text."""
        return self._loop.result(self._verbs.screen(conversation_id))

    def resize(self, conversation_id: str, cols: int, rows: int) -> t.Resized:
        """Changes the size of the terminal."""
        return self._loop.result(self._verbs.resize(conversation_id, cols, rows))

    def end_session(
        self,
        conversation_id: str,
        *,
        session_id: str | None = None,
        force: bool = False,
        grace_ms: int = 3_000,
    ) -> t.EndSessionAnswer:
        """Ends what runs with Ctrl-C and waits for the prompt; force kills it."""
        return self._loop.result(
            self._verbs.end_session(
                conversation_id, session_id=session_id, force=force, grace_ms=grace_ms
            )
        )

    def reset(self, conversation_id: str) -> t.Opened:
        """Kills the shell with all it runs and starts a fresh one; history stays readable."""
        return self._loop.result(self._verbs.reset(conversation_id))

    def close(self, conversation_id: str) -> t.Closed:
        """Ends the shell with all it runs; its files stay."""
        return self._loop.result(self._verbs.close(conversation_id))

    def list(self) -> t.ListAnswer:
        """Lists the conversations."""
        return self._loop.result(self._verbs.list())


class Flow:
    """The operations `flow.…`, each with its fields; they block."""

    def __init__(self, verbs: library.Flow, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def start(
        self,
        flow: str | dict[str, object],
        *,
        values: dict[str, str | list[str]] | None = None,
        ttl_s: int = 86_400,
        form: bool = False,
    ) -> i.FlowStarted:
        """Starts a dialogue of exact questions: a flow, by name or as an object."""
        return self._loop.result(self._verbs.start(flow, values=values, ttl_s=ttl_s, form=form))

    def answer(
        self,
        state: str,
        input: str | dict[str, object],  # noqa: A002 - the contract's name
        *,
        flow: str | dict[str, object] | None = None,
        form: bool = False,
    ) -> i.FlowAnswered:
        """Takes what the user typed, and gives what the user sees next."""
        return self._loop.result(self._verbs.answer(state, input, flow=flow, form=form))

    def reopen(self, state: str, *, form: bool = False) -> i.FlowReopened:
        """Shows the question again where a flow stopped with STEP_ABORT."""
        return self._loop.result(self._verbs.reopen(state, form=form))


class Interaction:
    """The operations `interaction.…`, each with its fields; they block."""

    def __init__(self, verbs: library.Interaction, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def render(self, instruction: str, options: list[str]) -> i.Rendered:
        """Writes a question with numbered options as the exact block, or says what is wrong."""
        return self._loop.result(self._verbs.render(instruction, options))

    def validate(
        self,
        text: str,
        *,
        domain: list[str] | None = None,
        pinned: str | None = None,
        summary_of: dict[str, str | list[str]] | None = None,
    ) -> i.Validated:
        """Checks a text for a user against the contract; no violations means that it is exact."""
        return self._loop.result(
            self._verbs.validate(text, domain=domain, pinned=pinned, summary_of=summary_of)
        )


@dataclass(frozen=True, slots=True)
class Terminals:
    """All conversations of one state directory."""

    terminals: library.Terminals
    loop: LoopThread
    pty: Pty
    blocks: BlockingBlocks
    flow: Flow
    interaction: Interaction
    menu: BlockingMenu
    component: BlockingComponent
    entities: BlockingEntities
    session: BlockingSession
    repl: BlockingRepl
    dsl: BlockingDsl
    callout: BlockingCallout
    reconcile: BlockingReconcile

    def stream(self, conversation_id: str, from_cursor: int = 0) -> Iterator[bytes | str]:
        """Bytes of the spool from a cursor on, and events as JSON text, until the caller leaves."""
        items = self.terminals.stream(conversation_id, from_cursor)

        async def following() -> bytes | str | None:
            return await anext(items, None)

        while (item := self.loop.result(following())) is not None:
            yield item


@contextmanager
def open(  # noqa: A001 - it is used as antiphon.sync.open
    state_dir: str | Path | None = None, *, durability: library.Durability | None = None
) -> Iterator[Terminals]:
    """The conversations of a state directory; left, their shells live on."""
    with ExitStack() as stack:
        # A caller that never leaves can still end: after this, nothing runs in another thread.
        atexit.register(stack.close)
        stack.callback(atexit.unregister, stack.close)
        loop = stack.enter_context(LoopThread())
        opening = library.open(state_dir, durability=durability)
        terminals = loop.result(opening.__aenter__())
        stack.callback(lambda: loop.result(opening.__aexit__(None, None, None)))
        yield Terminals(
            terminals,
            loop,
            Pty(terminals.pty, loop),
            BlockingBlocks(terminals.blocks, loop),
            Flow(terminals.flow, loop),
            Interaction(terminals.interaction, loop),
            BlockingMenu(terminals.menu, loop),
            BlockingComponent(terminals.component, loop),
            BlockingEntities(terminals.entities, loop),
            BlockingSession(terminals.session, loop),
            BlockingRepl(terminals.repl, loop),
            BlockingDsl(terminals.dsl, loop),
            BlockingCallout(terminals.callout, loop),
            BlockingReconcile(terminals.reconcile, loop),
        )


def guard(
    generate: library.Generate,
    question: library.Question | str,
    *,
    state_dir: str | Path | None = None,
    record: library.Record | None = None,
) -> str:
    """The text to show for the question: compliant, and the same one ever after."""
    guarding = library.guard(generate, question, state_dir=state_dir, record=record)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(guarding)
    with LoopThread() as aside:  # in a notebook, whose own loop already turns
        return aside.result(guarding)
