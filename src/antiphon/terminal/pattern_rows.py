"""The table that scans: one row of 256 next rows for each state of the scan met so far.

A state of the scan is what the program can be in after the units read, the kind of the last of
them, and the node of the character that is not whole yet.  A row is filled where the input goes,
each hole once, so a byte costs one list access.  A state is *idle* when no match is in progress
in it; a match found later then begins here or after.  The rows are shared by all scans of a
pattern, thrown away together when they are too many, and rebuilt from the state at hand.  Where the
input meets new states all the time, it is walked for a while without rows.
"""

from __future__ import annotations

from operator import length_hint
from typing import NamedTuple

from antiphon.terminal.pattern_alphabet import INVALID, ROOT
from antiphon.terminal.pattern_program import EDGE, KINDS, OTHER, Program

ROW_COUNT_MAX = 1_000  # rows of 2 KiB for each pattern
# A table that was full after so few bytes is not worth its building: the next ones are walked.
TABLE_BYTES_MIN = 16_384
WALK_BYTES = 131_072

Row = list["Row | Stop"]


class Halted(Exception):
    """The next row is none."""


class Stop:
    """Stands in a row where no row is; to go on from here raises."""

    __slots__ = ()

    def __getitem__(self, byte: int) -> Row | Stop:
        raise Halted


class Hole(Stop):
    """What follows the state by this byte is not known yet."""

    __slots__ = ("state",)

    def __init__(self, state: State) -> None:
        self.state = state


class Found(Stop):
    """A match has ended: so many bytes before the byte just read's end, before such a kind."""

    __slots__ = ("ends",)

    def __init__(self, ends: tuple[tuple[int, int], ...]) -> None:
        self.ends = ends


class State(NamedTuple):
    bits: int
    before: int  # the kind of the last unit
    is_idle: bool
    node: int  # in the alphabet: the character that has begun, ROOT if none has
    pending: int  # bytes of it


class Rows:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.alphabet = program.alphabet
        self.step_count = 0  # the work beyond list accesses: at most one for each byte
        self._table_bytes = 0  # read since the table was empty
        self._walk_bytes = 0  # still to be read without it
        self._rows: dict[State, Row] = {}
        self._states: dict[int, State] = {}  # by the id of a row
        self._idle = {
            kind: State(program.initial, kind, is_idle=True, node=ROOT, pending=0) for kind in KINDS
        }
        self._peers: dict[int, list[int]] = {}  # bytes that do the same at the root
        for byte, symbol in enumerate(self.alphabet.symbols):
            self._peers.setdefault(symbol, []).append(byte)

    def begin(self) -> State:
        return self._idle[EDGE]

    def idle_after(self, byte: int) -> State:
        """The idle state at a place between units that this byte stands before."""
        return self._idle[self.kind_of(byte)]

    def kind_of(self, byte: int) -> int:
        return self.program.kinds[~self.alphabet.symbols[byte]] if byte < 0x80 else OTHER

    def run(self, state: State, data: bytes) -> tuple[State | Found, int]:
        """The state after these bytes, or the match that ended first; and how many were read."""
        if self._walk_bytes > 0:
            self._walk_bytes -= len(data)
            return self._walk(state, data)
        self._table_bytes += len(data)
        row: Row | Stop = self._row(state)
        bytes_left = iter(data)
        while True:
            unread = 0
            try:
                for byte in bytes_left:
                    row = row[byte]
            except Halted:
                unread = length_hint(bytes_left) + 1
            if isinstance(row, list):
                return self._states[id(row)], len(data)
            at = len(data) - unread - 1
            if isinstance(row, Hole):
                row = self._fill(row.state, data[at])
            if isinstance(row, Found):
                return row, at + 1
            if unread:
                row = row[data[at + 1]]

    def _walk(self, state: State, data: bytes) -> tuple[State | Found, int]:
        for at, byte in enumerate(data):
            follows = self._after(state, byte)
            if isinstance(follows, Found):
                return follows, at + 1
            state = follows
        return state, len(data)

    def _row(self, state: State) -> Row:
        row = self._rows.get(state)
        if row is None:
            if len(self._rows) >= ROW_COUNT_MAX:
                self._flush()
            row = self._rows[state] = [Hole(state)] * 256
            self._states[id(row)] = state
        return row

    def _flush(self) -> None:
        if self._table_bytes < TABLE_BYTES_MIN:
            self._walk_bytes = WALK_BYTES
        self._table_bytes = 0
        for row in self._rows.values():
            row.clear()  # they refer to each other: this frees them now
        self._rows.clear()
        self._states.clear()

    def _fill(self, state: State, byte: int) -> Row | Stop:
        follows = self._after(state, byte)
        target = self._row(follows) if isinstance(follows, State) else follows
        source = self._rows.get(state)  # None when the rows were just thrown away
        if source is not None:
            for peer in self._bytes_like(state, byte):
                source[peer] = target
        return target

    def _bytes_like(self, state: State, byte: int) -> list[int]:
        if state.node == ROOT:
            return self._peers[self.alphabet.symbols[byte]]
        children = self.alphabet.children[state.node]
        if not 0x80 <= byte < 0xC0 or children[byte - 0x80] == INVALID:
            return [byte]
        child = children[byte - 0x80]
        return [0x80 + index for index, other in enumerate(children) if other == child]

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def _after(self, state: State, byte: int) -> State | Found:
        self.step_count += 1
        symbols = self.alphabet.symbols
        if state.node == ROOT:
            return self._read(state, [], symbols[byte])
        is_continuation = 0x80 <= byte < 0xC0
        child = self.alphabet.children[state.node][byte - 0x80] if is_continuation else INVALID
        if child > ROOT:
            return state._replace(node=child, pending=state.pending + 1)
        if child != INVALID:
            return self._read(state, [], child)
        return self._read(state, [self.alphabet.stray] * state.pending, symbols[byte])

    def _read(self, state: State, strays: list[int], symbol: int) -> State | Found:
        """Read units that the last byte has settled, and the unit or node it is itself."""
        units, node = (strays, symbol) if symbol > ROOT else ([*strays, ~symbol], ROOT)
        bits, before, is_idle = state.bits, state.before, state.is_idle
        ends: list[tuple[int, int]] = []
        for index, unit in enumerate(units):
            after = self.program.kinds[unit]
            bits = self.program.reached_between(bits, before, after)
            if bits & self.program.match_bit:
                # Before the first unit this is news only if that is the byte just read.
                ends.append((len(strays) + 1 - index, after))
            moved = (bits & self.program.mask(unit)) << 1
            is_idle = not moved
            bits = self.program.reached(moved) | self.program.initial
            before = after
        after, behind = (OTHER, 1) if node else (EDGE, 0)
        if self.program.reached_between(bits, before, after) & self.program.match_bit:
            ends.append((behind, after))
        if ends:
            return Found(tuple(ends))
        return State(bits, before, is_idle, node, 1 if node else 0)
