"""Ending what runs: asked with Ctrl-C, and, if the client insists, made to [7.1, d8]."""

from __future__ import annotations

import signal

from msgspec import UNSET

from antiphon.base import ids
from antiphon.base.errors import Code, Refused
from antiphon.drivers import processes
from antiphon.service.conversation import Conversation
from antiphon.service.keyboard import INTERRUPT
from antiphon.service.room import Room
from antiphon.terminal.facts import Block, EndGivenUp, EndRequested, InterruptSent
from antiphon.wire import terminal as wire

# How long a program that was told to go may take, at each step.
PATIENCE_S = 0.5
# How often it is looked whether the shell has started the program that a Ctrl-C was meant for.
BETWEEN_S = 0.05


async def end_session(room: Room, request: wire.EndSession) -> wire.EndSessionAnswer:
    conversation = room.conversation
    room.call_off()
    async with conversation.lock:
        await conversation.settled()
        active = _active(conversation, request)
        ended = await _end(room, active, request)
    return wire.EndSessionAnswer(
        mode=conversation.mode_on_the_wire(),
        block_id=active.block_id,
        exit_code=ended.exit_code,
    )


def _active(conversation: Conversation, request: wire.EndSession) -> Block:
    active = conversation.terminal.active
    if active is None:
        raise Refused(Code.NOT_INTERACTIVE, "nothing runs here: the terminal is idle", mode="idle")
    session_id = ids.session(active.block_id)
    if request.session_id not in (UNSET, session_id, active.block_id):
        raise Refused(
            Code.SESSION_MISMATCH,
            f"the session is {session_id}, not {request.session_id!r:.80}",
            active_block_id=active.block_id,
        )
    return active


async def _end(room: Room, active: Block, request: wire.EndSession) -> Block:
    conversation = room.conversation
    conversation.tell(InterruptSent())
    conversation.tell(EndRequested())
    ended = await _interrupted(conversation, active, request.grace_ms / 1000)
    if ended is not None:
        return ended
    if not request.force:
        conversation.tell(EndGivenUp())
        raise Refused(
            Code.TIMEOUT,
            f"it goes on, {request.grace_ms} ms after Ctrl-C; force:true kills it",
            mode=conversation.mode_on_the_wire(),
            resume_cursor=conversation.store.spool.size,
        )
    return await _kill(room, active)


async def _interrupted(conversation: Conversation, active: Block, grace_s: float) -> Block | None:
    """Ctrl-C, and the block if it ended by it.

    One that comes while the shell is between two programs is lost: a copy of the shell takes it
    and becomes the next program all the same [one in eight, with `echo; sleep`].  That program
    gets its own.
    """
    link = conversation.link
    if link is None:
        return await conversation.end_of(active, grace_s)
    is_between = link.is_between_programs()
    link.write(INTERRUPT)
    while is_between and grace_s > 0:
        ended = await conversation.end_of(active, min(grace_s, BETWEEN_S))
        if ended is not None:
            return ended
        grace_s -= BETWEEN_S
        if conversation.link is not link:
            break
        if not link.is_between_programs():
            link.write(INTERRUPT)
            break
    return await conversation.end_of(active, max(0.0, grace_s))


async def _kill(room: Room, active: Block) -> Block:
    conversation = room.conversation
    room.keyboard.drop()
    for number in (signal.SIGTERM, signal.SIGKILL):
        link = conversation.link
        if link is None:
            break
        group = link.foreground()
        if group and group != link.shell_pid:
            processes.send_group(group, number)
            ended = await conversation.end_of(active, PATIENCE_S)
            if ended is not None:
                return ended
    await room.lifecycle.end(reset_reason="a client ended what would not end by itself")
    ended = await conversation.end_of(active, PATIENCE_S)
    assert ended is not None, "a shell that is gone has ended its block"
    return ended
