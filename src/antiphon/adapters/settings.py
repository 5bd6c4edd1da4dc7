"""What an operator may set: the command line over ANTIPHON_* over antiphon.toml.

A key nobody knows is refused with those that are known.  The token is the environment's
alone: an argument shows in `ps`, and a file is what the made token has already.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from antiphon.adapters import limits
from antiphon.adapters.mcp_rooms import Room
from antiphon.base import limits as base_limits
from antiphon.base.errors import Code, Refused
from antiphon.drivers.model import Model
from antiphon.drivers.store import Durability
from antiphon.wire import codec

PREFIX = "ANTIPHON_"
FILE = "antiphon.toml"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# How a variable separates the items of a list.
SEPARATORS = {"packs": os.pathsep, "hosts": ",", "mcp_rooms": ","}
# Options with a name of their own.
OPTIONS = {"packs": "--pack", "mcp_rooms": "--rooms"}


class Settings(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Every setting, its default, and nothing else."""

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 8040
    allow_remote: bool = False
    hosts: list[str] = []
    durability: Durability = Durability.PROCESS
    packs: list[str] = []
    tool_names: Literal["dotted", "underscore"] = "dotted"
    mcp_rooms: list[Room] = []
    tsci: str = "tsci"
    library_dir: str = "lib"
    database_url: str | None = None
    llm_url: str | None = None
    llm_model: str | None = None
    llm_key_file: str | None = None
    llm_timeout_ms: Annotated[int, msgspec.Meta(ge=1)] = base_limits.MODEL_TIMEOUT_MS_DEFAULT

    @property
    def is_loopback(self) -> bool:
        return self.host in LOOPBACK


def model(settings: Settings) -> Model | None:
    """Where the model is, when there is one."""
    if settings.llm_url is None:
        return None
    key_file = Path(settings.llm_key_file) if settings.llm_key_file else None
    return Model(settings.llm_url, settings.llm_timeout_ms, settings.llm_model, key_file)


def read(state_dir: Path, environment: Mapping[str, str], given: Mapping[str, object]) -> Settings:
    """The settings in force.  `given` has what the command line said, and only that."""
    file = state_dir / FILE
    chosen: dict[str, tuple[str, object]] = {
        **{name: (str(file), value) for name, value in _of_file(file).items()},
        **{name: (variable(name), value) for name, value in _of_environment(environment).items()},
        **{name: (_option(name), value) for name, value in given.items()},
    }
    for name, (where, value) in chosen.items():
        try:
            msgspec.convert({name: value}, Settings, strict=False)
        except msgspec.ValidationError as error:
            fault = codec.fault(str(error), {name: value}, Settings)
            raise Refused(Code.INVALID_REQUEST, f"{where}: {fault}") from None
    found = {name: value for name, (_, value) in chosen.items()}
    return msgspec.convert(found, Settings, strict=False)


def _option(name: str) -> str:
    return OPTIONS.get(name, f"--{name.replace('_', '-')}")


def variable(name: str) -> str:
    """The variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def check_reach(settings: Settings, token: str | None) -> None:
    """Beyond this machine only with the operator's own token and their word for it."""
    if settings.is_loopback or (settings.allow_remote and token):
        return
    raise Refused(
        Code.INVALID_REQUEST,
        f"{settings.host} can be reached from other machines; that needs both --allow-remote "
        "and a token of yours in ANTIPHON_TOKEN",
    )


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Variables that look like settings and are none; other programs may have set them."""
    known = set(map(variable, Settings.__struct_fields__))
    known |= {f"{PREFIX}STATE_DIR", f"{PREFIX}TOKEN"}
    return sorted(name for name in environment if name.startswith(PREFIX) and name not in known)


def _of_environment(environment: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in Settings.__struct_fields__:
        text = environment.get(variable(name))
        if text is None:
            continue
        separator = SEPARATORS.get(name)
        found[name] = [item for item in text.split(separator) if item] if separator else text
    return found


def _of_file(path: Path) -> dict[str, object]:
    try:
        if path.stat().st_size > limits.SETTINGS_BYTES_MAX:
            raise Refused(Code.LIMIT_REACHED, f"{path} is too large for settings")
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(Code.INVALID_REQUEST, f"{path}: {error}") from None
    unknown = sorted(set(table) - set(Settings.__struct_fields__))
    if unknown:
        known = ", ".join(Settings.__struct_fields__)
        raise Refused(
            Code.INVALID_REQUEST,
            f"{path}: {', '.join(unknown)} is no setting; these are: {known} "
            "(a token is given in ANTIPHON_TOKEN only)",
        )
    return table
