"""A server that kills itself at the n-th statement to its database, once a file says n.

python -m tests.sessions.victim serve …
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from antiphon.adapters import cli
from antiphon.drivers.sql import Row
from antiphon.drivers.sqlite import SqliteConnection

ARMED = "armed"


def armed() -> None:
    at = Path(os.environ["ANTIPHON_STATE_DIR"]) / ARMED
    plainly = SqliteConnection.execute
    count = itertools.count(1)

    def execute(self: SqliteConnection, sql: str, values: Sequence[object]) -> list[Row]:
        if at.exists() and next(count) == int(at.read_text()):
            os.kill(os.getpid(), signal.SIGKILL)
        return plainly(self, sql, values)

    SqliteConnection.execute = execute  # type: ignore[method-assign]


if __name__ == "__main__":
    armed()
    sys.exit(cli.main())
