"""The prompt of `antiphon repl` on a terminal: completion, history, several lines.

Tab completes words of a wish from the verbs' phrases, and within a program what the language has
there; entities come from the server.  Enter ends a wish, and a program that is closed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.shortcuts import CompleteStyle

from antiphon.adapters.cli_exit import say, state_dir_of
from antiphon.adapters.repl_lines import Ask, is_unfinished
from antiphon.adapters.session_client import SessionClient
from antiphon.dsl.cursor import place
from antiphon.dsl.reader import read
from antiphon.dsl.source import Source
from antiphon.dsl.tokens import quoted
from antiphon.dsl.verbs import Vocabulary
from antiphon.repl.escapes import PHRASES
from antiphon.repl.pack import Pack
from antiphon.repl.phrase import SLOT, folded
from antiphon.repl.shelf import Shelf
from antiphon.repl.suggestions import bound_in, fitting, suggested, wanted_at

HISTORY_FILE = "repl_history"
ENTITIES_MAX = 20


def asker(arguments: argparse.Namespace, session: SessionClient, pack: Pack) -> Ask:
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")  # not every terminal says where it is
    state_dir = state_dir_of(arguments)
    prompt: PromptSession[str] = PromptSession(
        history=FileHistory(str(state_dir / HISTORY_FILE)),
        completer=Words(session, pack.vocabulary, Shelf(pack)),
        complete_while_typing=False,
        complete_style=CompleteStyle.MULTI_COLUMN,
        reserve_space_for_menu=4,
        key_bindings=_keys(),
        multiline=True,
        prompt_continuation="... ",
    )

    async def ask(shown: str, text: str) -> str | None:
        while True:
            try:
                return await prompt.prompt_async(shown, default=text)
            except KeyboardInterrupt:
                text = ""  # the line is dropped, as in a shell
                say("Ctrl-D leaves, and the session stays; `cancel` ends it")
            except EOFError:
                return None

    return ask


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        at_end = buffer.document.is_cursor_at_the_end
        if at_end and is_unfinished(buffer.text) and buffer.document.current_line.strip():
            buffer.newline()
        else:
            buffer.validate_and_handle()

    return keys


@dataclass
class Words(Completer):
    """What could stand where the cursor is."""

    session: SessionClient
    vocabulary: Vocabulary
    shelf: Shelf

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        raise NotImplementedError("entities are waited for")

    async def get_completions_async(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - the library's
    ) -> AsyncGenerator[Completion, None]:
        if document.text.lstrip().startswith("("):
            async for found in self._of_program(document):
                yield found
            return
        said = document.text_before_cursor.lstrip()
        for text in self._wishes(said):
            yield Completion(text, -len(said))
        async for found in self._names(said):
            yield found

    # --- programs -------------------------------------------------------------

    async def _of_program(self, document: Document) -> AsyncGenerator[Completion, None]:
        at = place(document.text, document.cursor_position)
        bound = dict(bound_in(read(Source(document.text)).program, self.vocabulary))
        bound |= {name: one.entity_type for name, one in self.session.now.bindings.items()}
        back = at.start - document.cursor_position
        written = document.text[at.start : document.cursor_position]
        known = suggested(at, self.vocabulary, self.shelf.codes, bound.items())
        for one in fitting(known, at, written):
            yield Completion(one.text, back, display=one.label, display_meta=one.detail)
        wanted = wanted_at(at, self.vocabulary)
        if wanted is None:
            return
        for kind in self._searched(wanted.entity_types):
            for match in await self.session.search(kind, wanted.words, ENTITIES_MAX):
                yield Completion(quoted(match.id), back, display=match.display)

    # --- wishes ---------------------------------------------------------------

    def _wishes(self, said: str) -> list[str]:
        """Control phrases, labels of the open question, and phrases up to their next slot."""
        now = self.session.now
        labels = [one.label for one in now.callout.options] if now.callout else []
        phrases = [
            SLOT.split(phrase)[0]
            for _, verb in sorted(self.vocabulary.verbs.items())
            for phrase in verb.phrases
        ]
        begun = folded(said)
        found = [one for one in (*labels, *PHRASES, *phrases) if one.strip()]
        return [
            one for one in dict.fromkeys(found) if folded(one).startswith(begun) and one != said
        ]

    async def _names(self, said: str) -> AsyncGenerator[Completion, None]:
        """Entities behind a phrase: «show cbu al…»."""
        for kind, words in dict.fromkeys(self._slots(said)):
            for match in await self.session.search(kind, words, ENTITIES_MAX):
                yield Completion(match.display, -len(words))

    def _slots(self, said: str) -> Iterator[tuple[str, str]]:
        for verb in self.vocabulary.verbs.values():
            for phrase in verb.phrases:
                head, *rest = SLOT.split(phrase)
                parameter = verb.parameter(rest[0]) if rest else None
                words = said[len(head) :]
                if parameter and head and words and folded(said).startswith(folded(head)):
                    yield from ((kind, words) for kind in self._searched(parameter.lookup))

    def _searched(self, kinds: Sequence[str]) -> list[str]:
        return [kind for kind in kinds if not self.shelf.codes(kind)]
