"""One dialogue: a state and what was said in, the next state, its output and events out.

It keeps nothing: the state is given and given back, so the same state and input make the same
bytes in any process.  Only exact input chooses; the fourth invalid one in a row ends the step
until it is opened again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum

from antiphon.base.errors import Code, Refused
from antiphon.base.machine import Machine
from antiphon.choice import answer as a
from antiphon.choice import compact, question, split
from antiphon.choice.flow import Answers, Chosen, Flow, Value, Values
from antiphon.choice.judge import joined
from antiphon.choice.question import Block


class Stage(Enum):
    ASKING = "asking"
    SUMMARY = "summary"
    PICKING = "picking"  # which step to edit
    EDITING = "editing"
    DONE = "done"
    CANCELLED = "cancelled"


class PartAnswered:
    """A node of a tree, or one of a row of blocks: the step is not answered yet."""


class StepsLeft:
    """Answers were taken, and a step is still without one."""


class AllAnswered:
    pass


class FieldPicked:
    pass


class ConfirmSaid:
    pass


class RestartSaid:
    pass


class EditSaid:
    pass


# fmt: off
STAGES = Machine(
    # while            this comes      it becomes        because
    (Stage.ASKING,     PartAnswered,   Stage.ASKING,     "R13: parts of at most seven"),
    (Stage.ASKING,     StepsLeft,      Stage.ASKING,     "R26: in declared order"),
    (Stage.ASKING,     AllAnswered,    Stage.SUMMARY,    "R30"),
    (Stage.ASKING,     a.CancelSaid,   Stage.CANCELLED,  "R17"),
    (Stage.SUMMARY,    ConfirmSaid,    Stage.DONE,       "R31"),
    (Stage.SUMMARY,    RestartSaid,    Stage.ASKING,     "R32"),
    (Stage.SUMMARY,    EditSaid,       Stage.PICKING,    "R33"),
    (Stage.SUMMARY,    a.CancelSaid,   Stage.CANCELLED,  "R17"),
    (Stage.PICKING,    PartAnswered,   Stage.PICKING,    "R13: more than seven fields"),
    (Stage.PICKING,    FieldPicked,    Stage.EDITING,    "R33"),
    (Stage.PICKING,    a.CancelSaid,   Stage.CANCELLED,  "R17"),
    (Stage.EDITING,    PartAnswered,   Stage.EDITING,    "R13"),
    (Stage.EDITING,    AllAnswered,    Stage.SUMMARY,    "R33: back to the summary"),
    (Stage.EDITING,    StepsLeft,      Stage.ASKING,     "R34: what depends is asked again"),
    (Stage.EDITING,    a.CancelSaid,   Stage.CANCELLED,  "R17"),
)
# fmt: on


@dataclass(frozen=True, slots=True)
class State:
    stage: Stage
    answers: Answers
    step: int = 0  # while ASKING or EDITING
    path: tuple[int, ...] = ()  # to a part of its options
    picked: Chosen = ()  # from the blocks of a row before this one
    invalid_count: int = 0  # in a row; at 4 the step stands until it is opened again


class EventType(Enum):
    SELECTED = "SELECTED"
    INVALID = "INVALID"
    FREETEXT = "FREETEXT"
    FIELD_REJECTED = "FIELD_REJECTED"
    RESTARTED = "RESTARTED"
    EDITING = "EDITING"
    CONFIRMED = "CONFIRMED"
    STEP_ABORT = "STEP_ABORT"
    FLOW_CANCEL = "FLOW_CANCEL"


@dataclass(frozen=True, slots=True)
class Event:
    type: EventType
    step: str | None = None
    reason: str | None = None
    text: str | None = None
    values: Values | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What an input made: nothing goes to the user but `output`, when there is one."""

    state: State
    output: str | None
    events: tuple[Event, ...] = ()

    @property
    def is_done(self) -> bool:
        return self.state.stage in ENDS


ENDS = (Stage.DONE, Stage.CANCELLED)


@dataclass(frozen=True, slots=True)
class Said:
    """An input: text as it came, or text that its sender declares to be free."""

    text: str
    is_free: bool = False

    @staticmethod
    def choice(numbers: Collection[int]) -> Said:
        """The text that means these numbers."""
        return Said(",".join(map(str, numbers)))


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of a state: its block, and how an answer to it is read."""

    block: Block
    is_many: bool = False
    keys: Collection[str] = ()  # the fields that compact input may name
    step: str | None = None


# --- what is asked ------------------------------------------------------------------


def asked(flow: Flow, state: State) -> Asked:
    match state.stage:
        case Stage.ASKING | Stage.EDITING:
            return _asked_step(flow, state)
        case Stage.SUMMARY:
            lines = [(key, joined(value)) for key, value in flow.values(state.answers).items()]
            return Asked(question.summary(lines))
        case Stage.PICKING:
            keys = _answered_keys(flow, state.answers)
            part = split.part_at(len(keys), state.path)
            return Asked(Block(question.EDIT_INSTRUCTION, split.labels_of(part, keys)))
        case Stage.DONE | Stage.CANCELLED:
            raise Refused(
                Code.FLOW_TERMINAL, f"the flow is {state.stage.value}; start it again to go on"
            )


def _asked_step(flow: Flow, state: State) -> Asked:
    step = flow.steps[state.step]
    keys = flow.keys if state.stage is Stage.ASKING else ()
    block = flow.blocks[state.step]
    if block is not None:
        return Asked(block, step.is_many, keys, step.key)
    options = flow.options_of(state.step, state.answers)
    if step.is_many:
        part = split.chunks(len(options), is_required=step.is_required)[len(state.path)]
        labels = split.chunk_labels(part, options, is_required=step.is_required)
    else:
        labels = split.labels_of(split.part_at(len(options), state.path), options)
    return Asked(Block(step.ask, labels), step.is_many, keys, step.key)


def _answered_keys(flow: Flow, answers: Answers) -> tuple[str, ...]:
    return tuple(flow.values(answers))


def shown(flow: Flow, state: State) -> str:
    """The question as it stands, with the remark that the invalid inputs before it earned."""
    if state.invalid_count >= question.INVALID_MAX:
        return question.STEP_ABORT
    if state.stage is Stage.ASKING and state.invalid_count == 0:
        text = flow.texts[state.step]
        if text is not None:
            return text
    now = asked(flow, state)
    return question.shown_again(now.block, state.invalid_count, is_many=now.is_many)


# --- beginning ----------------------------------------------------------------------


def started(flow: Flow, values: Values | None = None) -> Turn:
    """The first question; steps that these values answer are not asked."""
    state = _onward(flow, compact.prefilled(flow, values or {}), Stage.ASKING)
    return Turn(state, shown(flow, state))


def reopened(flow: Flow, state: State) -> Turn:
    """The question where it stopped, as if it were shown for the first time."""
    fresh = replace(state, invalid_count=0)
    return Turn(fresh, shown(flow, fresh))


def _onward(flow: Flow, answers: Answers, stage: Stage) -> State:
    """The next step that has no answer, or the summary."""
    number = flow.next_step(answers)
    if number is None:
        return State(STAGES.step(stage, AllAnswered()), answers)
    return State(STAGES.step(stage, StepsLeft()), answers, number)


# --- going on -----------------------------------------------------------------------


def advance(flow: Flow, state: State, said: Said) -> Turn:
    now = asked(flow, state)
    if said.is_free:
        answer: a.Answer = a.TextSaid(a.without_line_end(said.text))
    else:
        answer = a.answer_in(said.text, len(now.block.labels), is_many=now.is_many, keys=now.keys)
    if isinstance(answer, a.CancelSaid):
        ended = replace(state, stage=STAGES.step(state.stage, answer))
        event = Event(EventType.FLOW_CANCEL, now.step)
        return Turn(ended, question.FLOW_CANCEL, (event,))
    if state.invalid_count >= question.INVALID_MAX:
        return Turn(state, question.STEP_ABORT, (Event(EventType.STEP_ABORT, now.step),))
    match answer:
        case a.InvalidSaid(reason):
            return _refused(state, now, reason)
        case a.TextSaid(text):
            # Free text is valid, so the invalid ones are no longer in a row.
            heard = replace(state, invalid_count=0)
            return Turn(heard, None, (Event(EventType.FREETEXT, now.step, text=text),))
        case a.FieldsGiven(fields):
            return _fields(flow, state, now, fields)
        case a.NumbersChosen(numbers):
            return _chosen(flow, state, now, tuple(number - 1 for number in numbers))


def _refused(state: State, now: Asked, reason: a.Reason, before: tuple[Event, ...] = ()) -> Turn:
    again = replace(state, invalid_count=state.invalid_count + 1)
    events = (*before, Event(EventType.INVALID, now.step, reason.value))
    if again.invalid_count >= question.INVALID_MAX:
        aborted = Event(EventType.STEP_ABORT, now.step)
        return Turn(again, question.STEP_ABORT, (*events, aborted))
    output = question.shown_again(now.block, again.invalid_count, is_many=now.is_many)
    return Turn(again, output, events)


def _fields(flow: Flow, state: State, now: Asked, fields: tuple[tuple[str, str], ...]) -> Turn:
    taken = compact.applied(flow, state.answers, fields)
    rejected = tuple(
        Event(EventType.FIELD_REJECTED, key, reason.value) for key, reason in taken.rejected
    )
    if not taken.applied:
        return _refused(state, now, taken.rejected[0][1], rejected)
    selected = tuple(_selected(key, value) for key, value in taken.applied)
    after = _onward(flow, taken.answers, state.stage)
    if after.step == state.step and after.stage is state.stage:
        # The part of the step that stood open still does, unless its options are others now.
        options = flow.options_of(state.step, state.answers)
        if options == flow.options_of(after.step, after.answers):
            after = replace(after, path=state.path, picked=state.picked)
    return Turn(after, shown(flow, after), (*selected, *rejected))


def _selected(key: str, value: Value) -> Event:
    return Event(EventType.SELECTED, key, values={key: value})


def _chosen(flow: Flow, state: State, now: Asked, chosen: Chosen) -> Turn:
    """An exact choice, as numbers from 0 of the block's labels."""
    match state.stage:
        case Stage.SUMMARY:
            return _summary_choice(flow, state, chosen[0])
        case Stage.PICKING:
            return _pick(flow, state, chosen[0])
        case _ if flow.steps[state.step].is_many:
            return _row(flow, state, now, chosen)
        case _:
            return _tree(flow, state, now, chosen[0])


def _tree(flow: Flow, state: State, now: Asked, number: int) -> Turn:
    size = len(flow.options_of(state.step, state.answers))
    first, length = split.part_at(size, state.path)
    if length > question.OPTIONS_MAX:
        return _part(flow, replace(state, path=(*state.path, number)), now)
    return _step_answered(flow, state, (first + number,))


def _row(flow: Flow, state: State, now: Asked, chosen: Chosen) -> Turn:
    step = flow.steps[state.step]
    options = flow.options_of(state.step, state.answers)
    row = split.chunks(len(options), is_required=step.is_required)
    first, length = row[len(state.path)]
    if length in chosen and len(chosen) > 1:  # «None of these», and one of these
        return _refused(state, now, a.Reason.DUPLICATE)
    picked = (*state.picked, *(first + number for number in chosen if number < length))
    if len(state.path) + 1 < len(row):
        return _part(flow, replace(state, path=(*state.path, 0), picked=picked), now)
    if not picked and step.is_required:
        return _part(flow, replace(state, path=(), picked=()), now)
    return _step_answered(flow, state, picked)


def _part(flow: Flow, state: State, now: Asked) -> Turn:
    after = replace(state, stage=STAGES.step(state.stage, PartAnswered()), invalid_count=0)
    event = Event(EventType.SELECTED, now.step)
    return Turn(after, shown(flow, after), (event,))


def _step_answered(flow: Flow, state: State, chosen: Chosen) -> Turn:
    answers = flow.answered(state.answers, state.step, chosen)
    after = _onward(flow, answers, state.stage)
    event = _selected(flow.steps[state.step].key, flow.value(state.step, answers))
    return Turn(after, shown(flow, after), (event,))


def _summary_choice(flow: Flow, state: State, number: int) -> Turn:
    match number:
        case 0:
            done = replace(state, stage=STAGES.step(state.stage, ConfirmSaid()), invalid_count=0)
            event = Event(EventType.CONFIRMED, values=flow.values(state.answers))
            return Turn(done, None, (event,))
        case 1:
            first = flow.next_step(flow.unanswered)
            assert first is not None, "a flow asks at least one step"
            again = State(STAGES.step(state.stage, RestartSaid()), flow.unanswered, first)
            return Turn(again, shown(flow, again), (Event(EventType.RESTARTED),))
        case _:
            picking = State(STAGES.step(state.stage, EditSaid()), state.answers)
            return Turn(picking, shown(flow, picking), (Event(EventType.EDITING),))


def _pick(flow: Flow, state: State, number: int) -> Turn:
    keys = _answered_keys(flow, state.answers)
    first, length = split.part_at(len(keys), state.path)
    if length > question.OPTIONS_MAX:
        after = replace(
            state,
            stage=STAGES.step(state.stage, PartAnswered()),
            path=(*state.path, number),
            invalid_count=0,
        )
        return Turn(after, shown(flow, after))
    key = keys[first + number]
    editing = State(STAGES.step(state.stage, FieldPicked()), state.answers, flow.number_of[key])
    return Turn(editing, shown(flow, editing), (Event(EventType.EDITING, key),))
