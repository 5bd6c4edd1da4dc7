"""The operations of questions: `flow.…` and `interaction.…`."""

from __future__ import annotations

from antiphon.base.errors import Code
from antiphon.wire import interaction as i
from antiphon.wire.method import EXEC, Method

ROWS = (
    Method(
        "flow.start", i.FlowStart, i.FlowStarted, (Code.NOT_FOUND, Code.STORAGE_FULL),
        "Starts a dialogue of exact questions: a flow, by name or as an object.",
        "Show output to the user as it is, and nothing else. Keep state, and give it with what "
        "the user types to flow.answer.",
        repeats_safely=True,
    ),
    Method(
        "flow.answer", i.FlowAnswer, i.FlowAnswered,
        (Code.STATE_INVALID, Code.FLOW_TERMINAL, *EXEC),
        "Takes what the user typed, and gives what the user sees next.",
        "Give the input byte for byte and interpret nothing; output null shows nothing. events "
        "say what it meant; done says that the flow has ended, with values when it was confirmed.",
        destroys=True,
    ),
    Method(
        "flow.reopen", i.FlowReopen, i.FlowReopened, (Code.STATE_INVALID, Code.FLOW_TERMINAL),
        "Shows the question again where a flow stopped with STEP_ABORT.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "interaction.render", i.Render, i.Rendered, (Code.CONTRACT_VIOLATION,),
        "Writes a question with numbered options as the exact block, or says what is wrong.",
        "One sentence of at most 15 words; one to seven options of at most five words each.",
        reads_only=True, repeats_safely=True,
    ),
    Method(
        "interaction.validate", i.Validate, i.Validated, (),
        "Checks a text for a user against the contract; no violations means that it is exact.",
        "domain: the values it must offer. pinned: the text it must repeat. summary_of: the "
        "values it must sum up.",
        reads_only=True, repeats_safely=True,
    ),
)  # fmt: skip
