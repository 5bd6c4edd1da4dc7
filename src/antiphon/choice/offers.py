"""A question about things that were not written for one: any prompt and any options, as blocks.

The options stay what they are; a label is as much of one as a block may show, and no two read
alike.  More than seven are asked through a tree, and `at` are the numbers chosen on the way down.
A number leads to an option by its place, never by its text.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from antiphon.choice import split
from antiphon.choice.characters import HIDDEN
from antiphon.choice.judge import rendered
from antiphon.choice.question import OPTIONS_MAX
from antiphon.choice.split import LABEL_WORDS_MAX
from antiphon.choice.violations import INSTRUCTION_WORDS_MAX, alike, of_label
from antiphon.choice.words import word_count

FALLBACK_INSTRUCTION = "Which option?"
# A word can be as long as a page: what is read at one glance.
LABEL_CHARS_MAX = 60
INSTRUCTION_CHARS_MAX = 160
# Of alike labels: so many words of what they begin with, and so many of what tells them apart.
HEAD_WORDS, FACT_WORDS = 2, 2
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_EDGE_SIGNS = re.compile(r"^[\W_]+|[^\w?!.:)\]»”\"']+$")
_APART = re.compile(r"\s+[^\w\s«“\"'(]+(?:\s|$)")
_SENTENCE = re.compile(r"\S.*?(?:[.?!…:](?=\s|$)|[。！？]|$)")
_GOOD = "A label"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a number means: the option of an index, or the block below it."""

    index: int | None
    at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    text: str
    labels: tuple[str, ...]
    choices: tuple[Choice, ...]


def block(
    prompt: str,
    options: Sequence[str],
    at: Sequence[int] = (),
    facts: Sequence[Sequence[str]] = (),
) -> Offer | None:
    """The block below these numbers; None when there are no options, or no such number.

    `facts` are what tells each option from its namesakes, the plainest first.
    """
    if not options:
        return None
    part = (0, len(options))
    for number in at:
        below = split.children(part) if part[1] > OPTIONS_MAX else []
        if not 1 <= number <= len(below):
            return None
        part = below[number - 1]
    names = labels(tuple(options), tuple(map(tuple, facts)))
    found = split.labels_of(part, names)
    shown = rendered(instruction(prompt), found)
    assert isinstance(shown, str), shown
    first, size = part
    if size <= OPTIONS_MAX:
        choices = tuple(Choice(first + step) for step in range(size))
    else:
        choices = tuple(Choice(None, (*at, number)) for number in range(1, len(found) + 1))
    return Offer(shown, found, choices)


# --- what is asked ------------------------------------------------------------------


def instruction(*prompts: str) -> str:
    """The first of the prompts that can be asked, or as much of it as is one short sentence."""
    for prompt in prompts:
        for text in _instructions(plain(prompt)):
            if text and is_instruction(text):
                return text
    return FALLBACK_INSTRUCTION


def is_instruction(text: str) -> bool:
    return isinstance(rendered(text, [_GOOD]), str)


def _instructions(text: str) -> Iterator[str]:
    """As it is; without what only decorates it; the sentence that asks; the first one."""
    if len(text) <= INSTRUCTION_CHARS_MAX:
        yield text
    bare = _EDGE_SIGNS.sub("", text)
    if len(bare) <= INSTRUCTION_CHARS_MAX:
        yield bare
    before = _EDGE_SIGNS.sub("", _APART.split(bare, maxsplit=1)[0])
    sentences = [found[0].strip() for found in _SENTENCE.finditer(before)]
    asking = [one for one in sentences if one.endswith(("?", "？", ":"))]
    for one in [*asking[-1:], *sentences[:1]]:
        yield one
        yield _cut(one, INSTRUCTION_WORDS_MAX, INSTRUCTION_CHARS_MAX)


# --- what the options are called ----------------------------------------------------


@functools.lru_cache(maxsize=64)  # each block of a tree needs the labels of all
def labels(options: tuple[str, ...], facts: tuple[tuple[str, ...], ...] = ()) -> tuple[str, ...]:
    """A label for each option; one that has none of its own has its number."""
    whole = [plain(option) for option in options]
    found = [_label(text) for text in whole]
    groups: dict[str, list[int]] = {}
    for place, label in enumerate(found):
        groups.setdefault(_read(label), []).append(place)
    taken = {alike(found[group[0]]) for group in groups.values() if len(group) == 1}
    for read, group in groups.items():
        if not read or len(group) == 1:
            continue
        told = _told_apart([whole[place] for place in group], [_of(facts, n) for n in group])
        for place, label in zip(group, told, strict=True):
            found[place] = "" if alike(label) in taken else label
            taken.add(alike(label))
    for place, label in enumerate(found):
        if not label:
            found[place] = _numbered(whole[place], place + 1, taken)
            taken.add(alike(found[place]))
    return tuple(found)


def plain(text: str) -> str:
    """On one line, without what nobody sees."""
    return " ".join(HIDDEN.sub("", " ".join(_ESCAPE.sub("", text).split())).split())


def _read(label: str) -> str:
    """What somebody remembers of a label: not that it goes on."""
    return alike(label.removesuffix("…"))


def _of(facts: Sequence[Sequence[str]], place: int) -> list[str]:
    return [plain(fact) for fact in facts[place]] if place < len(facts) else []


def _label(text: str) -> str:
    """As much of the text as a label may be; empty, when it may be none."""
    for one in (text, _EDGE_SIGNS.sub("", text), _cut(text, LABEL_WORDS_MAX, LABEL_CHARS_MAX)):
        if _fits(one):
            return one
    return ""


def _fits(label: str) -> bool:
    is_short = len(label) <= LABEL_CHARS_MAX and label == label.strip() and _read(label) != ""
    return is_short and not any(of_label(label))


def _told_apart(texts: Sequence[str], facts: Sequence[Sequence[str]]) -> list[str]:
    """Labels for texts whose beginnings are alike; some may be none, or still alike."""
    by_fact = [_with_fact(text, known) for text, known in zip(texts, facts, strict=True)]
    if all(by_fact) and len(set(map(alike, by_fact))) == len(texts):
        return by_fact
    words = [text.split(" ") for text in texts]
    same = 0
    while all(len(one) > same and one[same] == words[0][same] for one in words):
        same += 1
    by_rest = [_with_rest(one, same) for one in words]
    counts = Counter(map(alike, by_rest))
    return [one if _fits(one) and counts[alike(one)] == 1 else "" for one in by_rest]


def _with_fact(text: str, known: Sequence[str]) -> str:
    for fact in filter(None, known):
        short = _cut(fact, FACT_WORDS, LABEL_CHARS_MAX // 3)
        name_words = LABEL_WORDS_MAX - max(1, word_count(short))
        label = f"{_cut(text, name_words, LABEL_CHARS_MAX // 2)} ({short})"
        if _fits(label):
            return label
    return ""


def _with_rest(words: Sequence[str], same: int) -> str:
    """What it begins with, and what is its own."""
    own = " ".join(words[same:])
    if not own:
        return _label(" ".join(words))
    head = _cut(" ".join(words[: min(same, HEAD_WORDS)]), HEAD_WORDS, LABEL_CHARS_MAX // 2)
    rest = _cut(own, LABEL_WORDS_MAX - word_count(head), LABEL_CHARS_MAX // 2)
    return f"{head.removesuffix(' …')} … {rest}" if head and rest else rest


def _numbered(text: str, number: int, taken: set[str]) -> str:
    """With its number behind it, or its number alone."""
    short = _cut(text, LABEL_WORDS_MAX - 1, LABEL_CHARS_MAX // 2)
    again = (f"Option {number}.{count}" for count in itertools.count(1))
    tries = itertools.chain([f"{short} #{number}"] if short else [], [f"Option {number}"], again)
    return next(label for label in tries if alike(label) not in taken and _fits(label))


def _cut(text: str, words_max: int, chars_max: int) -> str:
    """As many of its first words as may be; «…» says that there are more."""
    words = text[: chars_max + 1].split(" ")
    while len(words) > 1 and (
        word_count(" ".join(words)) > words_max or len(" ".join(words)) > chars_max - 2
    ):
        words.pop()
    found = " ".join(words)
    if found == text and word_count(found) <= words_max and len(found) <= chars_max:
        return found
    while len(found) > 1 and (word_count(found) > words_max or len(found) > chars_max - 2):
        found = found[:-1]
    found = _EDGE_SIGNS.sub("", found)
    return f"{found} …" if found else ""
