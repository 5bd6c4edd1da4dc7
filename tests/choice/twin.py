"""A second engine, written from the contract alone: slow, plain, with none of ours in it.

It keeps labels where ours keeps numbers, and reads a flow as the object that a file is.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import Any

Step = dict[str, Any]
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
SELECT = re.compile(r"[1-9][0-9]*(,[1-9][0-9]*)*", re.ASCII)
CJK = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPH")
CONTROL = ("abort", "cancel")


# --- section 2: what an input is -----------------------------------------------------


def is_digit(char: str) -> bool:
    return unicodedata.category(char) in {"Nd", "Nl", "No"}


def is_letter(char: str) -> bool:
    return unicodedata.category(char).startswith("L")


def is_cjk(char: str) -> bool:
    return is_letter(char) and any(name in unicodedata.name(char, "") for name in CJK)


def trimmed(text: str) -> str:
    edge = {
        char
        for char in text
        if char.isspace() or unicodedata.category(char).startswith("P") or char in ZERO_WIDTH
    }
    return text.strip("".join(edge)) if edge else text


def without_line_end(text: str) -> str:
    return next((text[: -len(end)] for end in ("\r\n", "\n", "\r") if text.endswith(end)), text)


def classified(text: str, count: int, keys: Collection[str], *, is_many: bool) -> str | list[int]:
    """The numbers chosen, or `cancel`, `compact`, `free`, or the reason why it is invalid."""
    text = without_line_end(text)
    if text in CONTROL:
        return "cancel"
    if SELECT.fullmatch(text):
        return selected(text, count, is_many=is_many)
    tokens = text.split(" ")
    if all(token.count("=") == 1 and not token.startswith("=") for token in tokens):
        pairs = [token.split("=") for token in tokens]
        if any(key in keys for key, _ in pairs):
            return "compact"
        if all(value and all(map(is_digit, value)) for _, value in pairs):
            return "unknown_field"
    elif any("=" in token and token.split("=")[0] in keys for token in text.split()):
        return "compact_malformed"
    if all(char.isspace() or char in ZERO_WIDTH for char in text):
        return "empty"
    if trimmed(text).casefold() in CONTROL:
        return "control_near_miss"
    if any(map(is_digit, text)) and not any(map(is_letter, text)):
        return "selection_malformed"
    return "selection_like" if any(map(is_small, split_at_cjk(text))) else "free"


def selected(text: str, count: int, *, is_many: bool) -> str | list[int]:
    numbers = [int(part) for part in text.split(",")]
    if max(numbers) > count:
        return "out_of_range"
    if len(set(numbers)) < len(numbers):
        return "duplicate"
    return sorted(numbers) if is_many or len(numbers) == 1 else "multi_not_allowed"


def split_at_cjk(text: str) -> list[str]:
    spaced = text[:1]
    for before, char in itertools.pairwise(text):
        apart = (is_cjk(before) and is_digit(char)) or (is_digit(before) and is_cjk(char))
        spaced += f" {char}" if apart else char
    return spaced.split()


def is_small(token: str) -> bool:
    parts = re.split("[,;&+]", trimmed(token))
    return all(1 <= len(part) <= 2 and all(map(is_digit, part)) for part in parts)


# --- R13: parts ----------------------------------------------------------------------


def parts(first: int, size: int, count: int) -> list[tuple[int, int]]:
    sizes = [size // count + (number < size % count) for number in range(count)]
    return [(first + sum(sizes[:number]), sizes[number]) for number in range(count)]


def tree(names: list[str], path: Iterable[int]) -> tuple[list[str], int, int]:
    """The labels of a node, and which of the names stand below it."""
    first, size = 0, len(names)
    for number in path:
        first, size = parts(first, size, min(7, ceil(size / 7)))[number]
    if size <= 7:
        return names[first : first + size], first, size
    below = parts(first, size, min(7, ceil(size / 7)))
    spans = [f"{names[at]} … {names[at + length - 1]}" for at, length in below]
    found = [
        span if sum(any(map(str.isalnum, word)) for word in span.split()) <= 5
        else f"Items {at + 1}-{at + length}"
        for span, (at, length) in zip(spans, below, strict=True)
    ]  # fmt: skip
    return found, first, size


# --- section 4: the dialogue ----------------------------------------------------------


@dataclass
class Twin:
    steps: list[Step]
    answers: dict[str, Any] = field(default_factory=dict)
    mode: str = "asking"  # summary, picking, editing, done, cancelled
    step: Step = field(default_factory=dict)
    path: list[int] = field(default_factory=list)
    chunk: int = 0
    picked: list[str] = field(default_factory=list)
    invalid: int = 0

    def __post_init__(self) -> None:
        self.onward()

    def options(self, step: Step) -> list[str] | None:
        if "options" in step:
            return list(step["options"])
        ((key, table),) = step["options_by"].items()
        return table[self.answers[key]] if key in self.answers else None

    def applies(self, step: Step) -> bool:
        given = [(self.answers.get(key), labels) for key, labels in step.get("when", {}).items()]
        return self.options(step) is not None and all(
            any(label in labels for label in ([value] if isinstance(value, str) else value or ()))
            for value, labels in given
        )

    def at_the_beginning(self, mode: str, step: Step | None = None) -> None:
        self.mode, self.step = mode, step or {}
        self.path, self.chunk, self.picked, self.invalid = [], 0, [], 0

    def onward(self) -> None:
        for step in self.steps:
            if step["key"] not in self.answers and self.applies(step):
                return self.at_the_beginning("asking", step)
        return self.at_the_beginning("summary")

    def keys(self) -> list[str]:
        return [step["key"] for step in self.steps if step["key"] in self.answers]

    def chunks(self) -> list[tuple[int, int]] | None:
        options = self.options(self.step) or []
        if self.step.get("required", True) and len(options) <= 7:
            return None
        return parts(0, len(options), ceil(len(options) / 6))

    def question(self) -> tuple[str, list[str], bool]:
        if self.mode == "summary":
            lines = [f"- {key}: {told(self.answers[key])}" for key in self.keys()]
            labels = ["Confirm", "Restart", "Edit specific step"]
            return "\n".join(["Summary:", *lines]), labels, False
        if self.mode == "picking":
            return "Which step should change?", tree(self.keys(), self.path)[0], False
        ask, options = self.step["ask"], self.options(self.step) or []
        if self.step["select"] == "one":
            return ask, tree(options, self.path)[0], False
        row = self.chunks()
        if row is None:
            return ask, options, True
        first, size = row[self.chunk]
        return ask, [*options[first : first + size], "None of these"], True

    def shown(self) -> str:
        ask, labels, is_many = self.question()
        hint = "1 / 2 / 1,3" if is_many else "1 / 2"
        remarks = ["", "Invalid input: ", f"Invalid input ({hint}): ", f"Enter 1-{len(labels)}: "]
        if self.invalid > 3:
            return "STEP_ABORT"
        lines = [f"{number}) {label}" for number, label in enumerate(labels, 1)]
        return remarks[self.invalid] + ask + "\n\n" + "\n".join(lines)

    def reopened(self) -> str:
        self.invalid = 0
        return self.shown()

    def says(self, text: str) -> str | None:
        _, labels, is_many = self.question()
        keys = [step["key"] for step in self.steps] if self.mode == "asking" else []
        found = classified(text, len(labels), keys, is_many=is_many)
        if found == "cancel":
            self.mode = "cancelled"
            return "FLOW_CANCEL"
        if self.invalid > 3:
            return "STEP_ABORT"
        if found == "free":
            self.invalid = 0
            return None
        if isinstance(found, list):
            is_taken = self.chooses([number - 1 for number in found])
        else:
            is_taken = found == "compact" and self.takes(without_line_end(text))
        if not is_taken:
            self.invalid += 1
        return None if self.mode == "done" else self.shown()

    def takes(self, text: str) -> bool:
        pairs = [token.split("=") for token in text.split(" ")]
        before = (self.step, self.options(self.step), self.path, self.chunk, self.picked)
        has_any = False
        for step in self.steps:
            values = [value for key, value in pairs if key == step["key"]]
            if len(values) != 1 or not self.applies(step) or not SELECT.fullmatch(values[0]):
                continue
            options = self.options(step) or []
            found = selected(values[0], len(options), is_many=step["select"] == "many")
            if isinstance(found, list):
                self.answer(step, [options[number - 1] for number in found])
                has_any = True
        if has_any:
            self.onward()
            if self.mode == "asking" and (self.step, self.options(self.step)) == before[:2]:
                _, _, self.path, self.chunk, self.picked = before
        return has_any

    def answer(self, step: Step, labels: list[str]) -> None:
        """And what stood on the answer before falls [R34]."""
        were = {one["key"]: self.options(one) for one in self.steps}
        self.answers[step["key"]] = labels[0] if step["select"] == "one" else labels
        for later in self.steps[self.steps.index(step) + 1 :]:
            if not self.applies(later) or self.options(later) != were[later["key"]]:
                self.answers.pop(later["key"], None)

    def chooses(self, numbers: list[int]) -> bool:
        self.invalid, before = 0, self.invalid
        match self.mode:
            case "summary" if numbers == [0]:
                self.mode = "done"
            case "summary" if numbers == [1]:
                self.answers = {}
                self.onward()
            case "summary":
                self.at_the_beginning("picking")
            case "picking":
                _, first, size = tree(self.keys(), self.path)
                if size > 7:
                    self.path = [*self.path, numbers[0]]
                else:
                    key = self.keys()[first + numbers[0]]
                    step = next(one for one in self.steps if one["key"] == key)
                    self.at_the_beginning("editing", step)
            case _ if self.step["select"] == "one":
                options = self.options(self.step) or []
                _, first, size = tree(options, self.path)
                if size > 7:
                    self.path = [*self.path, numbers[0]]
                else:
                    self.answer(self.step, [options[first + numbers[0]]])
                    self.onward()
            case _ if not self.chooses_many(numbers):
                self.invalid = before
                return False
        return True

    def chooses_many(self, numbers: list[int]) -> bool:
        options, row = self.options(self.step) or [], self.chunks()
        first, size = row[self.chunk] if row else (0, len(options))
        if row and size in numbers and len(numbers) > 1:
            return False
        self.picked = [*self.picked, *(options[first + one] for one in numbers if one < size)]
        if row and self.chunk + 1 < len(row):
            self.chunk += 1
        elif not self.picked and self.step.get("required", True):
            self.chunk = 0
        else:
            self.answer(self.step, self.picked)
            self.onward()
        return True


def told(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ", ".join(value) if value else "None of these"
