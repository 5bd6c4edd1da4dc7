"""The judge of a whole text: is it a block, a summary, a retry of one, or an event's code?

It promises every violation with its code and place, and none for what `question` prints.  It
takes any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from antiphon.choice import violations as v
from antiphon.choice.question import (
    EVENT_CODES,
    NONE_LABEL,
    SUMMARY_HEAD,
    SUMMARY_LABELS,
    Block,
    remarks,
    shown,
    summary,
)
from antiphon.choice.split import all_parts, chunk_labels, chunks, labels_of
from antiphon.choice.violations import Code, Piece, Violation, violation

Values = Mapping[str, str | Sequence[str]]

# Nobody reads more, and a megabyte of tabs is one mistake.
VIOLATIONS_MAX = 500

# What means to be an option line, however it is numbered.
_OPTION_LIKE = re.compile(
    r"\s*(?:[(\[]\s*)?\d{1,3}\s*(?:[.)\]:、．）](?!\d)|[-–—]\s)|\s*[①-⑳]|\s*[-*•]\s"
    r"|\s*[A-Za-z]\)\s"
)
_WRONG_COUNT = re.compile(r"Enter 1-\d+: ")
_OPTION = re.compile(r"([1-9][0-9]*)\) (\S.*)", re.DOTALL)
_FIELD = re.compile(r"- \S.*?: \S.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Expected:
    """What the one who judges knows of the text beforehand."""

    domain: Sequence[str] | None = None
    pinned: str | None = None
    values: Values | None = None


def judged(text: str, expected: Expected | None = None) -> list[Violation]:
    """All that is wrong, in the order of the text; nothing when it may reach a user."""
    if text in EVENT_CODES:
        return []
    return sorted(set(islice(_judged(text, expected or Expected()), VIOLATIONS_MAX)))


def rendered(instruction: str, options: Sequence[str]) -> str | list[Violation]:
    """The block, or why these are none; places count in the block as it would be."""
    found = set(v.of_count(len(options), len(instruction)))
    found |= set(_line(instruction, 0, Code.PROSE))
    if not instruction.strip():
        found.add(violation(Code.NO_INSTRUCTION, 0, "there is no instruction"))
    else:
        found |= set(v.of_instruction(instruction))
    at = len(instruction) + 2
    pieces = []
    for number, label in enumerate(options, 1):
        at += len(f"{number}) ")
        if not label.strip():
            found.add(violation(Code.OPTION_LINE, at, f"label {number} is empty"))
        else:
            found |= {*_line(label, at, Code.OPTION_LINE), *v.of_label(label, at)}
            pieces.append((at, label))
        at += len(label) + 1
    found |= set(v.of_labels(pieces))
    text = shown(Block(instruction, tuple(options)))
    # Parts that are right can make another text together: an instruction «1) a», say.
    return sorted(found) or judged(text) or text


def _line(text: str, at: int, code: Code) -> Iterator[Violation]:
    """Of an instruction or a label: one line, that begins and ends with something one can see."""
    yield from v.of_hidden(text, at)
    yield from v.of_edges(text, at)
    if "\n" in text.strip():
        yield violation(code, at + text.index("\n"), "this is more than one line")


def _judged(text: str, expected: Expected) -> Iterator[Violation]:
    yield from v.of_hidden(text)
    if not text.strip():
        yield violation(Code.NO_INSTRUCTION, 0, "there is no instruction")
        yield from v.of_count(0)
        return
    yield from v.of_edges(text)
    if text.strip() in EVENT_CODES:
        return
    lines = _lines(text)
    first = _first_option(lines)
    if expected.pinned is not None:
        count = 0 if first is None else len(_options(lines[first:])[0])
        yield from _pinned(text, count, expected.pinned)
    if first is None:
        yield from _prose_alone(lines)
        return
    head, tail = lines[:first], lines[first:]
    options, rest = _options(tail)
    yield from _after(rest)
    labels = [(at + len(found[1]) + 2, found[2]) for at, line in options
              if (found := _OPTION.fullmatch(line))]  # fmt: skip
    yield from _numbering(options, tail)
    if _is_summary(head, len(options)):
        yield from _summary(head, labels, tail[0][0], expected)
        return
    yield from _block(head, labels, len(options), tail[0][0], expected)
    if expected.values is not None:
        yield violation(Code.NOT_THE_STATE, 0, "a summary was expected")


def _lines(text: str) -> list[Piece]:
    """The lines between the text's edges, each with its place."""
    at = len(text) - len(text.lstrip())
    found = []
    for line in text.strip().split("\n"):
        found.append((at, line))
        at += len(line) + 1
    return found


def _first_option(lines: list[Piece]) -> int | None:
    """The number of the first line that means to be an option."""
    in_summary = False
    for number, (_, line) in enumerate(lines):
        in_summary = in_summary or line.endswith(SUMMARY_HEAD)
        # The list of a summary is made of dashes too.
        if _OPTION_LIKE.match(line) and not (in_summary and line.startswith("- ")):
            return number
    return None


def _prose_alone(lines: list[Piece]) -> Iterator[Violation]:
    at = lines[0][0]
    yield from v.of_count(0, lines[-1][0] + len(lines[-1][1]))
    if len(lines) == 1 and lines[0][1].endswith(("?", "？", ":")):
        yield from v.of_instruction(lines[0][1], at)
        yield from v.of_prose(lines[0][1], at)
        return
    yield violation(Code.PROSE, at, "this is no question with options, and no event")
    for place, line in lines:
        yield from v.of_prose(line, place)


def _options(tail: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The lines up to the last that means to be an option, and what follows them."""
    last = max(at for at, (_, line) in enumerate(tail) if _OPTION_LIKE.match(line))
    return [line for line in tail[: last + 1] if line[1].strip()], tail[last + 1 :]


def _after(rest: list[Piece]) -> Iterator[Violation]:
    said = [line for line in rest if line[1].strip()]
    if said:
        yield violation(Code.PROSE, said[0][0], "nothing is accepted after the last option")
    for at, line in said:
        yield from v.of_prose(line, at)


def _numbering(options: list[Piece], tail: list[Piece]) -> Iterator[Violation]:
    number = 0
    for at, line in options:
        number += bool(_OPTION_LIKE.match(line))
        found = _OPTION.fullmatch(line)
        if not found or int(found[1][:9]) != number:
            yield violation(
                Code.OPTION_LINE, at, f"found {line[:40]!r}; expected '{number}) ' and a label"
            )
        elif line != line.rstrip() and line is not tail[-1][1]:
            yield violation(
                Code.EDGE_SPACE, at + len(line.rstrip()), "the line ends with white space"
            )
    for at, line in tail[: tail.index(options[-1])]:
        if not line.strip():
            yield violation(Code.BLANK_LINE_EXTRA, at, "a blank line between options")
            return


def _blank_lines(head: list[Piece], options_at: int) -> Iterator[Violation]:
    """Exactly one blank line stands between the head and the options."""
    blanks = 0
    while blanks < len(head) and not head[-1 - blanks][1].strip():
        blanks += 1
    if blanks == 0:
        yield violation(
            Code.BLANK_LINE_MISSING, options_at, "a blank line is missing before the options"
        )
    elif blanks > 1:
        yield violation(
            Code.BLANK_LINE_EXTRA, head[-1][0], f"{blanks} blank lines before the options, not one"
        )
    for at, line in head[len(head) - blanks :]:
        if line:
            yield violation(Code.EDGE_SPACE, at, "the blank line is not empty")


def _block(
    head: list[Piece], labels: list[Piece], count: int, options_at: int, expected: Expected
) -> Iterator[Violation]:
    said = [line for line in head if line[1].strip()]
    if said:
        yield from _blank_lines(head, options_at)
        at, line = said[-1]
        authored = _authored(line, count)
        if _WRONG_COUNT.match(authored):
            yield violation(Code.OPTION_LINE, at, f"{authored[:12]!r}, but {count} options")
        yield from v.of_instruction(authored, at + len(line) - len(authored))
        if line != line.rstrip():
            yield violation(
                Code.EDGE_SPACE, at + len(line.rstrip()), "the line ends with white space"
            )
        if len(said) > 1:
            yield violation(Code.PROSE, said[0][0], "nothing is accepted before the instruction")
        for place, before in said[:-1]:
            yield from v.of_prose(before, place)
    else:
        yield violation(Code.NO_INSTRUCTION, options_at, "there is no instruction")
    yield from v.of_count(count, options_at)
    for at, label in labels:
        yield from v.of_label(label, at)
    yield from v.of_labels(labels)
    if expected.domain is not None:
        own = [label for _, label in labels]
        if own not in part_labels(expected.domain):
            yield from v.of_domain(own, expected.domain, options_at)


def part_labels(domain: Sequence[str]) -> list[list[str]]:
    """What each block lists through which a long domain is asked."""
    if not domain:
        return []
    trees = [labels_of(part, domain) for part in all_parts(len(domain))]
    rows = [
        chunk_labels(part, domain, is_required=is_required)
        for is_required in (True, False)
        for part in chunks(len(domain), is_required=is_required)
    ]
    return [list(labels) for labels in trees + rows if len(domain) > 7 or NONE_LABEL in labels]


def _authored(line: str, count: int) -> str:
    """The instruction as it was written, without a retry's remark."""
    for remark in remarks(count):
        if line.startswith(remark) and line != remark:
            return line[len(remark) :]
    return line


def at_first(text: str) -> str:
    """A compliant question as it reads when it is first shown."""
    return _authored(text, len(text.partition("\n\n")[2].split("\n")))


def _is_summary(head: list[Piece], count: int) -> bool:
    return any(_authored(line, count) == SUMMARY_HEAD for _, line in head)


def _summary(
    head: list[Piece], labels: list[Piece], options_at: int, expected: Expected
) -> Iterator[Violation]:
    said = [line for line in head if line[1].strip()]
    count = len(labels)
    number = next(n for n, (_, line) in enumerate(said) if _authored(line, count) == SUMMARY_HEAD)
    at = said[number][0]
    yield from _blank_lines(head, options_at)
    if number > 0:
        yield violation(Code.PROSE, said[0][0], "nothing is accepted before the summary")
    listed = said[number + 1 :]
    if not listed:
        yield violation(Code.NOT_THE_STATE, at, "the summary lists no field")
    for place, line in listed:
        if not _FIELD.fullmatch(line):
            yield violation(Code.PROSE, place, f"found {line[:40]!r}; expected '- field: value'")
            yield from v.of_prose(line, place)
    if len(head) - len(said) > 1 and not any(not line.strip() for _, line in head[-2:-1]):
        yield violation(Code.BLANK_LINE_EXTRA, at, "a blank line within the summary")
    if tuple(label for _, label in labels) != SUMMARY_LABELS:
        yield violation(
            Code.OPTION_LINE, options_at, f"a summary offers {', '.join(SUMMARY_LABELS)}"
        )
    if expected.values is not None:
        wanted = summary([(key, joined(value)) for key, value in expected.values.items()])
        if [line for _, line in listed] != wanted.instruction.split("\n")[1:]:
            yield violation(Code.NOT_THE_STATE, at, "fields, order or values are not the state's")


def joined(value: str | Sequence[str]) -> str:
    """A value as a summary shows it."""
    if isinstance(value, str):
        return value
    return ", ".join(value) if value else NONE_LABEL


def _pinned(text: str, count: int, pinned: str) -> Iterator[Violation]:
    plain = _authored(text, count)
    if plain == pinned:
        return
    remark_size = len(text) - len(plain)
    same = next(
        (at for at, (a, b) in enumerate(zip(plain, pinned, strict=False)) if a != b),
        min(len(plain), len(pinned)),
    )
    yield violation(Code.NOT_AS_PINNED, remark_size + same, "the text is not the one shown before")
