"""Which shells there are, what they are started with, and what of our environment they see."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from antiphon.base import limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.link import ShellRequest

HOOKS = Path(__file__).parent.parent / "drivers" / "hooks"
KINDS = ("bash", "zsh")
# What a shell inherits of the server's environment: who and where, no keys, no tokens.
INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SHELL")
# A pager in a block would wait for a key that nobody presses.
PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat", "SYSTEMD_PAGER": "cat"}
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment(extra: Mapping[str, str], allowed: tuple[str, ...] = ()) -> dict[str, str]:
    """What a shell sees: the allow-list, the operator's further names, then the client's own."""
    ours = os.environ
    inherited = {
        name: ours[name]
        for name in ours
        if name in INHERITED or name.startswith("LC_") or name in allowed
    }
    made = {"PATH": _DEFAULT_PATH, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    return made | PAGERS | inherited | dict(extra)


def checked_environment(extra: Mapping[str, str]) -> Mapping[str, str]:
    size = sum(len(name) + len(value) + 2 for name, value in extra.items())
    if size > limits.ENV_BYTES_MAX:
        raise Refused(
            Code.LIMIT_REACHED,
            f"env has {size} bytes; at most {limits.ENV_BYTES_MAX} are taken (ENV_BYTES_MAX)",
        )
    for name, value in extra.items():
        if not name.isidentifier() or not name.isascii() or "\0" in value:
            raise Refused(
                Code.INVALID_REQUEST,
                f"env has {name[:40]!r}: names are letters, digits and _, values have no NUL",
            )
    return extra


def directory(path: str, base: bytes) -> bytes:
    """The directory to go to, or a refusal; a relative one is taken from the shell's own."""
    if "\0" in path or not path:
        raise Refused(Code.INVALID_REQUEST, f"cwd {path[:80]!r} is no path of a directory")
    absolute = os.path.join(base, os.fsencode(path))
    if not os.path.isdir(absolute):
        raise Refused(
            Code.INVALID_REQUEST,
            f"cwd {path[:200]!r} is no directory here; an existing one is accepted",
        )
    return absolute


def program(kind: str) -> str:
    found = shutil.which(kind)
    if found is None:
        raise Refused(
            Code.SPAWN_FAILED, f"{kind} is not installed; shells that are known: bash, zsh"
        )
    return found


def new_shell_id() -> str:
    return "sh-" + secrets.token_urlsafe(12)


def new_key() -> str:
    return secrets.token_hex(16)


def request(
    kind: str, folder: Path, cwd: str, size: tuple[int, int], variables: Mapping[str, str]
) -> ShellRequest:
    """How the shell of this kind is started with our hooks."""
    control = folder / "ctl"
    own = {"__FWS_D": str(control)}
    path = program(kind)
    if kind == "bash":
        arguments = [path, "--rcfile", str(HOOKS / "hooks.bash"), "-i"]
    else:
        # zsh reads its start-up file from a folder; ours has only that one, and of the machine's
        # own it reads only zshenv.
        arguments = [path, "-d", "-i"]
        own |= {"ZDOTDIR": str(HOOKS / "zsh")}
    return ShellRequest(
        folder=folder,
        cwd=cwd,
        cols=size[0],
        rows=size[1],
        key=new_key(),
        arguments=arguments,
        environment={**variables, **own},
    )
