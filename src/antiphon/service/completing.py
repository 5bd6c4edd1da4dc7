"""What can be written at a place of a program: the language's suggestions, and entities found.

It changes nothing and needs no session; a program may be broken anywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.dsl.cursor import place, statement_at
from antiphon.dsl.edits import comment
from antiphon.dsl.reader import read
from antiphon.dsl.source import Source
from antiphon.dsl.tokens import quoted
from antiphon.dsl.tree import Call
from antiphon.entity.scoring import Candidate
from antiphon.repl.shelf import Shelf
from antiphon.repl.suggestions import Suggestion, bound_in, fitting, suggested, wanted_at
from antiphon.service.diagnoses import span
from antiphon.service.entities import Entities
from antiphon.wire import dsl as wire
from antiphon.wire import language


class Completer:
    def __init__(self, entities: Entities) -> None:
        self._entities = entities
        self._shelf = Shelf(entities.pack)

    async def complete(self, request: wire.Complete) -> wire.Completed:
        source = _checked(request)
        vocabulary = self._entities.pack.vocabulary
        program = (await asyncio.to_thread(read, source)).program
        offset = source.offset(request.at)
        at = place(source.text, offset)
        known = suggested(at, vocabulary, self._shelf.codes, bound_in(program, vocabulary))
        items = [_item(one) for one in fitting(known, at, source.text[at.start : offset])]
        wanted = wanted_at(at, vocabulary)
        kinds = [one for one in wanted.entity_types if not self._shelf.codes(one)] if wanted else []
        if wanted and kinds:
            found = await self._entities.search(kinds, wanted.words, limit=limits.ENTITIES_MAX)
            items += _entities(source, statement_at(program, offset), found.matches)
        return wire.Completed(start=source.byte(at.start), end=source.byte(at.end), items=items)


def _checked(request: wire.Complete) -> Source:
    data = request.source.encode(errors="surrogatepass")
    if len(data) > limits.SOURCE_BYTES_MAX:
        raise Refused(
            Code.LIMIT_REACHED,
            f"the source has {len(data)} bytes; {limits.SOURCE_BYTES_MAX} are accepted",
        )
    is_within = 0 <= request.at <= len(data)
    if not is_within or (request.at < len(data) and data[request.at] & 0xC0 == 0x80):
        raise Refused(
            Code.INVALID_REQUEST,
            f"at is {request.at}; a byte from 0 to {len(data)} is accepted, "
            "at which a character begins",
        )
    return Source(request.source)


def _item(one: Suggestion) -> wire.Completion:
    return wire.Completion(
        label=one.label, kind=one.sort.value, detail=one.detail, about=one.about, text=one.text
    )


def _entities(
    source: Source, call: Call | None, found: tuple[Candidate, ...]
) -> Iterator[wire.Completion]:
    """Their ids in the words' place, and the name behind the statement where a line ends there."""
    rest = source.text[call.end :].partition("\n")[0].strip() if call else ";"
    for one in found:
        facts = ", ".join(fact for fact in one.differs.values() if fact)
        note: language.Edit | UnsetType = UNSET
        if call is not None and not rest:
            place_ = span(source.span(call.end, call.end))
            note = language.Edit(span=place_, text=comment([one.display]))
        yield wire.Completion(
            label=one.display,
            kind="entity",
            detail=f"{one.entity_type} · {facts}" if facts else one.entity_type,
            about="",
            text=quoted(one.entity_id),
            note=note,
        )
