"""The library's `flow.…` and `interaction.…`, each operation with its fields."""

from __future__ import annotations

from antiphon.adapters.calls import Verbs
from antiphon.wire import interaction as i

Labels = dict[str, str | list[str]]


class Flow(Verbs):
    """The operations `flow.…`, each with its fields."""

    async def start(
        self,
        flow: str | dict[str, object],
        *,
        values: Labels | None = None,
        ttl_s: int = 86_400,
        form: bool = False,
    ) -> i.FlowStarted:
        """Starts a dialogue of exact questions: a flow, by name or as an object."""
        return await self._called(
            i.FlowStarted, "flow.start", flow=flow, values=values, ttl_s=ttl_s, form=form
        )

    async def answer(
        self,
        state: str,
        input: str | dict[str, object],  # noqa: A002 - the contract's name
        *,
        flow: str | dict[str, object] | None = None,
        form: bool = False,
    ) -> i.FlowAnswered:
        """Takes what the user typed, and gives what the user sees next."""
        return await self._called(
            i.FlowAnswered, "flow.answer", state=state, input=input, flow=flow, form=form
        )

    async def reopen(self, state: str, *, form: bool = False) -> i.FlowReopened:
        """Shows the question again where a flow stopped with STEP_ABORT."""
        return await self._called(i.FlowReopened, "flow.reopen", state=state, form=form)


class Interaction(Verbs):
    """The operations `interaction.…`, each with its fields."""

    async def render(self, instruction: str, options: list[str]) -> i.Rendered:
        """Writes a question with numbered options as the exact block, or says what is wrong."""
        return await self._called(
            i.Rendered, "interaction.render", instruction=instruction, options=options
        )

    async def validate(
        self,
        text: str,
        *,
        domain: list[str] | None = None,
        pinned: str | None = None,
        summary_of: Labels | None = None,
    ) -> i.Validated:
        """Checks a text for a user against the contract; no violations means that it is exact."""
        return await self._called(
            i.Validated,
            "interaction.validate",
            text=text,
            domain=domain,
            pinned=pinned,
            summary_of=summary_of,
        )
