"""The operations that wait: for text, for the prompt, and to answer what was waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import lru_cache

from msgspec import UNSET, UnsetType

from antiphon.base import ids, limits
from antiphon.base.errors import Code, Refused
from antiphon.service import reading
from antiphon.service.conversation import Conversation
from antiphon.service.keyboard import input_bytes, refuse_if_too_long
from antiphon.service.room import Rooms
from antiphon.service.waits import Ended
from antiphon.terminal import pattern
from antiphon.terminal.pattern import Scanner, Span
from antiphon.terminal.spool import prompt_of
from antiphon.terminal.text import readable
from antiphon.wire import terminal as wire


class Waiting:
    """`pty.wait_for`, `pty.wait_prompt`, `pty.expect_send`."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def wait_for(self, request: wire.WaitFor) -> wire.Matched | wire.WaitTimeout:
        is_prompt = request.match_type == "prompt"
        if is_prompt is not (request.match is UNSET):
            wanted = "absent with prompt" if is_prompt else "needed"
            raise Refused(Code.INVALID_REQUEST, f"match is {wanted}")
        if isinstance(request.match, UnsetType):
            return await self._prompt(request)
        conversation = self._rooms.known(ids.conversation(request.conversation_id)).conversation
        reading.checked_cursor(request.from_cursor, conversation.store.spool.size)
        scanner = scanner_of(request.match, request.match_type, request.from_cursor)
        span = await _waited(
            conversation,
            lambda: conversation.waits.text(scanner, request.timeout_ms, conversation.lost),
        )
        return _timeout(conversation) if span is None else _matched(conversation, span)

    async def wait_prompt(self, request: wire.WaitPrompt) -> wire.Matched | wire.WaitTimeout:
        return await self._prompt(request)

    async def _prompt(
        self, request: wire.WaitFor | wire.WaitPrompt
    ) -> wire.Matched | wire.WaitTimeout:
        conversation = self._rooms.known(ids.conversation(request.conversation_id)).conversation
        reading.checked_cursor(request.from_cursor, conversation.store.spool.size)
        span = await _waited(
            conversation,
            lambda: conversation.waits.prompt(
                request.from_cursor, request.timeout_ms, conversation.lost
            ),
        )
        if span is None:
            return _timeout(conversation)
        line = conversation.store.spool.read(span.start, span.end)
        prompt = prompt_of(line)
        extra = wire.Extra(ts=prompt.ts, cwd=readable(prompt.cwd), exit_code=prompt.exit_code)
        return _matched(conversation, span, extra)

    async def expect_send(
        self, request: wire.ExpectSend
    ) -> wire.MatchedAndSent | wire.ExpectTimeout:
        room = self._rooms.known(ids.conversation(request.conversation_id))
        conversation = room.conversation
        data = input_bytes(request.send)
        refuse_if_too_long(data)
        reading.checked_cursor(request.from_cursor, conversation.store.spool.size)
        scanner = scanner_of(request.expect, request.expect_type, request.from_cursor)
        async with conversation.lock:
            waiting = asyncio.create_task(
                _waited(
                    conversation,
                    lambda: conversation.waits.text(scanner, request.timeout_ms, conversation.lost),
                    sent=False,
                )
            )
            room.expecting.append(waiting)
            try:
                await asyncio.wait([waiting])
            finally:
                waiting.cancel()
                if waiting in room.expecting:
                    room.expecting.remove(waiting)
            if waiting.cancelled():
                message = "the wait was ended; nothing was sent"
                raise _refusal(conversation, Code.CANCELLED, message, sent=False)
            span = waiting.result()
            if span is None:
                return wire.ExpectTimeout(resume_cursor=conversation.store.spool.size)
            await room.keyboard.send(data, is_secret=False)
        matched = _matched(conversation, span)
        return wire.MatchedAndSent(
            match_text=matched.match_text,
            match_cursor=matched.match_cursor,
            match_span=matched.match_span,
            resume_cursor=matched.resume_cursor,
        )


@lru_cache(maxsize=256)
def _regex(text: str) -> pattern.Regex:
    return pattern.compile_regex(text)


def scanner_of(text: str, match_type: str, cursor: int) -> Scanner:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limits.PATTERN_BYTES_MAX:
        raise Refused(
            Code.INVALID_PATTERN,
            f"the pattern has {size} bytes; at most {limits.PATTERN_BYTES_MAX} are taken "
            "(PATTERN_BYTES_MAX)",
        )
    try:
        if match_type == "substring":
            return pattern.substring(input_bytes(text), cursor)
        return _regex(text).scanner(cursor)
    except pattern.PatternRefused as error:
        raise Refused(Code.INVALID_PATTERN, str(error)) from None


async def _waited(
    conversation: Conversation,
    wait: Callable[[], Coroutine[None, None, Span | None]],
    **facts: bool,
) -> Span | None:
    """The wait begins here: one that is called off before leaves nothing behind."""
    try:
        return await wait()
    except Ended as ended:
        raise _refusal(conversation, ended.code, ended.message, **facts) from None


def _refusal(conversation: Conversation, code: Code, message: str, **facts: bool) -> Refused:
    size = conversation.store.spool.size
    return Refused(code, message, matched=False, resume_cursor=size, **facts)


def _timeout(conversation: Conversation) -> wire.WaitTimeout:
    return wire.WaitTimeout(resume_cursor=conversation.store.spool.size)


def _matched(
    conversation: Conversation, span: Span, extra: wire.Extra | UnsetType = UNSET
) -> wire.Matched:
    found = conversation.store.spool.read(span.start, span.end)
    return wire.Matched(
        match_text=readable(found),
        match_cursor=span.start,
        match_span=wire.MatchSpan(start=span.start, end=span.end),
        resume_cursor=span.end,
        extra=extra,
    )
