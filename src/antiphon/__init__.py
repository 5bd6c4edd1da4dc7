"""Terminals that a program can hold a conversation with.

    async with antiphon.open() as terminals:
        answer = await terminals.pty.run("build", "make")

What is named here is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antiphon import sync
    from antiphon.library import (
        Broken,
        Question,
        Refused,
        SafetyRefused,
        Terminals,
        guard,
        open,  # noqa: A004 - antiphon.open
    )

__all__ = ["Broken", "Question", "Refused", "SafetyRefused", "Terminals", "guard", "open", "sync"]


def __getattr__(name: str) -> object:
    if name == "sync":
        return importlib.import_module("antiphon.sync")
    if name in __all__:
        return vars(importlib.import_module("antiphon.library"))[name]
    raise AttributeError(f"antiphon has no {name!r}; it has {', '.join(__all__)}")
