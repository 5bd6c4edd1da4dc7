"""Whether the spool follows from what the terminal printed.

`output.raw` is read along the spool.  What was taken out as a mark and stands in the spool all
the same was printed by a program, and is text; what the spool does not have yet is not read yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from antiphon.base.errors import Broken
from antiphon.service import recording
from antiphon.terminal.marks import EditorReady, PromptSeen, TypedBegun
from antiphon.terminal.spool import Prompt, Spool


def raw_against_spool(folder: Path) -> Iterator[str]:
    """At most one sentence: from the first difference on nothing can be said."""
    try:
        prompts = recording.prompts_of(folder)
    except (Broken, OverflowError):
        return  # prompts.idx is wrong, which is said elsewhere
    with (folder / "output.spool").open("rb") as spool:
        along = _Along(spool.read(), prompts)
    fault = along.follow(folder / "output.raw")
    if fault is not None:
        yield fault


class _Along:
    def __init__(self, spool: bytes, prompts: list[tuple[int, int, Prompt]]) -> None:
        self.content = spool
        self.prompts = prompts
        self.passed = 0
        self.spool = Spool()
        self.may_drop = False  # the line end that Enter in the line editor prints

    def follow(self, raw: Path) -> str | None:
        for offset, whole, found in recording.cut_whole(raw):
            if isinstance(found, PromptSeen) and self._is_next(found):
                place = self.spool.size + len(self.spool.prompt(found)[0])
                start, end, _ = self.prompts[self.passed]
                if place != start:
                    return (
                        f"output.raw has the prompt of {start} in output.spool at {offset}, where "
                        f"the spool is at {place}"
                    )
                self.spool = Spool(size=end)
                self.passed += 1
                self.may_drop = False
            elif found is not None and not self._is_printed(whole):
                self.may_drop = isinstance(found, EditorReady)
                if isinstance(found, TypedBegun):
                    self.spool.drop_returns()
            elif not self._text(whole):
                return self._differs(offset)
        return self._rest(raw)

    def _rest(self, raw: Path) -> str | None:
        """Nothing more was printed, and the spool has no more either."""
        if self.passed < len(self.prompts):
            start = self.prompts[self.passed][0]
            return f"output.spool has a prompt at {start}, and output.raw has no mark for it"
        rest = self.content[self.spool.size :]
        # A shell that died in the middle of what might have become a mark left it as text.
        if rest and not raw.read_bytes().endswith(rest):
            return (
                f"output.spool has {len(rest)} bytes from {self.spool.size} on that output.raw "
                "does not have"
            )
        return None

    def _differs(self, offset: int) -> str:
        return (
            f"output.spool does not follow from output.raw: what the terminal printed at {offset} "
            f"is not what the spool has at {self.spool.size} or before it"
        )

    def _is_next(self, seen: PromptSeen) -> bool:
        return self.passed < len(self.prompts) and recording.is_same(
            seen, self.prompts[self.passed][2]
        )

    def _is_printed(self, whole: bytes) -> bool:
        at = self.spool.size + self.spool.held_returns
        return self.content[at : at + len(whole)] == whole

    def _text(self, data: bytes) -> bool:
        """As it is; or a block or a shell's end came first, and took the returns that were held;
        or the line end was that of Enter in the line editor."""
        kept = data.lstrip(b"\r")
        readings = [(self.spool, data), (replace(self.spool, held_returns=0), data)]
        if self.may_drop and kept.startswith(b"\n"):
            readings.append((self.spool, kept[1:]))
        self.may_drop = False
        for before, read in readings:
            self.spool = replace(before)
            if self._same(self.spool.text(read)):
                return True
        return False

    def _same(self, added: bytes) -> bool:
        """As much as the spool has; beyond its end nothing is known yet."""
        start = self.spool.size - len(added)
        has = self.content[start : self.spool.size]
        return added.startswith(has) and (len(has) == len(added) or not self._goes_on())

    def _goes_on(self) -> bool:
        return self.passed < len(self.prompts)
