"""Every figure, in the order of the results."""

from __future__ import annotations

from bench.figures import (
    choice,
    closing,
    correct,
    dsl,
    entities,
    holder,
    idle,
    ingest,
    kills,
    marks,
    mcp_door,
    menus,
    patterns,
    power,
    recovery,
    robust,
    round_trip,
    search,
    sessions,
    start,
    torn,
    viewer,
    waiters,
    wake,
)
from bench.rows import Figure

FIGURES = (
    Figure(
        "round_trip",
        "`true`, from the call to the exit code in hand. The floor is a bash with its line editor "
        "on a PTY, read in a loop until a mark of a few bytes with the exit code.",
        round_trip.measure,
    ),
    Figure(
        "mcp",
        "`true` over MCP stdio by a thin client, beside the library's round trip and a call of an "
        "empty tool of the MCP SDK by the same client.",
        mcp_door.measure,
    ),
    Figure(
        "ingest",
        "`cat` of a file of numbered lines of 80 bytes. The floor is a loop that reads the PTY and "
        "writes a file, measured before and after ours.",
        ingest.measure,
    ),
    Figure(
        "wake",
        "A program notes the time and writes a mark; `pty.wait_for` answers. The floor is a read "
        "of the PTY that returns.",
        wake.measure,
    ),
    Figure(
        "waiters",
        "Waits that find nothing, each with a needle or an expression of its own.",
        waiters.measure,
    ),
    Figure(
        "correct",
        "What a terminal for programs has to get right; every probe is in `bench/probes.py`. A "
        "peer is driven by its own interface, with an exit code added where it has none.",
        correct.measure,
    ),
    Figure("idle", "Conversations with a shell each, and nothing to do.", idle.measure),
    Figure(
        "search",
        "`blocks.search` over the output of one block, in turns with ripgrep over the same file, "
        "both from the page cache. Both give at most 50 lines with their numbers.",
        search.measure,
    ),
    Figure(
        "start",
        "`antiphon serve`, from the start of its process; every conversation has six blocks.",
        start.measure,
    ),
    Figure(
        "holder",
        "The process that owns a terminal and appends what it prints to a file.",
        holder.measure,
    ),
    Figure(
        "recovery",
        "`antiphon serve` is killed while a command runs, and started again on the same state.",
        recovery.measure,
    ),
    Figure(
        "kills",
        "`antiphon serve` is killed at random moments and started again, while programs print "
        "numbered lines.",
        kills.measure,
    ),
    Figure(
        "marks",
        "What programs print, what commands do to their shell, and what a command may hold.",
        marks.measure,
    ),
    Figure(
        "patterns",
        "The law of waits, and patterns that other engines hang on.",
        patterns.measure,
    ),
    Figure(
        "robust",
        "What is no text in the stream, no request at a door, and too many at once.",
        robust.measure,
    ),
    Figure(
        "viewer",
        "A WebSocket viewer over TCP that never reads what it is sent, and a flood.",
        viewer.measure,
    ),
    Figure(
        "closing",
        "`pty.close`, whatever a command has started.",
        closing.measure,
    ),
    Figure(
        "torn",
        "A conversation's files, damaged as a crash or a power cut may, and loaded again.",
        torn.measure,
    ),
    Figure(
        "power",
        "The power is cut under `durability = power`: files keep what was synced, and of the rest "
        "a part, zeros or garbage.",
        power.measure,
    ),
    Figure(
        "choice",
        "Exact questions: inputs of every kind, and whole dialogues.",
        choice.measure,
    ),
    Figure(
        "dsl",
        "Programs read, checked and planned in one process; messages and names compared.",
        dsl.measure,
    ),
    Figure(
        "entities",
        "`entities.search` by names with slips of the finger; names and slips are made with a "
        "seed by `bench/entity_names.py`. The peers have the same names and words, in turns.",
        entities.measure,
    ),
    Figure(
        "sessions",
        "Sessions of `antiphon serve` over HTTP. The floor of a change is a request that reads and "
        "a commit to an SQLite file of its own, with the server's settings and a session's size.",
        sessions.measure,
    ),
    Figure(
        "menus",
        "Programs that ask, driven by their screen: `tests/fixtures/picker.py` draws a menu of any "
        "make and tells what it received. The walk along all options is part of every time.",
        menus.measure,
    ),
)
