"""`antiphon doctor`: what Antiphon stands on, looked at from outside; it changes nothing."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from antiphon.adapters import settings
from antiphon.adapters.cli_exit import REFUSED, WELL, print_json, state_dir_of
from antiphon.base.errors import Broken, Refused
from antiphon.drivers import owner

Level = Literal["ok", "warn", "fail"]

PYTHON_LEAST = (3, 11)
BASH_LEAST = (5, 0)  # EPOCHREALTIME, which stamps every prompt
ZSH_LEAST = (5, 3)
# Below this a long build's output may not fit.
DISK_BYTES_LEAST = 256 << 20
# Each conversation has half a dozen files open.
FILES_LEAST = 1024
IMPORTS = ("mcp", "starlette", "uvicorn", "httptools", "websockets", "msgspec", "re2", "pyghostty")


class Finding(Struct, frozen=True):
    level: Level
    subject: str
    sentence: str


def doctor(arguments: argparse.Namespace) -> int:
    state_dir = state_dir_of(arguments)
    findings = [
        *_programs(),
        *_packages(),
        *_machine(),
        *_state(state_dir),
        *_settings(state_dir),
    ]
    has_failed = any(finding.level == "fail" for finding in findings)
    if arguments.json:
        print_json({"ok": not has_failed, "findings": findings})
    else:
        for finding in findings:
            print(f"{finding.level:4}  {finding.subject}: {finding.sentence}")
    return REFUSED if has_failed else WELL


def _programs() -> Iterator[Finding]:
    found = sys.version_info[:3]
    level: Level = "ok" if found >= PYTHON_LEAST else "fail"
    yield Finding(level, "python", ".".join(map(str, found)))
    yield _shell("bash", BASH_LEAST, r"version (\d+)\.(\d+)", missing="fail")
    yield _shell("zsh", ZSH_LEAST, r"zsh (\d+)\.(\d+)", missing="warn")


def _shell(name: str, least: tuple[int, int], pattern: str, *, missing: Level) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(missing, name, "is not installed")
    try:
        said = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(missing, name, f"{path} does not answer: {error}")
    found = re.search(pattern, said.stdout)
    if found is None:
        return Finding("warn", name, f"{path} does not say its version")
    version = (int(found[1]), int(found[2]))
    if version < least:
        return Finding(missing, name, f"{path} is {found[0]}; {least[0]}.{least[1]} is needed")
    return Finding("ok", name, f"{path}, {found[0]}")


def _packages() -> Iterator[Finding]:
    for name in IMPORTS:
        if importlib.util.find_spec(name) is None:
            yield Finding("fail", name, "is not installed")
    if importlib.util.find_spec("mcp") is not None:
        done = subprocess.run(
            [sys.executable, "-c", "import mcp.server.lowlevel"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            reason = done.stderr.strip().splitlines()[-1:]
            yield Finding("fail", "mcp", f"cannot be imported: {' '.join(reason)}")
        else:
            yield Finding("ok", "mcp", "can be imported")


def _machine() -> Iterator[Finding]:
    import resource

    yield Finding("ok", "kernel", f"{platform.system()} {platform.release()}")
    try:
        used = int(Path("/proc/sys/kernel/pty/nr").read_text())
        limit = int(Path("/proc/sys/kernel/pty/max").read_text())
    except (OSError, ValueError):
        yield Finding("warn", "terminals", "this kernel does not say how many there may be")
    else:
        level: Level = "ok" if limit - used > 64 else "warn"
        yield Finding(level, "terminals", f"{used} of {limit} in use")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = hard == resource.RLIM_INFINITY or hard >= FILES_LEAST
    yield Finding("ok" if enough else "warn", "open files", f"{soft}, at most {hard}")


def _state(state_dir: Path) -> Iterator[Finding]:
    try:
        found = state_dir.lstat()
    except FileNotFoundError:
        yield Finding("ok", "state directory", f"{state_dir} is not there yet")
        return
    except OSError as error:
        yield Finding("fail", "state directory", f"{state_dir}: {error.strerror}")
        return
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISDIR(found.st_mode):
        yield Finding("fail", "state directory", f"{state_dir} is no directory")
        return
    if found.st_uid != os.geteuid():
        yield Finding("fail", "state directory", f"{state_dir} belongs to user {found.st_uid}")
        return
    if mode & 0o077:
        yield Finding("warn", "state directory", f"{state_dir} is open to others ({mode:o})")
    else:
        yield Finding("ok", "state directory", f"{state_dir} ({mode:o})")
    free = shutil.disk_usage(state_dir).free
    level: Level = "ok" if free >= DISK_BYTES_LEAST else "warn"
    yield Finding(level, "disk", f"{free >> 20} MiB free")
    yield _owner(state_dir)


def _owner(state_dir: Path) -> Finding:
    try:
        note = owner.owner_of(state_dir)
    except Broken as broken:
        return Finding("fail", "owner", str(broken))
    if note is None:
        return Finding("ok", "owner", "nobody; a command that needs the service becomes it")
    where = f"listens at {note.address}" if note.address else "listens nowhere"
    return Finding("ok", "owner", f"process {note.pid}, which {where}")


def _settings(state_dir: Path) -> Iterator[Finding]:
    try:
        settings.read(state_dir, os.environ, {})
    except Refused as refused:
        yield Finding("fail", "settings", refused.message)
    else:
        yield Finding("ok", "settings", "can be read")
    unknown = settings.unknown_variables(os.environ)
    if unknown:
        yield Finding("warn", "settings", f"no setting: {', '.join(unknown)}")
