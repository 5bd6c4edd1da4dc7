"""`antiphon lsp`: a language server for programs, over stdin and stdout.

A text is compiled in a thread after each change, the newest version only; what was found is told
with the version it belongs to.  Nothing but the protocol goes to stdout, whoever prints.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import os
import sys
from collections.abc import Generator
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from antiphon.adapters import lsp_answers as a
from antiphon.adapters import settings
from antiphon.adapters.cli_exit import WELL, state_dir_of
from antiphon.adapters.lsp_document import Text
from antiphon.adapters.lsp_world import Surroundings
from antiphon.drivers import packs
from antiphon.dsl.cursor import place, statement_at
from antiphon.dsl.reader import read
from antiphon.dsl.source import Source
from antiphon.dsl.stages import Compilation
from antiphon.repl.suggestions import bound_in, fitting, suggested, wanted_at

TRIGGERS = ["(", ":", "@", '"', "."]
ENTITIES_MAX = 20  # of one list; more is written to find one
SHOWN_MAX = 5  # of what words may mean, under the pointer


@dataclass(slots=True)
class Document:
    """A text that an editor has open, and what was last found in it."""

    text: Text
    found: tuple[Text, Compilation] | None = None
    is_stale: bool = True  # something has changed since the compiler began
    is_told: asyncio.Event = field(default_factory=asyncio.Event)  # what the text compiles to
    task: asyncio.Task[None] | None = None


class Protocol(LanguageServerProtocol):
    """Texts are ours to keep: lines end elsewhere for Python than for the protocol."""

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(
        self, params: lsp.DidOpenTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: lsp.DidChangeTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(
        self, params: lsp.DidCloseTextDocumentParams
    ) -> Generator[Any, Any, None]:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class Server(LanguageServer):
    def __init__(self, world: Surroundings) -> None:
        super().__init__("antiphon", version("antiphon"), protocol_cls=Protocol)
        self.world = world
        self.documents: dict[str, Document] = {}

    @property
    def encoding(self) -> lsp.PositionEncodingKind:
        return lsp.PositionEncodingKind(self.server_capabilities.position_encoding)

    # --- texts ----------------------------------------------------------------

    def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        given = params.text_document
        self._end(given.uri)
        document = Document(Text(Source(given.text), given.version, self.encoding))
        self.documents[given.uri] = document
        self.compile(given.uri, document)

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        uri, version = params.text_document.uri, params.text_document.version
        document = self.documents.get(uri)
        if document is not None:
            for change in params.content_changes:
                document.text = document.text.changed(change, version)
            self.compile(uri, document)

    def saved(self, params: lsp.DidSaveTextDocumentParams) -> None:
        """What is in the database may have changed since it was looked at."""
        for uri, document in self.documents.items():
            if uri == params.text_document.uri:
                self.compile(uri, document)

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._end(uri)
        self.tell(uri, [], None)

    def _end(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is not None:
            document.found = None
            document.is_told.set()  # nobody waits for it any longer
            if document.task is not None:
                document.task.cancel()

    def compile(self, uri: str, document: Document) -> None:
        document.is_stale = True
        document.is_told.clear()
        if document.task is None:
            document.task = asyncio.get_running_loop().create_task(self._compile(uri, document))

    async def _compile(self, uri: str, document: Document) -> None:
        """Until what was compiled is the newest version; the others are told to nobody."""
        try:
            while document.is_stale:
                document.is_stale = False
                text = document.text
                if text.is_too_large:
                    document.found = None
                    self.tell(uri, [a.too_large(text)], text.version)
                    continue
                found = await self.world.compiled(text.text)
                if not document.is_stale:
                    document.found = text, found
                    self.tell(uri, a.diagnostics(text, uri, found), text.version)
        finally:
            document.task = None
            document.is_told.set()

    def tell(self, uri: str, found: list[lsp.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    async def fresh(self, uri: str) -> tuple[Text, Compilation] | None:
        """A text and what it compiles to, once that is known."""
        document = self.documents.get(uri)
        if document is None:
            return None
        await document.is_told.wait()
        return document.found

    # --- what editors ask -----------------------------------------------------

    async def completion(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        document = self.documents.get(params.text_document.uri)
        if document is None:
            return lsp.CompletionList(is_incomplete=False, items=[])
        text, vocabulary = document.text, self.world.vocabulary
        offset = text.offset(params.position)
        at = place(text.text, offset)
        # Reading is linear and quick; the compiler may be behind by a keystroke.
        program = read(text.source).program
        symbols = bound_in(program, vocabulary)
        known = suggested(at, vocabulary, self.world.codes, symbols)
        suggestions = fitting(known, at, text.text[at.start : offset])
        if not at.is_text:  # the editor sifts the rest
            offered = {one.label for one in suggestions}
            suggestions += [one for one in known if one.label not in offered]
        found = a.items(text, at, suggestions, has_snippets=self._has_snippets)
        wanted = wanted_at(at, vocabulary)
        if wanted is None:
            # What is near depends on all that is written: another letter, another list.
            return lsp.CompletionList(is_incomplete=offset > at.start, items=found)
        entities = await self.world.search(wanted.entity_types, wanted.words, ENTITIES_MAX)
        found += a.entity_items(text, at, statement_at(program, offset), entities)
        return lsp.CompletionList(is_incomplete=True, items=found)

    @property
    def _has_snippets(self) -> bool:
        told = self.client_capabilities.text_document
        item = told.completion.completion_item if told and told.completion else None
        return bool(item and item.snippet_support)

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        document = self.documents.get(params.text_document.uri)
        if document is None:
            return None
        text = document.text
        offset = text.offset(params.position)
        found = a.hover(text, self.world.vocabulary, offset) or await self._named(text, offset)
        if found is None:
            return None
        said, start, end = found
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, said)
        return lsp.Hover(content, text.range(start, end))

    async def _named(self, text: Text, offset: int) -> tuple[str, int, int] | None:
        """What an id or a code stands for, or what the words may mean."""
        at = place(text.text, offset)
        wanted = wanted_at(at, self.world.vocabulary)
        if wanted is None or not at.is_text:
            return None
        words = a.value_of(text, at)
        known = await self.world.known(wanted.entity_types, words)
        found = await self.world.search(wanted.entity_types, words, SHOWN_MAX) if not known else []
        said = a.entity_told(*known) if known else a.candidates_told(found)
        return (said, at.start, at.end) if said else None

    async def actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        known = await self.fresh(uri)
        if known is None:
            return []
        text, compiled = known
        found = list(a.actions(text, uri, compiled, params.range))
        for ref in a.references_at(text, compiled, params.range):
            entities = await self.world.search(ref.entity_types, ref.search_value, ENTITIES_MAX)
            found += a.resolutions(text, uri, compiled, ref, entities)
        return found

    def formatting(self, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        document = self.documents.get(params.text_document.uri)
        return a.formatted(document.text) if document else []

    async def outline(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        known = await self.fresh(params.text_document.uri)
        return a.symbols(*known) if known else []


def served(world: Surroundings) -> Server:
    """The server with all that it answers to."""
    server = Server(world)
    completion = lsp.CompletionOptions(trigger_characters=TRIGGERS)
    fixes = lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix])
    for name, answer, options in (
        (lsp.TEXT_DOCUMENT_DID_OPEN, server.opened, None),
        (lsp.TEXT_DOCUMENT_DID_CHANGE, server.changed, None),
        (lsp.TEXT_DOCUMENT_DID_CLOSE, server.closed, None),
        (lsp.TEXT_DOCUMENT_DID_SAVE, server.saved, lsp.SaveOptions(include_text=False)),
        (lsp.TEXT_DOCUMENT_COMPLETION, server.completion, completion),
        (lsp.TEXT_DOCUMENT_HOVER, server.hover, None),
        (lsp.TEXT_DOCUMENT_CODE_ACTION, server.actions, fixes),
        (lsp.TEXT_DOCUMENT_FORMATTING, server.formatting, None),
        (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, server.outline, None),
    ):
        # pygls writes on what it is given, and a method cannot be written on.
        server.feature(name, options)(functools.partial(answer))
    return server


def serve(arguments: argparse.Namespace) -> int:
    """Until the editor says exit, or closes our input."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes to stderr, and the editor's log
    sys.stdout = sys.stderr
    state_dir = state_dir_of(arguments)
    in_force = settings.read(state_dir, os.environ, {})
    pack = packs.opened(arguments.packs or in_force.packs)
    served(Surroundings(pack, in_force, state_dir)).start_io(sys.stdin.buffer, out)
    return WELL
