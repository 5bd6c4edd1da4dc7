"""What every group of operations in the library stands on: a call, its answer as a value."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from antiphon.adapters.front import Reply, Service, outcome
from antiphon.base import errors
from antiphon.wire.terminal import Answer

AnswerShape = TypeVar("AnswerShape", bound=Answer)


class Refused(errors.Refused):
    """An operation was refused.  `answer` is all that it answered."""

    def __init__(self, operation: str, reply: Reply) -> None:
        answer: dict[str, object] = msgspec.to_builtins(reply)
        code = errors.Code(outcome(reply))
        super().__init__(code, str(answer.get("message", f"{operation}: {code.value}")))
        self.answer = answer


class Verbs:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def _called(
        self, shape: type[AnswerShape], operation: str, **fields: object
    ) -> AnswerShape:
        given = {name: value for name, value in fields.items() if value is not None}
        reply = await self._service.answer(operation, given)
        if isinstance(reply, shape):
            return reply
        if outcome(reply) != "ok":
            raise Refused(operation, reply)
        return msgspec.convert(reply, shape)
