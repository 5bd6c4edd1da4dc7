"""A flow's questions as forms of the MCP host, where the client has any.

The user answers the host's form instead of the model, and the tool call ends when the flow does,
or when the user leaves the form: then the block is in the result as for every other client.
Revisions from 2026-07-28 on take a form from the result and retry the call with its answer; older
ones are asked while the call runs.
"""

from __future__ import annotations

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp_types.version import is_version_at_least

from antiphon.adapters.front import Front, Reply
from antiphon.choice.form import early, text_of

Context = ServerRequestContext[None]
Fields = dict[str, object]

OPERATIONS = frozenset({"flow.start", "flow.answer", "flow.reopen"})
RETRIED_SINCE = "2026-07-28"
# Options with titles, and lists of them; before, a host draws neither.
TITLED_SINCE = "2025-11-25"
KEY = "question"


def has_forms(context: Context) -> bool:
    """A bare capability, older than its modes, means forms."""
    capabilities = context.session.client_capabilities
    asking = capabilities.elicitation if capabilities else None
    return asking is not None and (asking.form is not None or asking.url is None)


async def answered(
    front: Front, context: Context, name: str, params: types.CallToolRequestParams
) -> Reply | types.InputRequiredResult:
    reply = await _first(front, name, params)
    while form := reply.pop("form", None):
        message = str(reply["output"]).partition("\n\n")[0]
        if is_version_at_least(context.protocol_version, RETRIED_SINCE):
            return _required(message, form, str(reply["state"]))
        assert isinstance(form, dict)
        if not is_version_at_least(context.protocol_version, TITLED_SINCE):
            form = early(form)
        said = await context.session.elicit_form(message, form, context.request_id)
        text = _input(said)
        if text is None:
            break
        reply = await _asked(front, "flow.answer", {"state": reply["state"], "input": text})
    return reply


async def _first(front: Front, name: str, params: types.CallToolRequestParams) -> Fields:
    """The call itself; or, when it is made again, what the form's answer leads to."""
    if params.request_state is None:
        return await _asked(front, name, dict(params.arguments or {}))
    state = params.request_state
    said = (params.input_responses or {}).get(KEY)
    text = _input(said) if isinstance(said, types.ElicitResult) else None
    if text is None:
        reply = await _asked(front, "flow.reopen", {"state": state})
        reply.pop("form", None)
        return reply
    return await _asked(front, "flow.answer", {"state": state, "input": text})


async def _asked(front: Front, name: str, fields: Fields) -> Fields:
    found: Fields = msgspec.to_builtins(await front.answer(name, {**fields, "form": True}))
    return found


def _input(said: types.ElicitResult) -> str | None:
    """What the form's end means: leaving it cancels, declining leaves the question to the host."""
    match said.action:
        case "accept":
            return text_of(said.content)
        case "cancel":
            return "cancel"
        case _:
            return None


def _required(message: str, form: object, state: str) -> types.InputRequiredResult:
    asking = types.ElicitRequestFormParams.model_validate(
        {"message": message, "requestedSchema": form}
    )
    return types.InputRequiredResult(
        input_requests={KEY: types.ElicitRequest(params=asking)}, request_state=state
    )
