"""`antiphon entities`: what types there are, and what is found by some words."""

from __future__ import annotations

import argparse

import msgspec

from antiphon.adapters.cli_exit import REFUSED, WELL, Fields, print_json, refused, say, with_service
from antiphon.adapters.front import outcome
from antiphon.adapters.reach import Nearest
from antiphon.base.errors import Code, Refused
from antiphon.wire import entities as e


def entities(arguments: argparse.Namespace) -> int:
    """Without a type the types, without words what there is of one."""
    name, asked = _asked(arguments)

    async def use(service: Nearest) -> int:
        reply = await service.answer(name, asked)
        if outcome(reply) != "ok":
            return refused(reply, as_json=arguments.json)
        if arguments.json:
            print_json(reply)
            return WELL
        answer = msgspec.to_builtins(reply)
        if name == "entities.types":
            for one in msgspec.convert(answer, e.TypeNames).entity_types:
                print(one)
            return WELL
        return _shown(msgspec.convert(answer, e.Found), arguments.offset)

    return with_service(arguments, use)


def _asked(arguments: argparse.Namespace) -> tuple[str, Fields]:
    if arguments.entity_type is None:
        return "entities.types", {}
    return "entities.search", {
        "entity_type": arguments.entity_type,
        "query": " ".join(arguments.words),
        "search_key": arguments.key,
        "filters": _pairs(arguments.filters),
        "discriminators": _pairs(arguments.known),
        "offset": arguments.offset,
        "limit": arguments.limit,
    }


def _pairs(given: list[str]) -> dict[str, str]:
    pairs = dict[str, str]()
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise Refused(Code.INVALID_REQUEST, f"{one!r} is no NAME=VALUE")
        pairs[name] = value
    return pairs


def _shown(found: e.Found, offset: int) -> int:
    matches = found.matches
    if not matches and found.fallback_matches is not msgspec.UNSET and found.fallback_matches:
        say("nothing has these values; without them there is:")
        matches = found.fallback_matches
    for one in matches:
        facts = ", ".join(f"{name}: {value}" for name, value in one.differs.items())
        print(f"{one.score:3}\t{one.id}\t{one.display}\t{facts}".rstrip("\t"))
    if not matches:
        say("nothing is found")
        return REFUSED
    if found.total > offset + len(found.matches) and found.matches:
        say(f"{offset + 1} to {offset + len(found.matches)} of {found.total}; --offset goes on")
    return WELL
