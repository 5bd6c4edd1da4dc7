"""METHODS: every operation of Antiphon, declared once; doors and documents come from here.

A door takes a name and arguments, finds the row, decodes, calls the service, encodes.
This module does not know how an operation is carried out.
"""

from __future__ import annotations

from antiphon.wire import (
    rows_callouts,
    rows_components,
    rows_entities,
    rows_interaction,
    rows_menus,
    rows_reconcile,
    rows_sessions,
    rows_terminal,
)
from antiphon.wire.method import COMMON, Method

__all__ = ["BY_UNDERSCORE", "COMMON", "METHODS", "Method", "named"]

_ROWS: tuple[Method, ...] = (
    *rows_terminal.ROWS,
    *rows_interaction.ROWS,
    *rows_menus.ROWS,
    *rows_components.ROWS,
    *rows_entities.ROWS,
    *rows_reconcile.ROWS,
    *rows_sessions.ROWS,
    *rows_callouts.ROWS,
)

METHODS = {method.name: method for method in _ROWS}
BY_UNDERSCORE = {method.underscored: method for method in _ROWS}


def named(name: str) -> Method | None:
    """The operation under either spelling."""
    return METHODS.get(name) or BY_UNDERSCORE.get(name)
