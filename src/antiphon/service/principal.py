"""Who is calling: each door says it before it asks, and a state belongs to that caller alone.

Context variables, because they go with the call through tasks that know nothing of them.
"""

from __future__ import annotations

from contextvars import ContextVar

from antiphon.wire.inputs import By

# The user of this machine who can read the state directory: stdio, the command line, the library.
LOCAL = "local"

calling: ContextVar[str] = ContextVar("calling", default=LOCAL)
# What kind of caller it is, for the record of what was typed; it decides nothing.
hand: ContextVar[By] = ContextVar("hand", default="program")
