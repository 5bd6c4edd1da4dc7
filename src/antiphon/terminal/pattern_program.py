"""A tree made into an automaton whose states are the bits of one integer.

State i that reads a unit goes on to state i + 1, so a step of all states at once is a mask and a
shift, whatever their number; the edges that read nothing are taken in groups of equal length or
equal target.  Hence one step costs a few operations on integers of `state_count` bits, also for
`x{1000}` and also where no table of subsets would ever be hit twice: no pattern can stall.

`^ $ \\b` look at one unit on either side of a place.  What stands there is one of four kinds,
and `passing[before][after]` has the states whose assertion holds between the two.
"""

from __future__ import annotations

from antiphon.terminal.pattern_alphabet import Alphabet
from antiphon.terminal.pattern_classes import NEWLINE, WORD, CharSet, PatternRefused
from antiphon.terminal.pattern_tree import Assertion, Choice, Look, Node, One, Repeat, Sequence

STATE_COUNT_MAX = 10_000  # bits: a step of so many takes 20 us, so 4 KiB of input 80 ms at worst
RANGE_COUNT_MAX = 50_000  # ranges of code points in all sets: 75 times \pL; 50 ms to sort
SHIFT_EDGES_MIN = 3  # edges of one length: from so many on, a shift beats single edges

# What stands beside a place; EDGE is where the text begins or, as far as is known, ends.
OTHER, WORDLIKE, LINE_BREAK, EDGE = range(4)
KINDS = (OTHER, WORDLIKE, LINE_BREAK, EDGE)
LINE_LOOKS = {Assertion.LINE_START, Assertion.LINE_END}
WORD_LOOKS = {Assertion.WORD_BOUNDARY, Assertion.NO_WORD_BOUNDARY}

Edges = dict[int, list[int]]  # from a state, to states, without reading


class Closure:
    """All states that can be reached without reading, from all states of a set at once."""

    def __init__(self, edges: Edges) -> None:
        by_length: dict[int, list[int]] = {}
        for source, targets in edges.items():
            for target in targets:
                by_length.setdefault(target - source, []).append(source)
        self._up: list[tuple[int, int]] = []
        self._down: list[tuple[int, int]] = []
        for length, sources in by_length.items():
            if len(sources) >= SHIFT_EDGES_MIN:
                self._add_shift(_bits(sources), length)
        by_targets: dict[int, int] = {}
        for source, targets in edges.items():
            rest = [t for t in targets if len(by_length[t - source]) < SHIFT_EDGES_MIN]
            if rest:
                key = _bits(rest)
                by_targets[key] = by_targets.get(key, 0) | 1 << source
        self._jumps = [(sources, targets) for targets, sources in by_targets.items()]
        self._sources = _bits(list(edges))

    def _add_shift(self, sources: int, length: int) -> None:
        # A chain of edges of one length is walked in steps that double: `(?:a?b){500}` has one.
        group, distance = (self._up, length) if length > 0 else (self._down, -length)
        while sources:
            group.append((sources, distance))
            sources &= sources >> distance if length > 0 else sources << distance
            distance *= 2

    def of(self, bits: int) -> int:
        while bits & self._sources:
            before = bits
            for sources, distance in self._up:
                bits |= (bits & sources) << distance
            for sources, targets in self._jumps:
                if bits & sources:
                    bits |= targets
            for sources, distance in self._down:
                bits |= (bits & sources) >> distance
            if bits == before:
                break
        return bits


class Program:
    """State 0 is the first, `match_bit` the last; nothing changes after it is built."""

    def __init__(self, tree: Node) -> None:
        builder = _Builder()
        builder.add(tree)
        self.state_count = builder.count + 1
        self.match_bit = 1 << builder.count
        self.looks_at_words = bool(WORD_LOOKS & builder.looks.keys())
        self.looks_at_lines = bool(LINE_LOOKS & builder.looks.keys())
        self._reading = [_bits(states) for states in builder.sets.values()]
        self.alphabet = Alphabet([*builder.sets, WORD, NEWLINE])
        self.kinds = [self._kind(members) for members in self.alphabet.members]
        self._masks: dict[int, int] = {}
        looks = {assertion: _bits(states) for assertion, states in builder.looks.items()}
        self.passing = [[_passing(looks, before, after) for after in KINDS] for before in KINDS]
        self._forward = Closure(builder.edges)
        self._backward = Closure(_reversed(builder.edges))
        # States that only lead on are dropped from a set once they have.
        asking = sum(looks.values())
        self.kept = sum(self._reading) | asking | self.match_bit
        self.initial = self.reached(1)

    def _kind(self, members: int) -> int:
        # Kinds no assertion asks for are one kind: fewer sets of states, hence fewer rows.
        newline, word = members >> len(self._reading) + 1, members >> len(self._reading) & 1
        if self.looks_at_words and word:
            return WORDLIKE
        return LINE_BREAK if self.looks_at_lines and newline else OTHER

    def mask(self, unit: int) -> int:
        """The states that read a unit of this class."""
        if unit not in self._masks:
            mask, members = 0, self.alphabet.members[unit]
            members &= (1 << len(self._reading)) - 1
            while members:
                mask |= self._reading[(members & -members).bit_length() - 1]
                members &= members - 1
            self._masks[unit] = mask
        return self._masks[unit]

    def reached(self, bits: int) -> int:
        return self._forward.of(bits) & self.kept

    def reached_between(self, bits: int, before: int, after: int) -> int:
        passing = self.passing[before][after]
        while advanced := (bits & passing) << 1 & ~bits:
            bits |= self._forward.of(advanced)
        return bits

    def leading(self, bits: int, before: int, after: int) -> int:
        """The states that lead to one of these without reading, between such kinds."""
        passing = self.passing[before][after]
        bits = self._backward.of(bits)
        while led := bits >> 1 & passing & ~bits:
            bits |= self._backward.of(led)
        return bits


class _Builder:
    def __init__(self) -> None:
        self.count = 0
        self.range_count = 0
        self.sets: dict[CharSet, list[int]] = {}
        self.looks: dict[Assertion, list[int]] = {}
        self.edges: Edges = {}

    def new_state(self) -> int:
        self.count += 1
        if self.count >= STATE_COUNT_MAX:
            found = f"a pattern of more than {STATE_COUNT_MAX} states"
            raise PatternRefused(found, 0, "smaller counts, or fewer counts in counts")
        return self.count - 1

    def add(self, node: Node) -> None:
        match node:
            case One(chars):
                if chars not in self.sets:
                    self.range_count += len(chars.ranges)
                if self.range_count > RANGE_COUNT_MAX:
                    found = f"more than {RANGE_COUNT_MAX} ranges of characters"
                    raise PatternRefused(found, 0, "fewer different classes")
                self.sets.setdefault(chars, []).append(self.new_state())
            case Look(assertion):
                self.looks.setdefault(assertion, []).append(self.new_state())
            case Sequence(parts):
                for part in parts:
                    self.add(part)
            case Choice(branches):
                self.add_choice(branches)
            case Repeat(body, count_min, count_max):
                self.add_repeat(body, count_min, count_max)

    def add_choice(self, branches: tuple[Node, ...]) -> None:
        fork = self.new_state()
        begins: list[int] = []
        ends: list[int] = []
        for branch in branches:
            begins.append(self.count)
            self.add(branch)
            ends.append(self.new_state())
        self.edges[fork] = begins
        self.edges.update((end, [self.count]) for end in ends)

    def add_repeat(self, body: Node, count_min: int, count_max: int | None) -> None:
        skips: list[int] = []
        begin = self.count
        for _ in range(count_min):
            begin = self.count
            self.add(body)
        if count_max is None:
            if count_min == 0:
                skips.append(self.new_state())
                begin = self.count
                self.add(body)
            loop = self.new_state()
            self.edges[loop] = [begin, self.count]
        else:
            for _ in range(count_max - count_min):
                skips.append(self.new_state())
                self.add(body)
        self.edges.update((skip, [skip + 1, self.count]) for skip in skips)


def _bits(states: list[int]) -> int:
    bits = 0
    for state in states:
        bits |= 1 << state
    return bits


def _reversed(edges: Edges) -> Edges:
    turned: Edges = {}
    for source, targets in edges.items():
        for target in targets:
            turned.setdefault(target, []).append(source)
    return turned


def _passing(looks: dict[Assertion, int], before: int, after: int) -> int:
    is_boundary = (before == WORDLIKE) != (after == WORDLIKE)
    holds = {
        Assertion.LINE_START: before in (EDGE, LINE_BREAK),
        Assertion.LINE_END: after in (EDGE, LINE_BREAK),
        Assertion.TEXT_START: before == EDGE,
        Assertion.TEXT_END: after == EDGE,
        Assertion.WORD_BOUNDARY: is_boundary,
        Assertion.NO_WORD_BOUNDARY: not is_boundary,
    }
    return sum(bits for assertion, bits in looks.items() if holds[assertion])
