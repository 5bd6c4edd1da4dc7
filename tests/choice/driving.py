"""How a dialogue is driven in tests: inputs in, outputs and events out."""

from __future__ import annotations

from dataclasses import dataclass, field

from antiphon.choice import dialogue, loading
from antiphon.choice.dialogue import Event, EventType, Said, State
from antiphon.choice.flow import Flow, Values

DEPLOY = """\
flow: deploy
steps:
  - {key: env, ask: "Which environment?", select: one, options: [dev, staging, prod]}
  - {key: region, ask: "Which regions?", select: many, options: [eu, us, ap]}
"""
# The zone is asked in production alone.
ZONED = """\
flow: zoned
steps:
  - {key: env, ask: "Which environment?", select: one, options: [dev, prod]}
  - {key: zone, ask: "Which zone?", select: one, options: [a, b], when: {env: [prod]}}
  - {key: size, ask: "Which size?", select: one, options: [small, large]}
"""
ENV = "Which environment?\n\n1) dev\n2) staging\n3) prod"
REGION = "Which regions?\n\n1) eu\n2) us\n3) ap"
SUMMARY_OPTIONS = "\n\n1) Confirm\n2) Restart\n3) Edit specific step"
PICKER = "Which step should change?\n\n1) env\n2) region"


def summary(*lines: str) -> str:
    return "Summary:\n" + "\n".join(f"- {line}" for line in lines) + SUMMARY_OPTIONS


def one(*options: str, key: str = "x", ask: str = "Which one?") -> str:
    step = f"{{key: {key}, ask: {ask!r}, select: one, options: {list(options)}}}"
    return f"flow: one\nsteps:\n  - {step}"


def many(*options: str, more: str = "") -> str:
    return (
        "flow: many\nsteps:\n"
        f"  - {{key: x, ask: 'Which ones?', select: many, options: {list(options)}{more}}}"
    )


@dataclass
class Driven:
    """A dialogue and all that came of it."""

    flow: Flow
    state: State
    outputs: list[str | None] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)  # of the last input
    values: Values | None = None

    def say(self, *inputs: str | Said) -> str | None:
        for given in inputs:
            said = given if isinstance(given, Said) else Said(given)
            turn = dialogue.advance(self.flow, self.state, said)
            self.state, self.events = turn.state, list(turn.events)
            self.outputs.append(turn.output)
            for event in turn.events:
                if event.type is EventType.CONFIRMED:
                    self.values = event.values
        return self.outputs[-1]

    def reopen(self) -> str | None:
        turn = dialogue.reopened(self.flow, self.state)
        self.state = turn.state
        return turn.output

    def kinds(self) -> list[tuple[str, str | None, str | None]]:
        return [(event.type.value, event.step, event.reason) for event in self.events]


def start(text: str = DEPLOY, values: Values | None = None) -> Driven:
    flow = loading.from_yaml(text)
    turn = dialogue.started(flow, values)
    return Driven(flow, turn.state, [turn.output])
