"""The text of a question: an instruction, one blank line, numbered labels; and how it is repeated.

Option lines are the same bytes whenever a question is shown; only its first line may carry a
retry's remark.
"""

from __future__ import annotations

from dataclasses import dataclass

OPTIONS_MAX = 7

STEP_ABORT = "STEP_ABORT"
FLOW_CANCEL = "FLOW_CANCEL"
EVENT_CODES = (STEP_ABORT, FLOW_CANCEL)

SUMMARY_HEAD = "Summary:"
SUMMARY_LABELS = ("Confirm", "Restart", "Edit specific step")
EDIT_INSTRUCTION = "Which step should change?"
NONE_LABEL = "None of these"

# The fourth invalid input in a row ends the step.
INVALID_MAX = 4

ONE_HINT = "1 / 2"
MANY_HINT = "1 / 2 / 1,3"


@dataclass(frozen=True, slots=True)
class Block:
    """What is asked; a summary is one too, with its list in the place of the instruction."""

    instruction: str
    labels: tuple[str, ...]


def shown(block: Block) -> str:
    options = "\n".join([f"{number}) {label}" for number, label in enumerate(block.labels, 1)])
    return f"{block.instruction}\n\n{options}"


def shown_again(block: Block, invalid_count: int, *, is_many: bool) -> str:
    """After so many invalid inputs in a row."""
    return remark(invalid_count, len(block.labels), is_many=is_many) + shown(block)


def remark(invalid_count: int, count: int, *, is_many: bool) -> str:
    match invalid_count:
        case 0:
            return ""
        case 1:
            return "Invalid input: "
        case 2:
            return f"Invalid input ({MANY_HINT if is_many else ONE_HINT}): "
        case _:
            return f"Enter 1-{count}: "


def remarks(count: int) -> tuple[str, ...]:
    """Every remark that may stand before a question with so many options."""
    return (
        "Invalid input: ",
        f"Invalid input ({ONE_HINT}): ",
        f"Invalid input ({MANY_HINT}): ",
        f"Enter 1-{count}: ",
    )


def summary(lines: list[tuple[str, str]]) -> Block:
    listed = "".join(f"\n- {field}: {value}" for field, value in lines)
    return Block(SUMMARY_HEAD + listed, SUMMARY_LABELS)
