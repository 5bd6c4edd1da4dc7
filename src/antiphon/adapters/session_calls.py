"""The library's `session.…`, `repl.…` and `dsl.…`, for programs that await and that block."""

from __future__ import annotations

from antiphon.adapters.blocking import LoopThread
from antiphon.adapters.calls import Verbs
from antiphon.wire import dsl as d
from antiphon.wire import sessions as s
from antiphon.wire import states as st

Facts = dict[str, str]
Intents = list[dict[str, object]]


class Session(Verbs):
    """The operations `session.…`, each with its fields."""

    async def start(self) -> s.ChatResponse:
        """Begins a session: wishes become a program that is checked, resolved and run."""
        return await self._called(s.ChatResponse, "session.start")

    async def list(self, *, limit: int = 50) -> s.ListAnswer:
        """Lists the sessions with their state and what each asks."""
        return await self._called(s.ListAnswer, "session.list", limit=limit)

    async def get(self, session_id: str) -> s.ChatResponse:
        """Shows a session as it stands."""
        return await self._called(s.ChatResponse, "session.get", session_id=session_id)

    async def close(self, session_id: str, *, rev: int | None = None) -> s.ChatResponse:
        """Closes a session; it stays readable."""
        return await self._called(s.ChatResponse, "session.close", session_id=session_id, rev=rev)

    async def chat(
        self, session_id: str, message: str, *, rev: int | None = None
    ) -> s.ChatResponse:
        """Says something in a session: a wish, an answer to its question, a control phrase."""
        return await self._called(
            s.ChatResponse, "session.chat", session_id=session_id, message=message, rev=rev
        )

    async def edit(self, session_id: str, source: str, *, rev: int | None = None) -> s.ChatResponse:
        """Writes the session's program; it is checked from the first stage on."""
        return await self._called(
            s.ChatResponse, "session.edit", session_id=session_id, source=source, rev=rev
        )

    async def resolve(
        self, session_id: str, ref_id: str, entity_id: str, *, rev: int | None = None
    ) -> s.ChatResponse:
        """Says which entity an unresolved reference means."""
        return await self._called(
            s.ChatResponse,
            "session.resolve",
            session_id=session_id,
            ref_id=ref_id,
            entity_id=entity_id,
            rev=rev,
        )

    async def search(
        self,
        session_id: str,
        ref_id: str,
        query: str | None = None,
        *,
        search_key: str | None = None,
        filters: Facts | None = None,
        discriminators: Facts | None = None,
        offset: int = 0,
        limit: int = 10,
        rev: int | None = None,
    ) -> s.SearchResponse:
        """Searches entities for an unresolved reference; what is found may then be chosen."""
        return await self._called(
            s.SearchResponse,
            "session.search",
            session_id=session_id,
            ref_id=ref_id,
            query=query,
            search_key=search_key,
            filters=filters,
            discriminators=discriminators,
            offset=offset,
            limit=limit,
            rev=rev,
        )

    async def action(
        self, session_id: str, action: s.ActionName, *, rev: int | None = None
    ) -> s.ChatResponse:
        """Clears, undoes, cancels, skips, or asks for help; available_actions says what is open."""
        return await self._called(
            s.ChatResponse, "session.action", session_id=session_id, action=action, rev=rev
        )

    async def propose(
        self,
        session_id: str,
        *,
        intents: Intents | None = None,
        option_id: str | None = None,
        rev: int | None = None,
    ) -> s.ChatResponse:
        """Says what is wanted as structured intents, or picks one of intent_options."""
        return await self._called(
            s.ChatResponse,
            "session.propose",
            session_id=session_id,
            intents=intents,
            option_id=option_id,
            rev=rev,
        )

    async def execute(
        self, session_id: str, *, plan_id: str | None = None, rev: int | None = None
    ) -> s.ChatResponse:
        """Runs the session's plan, when the user has said so."""
        return await self._called(
            s.ChatResponse, "session.execute", session_id=session_id, plan_id=plan_id, rev=rev
        )

    async def runs(self, session_id: str) -> s.RunsAnswer:
        """Shows the results of every run of a session."""
        return await self._called(s.RunsAnswer, "session.runs", session_id=session_id)

    async def talk(self, session_id: str, *, limit: int = 200) -> s.TalkAnswer:
        """Shows what was said in a session."""
        return await self._called(s.TalkAnswer, "session.talk", session_id=session_id, limit=limit)


class BlockingSession:
    """The operations `session.…`, each with its fields; they block."""

    def __init__(self, verbs: Session, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def start(self) -> s.ChatResponse:
        """Begins a session: wishes become a program that is checked, resolved and run."""
        return self._loop.result(self._verbs.start())

    def list(self, *, limit: int = 50) -> s.ListAnswer:
        """Lists the sessions with their state and what each asks."""
        return self._loop.result(self._verbs.list(limit=limit))

    def get(self, session_id: str) -> s.ChatResponse:
        """Shows a session as it stands."""
        return self._loop.result(self._verbs.get(session_id))

    def close(self, session_id: str, *, rev: int | None = None) -> s.ChatResponse:
        """Closes a session; it stays readable."""
        return self._loop.result(self._verbs.close(session_id, rev=rev))

    def chat(self, session_id: str, message: str, *, rev: int | None = None) -> s.ChatResponse:
        """Says something in a session: a wish, an answer to its question, a control phrase."""
        return self._loop.result(self._verbs.chat(session_id, message, rev=rev))

    def edit(self, session_id: str, source: str, *, rev: int | None = None) -> s.ChatResponse:
        """Writes the session's program; it is checked from the first stage on."""
        return self._loop.result(self._verbs.edit(session_id, source, rev=rev))

    def resolve(
        self, session_id: str, ref_id: str, entity_id: str, *, rev: int | None = None
    ) -> s.ChatResponse:
        """Says which entity an unresolved reference means."""
        return self._loop.result(self._verbs.resolve(session_id, ref_id, entity_id, rev=rev))

    def search(
        self,
        session_id: str,
        ref_id: str,
        query: str | None = None,
        *,
        search_key: str | None = None,
        filters: Facts | None = None,
        discriminators: Facts | None = None,
        offset: int = 0,
        limit: int = 10,
        rev: int | None = None,
    ) -> s.SearchResponse:
        """Searches entities for an unresolved reference; what is found may then be chosen."""
        return self._loop.result(
            self._verbs.search(
                session_id,
                ref_id,
                query,
                search_key=search_key,
                filters=filters,
                discriminators=discriminators,
                offset=offset,
                limit=limit,
                rev=rev,
            )
        )

    def action(
        self, session_id: str, action: s.ActionName, *, rev: int | None = None
    ) -> s.ChatResponse:
        """Clears, undoes, cancels, skips, or asks for help; available_actions says what is open."""
        return self._loop.result(self._verbs.action(session_id, action, rev=rev))

    def propose(
        self,
        session_id: str,
        *,
        intents: Intents | None = None,
        option_id: str | None = None,
        rev: int | None = None,
    ) -> s.ChatResponse:
        """Says what is wanted as structured intents, or picks one of intent_options."""
        return self._loop.result(
            self._verbs.propose(session_id, intents=intents, option_id=option_id, rev=rev)
        )

    def execute(
        self, session_id: str, *, plan_id: str | None = None, rev: int | None = None
    ) -> s.ChatResponse:
        """Runs the session's plan, when the user has said so."""
        return self._loop.result(self._verbs.execute(session_id, plan_id=plan_id, rev=rev))

    def runs(self, session_id: str) -> s.RunsAnswer:
        """Shows the results of every run of a session."""
        return self._loop.result(self._verbs.runs(session_id))

    def talk(self, session_id: str, *, limit: int = 200) -> s.TalkAnswer:
        """Shows what was said in a session."""
        return self._loop.result(self._verbs.talk(session_id, limit=limit))


class Repl(Verbs):
    """The operations `repl.…`, each with its fields."""

    async def states(self) -> st.StatesAnswer:
        """Shows the table of a session's states: where each event leads, or how it is refused."""
        return await self._called(st.StatesAnswer, "repl.states")


class BlockingRepl:
    """The operations `repl.…`, each with its fields; they block."""

    def __init__(self, verbs: Repl, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def states(self) -> st.StatesAnswer:
        """Shows the table of a session's states: where each event leads, or how it is refused."""
        return self._loop.result(self._verbs.states())


class Dsl(Verbs):
    """The operations `dsl.…`, each with its fields."""

    async def check(self, source: str) -> d.Checked:
        """Checks a program without a session: every fault with its place and how it is mended."""
        return await self._called(d.Checked, "dsl.check", source=source)

    async def complete(self, source: str, at: int) -> d.Completed:
        """Says what can be written at a place of a program: verbs, arguments, values, entities."""
        return await self._called(d.Completed, "dsl.complete", source=source, at=at)


class BlockingDsl:
    """The operations `dsl.…`, each with its fields; they block."""

    def __init__(self, verbs: Dsl, loop: LoopThread) -> None:
        self._verbs = verbs
        self._loop = loop

    def check(self, source: str) -> d.Checked:
        """Checks a program without a session: every fault with its place and how it is mended."""
        return self._loop.result(self._verbs.check(source))

    def complete(self, source: str, at: int) -> d.Completed:
        """Says what can be written at a place of a program: verbs, arguments, values, entities."""
        return self._loop.result(self._verbs.complete(source, at))
