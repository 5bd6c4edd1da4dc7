"""One session, without a clock, a model or a database: requests and responses in, orders out.

A refusal changes nothing.  A response to an order that is no longer waited for is stale.  The
state is assigned by the table alone; `trace` holds the states passed since the last request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from antiphon.base.errors import Code, Refused
from antiphon.dsl.stages import Bound, Compilation, Stage
from antiphon.dsl.verbs import Verb, Vocabulary
from antiphon.repl import asking as a
from antiphon.repl import facts as f
from antiphon.repl import intents as i
from antiphon.repl import news as n
from antiphon.repl.candidates import Candidates, taken
from antiphon.repl.creation import Creation
from antiphon.repl.escapes import available_actions, misfit, phrase_in
from antiphon.repl.program import AutoResolved, Choice, Program, Resolved
from antiphon.repl.table import NO_INTENT, SESSIONS, Event, State, refusal, takes

HISTORY_MAX = 200  # snapshots: a day's work; the oldest goes first


@dataclass(slots=True)
class Session:
    session_id: str
    vocabulary: Vocabulary
    makers: Mapping[str, str] = field(default_factory=dict)  # entity type -> the verb for one
    state: State = State.NEW
    rev: int = 0
    epoch: int = 0  # of the program; resolving within it does not change it
    program: Program = field(default_factory=Program)
    options: tuple[i.Option, ...] = ()  # of the last message that meant several things
    original_message: str | None = None  # that message
    said: str = ""  # the message whose intent is looked for
    creation: Creation | None = None  # while CREATING, and only then
    history: list[Program] = field(default_factory=list)
    bindings: dict[str, Bound] = field(default_factory=dict)
    ticket: str | None = None  # of the order that is waited for
    orders: int = 0  # ever given
    prior: State = State.NEW  # where a message without an intent goes back to
    trace: list[State] = field(default_factory=list)
    last_run_succeeded: bool | None = None

    # --- what clients ask -----------------------------------------------------

    def request(self, asked: n.Request, rev: int | None = None) -> list[n.Order]:
        """Take a client's request; `rev` is the one it saw."""
        event = self.event_of(asked)
        is_repeated = isinstance(asked, n.EntityChosen) and a.is_repeated(self.program, asked)
        if not is_repeated and not takes(self.state, event):
            raise Refused(
                refusal(self.state, event),
                misfit(self.state, event, has_history=bool(self.history)),
                state=self.state.wire,
                rev=self.rev,
            )
        if rev is not None and rev != self.rev:
            raise Refused(
                Code.STALE_REV, f"the session is at rev {self.rev}, not {rev}", rev=self.rev
            )
        if is_repeated:
            self.trace = [self.state]
            return []
        self._check(asked)
        self.trace = []
        orders = self._answered(asked, event)
        self.rev += event not in (Event.HELP, Event.SEARCH)
        return orders

    def event_of(self, asked: n.Request) -> Event:
        return a.event_of(asked, self.state, self.options, self.program)

    def _check(self, asked: n.Request) -> None:
        """What is refused although the table allows it."""
        match asked:
            case n.OptionChosen(option_id) if a.option_in(self.options, option_id) is None:
                raise Refused(Code.OPTION_NOT_FOUND, f"{option_id!r:.60} was not offered")
            case n.IntentsProposed(proposed):
                if self.state in (State.UNRESOLVED_REFS, State.CREATING):
                    raise Refused(Code.INVALID_EVENT, "references are open", state=self.state.wire)
                found = i.faults(proposed, self.vocabulary)
                if found:
                    raise Refused(Code.INVALID_REQUEST, "; ".join(found))
            case n.EntityChosen():
                a.check_entity(self.program, asked)
            case n.SearchDone(ref_id):
                a.open_ref(self.program, ref_id)
            case n.RunWanted():
                a.check_plan(self.program, asked)
            case _ if self.event_of(asked) is Event.CREATE_NEW:
                self._maker(self.program.pending[0].entity_types)
            case n.Wish.UNDO | n.Said() if self.event_of(asked) is Event.UNDO and not self.history:
                raise Refused(Code.NO_HISTORY, "there is nothing to undo")
            case _:
                pass

    # --- what becomes of it ---------------------------------------------------

    def _answered(self, asked: n.Request, event: Event) -> list[n.Order]:
        match event:
            case Event.MESSAGE:
                return self._message(asked)
            case Event.SELECT_INTENT:
                option = a.option_in(self.options, a.words_of(asked))
                assert option is not None, "it was checked"
                self._step(f.IntentSelected)
                return self._built((option.intent,))
            case Event.RESOLVE_REF:
                return self._resolved(asked)
            case Event.SEARCH:
                return self._search(asked)
            case Event.CREATE_OK:
                assert isinstance(asked, n.EntityMade)
                return self._created(asked)
            case Event.EDIT:
                return self._edited(a.words_of(asked))
            case Event.RUN:
                return self._run(asked)
            case Event.SKIP:
                return self._skip()
            case Event.UNDO:
                return self._undo()
            case _:
                return self._left(event)

    def _left(self, event: Event) -> list[n.Order]:
        """Requests that forget, leave or end."""
        if event is Event.CLEAR:
            self._step(f.Cleared)
            self._forget(Program())
            self.history.clear()
        elif event is Event.NONE_OF_THESE:
            self._step(f.NoneOfTheseSaid)
            self._forget_question()
        elif event is Event.HELP:
            self._step(f.HelpAsked)
        elif event is Event.CREATE_NEW:
            return self._create()
        elif event is Event.CREATE_CANCEL:
            self._step(f.CreationLeft)
        elif event is Event.CLOSE:
            self._step(f.CloseAsked)
        else:
            was = self.state
            self._step(f.CancelAsked if event is Event.CANCEL else f.BailAsked)
            if was is State.EXECUTING:
                return [n.StopRun()]
            if self.state is State.CANCELLED:
                self._forget_question()
        return []

    def _message(self, asked: n.Request) -> list[n.Order]:
        if self.state is State.CREATING:
            return self._create_field(a.words_of(asked))
        if self.state is not State.INTENT_CAPTURE or self.ticket is None:
            self.prior = self.state
        self._step(f.MessageSaid)
        if isinstance(asked, n.IntentsProposed):
            self._step(f.IntentConfirmed)
            return self._built(asked.intents)
        assert isinstance(asked, n.Said)
        self.said = asked.text
        return [n.ExtractIntents(self._ticket("extract"), asked.text)]

    def _built(self, intents: tuple[i.Intent, ...]) -> list[n.Order]:
        """The intents become statements: behind those there are, or a new program after a run."""
        self._remember()
        before = Program() if self.last_run_succeeded is not None else self.program
        self._forget(before.followed_by(i.program(intents, self.vocabulary)))
        self._step(f.DslBuilt)
        return self._compile()

    def _edited(self, source: str) -> list[n.Order]:
        self._remember()
        self._step(f.ProgramEdited)
        self._forget(Program(source, is_user_edited=True))
        return self._compile()

    def _undo(self) -> list[n.Order]:
        before = self.history.pop()
        is_text = bool(before.source.strip())
        self._step(f.UndoneToText if is_text else f.UndoneToNothing)
        self._forget(before if is_text else Program())
        return self._compile() if is_text else []

    def _skip(self) -> list[n.Order]:
        self._remember()
        pending = self.program.pending
        skipped = self.program.skipped | {pending[0].ref_id}
        self.program = replace(self.program, skipped=skipped)
        if len(pending) > 1:
            self._step(f.RefSkipped)
            return []
        self._step(f.LastRefSkipped)
        return self._compile()

    def _search(self, asked: n.Request) -> list[n.Order]:
        self._step(f.SearchAsked)
        if isinstance(asked, n.Said) and phrase_in(asked.text) is None:
            return [n.SearchEntities(self.program.pending[0].ref_id, asked.text)]
        if isinstance(asked, n.SearchDone):
            self.program = self.program.with_search(asked.ref_id, asked.text, asked.found)
        else:
            self.program = self.program.without_search()
        return []

    def _resolved(self, asked: n.Request) -> list[n.Order]:
        if isinstance(asked, n.Said):
            picked = a.picked(self.program, asked.text)
            assert picked is not None
            ref_id, entity_id, display = (
                self.program.pending[0].ref_id, picked.entity_id, picked.display,
            )  # fmt: skip
        else:
            assert isinstance(asked, n.EntityChosen) and asked.found is not None
            ref_id, entity_id, display = asked.ref_id, asked.entity_id, asked.found.display
        self._remember()
        self._step(f.RefResolved)
        self.program = self.program.with_resolved(Choice(ref_id, Resolved(entity_id, display)))
        return self._compile()

    def _created(self, made: n.EntityMade) -> list[n.Order]:
        self._remember()
        self._step(f.EntityCreated)
        chosen = Resolved(made.entity_id, made.display, is_new=True)
        self.program = self.program.with_resolved(Choice(self.program.pending[0].ref_id, chosen))
        return self._compile()

    def _create(self) -> list[n.Order]:
        """The verb that makes what is lacking; of several types, the first that has one."""
        self._step(f.CreationAsked)
        ref = self.program.pending[0]
        kind, verb = self._maker(ref.entity_types)
        self.creation = Creation(kind, ref.ref_id, ref.search_value, verb, {})
        return [n.BeginCreation(self._ticket("codes"), kind, verb.name)]

    def _maker(self, entity_types: tuple[str, ...]) -> tuple[str, Verb]:
        for kind in entity_types:
            verb = self.vocabulary.verbs.get(self.makers.get(kind, ""))
            if verb is not None:
                return kind, verb
        wanted = " or ".join(entity_types)
        raise Refused(Code.INVALID_EVENT, f"no verb makes a {wanted}", state=self.state.wire)

    def _create_field(self, text: str) -> list[n.Order]:
        assert self.creation is not None, "there is one while CREATING"
        after = self.creation.answered(text)
        self._step(f.MessageSaid)
        if isinstance(after, Creation):
            self.creation = after
            return []
        return [n.CreateEntity(self._ticket("create"), after)]

    def _run(self, asked: n.Request) -> list[n.Order]:
        if isinstance(asked, n.RunWanted) and asked.fresh is not None:
            self.program = replace(self.program, compilation=asked.fresh)
        found = self.program.compilation
        assert found is not None and found.plan is not None, "a ready program has a plan"
        self._step(f.RunAsked)
        return [n.RunPlan(self._ticket("run"), found.plan)]

    # --- what comes back ------------------------------------------------------

    def respond(self, answer: n.Response) -> list[n.Order]:
        """Take the answer to an order."""
        if answer.ticket != self.ticket:
            raise Refused(
                Code.STALE_RESPONSE, "this is no longer waited for", state=self.state.wire
            )
        self.ticket = None
        match answer:
            case n.Extracted(_, outcome):
                return self._extracted(outcome)
            case n.ExtractionFailed():
                self._step(NO_INTENT[self.prior])
                self.rev -= 1  # as if it had not been said
                return []
            case n.Compiled(_, compilation, candidates):
                return self._compiled(compilation, candidates)
            case n.RunEnded(_, outcome, bindings):
                self._ran(outcome, bindings)
            case n.CodesFound(_, codes):
                assert self.creation is not None, "it was asked for"
                self.creation = replace(self.creation, codes=codes)
            case n.CreationFailed(_, reason):
                assert self.creation is not None, "it was asked for"
                self.creation = replace(self.creation, given={}, complaint=f"{reason}. ")
        return []

    def _extracted(self, outcome: i.Outcome) -> list[n.Order]:
        match outcome:
            case i.Confirmed(intents):
                self._step(f.IntentConfirmed)
                return self._built(intents)
            case i.Ambiguous(options):
                self._step(f.IntentAmbiguous)
                self.options, self.original_message = options, self.said
            case i.Nothing():
                self._step(NO_INTENT[self.prior])
        return []

    def _compiled(self, found: Compilation, candidates: Mapping[str, Candidates]) -> list[n.Order]:
        self.program = self.program.with_compilation(found, candidates)
        if self.state is State.SYNTAX_VALIDATION:
            if found.stage is Stage.PARSING:
                self._step(f.EmptyRead if found.is_empty else f.TextBroken)
                return []
            self._step(f.TextRead)
        if self.state is State.SEMANTIC_VALIDATION:
            if found.stage is Stage.SEMANTICS:
                self._step(f.MeaningWrong)
                return []
            if found.stage is Stage.REFERENCES:
                return self._refs_found(candidates)
            self._step(f.MeaningChecked)
        self._step(f.PlanMade if found.stage is Stage.READY else f.PlanRefused)
        return []

    def _refs_found(self, candidates: Mapping[str, Candidates]) -> list[n.Order]:
        """Resolve what needs no question, or ask."""
        clear: list[Choice] = []
        for ref in self.program.pending:
            is_intent = 0 <= self.program.intent_from <= ref.statement_index
            found = taken(candidates.get(ref.ref_id, Candidates()), is_intent=is_intent)
            if found is not None and ref.ref_id not in self.program.asked:
                one, method = found
                done = AutoResolved(ref.ref_id, one.entity_id, one.display, method, one.score)
                clear.append(Choice(ref.ref_id, Resolved(one.entity_id, one.display), done))
        if not clear:
            self._step(f.RefsFound)
            return []
        # One step back are the words, and they are not resolved at once a second time.
        asked = self.program.asked | {one.ref_id for one in clear}
        self.program = replace(self.program, asked=asked)
        self._remember()
        self.program = self.program.with_resolved(*clear)
        return self._compile()

    def _ran(self, outcome: n.RunOutcome, bindings: Mapping[str, Bound]) -> None:
        if outcome is n.RunOutcome.CANCELLED:
            self._step(f.RunCancelled)
            return
        is_success = outcome is n.RunOutcome.SUCCEEDED
        self._step(f.RunSucceeded if is_success else f.RunFailed)
        self._remember()  # undo brings back what was run, as a new program
        self.last_run_succeeded = is_success
        if is_success:
            self.bindings |= bindings

    # --- small things ---------------------------------------------------------

    def _step(self, fact: f.Fact) -> None:
        self.state = SESSIONS.step(self.state, fact())
        self.trace.append(self.state)
        if self.state is not State.CREATING:
            self.creation = None

    def _ticket(self, name: str) -> str:
        """A name for the order that is waited for from now on; made, not drawn."""
        self.orders += 1
        told = f"{self.session_id}\0{self.epoch}\0{name}\0{self.orders}"
        self.ticket = f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
        return self.ticket

    def _compile(self) -> list[n.Order]:
        ticket = self._ticket("compile")
        return [n.Compile(ticket, self.program.source, self.program.skipped)]

    def _remember(self) -> None:
        if not self.history or self.history[-1] is not self.program:
            self.history.append(self.program)
        del self.history[:-HISTORY_MAX]

    def _forget(self, program: Program) -> None:
        """Another program: what was asked or waited for about the old one is void."""
        self.program = program
        self.epoch += 1
        self.last_run_succeeded = None
        self._forget_question()

    def _forget_question(self) -> None:
        self.options, self.original_message, self.ticket = (), None, None

    @property
    def available_actions(self) -> tuple[Event, ...]:
        return available_actions(self.state, has_history=bool(self.history))

    @property
    def can_execute(self) -> bool:
        return self.state is State.READY_TO_RUN
