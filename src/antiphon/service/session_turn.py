"""One turn of a session: the orders of its core, obeyed one after the other on a draft.

What takes its time (a model, a run) is given back to whoever holds the session's lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from antiphon.repl import asking
from antiphon.repl import news as n
from antiphon.repl.helping import help_text
from antiphon.repl.intents import Intent, Nothing, program
from antiphon.repl.session import Session
from antiphon.service import session_view as view
from antiphon.service import session_words as words
from antiphon.service.carrying import Done, StatementFailed, World, carried
from antiphon.service.compiling import Compiler
from antiphon.service.execution import Execution, Means
from antiphon.service.intents import Context, Extractor
from antiphon.service.session_rooms import Draft, SessionRoom
from antiphon.wire import sessions as w

Slow = n.ExtractIntents | n.RunPlan | n.StopRun


@dataclass(slots=True)
class Turn:
    means: Means
    compiler: Compiler
    extractor: Extractor | None  # one that needs no patience
    room: SessionRoom
    draft: Draft
    found_nothing: bool = False
    was_said: bool = False  # what is answered, is kept already

    # --- orders -------------------------------------------------------------------

    async def obeyed(self, orders: Sequence[n.Order]) -> Slow | None:
        """Everything that can be done at once; what cannot is given back."""
        todo = list(orders)
        while todo:
            order = todo.pop(0)
            match order:
                case n.Compile():
                    answer = await self.compiler.answered(self.session, order)
                    todo += self.session.respond(answer)
                case n.SearchEntities(ref_id, text):
                    ref = asking.open_ref(self.session.program, ref_id)
                    found = await self.compiler.candidates(ref, text)
                    todo += self._besides(n.SearchDone(ref_id, text, found))
                case n.BeginCreation(ticket, _, verb):
                    known = self.compiler.vocabulary.verbs[verb]
                    codes = await self.means.entities.codes(known)
                    todo += self.session.respond(n.CodesFound(ticket, codes))
                case n.CreateEntity(ticket, intent):
                    todo += await self._create(ticket, intent)
                case n.ExtractIntents() if self.extractor is not None:
                    todo += await self._extract(self.extractor, order)
                case n.ExtractIntents() | n.RunPlan() | n.StopRun():
                    assert not todo, "nothing follows what takes its time"
                    return order
        return None

    @property
    def session(self) -> Session:
        return self.draft.session

    def _besides(self, asked: n.Request) -> list[n.Order]:
        """A fact that belongs to the request that is being answered: one turn, one more rev."""
        rev, trace = self.session.rev, self.session.trace
        orders = self.session.request(asked)
        self.session.rev = rev
        if isinstance(asked, n.SearchDone):
            self.session.trace = trace
        else:
            self.session.trace = [*trace, *self.session.trace]
        return orders

    async def _extract(self, extractor: Extractor, order: n.ExtractIntents) -> list[n.Order]:
        outcome = await extractor.extract(order.message, context(self.session))
        return self.extracted(n.Extracted(order.ticket, outcome))

    def extracted(self, answer: n.Extracted) -> list[n.Order]:
        orders = self.session.respond(answer)
        self.found_nothing = isinstance(answer.outcome, Nothing)
        return orders

    # --- creation -----------------------------------------------------------------

    async def _create(self, ticket: str, intent: Intent) -> list[n.Order]:
        """The verb in a transaction of its own; the session knows in the same what it made."""
        found = await self.compiler.compiled(program([intent], self.compiler.vocabulary))
        fault = next(iter(found.errors.shown), None)
        if fault is not None:
            return self.session.respond(n.CreationFailed(ticket, fault.message))
        entities = self.means.entities
        world = World.of(found, entities.types, entities.kept)
        rooms = self.means.rooms

        def work() -> Done:
            with rooms.database.transaction() as tx:
                done = carried(tx, world, found.program.statements[0])
                assert done.made is not None, "a verb that creates makes a thing"
                made = w.Bound(id=done.made.entity_id, entity_type=done.made.entity_type)
                self.draft.scene = replace(self.draft.scene, made=made)
                rooms.writing(self.room, self.draft)(tx)
                return done

        try:
            await asyncio.to_thread(work)
        except StatementFailed as failed:
            return self.session.respond(n.CreationFailed(ticket, failed.message))
        rooms.taken(self.room, self.draft)
        self.was_said = bool(self.draft.talk)
        await entities.changed()
        self.draft = self.room.draft()
        return await self.made()

    async def made(self) -> list[n.Order]:
        """The entity that was created becomes the reference's."""
        made = self.draft.scene.made
        assert made is not None, "it was created"
        entities = self.means.entities
        entity = await entities.by_id(made.id, [made.entity_type] if made.entity_type else ())
        self.draft.scene = replace(self.draft.scene, made=None)
        return self._besides(n.EntityMade(made.id, entity.display if entity else made.id))

    # --- ends ---------------------------------------------------------------------

    async def ended(self) -> w.ChatResponse:
        """The draft is kept, and is the session."""
        say = words.nothing_found if self.found_nothing else words.told
        message = say(self.session, self.draft.scene)
        self.draft.scene = replace(self.draft.scene, message=message)
        if self.draft.talk or self.was_said:
            self.draft.say("antiphon", message)
        await self.means.rooms.keep(self.room, self.draft)
        return self.view()

    def view(self) -> w.ChatResponse:
        return view.response(self.session, self.draft.scene, self.means.entities.types)

    def helped(self) -> w.ChatResponse:
        """What can be done now; nothing is kept."""
        session = self.session
        vocabulary = self.means.entities.pack.vocabulary
        text = help_text(session.state, vocabulary, has_history=bool(session.history))
        self.draft.scene = replace(self.draft.scene, message=text)
        return self.view()

    def waiting(self) -> None:
        """The session waits for an intent, in memory alone: a restart forgets the message."""
        message = words.told(self.session, self.draft.scene)
        self.draft.scene = replace(self.draft.scene, message=message)
        self.room.take_unkept(self.draft)

    def stopping(self) -> w.ChatResponse:
        """The run is told; it ends where nothing is half done."""
        message = "The run ends as soon as nothing is half done."
        self.draft.scene = replace(self.draft.scene, is_cancelling=True, message=message)
        self.room.take_unkept(self.draft)
        self.room.unkept_talk += self.draft.talk
        assert self.room.run is not None, "a session that executes has a run"
        self.room.run.cancel()
        return self.view()

    async def running(self, order: n.RunPlan) -> Execution:
        """What the database has until the run is over is the session before it."""
        rooms = self.means.rooms
        before = self.room.draft()
        before.session.rev = self.session.rev
        before.scene = replace(before.scene, runs=before.scene.runs + 1, progress=[])
        before.talk, self.draft.talk = self.draft.talk, []
        before.scene = replace(before.scene, talk=self.draft.scene.talk)
        execution = Execution.of(self.means, self.room, order, before)
        await rooms.keep(self.room, before, execution.opens)
        message = words.told(self.session, before.scene)
        self.draft.scene = replace(self.room.scene, message=message)
        self.room.take_unkept(self.draft)
        self.room.run = execution
        execution.start()
        return execution


def context(session: Session) -> Context:
    return Context({name: one.entity_type for name, one in session.bindings.items()})
