from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.terminal.facts import (
    BlockRequested,
    EndGivenUp,
    EndRequested,
    Fact,
    InterruptSent,
    SessionRequested,
)
from tests.clauses import clause
from tests.service.tape import Kept, Life, Printed, Saved, Step, Told, kept, played, standing
from tests.terminal.streams import editor, prompt, texts, typed

TEXT = "\u65e5\u672c".encode()


ENDINGS: list[Fact] = [InterruptSent(), EndRequested(), EndGivenUp()]


def told(number: int, command: str = "make", cwd: bytes | None = None) -> Told:
    return Told(BlockRequested(command, number, 1_763_500_000_000 + number, cwd))


# Blocks that print and that do not, a session, a typed line, cuts inside characters, line ends
# and marks, background output, bytes that are no text, and checkpoints at awkward places.
STORY: list[Step] = [
    Printed(prompt(0)),
    told(4),
    Printed(b"one\r"),
    Printed(b"\ntwo " + TEXT[:1]),
    Saved(),
    Printed(TEXT[1:] + b"\xff\x00\r\n" + prompt(5, 4, 2)[:9]),
    Printed(prompt(5, 4, 2)[9:] + b"background\r"),
    told(8, "true", b"/tmp"),
    Printed(prompt(9, 8, 0, b"/tmp")),
    Saved(),
    Told(SessionRequested("cat", 12, 1_763_500_000_500)),
    Printed(TEXT + TEXT[:2]),
    Told(InterruptSent()),
    Printed(TEXT[2:3]),
    Told(EndRequested()),
    Told(EndGivenUp()),
    Saved(),
    Printed(b"50%\r100%\r" + prompt(13, 12, 130)),
    Printed(editor(14) + typed(15, "ls")),
    Printed(b"typed\r\n"),
    Printed(prompt(16, 12, 0)),
    told(20, "seq"),
    Printed(b"".join(b"%d\r\n" % number for number in range(50))),
    Printed(editor(21)),
    Saved(),
    Printed(b"\r\nafter"),
    Printed(prompt(22, 20, 1)),
]


def outcome(steps: list[Step], *lives: Life) -> tuple[Kept, tuple[object, ...]]:
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        folder = Path(place) / "conversations" / "c" / "agent_pty"
        played(folder, steps, *lives)
        state = standing(folder)
        found = kept(folder)
        assert standing(folder) == state and kept(folder) == found, "a second start changes nothing"
        return found, state


def places(spent: list[int]) -> list[int]:
    """Before each write, after its first byte, in its middle, before its last byte."""
    ends = [0, *itertools.accumulate(spent)]
    found = {
        begin + part
        for begin, size in zip(ends, spent, strict=False)
        for part in (0, 1, size // 2, size - 1)
        if 0 <= part < size
    }
    return sorted(found)


@clause("terminal D15", "terminal D8a", "terminal events torn", "terminal 2.2")
def test_a_server_that_dies_in_any_write_leaves_what_leads_to_the_same(tmp_path: Path) -> None:
    whole = Life()
    expected = outcome(STORY, whole)
    assert len(expected[0].blocks) == 5
    for place in places(whole.spent):
        assert outcome(STORY, Life(place)) == expected, place


@settings(max_examples=60)
@given(st.data())
def test_so_does_one_that_dies_again_while_it_recovers(data: st.DataObject) -> None:
    whole = Life()
    expected = outcome(STORY, whole)
    first = data.draw(st.integers(0, sum(whole.spent)))
    more = data.draw(st.lists(st.integers(0, 2_000), max_size=3))
    assert outcome(STORY, Life(first), *map(Life, more)) == expected


def test_what_was_held_back_and_then_decided_stays_on_its_side_of_a_fact() -> None:
    steps: list[Step] = [Printed(prompt(0) + b"\x1b\x1b"), told(4), Printed(b"\x1b")]
    expected = outcome(steps, Life())
    assert expected[0].outputs == {"c.1": b"\x1b"}
    assert outcome(steps, Life(158)) == expected


@st.composite
def stories(draw: st.DrawFn) -> list[Step]:
    """Any conversation: what is printed is cut anywhere, checkpoints come at any time."""
    steps: list[Step] = []
    raw, number, command, is_busy = prompt(0), 0, 0, False
    for kind in draw(st.lists(st.sampled_from("bsTtttPPeS"), max_size=14)):
        number += 4
        match kind:
            case "b" | "s" if not is_busy:
                steps += [Printed(raw)] if raw else []
                made = BlockRequested if kind == "b" else SessionRequested
                steps.append(Told(made("make", number, 1_763_500_000_000 + number)))
                raw, command, is_busy = b"", number, True
            case "T" if not is_busy:
                raw, is_busy = raw + editor(number) + typed(number + 1, "ls"), True
            case "P":
                raw, is_busy = raw + prompt(number + 2, command, draw(st.integers(0, 255))), False
            case "S":
                cut = draw(st.integers(0, len(raw)))
                steps += [Printed(raw[:cut])] if cut else []
                steps.append(Saved())
                raw = raw[cut:]
            case "e" if is_busy:
                steps += [Printed(raw)] if raw else []
                raw = b""
                facts = st.sampled_from(ENDINGS)
                steps.append(Told(draw(facts)))
            case _:
                raw += draw(texts)
    return [*steps, Printed(raw)] if raw else steps


@settings(max_examples=80)
@given(stories(), st.data())
def test_any_story_survives_any_death(steps: list[Step], data: st.DataObject) -> None:
    whole = Life()
    expected = outcome(steps, whole)
    for _ in range(4):
        place = data.draw(st.integers(0, sum(whole.spent)))
        assert outcome(steps, Life(place)) == expected


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_life_that_is_long_enough_is_no_death(is_saved: bool) -> None:
    steps = [*STORY, Saved()] if is_saved else STORY
    assert outcome(steps, Life(1 << 30))[0] == outcome(STORY, Life())[0]


def test_blocks_that_begin_and_end_in_one_reading_have_their_output() -> None:
    typed_twice = [
        editor(1) + typed(2, "echo one") + b"one\r\n" + prompt(3, 0, 0),
        editor(4) + typed(5, "true") + prompt(6, 0, 0),
        editor(7) + typed(8, "echo two") + b"two\r\n" + prompt(9, 0, 0),
    ]
    found, _ = outcome([Printed(prompt(0)), Printed(b"".join(typed_twice))], Life())
    assert found.outputs == {"c.1": b"one\n", "c.2": b"", "c.3": b"two\n"}
