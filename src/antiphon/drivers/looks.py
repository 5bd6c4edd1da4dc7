"""The emulator's screen with how its text looks, as a `Seen`.

The emulator prints itself as a terminal would be told to draw it: text, SGR sequences, line ends.
Lines that the terminal has wrapped are put together again.
"""

from __future__ import annotations

import re

from pyghostty import Terminal as Emulator
from pyghostty import ffi
from pyghostty.core import init_sized, lib, read_buf

from antiphon.menu.seen import Row, Run, Seen
from antiphon.menu.width import in_columns

_FILLER = "\ue000"
_CURSOR_SHOWN = 25
_ALTERNATE = (1049, 1047, 47)
_OSC = re.compile(r"\x1b\][^\x1b\x07]*(?:\x1b\\|\x07)")
_SGR = re.compile(r"\x1b\[([\d;:]*)m")


def seen(emulator: Emulator) -> Seen:
    col, row = emulator.cursor
    cols, _ = emulator.size
    lines = _lines(_printed(emulator))
    while len(lines) <= row:
        lines.append(Row(""))
    wraps = [
        index for index in range(len(lines) - 1) if _wraps(emulator, lines[index], index, cols)
    ]
    lines, row, col = _joined(lines, wraps, row, col, cols)
    return Seen(
        rows=tuple(lines),
        cursor_row=row,
        cursor_col=col,
        is_cursor_shown=bool(emulator.mode(_CURSOR_SHOWN)),
        is_alternate=any(emulator.mode(mode) for mode in _ALTERNATE),
    )


def first_touched(before: Seen, printed: bytes, cols: int, rows: int) -> int | None:
    """The first row that these bytes draw in: they are drawn on a screen full of filler."""
    emulator = Emulator(cols, rows, scrollback=0)
    line = _FILLER * cols
    emulator.feed("\r\n".join([line] * rows))
    emulator.feed(f"\x1b[{before.cursor_row + 1};{before.cursor_col + 1}H")
    emulator.feed(printed)
    lines = emulator.text().split("\n")
    touched = [index for index, text in enumerate(lines) if text != line]
    emulator.close()
    return touched[0] if touched else None


def first_drawn(before: bytes, printed: bytes, cols: int, rows: int) -> int | None:
    """The first row that was drawn in after a moment; where the cursor stood then, at the most."""
    emulator = Emulator(cols, rows, scrollback=0)
    emulator.feed(before)
    col, row = emulator.cursor
    emulator.close()
    touched = first_touched(Seen((), int(row), int(col)), printed, cols, rows)
    return None if touched is None else min(int(row), touched)


def _printed(emulator: Emulator) -> str:
    cols, rows = emulator.size
    selection = init_sized("GhosttySelection")
    selection.start = emulator.ref(0, 0)[0]
    selection.end = emulator.ref(cols - 1, rows - 1)[0]
    options = init_sized("GhosttyTerminalSelectionFormatOptions")
    options.emit = lib.GHOSTTY_FORMATTER_FORMAT_VT
    options.unwrap, options.trim, options.selection = False, True, selection
    terminal = emulator._t[0]  # noqa: SLF001  # there is no other way to it
    call = lib.ghostty_terminal_selection_format_buf
    return str(read_buf(lambda buffer, size, out: call(terminal, options[0], buffer, size, out)))


def _lines(printed: str) -> list[Row]:
    rows, look = [], ""
    for line in _OSC.sub("", printed).split("\r\n"):
        text, runs = "", []
        for number, piece in enumerate(_SGR.split(line)):
            if number % 2:
                look = "" if piece in ("", "0") else f"{look};{piece}".lstrip(";")
            elif piece:
                begin = len(text)
                text += in_columns(piece)
                if look:
                    runs.append(Run(begin, len(text), look))
        rows.append(Row(text, tuple(runs)))
    return rows


def _wraps(emulator: Emulator, line: Row, index: int, cols: int) -> bool:
    # A line that ends in blanks was filled up to the edge: what follows is another line.
    if len(line.text) < cols - 1 or line.text.endswith("  "):
        return False
    row, answer = ffi.new("GhosttyRow*"), ffi.new("bool*")
    lib.ghostty_grid_ref_row(emulator.ref(0, index), row)
    lib.ghostty_row_get(row[0], lib.GHOSTTY_ROW_DATA_WRAP, answer)
    return bool(answer[0])


def _joined(
    lines: list[Row], wraps: list[int], row: int, col: int, cols: int
) -> tuple[list[Row], int, int]:
    for index in reversed(wraps):
        first, second = lines[index], lines[index + 1]
        shift = len(first.text)
        runs = tuple(Run(run.start + shift, run.end + shift, run.look) for run in second.runs)
        lines[index : index + 2] = [Row(first.text + second.text, first.runs + runs)]
        if row > index:
            row, col = (row - 1, col + cols) if row == index + 1 else (row - 1, col)
    return lines, row, col
