"""How well a name answers some words: points from 0 to 100, each with its reason.

Three kinds of names never mix: one that is the words has 100, one that holds all of them 74 to
99, and one that only resembles them less.  What is known besides the name (a birth date) takes
part in the points when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz.distance import OSA

from antiphon.entity.folding import folded

EXACT = 100
HELD, HELD_PREFIX = 80, 74  # all words are in the name; all of them only begin words of it
LIKE = 55  # at most, for words that only resemble
COVERED, COVERED_LIKE = 14, 10  # at most, for how much of the name was said
FIRST, ORDER = 3, 2  # the name begins with the words; they stand in its order
KNOWN_PERCENT = 30  # of the points, when something besides the name is asked for
LIKE_MIN = 0.6  # less alike is another word
WITHIN = 0.6  # of a word that is only a part of a longer one
YEAR = re.compile(r"[0-9]{4}")


@dataclass(frozen=True, slots=True)
class Feature:
    """One reason for a score; the points of all add up to it."""

    name: str
    points: int


@dataclass(frozen=True, slots=True)
class Score:
    features: tuple[Feature, ...]
    is_exact: bool

    @property
    def points(self) -> int:
        return sum(one.points for one in self.features)


@dataclass(frozen=True, slots=True)
class Candidate:
    entity_id: str
    display: str
    entity_type: str
    score: int  # 0 to 100
    features: tuple[Feature, ...] = ()
    differs: Mapping[str, str] = field(default_factory=dict)  # what tells namesakes apart
    is_exact: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)  # what else may, until it is told


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something asked for besides the name: its value, and how much it tells apart."""

    value: str
    weight: float


def scored(
    words: str,
    name: str,
    wanted: Mapping[str, Wanted] | None = None,
    known: Mapping[str, str] | None = None,
) -> Score:
    features = _of_name(folded(words), folded(name))
    is_exact = features == [Feature("exact", EXACT)]
    asked = {key: one for key, one in (wanted or {}).items() if one.weight > 0}
    if not asked or not features:
        return Score(tuple(features), is_exact)
    matches = {key: matched(one.value, (known or {}).get(key, "")) for key, one in asked.items()}
    total = sum(one.weight for one in asked.values())
    shares = {key: one.weight / total * matches[key] for key, one in asked.items()}
    besides = [Feature(key, round(KNOWN_PERCENT * share)) for key, share in shares.items() if share]
    is_exact = is_exact and all(match == 1 for match in matches.values())
    return Score((*_scaled(features, 100 - KNOWN_PERCENT), *_fitting(besides)), is_exact)


def _scaled(features: Sequence[Feature], percent: int) -> list[Feature]:
    """The features with so much of their points, and not one point lost between them."""
    whole = sum(one.points for one in features) * percent // 100
    parts = [one.points * percent // 100 for one in features]
    parts[0] += whole - sum(parts)
    return [Feature(one.name, points) for one, points in zip(features, parts, strict=True)]


def _fitting(besides: list[Feature]) -> list[Feature]:
    """Rounding up twice must not give more points than there are."""
    over = sum(one.points for one in besides) - KNOWN_PERCENT
    if over > 0:
        besides[-1] = Feature(besides[-1].name, besides[-1].points - over)
    return besides


def matched(value: str, known: str) -> float:
    """1 for the same (a year is the same as a date in it), half for a part, else 0."""
    value, known = value.strip(), known.strip()
    if not value or not known:
        return 0.0
    if folded(value) == folded(known):
        return 1.0
    if YEAR.fullmatch(value) and known.startswith(f"{value}-"):
        return 1.0
    if YEAR.fullmatch(value[:4]) and value[:5] == known[:5] and "-" in value:
        return 0.5
    return 0.5 if folded(value) in folded(known) and not value.isdigit() else 0.0


# --- names ------------------------------------------------------------------


def _of_name(words: str, name: str) -> list[Feature]:
    if not words or not name:
        return []
    if words == name:
        return [Feature("exact", EXACT)]
    found = _by_words(words, name)
    whole = _as_a_whole(words, name)
    return whole if _sum(whole) > _sum(found) else found


def _sum(features: Iterable[Feature]) -> int:
    return sum(one.points for one in features)


def _as_a_whole(words: str, name: str) -> list[Feature]:
    """Words that were joined or split by a slip resemble the name all the same."""
    like = _alike(words.replace(" ", ""), name.replace(" ", ""))
    if like < LIKE_MIN:
        return []
    is_first = words[:1] == name[:1]
    return [
        Feature("whole", int(LIKE * like)),
        Feature("covered", int(COVERED_LIKE * like)),
        *([Feature("first", FIRST)] if is_first else []),
    ]


def _by_words(words: str, name: str) -> list[Feature]:
    said, parts = words.split(), name.split()
    best = [_best(word, parts, 1 if len(said) > 1 else 2) for word in said]
    alike = sum(like for like, _, _ in best) / len(said)
    if alike < LIKE_MIN / 2:
        return []
    is_held = all(is_whole or like >= 1 for like, _, is_whole in best)
    whole = sum(like >= 1 and is_whole for like, _, is_whole in best)
    if is_held:
        named = HELD_PREFIX + (HELD - HELD_PREFIX) * whole // len(said)
    else:
        named = int(LIKE * alike)
    chars = sum(len(parts[at]) * like for like, at, _ in {one[1]: one for one in best}.values())
    share = min(1.0, chars / sum(map(len, parts)))
    covered = int((COVERED if is_held else COVERED_LIKE) * share)
    order = [at for _, at, _ in best]
    found = [
        Feature("words", named),
        Feature("covered", covered),
        Feature("first", FIRST if order[0] == 0 else 0),
        Feature("order", ORDER if order == sorted(set(order)) else 0),
    ]
    return [one for one in found if one.points]


def _best(word: str, parts: Sequence[str], start_min: int) -> tuple[float, int, bool]:
    """How alike the word and its best part are, which one that is, and is it whole or its start.

    `start_min` letters are enough for the start of a part: one, where other words stand beside.
    """
    if word in parts:
        return 1.0, parts.index(word), True
    best, place = 0.0, 0
    size = len(word)
    slips_max = 1 if size < 5 else 2 if size < 12 else 3
    for at, part in enumerate(parts):
        if part.startswith(word) and size >= start_min:
            return 1.0, at, False
        longer = len(part) - size
        if -slips_max - 1 <= longer <= slips_max + 1:
            like = _alike(word, part)
        else:
            # A word within a longer one, as in compounds.
            like = WITHIN if abs(longer) > slips_max and size >= 4 and word in part else 0.0
        if like > best:
            best, place = like, at
    return best, place, False


def _alike(word: str, part: str) -> float:
    """Less than 1: by how few slips of the finger one becomes the other."""
    longest = max(len(word), len(part))
    slips_max = 1 if longest < 5 else 2 if longest < 12 else 3
    if abs(len(word) - len(part)) > slips_max:
        return WITHIN if len(word) >= 4 and word in part else 0.0
    # Insertions, deletions, replacements and swaps; more than the most is told as one more.
    slips = OSA.distance(word, part, score_cutoff=slips_max)
    return 0.0 if slips > slips_max else max(0.0, 0.95 - slips / longest)


# --- candidates -------------------------------------------------------------


def ordered(candidates: Iterable[Candidate]) -> list[Candidate]:
    """By score, then by folded name, then by id: the same whatever order they came in."""
    return sorted(candidates, key=lambda one: (-one.score, folded(one.display), one.entity_id))


def told_apart(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with what differs between those of one name first.

    Where that leaves two of them alike, other facts that differ are told as well.
    """
    by_name: dict[str, list[Candidate]] = {}
    for one in candidates:
        by_name.setdefault(folded(one.display), []).append(one)
    orders = {name: _telling(namesakes) for name, namesakes in by_name.items()}
    return [_told(one, orders[folded(one.display)]) for one in candidates]


def _telling(namesakes: Sequence[Candidate]) -> list[str]:
    """The names of what is told of them, what tells most first."""
    told = [dict(one.differs) for one in namesakes]
    if len({tuple(sorted(one.items())) for one in told}) < len(namesakes):
        told = [{**one, **more.facts} for one, more in zip(told, namesakes, strict=True)]
    counts = {key: len({one.get(key) for one in told}) for one in told for key in one}
    own = {key for one in namesakes for key in one.differs}
    wanted = [key for key, count in counts.items() if key in own or count > 1]
    return sorted(wanted, key=lambda key: -counts[key])


def _told(one: Candidate, order: Sequence[str]) -> Candidate:
    known = {**one.facts, **one.differs}
    differs = {key: known[key] for key in order if key in known}
    return replace(one, differs=differs, facts={})
