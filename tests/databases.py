"""Both databases for a test: SQLite in a folder, and a PostgreSQL server of our own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg

START_S_MAX = 300
BINARIES = Path("/usr/lib/postgresql")


@dataclass
class Postgres:
    """A server that listens at a socket file; each test has a database of its own in it."""

    folder: Path
    numbers: Iterator[int]

    def url(self, name: str = "postgres") -> str:
        return f"postgresql://antiphon@/{name}?host={self.folder}"

    def fresh(self) -> str:
        name = f"test_{next(self.numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


def _program(name: str) -> str:
    """On the PATH, or where Debian's package puts it."""
    found = shutil.which(name) or next(
        (str(one) for one in sorted(BINARIES.glob(f"*/bin/{name}"), reverse=True)), None
    )
    assert found is not None, f"no {name} here: scripts/setup test installs PostgreSQL"
    return found


def _somebody() -> str | None:
    """PostgreSQL refuses root: another user runs it then."""
    if os.geteuid() != 0:
        return None
    names = {one.pw_name for one in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def postgres() -> Iterator[Postgres]:
    user = _somebody()
    # A socket file's path has at most 107 bytes, so it stands near the root.
    folder = Path(tempfile.mkdtemp(prefix="antiphon-pg-", dir="/tmp"))
    data = folder / "data"
    group = None if user is None else pwd.getpwnam(user).pw_gid
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)

    def run(program: str, *arguments: str) -> int:
        return subprocess.run(
            [_program(program), "-D", str(data), *arguments],
            stdout=subprocess.DEVNULL,
            cwd=folder,
            timeout=START_S_MAX,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        ).returncode

    try:
        made = run("initdb", "-U", "antiphon", "--auth=trust", "--no-sync", "-E", "UTF8",
                   "--locale=C")  # fmt: skip
        settings = f"-c listen_addresses='' -k {folder} -c fsync=off -c max_connections=200"
        log = str(folder / "log")
        began = run("pg_ctl", "-w", "-t", str(START_S_MAX), "-l", log, "-o", settings, "start")
        assert (made, began) == (0, 0), "PostgreSQL did not start"
        yield Postgres(folder, count())
    finally:
        run("pg_ctl", "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)
