"""`antiphon repl`: a session at a prompt, or line by line where there is no terminal.

What is said goes to the session as it is; only words with a colon before them are ours.  Leaving
leaves the session as it is, and it can be taken up again.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from antiphon.adapters import session_shown as shown
from antiphon.adapters.cli_exit import REFUSED, WELL, print_json, refused, say, with_service
from antiphon.adapters.cli_language import pack_of, tell
from antiphon.adapters.reach import Nearest
from antiphon.adapters.remote import Remote
from antiphon.adapters.repl_lines import Ask, piped
from antiphon.adapters.session_client import Said, SessionClient
from antiphon.base.errors import Code, Refused
from antiphon.repl.pack import Pack
from antiphon.service.plain import plain
from antiphon.wire import sessions as s

LEAVING = frozenset({":quit", ":q", "exit", "quit"})
OWN = """\
:verbs    lists what can be asked for
:dsl      shows the program
:edit     writes it anew, from what it is
:results  shows what the last run did
:quit     leaves; the session stays"""


@dataclass
class Repl:
    session: SessionClient
    as_json: bool
    has_refused: bool = False

    async def talk(self, ask: Ask) -> None:
        """Until the lines end, or somebody leaves."""
        text = ""
        while True:
            line = await ask(self.prompt, text)
            text = ""
            if line is None or line.strip() in LEAVING:
                return
            if line.strip() == ":edit":
                text = self.session.now.dsl_source or "("
            elif line.strip() == ":verbs":
                self.show("\n".join(await self.session.verbs()))
            elif line.strip().startswith(":"):
                self.own(line.strip())
            elif line.strip():
                await self.say(line)

    @property
    def prompt(self) -> str:
        now = self.session.now
        progress = now.dsl_status.progress if now.dsl_status else None
        where = f" {progress.current}/{progress.total}" if progress else ""
        return f"{self.session.state}{where}> "

    def own(self, word: str) -> None:
        now = self.session.now
        match word:
            case ":dsl":
                self.show(now.dsl_source or "there is no program")
            case ":results":
                self.show("\n".join(shown.results(now.results or ())) or "nothing has run")
            case _:
                self.show(OWN)

    async def say(self, message: str) -> None:
        """One line to the session; Ctrl-C while it works asks for a stop."""
        before = self.session.now
        try:
            with self._interruptible():
                now = await self.session.ask("chat", message=message)
                if self.session.state == "executing":
                    say("it runs; Ctrl-C stops it where nothing is half done")
                    now = await self.session.settled()
        except Said as error:
            self.has_refused = True
            refused(error.reply, as_json=self.as_json)
            return
        if self.as_json:
            print_json(now)
        else:
            self.show(shown.shown(before, now))

    def show(self, text: str) -> None:
        tell(f"{plain(text)}\n\n")

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        stopping: set[asyncio.Task[None]] = set()
        before = signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, lambda: stopping.add(loop.create_task(self._stop())))
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    async def _stop(self) -> None:
        """Only what runs is stopped: a session is not cancelled by a slip of the hand."""
        stopping = SessionClient(self.session.service, self.session.now)
        try:
            if (await stopping.ask("get")).session_state.state == "executing":
                await stopping.ask("action", action="cancel")
                say("stopping")
        except Refused:
            pass  # it has ended meanwhile


def repl(arguments: argparse.Namespace) -> int:
    """Exit 1 when anything was refused."""
    pack = pack_of(arguments)

    async def use(service: Nearest) -> int:
        if arguments.packs and isinstance(await service.found(), Remote):
            raise Refused(
                Code.INVALID_REQUEST,
                "a server owns the state directory and has packs of its own: start it with --pack, "
                "or name another --state-dir here",
            )
        wanted: str | None = arguments.session
        if wanted is None:
            session = await SessionClient.begun(service)
        else:
            session = await SessionClient.found(service, wanted)
        talking = Repl(session, arguments.json)
        _greet(session.now, is_new=wanted is None)
        await talking.talk(_asker(arguments, session, pack))
        say(f"left; `antiphon repl --session {session.now.session_id}` goes on")
        return REFUSED if talking.has_refused else WELL

    try:
        return with_service(arguments, use, shares_after_s=0, packs=arguments.packs or ())
    except Said as error:
        return refused(error.reply, as_json=arguments.json)


def _greet(now: s.ChatResponse, *, is_new: bool) -> None:
    say(f"session {now.session_id}; Ctrl-D leaves, `help` and `:help` say what can be done")
    if not is_new:
        tell(f"{shown.shown(None, now)}\n\n")


def _asker(arguments: argparse.Namespace, session: SessionClient, pack: Pack) -> Ask:
    if sys.stdin.isatty() and sys.stdout.isatty() and not arguments.json:
        from antiphon.adapters.repl_prompt import asker  # 0.1 s, for people only

        return asker(arguments, session, pack)
    return piped
