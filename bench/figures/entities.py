"""Entities found by words with slips of the finger, beside what else finds them.

One table of names in SQLite, searched as the sessions search it; the peers have the same names and
get the same words, in turns with ours.  Recall is how often the meant one is among the first ten.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from rapidfuzz import fuzz, process

from antiphon.entity.folding import folded
from antiphon.repl.pack import Pack, loaded
from antiphon.service.entities import Entities
from bench.entity_names import Names
from bench.rows import Row, Stage, duration, p50, percentile, spread
from tests.databases import postgres

P99_S_MAX = 0.020
ONE_SLIP_MIN, TWO_SLIPS_MIN = 0.98, 0.90
FIRST = 10
SEED = 20
WITH_SLIPS = ("one slip", "two slips", "other order and a slip")
RECALL_MIN = {"one slip": ONE_SLIP_MIN, "two slips": TWO_SLIPS_MIN}
PACK = {
    "units/verbs/unit.yaml": """\
unit.list:
  description: All of them.
  behavior: crud
  effect: read
  crud: {operation: select, table: units}
  returns: record_set
""",
    "units/entities.yaml": """\
unit:
  table: units
  key: {column: unit_id, type: uuid}
  display: "{name}"
  search: {default: name, keys: [name]}
""",
    "units/schema.sql": "CREATE TABLE units (unit_id TEXT PRIMARY KEY, name TEXT NOT NULL);",
}


@dataclass(frozen=True, slots=True)
class Asked:
    kind: str
    words: str
    meant: str


@dataclass(slots=True)
class Found:
    """What one of them did with the words it was asked for."""

    taken: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)  # what the processor had to do for it
    hits: list[bool] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return sum(self.hits) / len(self.hits)

    def __str__(self) -> str:
        return f"{spread(self.taken)}, recall@{FIRST} {self.recall:.3f}"


Search = Callable[[str], list[str]]  # the first ten names


def measure(stage: Stage) -> Iterator[Row]:
    count = stage.size.pick(2_000, 100_000, 1_000_000)
    each, peer_each = stage.size.pick(4, 200, 400), stage.size.pick(0, 10, 20)
    made = Names(SEED)
    names = made.distinct(count)
    asked = _asked(made, names, each)
    stage.say(f"{count:,} names")
    loop = asyncio.new_event_loop()
    try:
        entities = loop.run_until_complete(Entities.open(None, stage.folder, _pack()))
        try:
            yield _built(loop, entities, names, stage.folder)
            ours = _ours(loop, entities)
            yield from _alone(ours, asked, made.kinds(), count)
            if stage.with_peers:
                few = _few(asked, peer_each)
                yield from _beside(stage, ours, few, names)
        finally:
            loop.run_until_complete(entities.close())
    finally:
        loop.close()


def _pack() -> Pack:
    pack = loaded(PACK).pack
    assert pack is not None, "the bench's own pack loads"
    return pack


def _asked(made: Names, names: Sequence[str], each: int) -> list[Asked]:
    """Every kind of slip, mixed, so that load falls on all alike."""
    found = [
        Asked(kind, typed(name), name)
        for kind, typed in made.kinds().items()
        for name in made.dice.sample(names, each)
    ]
    made.dice.shuffle(found)
    return found


def _few(asked: Sequence[Asked], each: int) -> list[Asked]:
    by_kind: dict[str, list[Asked]] = {}
    for one in asked:
        by_kind.setdefault(one.kind, []).append(one)
    few = [one for kind in by_kind for one in by_kind[kind][:each]]
    random.Random(SEED).shuffle(few)
    return few


# --- ours -----------------------------------------------------------------------


def _built(
    loop: asyncio.AbstractEventLoop, entities: Entities, names: Sequence[str], folder: Path
) -> Row:
    rows = [(str(uuid.UUID(int=at + 1)), name) for at, name in enumerate(names)]
    with entities.database.transaction() as tx:
        tx.execute_many("INSERT INTO units (unit_id, name) VALUES (?, ?)", rows)
    started = time.perf_counter()
    loop.run_until_complete(entities.changed())
    took = time.perf_counter() - started
    index = folder / "entities.index"
    size = sum(one.stat().st_size for one in index.rglob("*") if one.is_file())
    return Row(
        f"the index of {len(names):,} made from the database",
        duration(took),
        f"{size / 1e6:.0f} MB, {size / len(names):.0f} bytes a name",
    )


def _ours(loop: asyncio.AbstractEventLoop, entities: Entities) -> Search:
    def search(words: str) -> list[str]:
        found = loop.run_until_complete(entities.search(["unit"], words, limit=FIRST))
        return [one.display for one in found.matches]

    return search


def _timed(search: Search, one: Asked, found: Found) -> None:
    started, worked = time.perf_counter(), time.process_time()
    names = search(one.words)
    found.taken.append(time.perf_counter() - started)
    found.worked.append(time.process_time() - worked)
    found.hits.append(one.meant in names)


def _alone(ours: Search, asked: Sequence[Asked], kinds: Iterable[str], count: int) -> Iterator[Row]:
    by_kind = {kind: Found() for kind in kinds}
    for one in asked:
        _timed(ours, one, by_kind[one.kind])
    typed = [taken for kind in WITH_SLIPS for taken in by_kind[kind].taken]
    worked = [taken for kind in WITH_SLIPS for taken in by_kind[kind].worked]
    worst = percentile(typed, 0.99)
    yield Row(
        f"a search of {count:,} with slips",
        spread(typed),
        f"{len(typed)} searches; of a processor's time {spread(worked)}",
        None,
        f"p99 ≤ {duration(P99_S_MAX)}",
        worst <= P99_S_MAX,
    )
    for kind, found in by_kind.items():
        least = RECALL_MIN.get(kind)
        yield Row(
            f"{kind}: recall@{FIRST}",
            f"{found.recall:.3f}",
            spread(found.taken),
            None,
            f"≥ {least}" if least else "",
            found.recall >= least if least else None,
        )


# --- beside ---------------------------------------------------------------------


def _beside(
    stage: Stage, ours: Search, few: Sequence[Asked], names: Sequence[str]
) -> Iterator[Row]:
    plain = [folded(name) for name in names]
    yield _against("rapidfuzz alone, every name", _rapidfuzz(names, plain), ours, few)
    path = stage.folder / "fts5.db"
    yield _against(
        f"SQLite FTS5 trigrams, the {GRAMS_MAX} rarest, and rapidfuzz",
        _fts5(path, names, plain), ours, few,
    )  # fmt: skip
    with postgres() as server, psycopg.connect(server.fresh(), autocommit=True) as connection:
        yield _against("PostgreSQL pg_trgm", _pg_trgm(connection, names, plain), ours, few)


def _against(name: str, theirs: Search, ours: Search, few: Sequence[Asked]) -> Row:
    mine, other = Found(), Found()
    theirs(few[0].words)
    for one in few:
        _timed(ours, one, mine)
        _timed(theirs, one, other)
    return Row(
        f"{len(few)} searches of every kind, beside {name}",
        str(mine),
        str(other),
        p50(mine.taken) / p50(other.taken),
    )


def _rapidfuzz(names: Sequence[str], plain: Sequence[str]) -> Search:
    def search(words: str) -> list[str]:
        found = process.extract(folded(words), plain, scorer=fuzz.ratio, limit=FIRST)
        return [names[at] for _, _, at in found]

    return search


GRAMS_MAX = 6
CANDIDATES = 100


def _fts5(path: Path, names: Sequence[str], plain: Sequence[str]) -> Search:
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE found USING fts5(name, tokenize='trigram')")
    connection.execute("CREATE VIRTUAL TABLE grams USING fts5vocab('found', 'row')")
    connection.executemany("INSERT INTO found (rowid, name) VALUES (?, ?)", enumerate(plain))
    connection.commit()
    counts: dict[str, int] = dict(connection.execute("SELECT term, doc FROM grams"))

    def search(words: str) -> list[str]:
        text = folded(words)
        grams = {text[at : at + 3] for at in range(len(text) - 2)} & counts.keys()
        rarest = sorted(grams, key=lambda gram: counts[gram])[:GRAMS_MAX]
        if not rarest:
            return []
        query = " OR ".join(f'"{gram}"' for gram in rarest)
        rows = connection.execute(
            "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rank LIMIT ?", (query, CANDIDATES)
        )
        places = [at for (at,) in rows]
        best = process.extract(text, [plain[at] for at in places], scorer=fuzz.ratio, limit=FIRST)
        return [names[places[at]] for _, _, at in best]

    return search


def _pg_trgm(
    connection: psycopg.Connection[tuple[object, ...]], names: Sequence[str], plain: Sequence[str]
) -> Search:
    connection.execute("CREATE EXTENSION pg_trgm")
    connection.execute("CREATE TABLE found (at integer, name text)")
    with connection.cursor().copy("COPY found FROM STDIN") as copy:
        for row in enumerate(plain):
            copy.write_row(row)
    connection.execute("CREATE INDEX ON found USING gin (name gin_trgm_ops)")
    connection.execute("ANALYZE found")
    connection.execute("SET pg_trgm.similarity_threshold = 0.35")

    def search(words: str) -> list[str]:
        text = folded(words)
        rows = connection.execute(
            "SELECT at FROM found WHERE name %% %s ORDER BY similarity(name, %s) DESC LIMIT %s",
            (text, text, FIRST),
        )
        return [names[int(str(at))] for (at,) in rows]

    return search
