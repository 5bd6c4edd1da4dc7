"""The index beside the database: it finds what resembles some words, and decides nothing.

Names are indexed by their parts of three letters, so that a slip of the finger spoils few of
them; whole names, their beginnings and exact facts have terms of their own.  The database holds
the truth: this index is made from it, follows it, and may be thrown away at any time.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, cast

import msgspec
import tantivy

from antiphon.entity.folding import folded
from antiphon.entity.types import EntityType

FORMAT = "3"  # of what is written here; another one is made anew
GRAM_CHARS = 3
BEGINNINGS_MAX = 50  # names that begin with the words
HEAP_BYTES = 64 << 20
HEAP_BYTES_SMALL = 15 << 20  # the least that the library takes
TERMS_MAX = 16  # parts of one query that are looked for; fewer lose names with two slips
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")  # it is known by its year too
SORT_BYTES = 7  # of a folded name, as a number to sort by

Query = tantivy.Query
SHOULD, MUST = tantivy.Occur.Should, tantivy.Occur.Must


class Counted(Protocol):
    """A result as the library makes it; its declarations leave the count out."""

    count: int


class Damaged(Exception):
    """The files are not what this module wrote; they can be made again."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """An entity as the index keeps it: enough to compare and to show."""

    entity_type: str
    entity_id: str
    display: str
    facts: dict[str, str]  # by column: search keys and discriminators


@dataclass(frozen=True, slots=True)
class Change:
    """An entity that is another one now, or gone."""

    entity_type: str
    entity_id: str
    entry: Entry | None


class EntityIndex:
    def __init__(self, folder: Path | None, types: Mapping[str, EntityType]) -> None:
        self.folder = folder
        self.types = types
        self._fields = {name: f"t{number}" for number, name in enumerate(sorted(types))}
        self._schema = _schema(types, self._fields)
        self._index = self._opened()

    # --- files -----------------------------------------------------------------

    @cached_property
    def digest(self) -> str:
        """A name for what is indexed and how: another one needs another index."""
        told = [
            FORMAT,
            version("tantivy"),
            *(repr(self.types[name]) for name in sorted(self.types)),
        ]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()

    def position(self) -> str | None:
        """Up to where in the database's changes this index is true."""
        try:
            text = self._position_file.read_text() if self._position_file else ""
        except FileNotFoundError:
            return None
        digest, _, position = text.strip().partition(" ")
        return position if digest == self.digest else None

    @property
    def _position_file(self) -> Path | None:
        return None if self.folder is None else self.folder / "position"

    def _opened(self) -> tantivy.Index:
        if self.folder is not None:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            index = tantivy.Index(self._schema, None if self.folder is None else str(self.folder))
            index.register_tokenizer("parts", _parts())
            index.reload()
        except (ValueError, OSError) as error:
            raise Damaged(str(error)) from error
        return index

    def forget(self) -> None:
        """Everything, files too: what they hold is of no use any more."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._index = self._opened()

    @property
    def count(self) -> int:
        return self._index.searcher().num_docs

    # --- writing ---------------------------------------------------------------

    def rebuild(self, entries: Iterable[Entry], position: str) -> None:
        self.forget()
        self._written(lambda writer: self._add_all(writer, entries), position, HEAP_BYTES)

    def update(self, changes: Sequence[Change], position: str) -> None:
        def write(writer: tantivy.IndexWriter) -> None:
            for change in changes:
                key = _key(change.entity_type, change.entity_id)
                writer.delete_documents_by_term("key", key)
            self._add_all(writer, (one.entry for one in changes if one.entry is not None))

        self._written(write, position, HEAP_BYTES_SMALL)

    def _written(
        self, write: Callable[[tantivy.IndexWriter], None], position: str, heap_bytes: int
    ) -> None:
        try:
            # A writer holds the folder's lock, and lives no longer than this.
            writer = self._index.writer(heap_bytes, 1)
            try:
                write(writer)
                writer.commit()
            except BaseException:
                writer.rollback()  # what is left is not worth its writing
                raise
            finally:
                writer.wait_merging_threads()
            self._index.reload()
        except (ValueError, OSError) as error:
            raise Damaged(str(error)) from error
        if self._position_file is not None:
            # Behind the commit: what is applied twice is applied once.
            self._position_file.write_text(f"{self.digest} {position}\n")

    def _add_all(self, writer: tantivy.IndexWriter, entries: Iterable[Entry]) -> None:
        for entry in entries:
            field = self._fields[entry.entity_type]
            document = tantivy.Document()
            document.add_text("key", _key(entry.entity_type, entry.entity_id))
            document.add_text("kind", entry.entity_type)
            document.add_bytes("body", msgspec.json.encode(entry))
            document.add_unsigned("order", _order(entry.display))
            type_ = self.types[entry.entity_type]
            for column in places(type_):
                place = _place(field, type_, column)
                for name in filter(None, map(folded, names_of(type_, entry, column))):
                    document.add_text(f"{place}_parts", _padded(name))
                    document.add_text(f"{place}_whole", name)
            for column, value in entry.facts.items():
                document.add_text("facts", _fact(entry.entity_type, column, value))
                if DATE.match(value):
                    document.add_text("facts", _fact(entry.entity_type, column, value[:4]))
            writer.add_document(document)

    # --- reading ---------------------------------------------------------------

    def alike(
        self,
        entity_type: str,
        words: str,
        *,
        key: str = "",
        facts: Mapping[str, Sequence[str]] | None = None,
        limit: int,
    ) -> list[Entry]:
        """Entities whose name, or whose key, resembles the words; the likeliest first.

        `facts` are values that each must have, one of those given for its column.
        """
        name = folded(words)
        if not name:
            return []
        type_ = self.types[entity_type]
        place = _place(self._fields[entity_type], type_, key)
        searcher = self._searcher()
        try:
            beginnings = [
                term
                for term, _ in searcher.terms_with_prefix(
                    f"{place}_whole", name, limit=BEGINNINGS_MAX
                )
            ]
            whole = Query.term_set_query(self._schema, f"{place}_whole", [name, *beginnings])
            parts = Query.boolean_query(
                [
                    (SHOULD, Query.term_query(self._schema, f"{place}_parts", gram, "freq"))
                    for gram in _rarest(searcher, f"{place}_parts", _grams(name))
                ]
            )
            must = self._facts(entity_type, facts or {})
            found: dict[str, Entry] = {}
            for query in (whole, parts):
                for entry in self._entries(searcher, _all_of(query, must), limit):
                    found.setdefault(entry.entity_id, entry)
            return list(found.values())
        except ValueError as error:
            raise Damaged(str(error)) from error

    def listed(
        self,
        entity_types: Sequence[str],
        facts: Mapping[str, Sequence[str]] | None = None,
        *,
        limit: int,
    ) -> tuple[list[Entry], int]:
        """Entities by the beginning of their names, and how many there are."""
        searcher = self._searcher()
        kinds = [
            (
                SHOULD,
                _all_of(
                    Query.term_query(self._schema, "kind", one, "basic"),
                    self._facts(one, facts or {}),
                ),
            )
            for one in entity_types
        ]
        try:
            query = Query.boolean_query(kinds)
            result = searcher.search(
                query, limit, count=True, order_by_field="order", order=tantivy.Order.Asc
            )
            count = cast(Counted, result).count
            return [_entry(searcher, address) for _, address in result.hits], count
        except ValueError as error:
            raise Damaged(str(error)) from error

    def _facts(self, entity_type: str, facts: Mapping[str, Sequence[str]]) -> list[tantivy.Query]:
        return [
            Query.term_set_query(
                self._schema, "facts", [_fact(entity_type, column, value) for value in values]
            )
            for column, values in facts.items()
        ]

    def _searcher(self) -> tantivy.Searcher:
        return self._index.searcher()

    def _entries(self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> list[Entry]:
        hits = searcher.search(query, limit, count=False).hits
        return [_entry(searcher, address) for _, address in hits]


def places(type_: EntityType) -> tuple[str, ...]:
    """The search keys; and what is shown, as "", where it is not one of them."""
    shown = () if type_.display in {f"{{{key}}}" for key in type_.search_keys} else ("",)
    return (*shown, *type_.search_keys)


def names_of(type_: EntityType, entry: Entry, column: str) -> list[str]:
    """What words are compared with: a search key, or what is shown; a name has others too."""
    name = entry.facts.get(column, "") if column else entry.display
    is_name = column == type_.search_default
    return [name, *(type_.other_names(entry.facts) if is_name else ())]


def _schema(types: Mapping[str, EntityType], fields: Mapping[str, str]) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("key", "kind", "facts"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("body", stored=True)
    builder.add_unsigned_field("order", fast=True)
    for name, field in fields.items():
        for column in places(types[name]):
            place = _place(field, types[name], column)
            builder.add_text_field(f"{place}_parts", tokenizer_name="parts", index_option="freq")
            builder.add_text_field(f"{place}_whole", tokenizer_name="raw", index_option="basic")
    return builder.build()


def _parts() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(GRAM_CHARS, GRAM_CHARS)).build()


def _place(field: str, type_: EntityType, column: str) -> str:
    """The fields of a search key by its number: a column's name may be any text."""
    number = type_.search_keys.index(column) + 1 if column else 0
    return f"{field}k{number}"


def _key(entity_type: str, entity_id: str) -> str:
    return f"{entity_type}\x1f{entity_id}"


def _fact(entity_type: str, column: str, value: str) -> str:
    return f"{entity_type}\x1f{column}\x1f{folded(value)}"


def _padded(name: str) -> str:
    """Two blanks before each word and one after: beginnings count more than what is within."""
    return "  " + name.replace(" ", "  ") + " "


def _grams(name: str) -> list[str]:
    text = _padded(name)
    return list(dict.fromkeys(text[at : at + GRAM_CHARS] for at in range(len(text) - 2)))


def _rarest(searcher: tantivy.Searcher, field: str, grams: list[str]) -> list[str]:
    """Of many parts the rarest tell most and cost least; those of no name tell nothing."""
    counts = {gram: searcher.doc_freq(field, gram) for gram in grams}
    known = [gram for gram, count in counts.items() if count]
    return sorted(known, key=counts.__getitem__)[:TERMS_MAX]


def _order(display: str) -> int:
    return int.from_bytes(folded(display).encode()[:SORT_BYTES].ljust(SORT_BYTES, b"\0"), "big")


def _all_of(query: tantivy.Query, must: Sequence[tantivy.Query]) -> tantivy.Query:
    if not must:
        return query
    return Query.boolean_query([(MUST, query), *((MUST, one) for one in must)])


def _entry(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> Entry:
    body = searcher.doc(address).get_first("body")
    if not isinstance(body, bytes | list):
        raise Damaged("a document has no body")
    return msgspec.json.decode(bytes(body), type=Entry)
