"""What every match of a pattern must contain, for skipping the bytes where no match can be.

A needle is a run of characters, or of ASCII letters in either case.  While no match is in
progress and no needle is in sight, none can begin further from the needle than the part of the
pattern before it is long: so many bytes, or one line when that part cannot match a newline.  All
before that place need not be looked at by the automaton.  A pattern without a needle is scanned
in full, and finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from antiphon.terminal.pattern_alphabet import LEADS, SURROGATES
from antiphon.terminal.pattern_classes import NEWLINE, CharSet
from antiphon.terminal.pattern_tree import Choice, Look, Node, One, Repeat, Sequence

REACH_BYTES_MAX = 256  # before a needle: more would be scanned at each one than skipped
CONTINUATIONS_MAX = 3  # bytes of a character after its first
RUN_UNITS_MAX = 32  # of a needle: enough to be rare
RARE_COUNT = 6  # bytes of a needle, tested for before it is sought
CHOICE_COUNT_MAX = 8  # needles sought together: each costs 1 us in 4 KiB
# After the last place a match cannot begin before; they wait for a needle, and then are scanned.
CARRIED_BYTES_MAX = 256
BLOCK_BYTES = 4096  # sought in at once, so that one needle far ahead does not hide one near
# From the most frequent byte of terminals to the least, roughly; those not here are rarer.
FREQUENT = b" etaoinsrhldcumfpgwyb\n01v2k3456789.-/x:_,j=q\rz[]m;\"'()"

Find = Callable[[bytes, int], int]  # where the first from here on begins, or -1


@dataclass(frozen=True, slots=True)
class Needle:
    find: Find
    bytes_max: int
    reach_bytes: int | None  # None: to the begin of the line
    runs: tuple[bytes, ...]  # any of them is in every match
    ignores_case: bool  # of ASCII; the runs are in lower case
    tests: tuple[tuple[bytes, bytes], ...]  # each run, and bytes without which it is not there
    kept_bytes: int | None  # at the end of bytes without a needle, a match can begin in so many

    def kept(self, carried: bytes, data: bytes) -> tuple[bytes, int | None] | None:
        """Where no needle is in `carried` and `data`: what a match to come can begin in.

        And the byte before that, unless it is all there is.  None where it takes a closer look.
        """
        size = self.kept_bytes
        if size is None:
            return None
        seen, before = data, carried
        if self.ignores_case:
            seen, before = _lowered(data), carried.lower()
        for run, rares in self.tests:
            for rare in rares:
                if rare not in seen and rare not in before:
                    break
            else:
                if run in seen or run in before + seen[: self.bytes_max - 1]:
                    return None
        whole = data if len(data) > size + CONTINUATIONS_MAX else carried + data
        begin = len(whole) - size
        if begin <= 0:
            return whole, None
        if whole[begin - 1] >= 0x80:
            begin = _between_units(whole, 0, begin)
        return (whole[begin:], whole[begin - 1]) if begin else (whole, None)

    def next_begin(self, data: bytes, at: int) -> tuple[int, int]:
        """Where the scan must go on, and where the next needle is, len(data) if there is none.

        No match begins between `at`, a place between units, and the first of the two.
        """
        place = found = self.find(data, at)
        if found < 0:
            # The beginning of one may be there, and is not seen yet.
            place, found = len(data), max(at, len(data) - self.bytes_max + 1)
        if self.reach_bytes is None:
            begin = data.rfind(b"\n", at, found) + 1
        else:
            begin = found - self.reach_bytes
        return _between_units(data, at, max(at, begin)), place

    def piece_end(self, data: bytes, end: int) -> int:
        """The place, not before `end`, where the scan is best asked whether it is idle."""
        if self.reach_bytes is None:  # `.*x` is idle after a newline only
            return data.find(b"\n", end - 1) + 1 or len(data)
        for place in range(end, min(end + 3, len(data))):
            if not 0x80 <= data[place] < 0xC0:
                return place
        return end


def rarest(data: bytes) -> int:
    """The byte that, if missing, tells soonest that the whole is missing."""
    return max(data, key=_rarity)


def rarest_few(data: bytes) -> bytes:
    """Bytes of which one is missing in most texts that do not have the whole."""
    return bytes(sorted(set(data), key=_rarity, reverse=True)[:RARE_COUNT])


def _rarity(byte: int) -> int:
    return FREQUENT.find(byte) % 256


def needle_of(tree: Node) -> Needle | None:
    best = max(_candidates(tree), key=lambda run: run.weight, default=None)
    if best is None:
        return None
    runs = tuple(run.encode() for run in best.runs)
    bytes_max = max(map(len, runs))
    is_close = best.reach_bytes is not None and best.reach_bytes <= REACH_BYTES_MAX
    reach = best.reach_bytes if is_close else None
    find = _find(runs, best.ignores_case)
    tests = tuple((run, rarest_few(run)) for run in runs)
    kept = None if reach is None else bytes_max - 1 + reach
    if kept is not None and kept + CONTINUATIONS_MAX > CARRIED_BYTES_MAX:
        kept = None
    return Needle(find, bytes_max, reach, runs, best.ignores_case, tests, kept)


@dataclass(frozen=True, slots=True)
class _Candidate:
    runs: tuple[str, ...]  # any of them
    ignores_case: bool
    reach_bytes: int | None  # of what stands before it, at most; None: without a bound
    is_in_line: bool  # what stands before it matches no newline

    @property
    def weight(self) -> float:
        """Long is rare, and to ignore case takes twice the time."""
        length = min(map(len, self.runs)) * (1.0 if self.ignores_case else 1.5)
        return length + min(_rarity(rarest(run.encode())) for run in self.runs) / 256

    @property
    def is_near(self) -> bool:
        is_close = self.reach_bytes is not None and self.reach_bytes <= REACH_BYTES_MAX
        return self.is_in_line or is_close


def _candidates(tree: Node) -> Iterator[_Candidate]:
    if isinstance(tree, Choice):
        yield from _shared(tree.branches)
        return
    reach: int | None = 0
    is_in_line = True
    items = list(_items(tree))
    for index, item in enumerate(items):
        for ignores_case in (False, True):
            run = _run(items, index, ignores_case)
            candidate = _Candidate((run,), ignores_case, reach, is_in_line)
            if run and candidate.is_near:
                yield candidate
        size = _bytes_max(item)
        reach = None if reach is None or size is None else reach + size
        is_in_line = is_in_line and not _has_newline(item)


def _shared(branches: tuple[Node, ...]) -> Iterator[_Candidate]:
    """One candidate for a choice: any of the best of its branches, if each has one."""
    if len(branches) > CHOICE_COUNT_MAX:
        return
    bests = [
        max(_candidates(branch), key=lambda run: run.weight, default=None) for branch in branches
    ]
    found = [best for best in bests if best is not None]
    runs = tuple(run for best in found for run in best.runs)
    if len(found) < len(bests) or len(runs) > CHOICE_COUNT_MAX:
        return
    sizes = [best.reach_bytes for best in found if best.reach_bytes is not None]
    reach = max(sizes) if len(sizes) == len(found) else None
    ignores_case = any(best.ignores_case for best in found)
    if ignores_case:
        runs = tuple(_ascii_lower(run) for run in runs)
    is_in_line = all(best.is_in_line for best in found)
    candidate = _Candidate(runs, ignores_case, reach, is_in_line)
    if candidate.is_near:
        yield candidate


def _items(node: Node) -> Iterator[Node]:
    """The tree as what must come one after the other; what is optional stays one item."""
    match node:
        case Sequence(parts):
            for part in parts:
                yield from _items(part)
        case Repeat(body, count_min, count_max) if count_min > 0:
            known = min(count_min, RUN_UNITS_MAX) if isinstance(body, One) else 1
            for _ in range(known):
                yield from _items(body)
            rest = None if count_max is None else count_max - known
            yield Repeat(body, 0, rest)
        case Look():
            return
        case _:
            yield node


def _run(items: list[Node], begin: int, ignores_case: bool) -> str:
    run = ""
    for item in items[begin : begin + RUN_UNITS_MAX]:
        if isinstance(item, Repeat) and item.count_max == 0:
            continue
        character = _character(item, ignores_case)
        if character is None:
            break
        run += character
    return run


def _character(node: Node, ignores_case: bool) -> str | None:
    """The only character that the node matches, in lower case where case is ignored."""
    if not isinstance(node, One) or node.of.has_stray_bytes:
        return None
    match node.of.ranges:
        case ((low, high),) if low == high and not SURROGATES[0] <= low <= SURROGATES[1]:
            return _ascii_lower(chr(low)) if ignores_case else chr(low)
        case ((upper, first), (lower, last)) if upper == first and lower == last == upper + 32:
            # With (?i) the k and s have other cases beyond ASCII, and do not come here.
            return chr(lower) if ignores_case and chr(upper).isupper() and upper < 0x80 else None
        case _:
            return None


def _ascii_lower(text: str) -> str:
    return text.encode().lower().decode()


def _has_newline(node: Node) -> bool:
    match node:
        case One(chars):
            point = NEWLINE.ranges[0][0]
            return any(low <= point <= high for low, high in chars.ranges)
        case Look():
            return False
        case Sequence(parts) | Choice(parts):
            return any(_has_newline(part) for part in parts)
        case Repeat(body, _, _):
            return _has_newline(body)


def _bytes_max(node: Node) -> int | None:
    match node:
        case One(chars):
            return _unit_bytes_max(chars)
        case Look():
            return 0
        case Sequence(parts) | Choice(parts):
            sizes = [_bytes_max(part) for part in parts]
            known = [size for size in sizes if size is not None]
            if len(known) < len(sizes):
                return None
            return sum(known) if isinstance(node, Sequence) else max(known)
        case Repeat(body, _, count_max):
            size = _bytes_max(body)
            return None if size is None or count_max is None else size * count_max


def _unit_bytes_max(chars: CharSet) -> int:
    highest = chars.ranges[-1][1] if chars.ranges else 0
    return 1 if highest < 0x80 else 2 if highest < 0x800 else 3 if highest < 0x10000 else 4


def _find(runs: tuple[bytes, ...], ignores_case: bool) -> Find:
    if len(runs) == 1 and not ignores_case:
        return _find_one(runs[0])
    overlap = max(map(len, runs)) - 1
    # A test for one byte is ten times as fast as to lower a block or to seek in it.
    rares = bytes(rarest(run) for run in runs)
    rares += rares.upper() if ignores_case else b""

    def find(data: bytes, at: int) -> int:
        for begin in range(at, len(data), BLOCK_BYTES):
            block = data[begin : begin + BLOCK_BYTES + overlap]
            for rare in rares:
                if rare in block:
                    break
            else:
                continue
            if ignores_case:
                block = block.lower()
            places = [place for run in runs if (place := block.find(run)) >= 0]
            if places:
                return begin + min(places)
        return -1

    return find


@lru_cache(maxsize=1)
def _lowered(data: bytes) -> bytes:
    """Many who wait are given the same bytes one after the other."""
    return data.lower()


def _find_one(run: bytes) -> Find:
    rare = bytes([rarest(run)])

    def find(data: bytes, at: int) -> int:
        return -1 if data.find(rare, at) < 0 else data.find(run, at)

    return find


def _between_units(data: bytes, at: int, begin: int) -> int:
    """The place itself, or where the character that could hold it begins."""
    for back in range(1, min(3, begin - at) + 1):
        byte = data[begin - back]
        if byte < 0x80:
            break
        if byte in LEADS and LEADS[byte][1] >= back:
            return begin - back
    return begin
