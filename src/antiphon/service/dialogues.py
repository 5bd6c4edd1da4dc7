"""`flow.…` and `interaction.…`: the core's dialogues, with a key, a clock and a terminal.

It keeps no dialogue: a state comes in with each call and goes out with its answer.  Flows are
kept by their digest, so that a state is short; a confirmed action is begun at most once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from msgspec import UNSET, UnsetType

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.choice import dialogue, loading, token
from antiphon.choice.dialogue import Event, Said, Stage, State, Turn
from antiphon.choice.flow import Flow, Value, plain
from antiphon.choice.form import form
from antiphon.choice.judge import Expected, judged, rendered
from antiphon.choice.loading import NoFlow
from antiphon.choice.question import EVENT_CODES
from antiphon.choice.token import Seal, Ticket
from antiphon.choice.violations import Violation
from antiphon.drivers.dialogue_files import DialogueFiles
from antiphon.service.actions import Actions
from antiphon.service.principal import calling
from antiphon.wire import codec
from antiphon.wire import interaction as wire

# A long-lived state ends at one of so many moments of its life, so that the same start gives the
# same state however often it is made.
_ENDS_OF_A_LIFE = 24
_LONG_LIFE_MS = 3_600_000


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Dialogues:
    def __init__(
        self, files: DialogueFiles, actions: Actions, clock: Callable[[], int] = now_ms
    ) -> None:
        self._files = files
        self._actions = actions
        self._clock = clock
        self._seals: dict[str, Seal] = {}  # of as many callers as there are tokens
        self._flows: dict[str, Flow] = {}
        self._last_end_ms = 0

    # --- flows -------------------------------------------------------------------

    async def start(self, request: wire.FlowStart) -> wire.FlowStarted:
        flow = self._given(request.flow)
        turn = dialogue.started(flow, _core_values(request.values or {}))
        digest = flow.digest
        if not self._files.touch("flow", digest):
            self._files.keep("flow", digest, codec.encoded(plain(flow)).decode())
        self._remember(flow)
        expires_ms = self._end_of_life(request.ttl_s * 1000, is_once=flow.on_confirm is not None)
        state = self._sealed(Ticket(digest, expires_ms, turn.state))
        return wire.FlowStarted(
            output=turn.output, state=state, form=_form(flow, turn, wanted=request.form)
        )

    async def answer(self, request: wire.FlowAnswer) -> wire.FlowAnswered:
        said = _said(request.input)
        ticket, flow = self._opened(request.state)
        if request.flow is not None and self._given(request.flow).digest != ticket.flow:
            raise token.invalid("it belongs to another flow")
        turn = dialogue.advance(flow, ticket.state, said)
        output = turn.output
        if turn.state.stage is Stage.DONE and flow.on_confirm is not None:
            answered = flow.values(turn.state.answers)
            given = {step.key: answered.get(step.key) for step in flow.steps}
            output = await self._actions.result(request.state, flow.on_confirm, given)
        return wire.FlowAnswered(
            output=output,
            events=[_event(event) for event in turn.events],
            state=self._sealed(Ticket(ticket.flow, ticket.expires_ms, turn.state)),
            done=turn.is_done,
            values=_final_values(flow, turn),
            form=_form(flow, turn, wanted=request.form),
        )

    async def reopen(self, request: wire.FlowReopen) -> wire.FlowReopened:
        ticket, flow = self._opened(request.state)
        turn = dialogue.reopened(flow, ticket.state)
        state = self._sealed(Ticket(ticket.flow, ticket.expires_ms, turn.state))
        return wire.FlowReopened(
            output=turn.output, state=state, form=_form(flow, turn, wanted=request.form)
        )

    # --- texts -------------------------------------------------------------------

    async def render(self, request: wire.Render) -> wire.Rendered | wire.NotRendered:
        text = rendered(request.instruction, request.options)
        if isinstance(text, str):
            return wire.Rendered(text=text)
        told = "; ".join(f"{found.code} at {found.at}: {found.message}" for found in text)
        return wire.NotRendered(message=told, violations=_violations(text))

    async def validate(self, request: wire.Validate) -> wire.Validated:
        expected = Expected(request.domain, request.pinned, request.summary_of)
        return wire.Validated(violations=_violations(judged(request.text, expected)))

    # --- states ------------------------------------------------------------------

    def _opened(self, text: str) -> tuple[Ticket, Flow]:
        ticket = self._seal().opened(text, self._clock())
        flow = self._flows.get(ticket.flow)
        if flow is None:
            kept = self._files.kept("flow", ticket.flow)
            if kept is None:
                raise token.invalid("its flow is no longer kept")
            flow = loading.from_object(codec.decoded(kept.encode()))
            self._remember(flow)
        return ticket, flow

    def _sealed(self, ticket: Ticket) -> str:
        return self._seal().sealed(ticket)

    def _seal(self) -> Seal:
        """The caller's own."""
        who = calling.get()
        seal = self._seals.get(who)
        if seal is None:
            seal = self._seals[who] = Seal(who, self._files.key())
        return seal

    def _remember(self, flow: Flow) -> None:
        self._flows[flow.digest] = flow
        if len(self._flows) > limits.FLOWS_LOADED_MAX:
            del self._flows[next(iter(self._flows))]

    def _given(self, given: str | Mapping[str, object]) -> Flow:
        try:
            return self._named(given) if isinstance(given, str) else loading.from_object(given)
        except NoFlow as error:
            file = f"flows/{given}.yaml" if isinstance(given, str) else None
            told = "; ".join(problem.told(file) for problem in error.problems)
            fields = [problem.fields(file) for problem in error.problems]
            raise Refused(
                Code.INVALID_REQUEST, f"this is no flow: {told}", problems=fields
            ) from None

    def _named(self, name: str) -> Flow:
        text = self._files.named_flow(name) if loading.NAME.fullmatch(name) else None
        if text is None:
            raise Refused(
                Code.NOT_FOUND,
                f"no flow is named {name[:80]!r}: there is no flows/NAME.yaml of it in the "
                "state directory; a flow can be given as an object too",
            )
        return loading.from_yaml(text)

    def _end_of_life(self, ttl_ms: int, *, is_once: bool) -> int:
        end = self._clock() + ttl_ms
        if is_once:
            # Two dialogues that may each run a command must not have one state.
            self._last_end_ms = max(end, self._last_end_ms + 1)
            return self._last_end_ms
        step = ttl_ms // _ENDS_OF_A_LIFE if ttl_ms >= _LONG_LIFE_MS else 1
        return -(-end // step) * step


def _said(given: str | wire.TypedInput) -> Said:
    if isinstance(given, str):
        return Said(given)
    match given.choice, given.kind, given.text:
        case list(numbers), UnsetType(), UnsetType():
            return Said.choice(numbers)
        case UnsetType(), "freetext", str(text):
            return Said(text, is_free=True)
        case _:
            raise Refused(
                Code.INVALID_REQUEST,
                'input is a text, {"choice": [1, …]} or {"kind": "freetext", "text": "…"}',
            )


def _core_values(values: Mapping[str, str | list[str]]) -> dict[str, Value]:
    return {key: value if isinstance(value, str) else tuple(value) for key, value in values.items()}


def _wire_values(values: Mapping[str, Value]) -> dict[str, str | list[str]]:
    return {key: value if isinstance(value, str) else list(value) for key, value in values.items()}


def _final_values(flow: Flow, turn: Turn) -> dict[str, str | list[str]] | None:
    state: State = turn.state
    return _wire_values(flow.values(state.answers)) if state.stage is Stage.DONE else None


def _form(flow: Flow, turn: Turn, *, wanted: bool) -> dict[str, object] | UnsetType:
    """The question that the turn shows, where it shows one."""
    if not wanted or turn.output is None or turn.output in EVENT_CODES:
        return UNSET
    if turn.is_done:
        return UNSET
    now = dialogue.asked(flow, turn.state)
    return form(now.block, is_many=now.is_many)


def _event(event: Event) -> wire.FlowEvent:
    return wire.FlowEvent(
        type=event.type.value,
        step=event.step,
        reason=UNSET if event.reason is None else event.reason,
        text=UNSET if event.text is None else event.text,
        values=UNSET if event.values is None else _wire_values(event.values),
    )


def _violations(found: list[Violation]) -> list[wire.Violation]:
    return [wire.Violation(code=one.code, at=one.at, message=one.message) for one in found]
