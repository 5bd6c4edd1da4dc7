"""A server that kills itself before the n-th write to its database, once a file says n.

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
# A crash before anything else leaves the disk as a crash before the next of these does.
WRITES = ("INSERT", "UPDATE", "DELETE", "COMMIT")


def armed() -> None:
    at = Path(os.environ["ANTIPHON_STATE_DIR"]) / ARMED
    plainly = SqliteConnection.execute
    count = itertools.count(1)

    def execute(self: SqliteConnection, sql: str, values: Sequence[object]) -> list[Row]:
        is_write = sql.lstrip().upper().startswith(WRITES)
        if is_write and at.exists() and next(count) == int(at.read_text()):
            os.kill(os.getpid(), signal.SIGKILL)
        return plainly(self, sql, values)

    SqliteConnection.execute = execute  # type: ignore[method-assign]


if __name__ == "__main__":
    armed()
    sys.exit(cli.main())
